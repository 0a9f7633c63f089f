"""Curves, conversions and group rules against Google's dp-accounting (in the extra `tests`).

Skipped, with a reason, where it is not installed; test_curves.py and test_curves_of_groups.py hold the same against 30
digits and exact enumeration, always.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hdp_audit.model.approximate import ApproximateDP, ApproximateLimit
from hdp_audit.model.gaussian import GaussianDP, GaussianLimit
from hdp_audit.model.zcdp import ZCDP, ConcentratedLimit

EPSILONS = [0.0, 0.25, 1.0, 2.0, 4.0]
STEP = 0.25  # of dp-accounting's grid of losses: all losses below lie on it, so that it rounds none
ORDERS = 1.0 + np.geomspace(0.011, 1e4, 4000)
# log δ is about log(best) + ρ·(α − best)², and the nearest order of the grid is off by 0.0017·(α − 1) at most.
GRID = 1e-3


@pytest.fixture(scope="module")
def accounting() -> Any:
    why = "dp-accounting is not installed: pip install dp-accounting (test_curves.py has the same against 30 digits)"
    pytest.importorskip("dp_accounting", reason=why)
    import dp_accounting
    import dp_accounting.pld
    import dp_accounting.rdp

    return dp_accounting


@pytest.mark.parametrize("mu", [0.05, 0.5, 1.0, 3.0])
def test_the_gaussian_curve(accounting: Any, mu: float) -> None:
    from dp_accounting.pld.privacy_loss_mechanism import GaussianPrivacyLoss

    known = [GaussianPrivacyLoss(1.0 / mu).get_delta_for_epsilon(epsilon) for epsilon in EPSILONS]
    np.testing.assert_allclose(GaussianLimit(mu).delta(EPSILONS), known, rtol=1e-9, atol=1e-16)


def test_a_group_is_a_shift_by_the_sum(accounting: Any) -> None:
    from dp_accounting.pld.privacy_loss_mechanism import GaussianPrivacyLoss

    group = GaussianDP([0.3, 0.9, 0.1]).group(np.arange(3))
    known = [GaussianPrivacyLoss(1.0, sensitivity=1.3).get_delta_for_epsilon(epsilon) for epsilon in EPSILONS]
    np.testing.assert_allclose(group.delta(EPSILONS), known, rtol=1e-9)


@pytest.mark.parametrize("delta", [0.0, 1e-6, 0.1])
@pytest.mark.parametrize("strength", [0.25, 1.0, 3.0])
def test_the_approximate_curve(accounting: Any, strength: float, delta: float) -> None:
    from dp_accounting.pld.common import DifferentialPrivacyParameters
    from dp_accounting.pld.privacy_loss_distribution import from_privacy_parameters

    known = from_privacy_parameters(DifferentialPrivacyParameters(strength, delta), STEP)
    expected = [known.get_delta_for_epsilon(epsilon) for epsilon in EPSILONS]
    np.testing.assert_allclose(ApproximateLimit(strength, delta).delta(EPSILONS), expected, rtol=1e-9, atol=1e-15)


@pytest.mark.parametrize("rho", [0.005, 0.1, 0.5, 2.0])
def test_the_concentrated_curve(accounting: Any, rho: float) -> None:
    """Its grid of orders leaves a little open; where it takes another bound, which is below ours, that is left out."""
    accountant = accounting.rdp.RdpAccountant(ORDERS)
    accountant.compose(accounting.ZCDpEvent(rho))
    other = np.sqrt(-np.expm1(-rho * ORDERS[0]))  # √(1 − e^−KL), at every ε
    limit, compared = ZCDP([rho]).group(np.array([0])), 0
    for epsilon in [*EPSILONS, 0.5, 3.0, 6.0, 8.0]:
        known, ours = accountant.get_delta(epsilon), float(limit.delta(epsilon))
        assert known <= ours * (1.0 + GRID) + 1e-300
        if known < 0.999 * other and known > 1e-40:
            assert ours <= known * (1.0 + 1e-9)
            compared += 1
    assert compared >= 3


def test_a_concentrated_group_is_the_shift_by_the_sum_of_roots(accounting: Any) -> None:
    rho = np.array([0.02, 0.5, 0.08])
    accountant = accounting.rdp.RdpAccountant(ORDERS)
    accountant.compose(accounting.GaussianDpEvent(1.0 / np.sqrt(2.0 * rho).sum()))
    together = ZCDP(rho).parameter(ZCDP(rho).group(np.arange(3)).strength)
    np.testing.assert_allclose(accountant.rdp / accountant.orders, together, rtol=1e-12)
    delta = float(ZCDP(rho).group(np.arange(3)).delta(4.0))
    assert delta == pytest.approx(accountant.get_delta(4.0), rel=GRID)


@pytest.mark.parametrize("delta", [1e-8, 1e-3, 0.05])
@pytest.mark.parametrize("mu", [0.2, 1.0, 2.5])
def test_what_a_shift_loses_at_a_delta(accounting: Any, mu: float, delta: float) -> None:
    limit = ApproximateDP([1.0], delta).group(np.array([0]))
    known = accounting.get_epsilon_gaussian(1.0 / mu, delta)
    assert limit.lost_by(mu) == pytest.approx(known, rel=1e-6, abs=1e-9)
    if known > 0:
        largest = limit.at(known).gaussian()
        assert largest == pytest.approx(1.0 / accounting.get_sigma_gaussian(known, delta), rel=1e-6)
        assert largest == pytest.approx(mu, rel=1e-6)


def test_a_shift_keeps_the_concentrated_limit_at_every_loss(accounting: Any) -> None:
    from dp_accounting.pld.privacy_loss_mechanism import GaussianPrivacyLoss

    for mu in (0.1, 1.0, 3.0):
        limit = ConcentratedLimit(mu)
        assert all(GaussianPrivacyLoss(1.0 / mu).get_delta_for_epsilon(e) <= limit.delta(e) for e in EPSILONS)
