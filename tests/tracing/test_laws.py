"""Each law against scipy's: tails, and what it costs to move a draw, by looking for the largest ratio."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from hdp_audit.tracing import laws
from hdp_audit.tracing.laws import Law

PEERS = {
    laws.LAPLACE: stats.laplace(),
    laws.LOGISTIC: stats.logistic(),
    laws.CAUCHY: stats.cauchy(),
    laws.NORMAL: stats.norm(),
    laws.EXPONENTIAL: stats.expon(),
    laws.GUMBEL: stats.gumbel_r(),
    laws.UNIFORM: stats.uniform(-0.5, 1.0),
    laws.geometric(0.3): stats.geom(0.3),
}
EVERY = pytest.mark.parametrize("law", list(PEERS), ids=lambda law: law.name)


def places(law: Law) -> np.ndarray:
    if law.name == "geometric":
        return np.arange(1.0, 60.0)
    return np.concatenate([np.linspace(-40, 40, 4001), np.linspace(-0.4999, 0.4999, 501)])


@EVERY
def test_the_upper_tail_is_scipys(law: Law) -> None:
    u = places(law)
    expected = PEERS[law].logsf(u - 1) if law.name == "geometric" else PEERS[law].logsf(u)
    np.testing.assert_allclose(law.log_above(u), expected, rtol=1e-9, atol=1e-12)


@EVERY
def test_the_lower_tail_is_scipys(law: Law) -> None:
    u = places(law)
    finite = np.isfinite(PEERS[law].logcdf(u))
    np.testing.assert_allclose(law.log_below(u)[finite], PEERS[law].logcdf(u)[finite], rtol=1e-9, atol=1e-12)
    assert (law.log_below(u)[~finite] < -700).all()


@EVERY
@pytest.mark.parametrize("move", [-3.0, -1.0, 0.0, 1.0, 2.0])
def test_the_cost_of_a_move_is_the_largest_ratio_of_densities(law: Law, move: float) -> None:
    u = places(law)
    known = PEERS[law]
    density = known.logpmf if law.name == "geometric" else known.logpdf
    with np.errstate(invalid="ignore", over="ignore"):
        ratios = density(u) - density(u + move)
    largest = np.nanmax(ratios[np.isfinite(density(u))])
    cost = float(law.cost(np.asarray(move)))
    if np.isinf(cost):
        assert largest > 30.0  # it only grows, as far as one looks
    else:
        assert largest == pytest.approx(cost, rel=1e-5, abs=1e-9)


def test_a_lattice_has_no_half_steps() -> None:
    assert laws.geometric(0.3).cost(np.array(0.5)) == np.inf


@EVERY
def test_standard_noise_has_the_law(law: Law) -> None:
    """Kolmogorov's distance of 4,000 draws; a false alarm in 1e-7 of seeds, and the seed is fixed."""
    drawn = law.standard(np.random.default_rng(7), (4000,))
    found = np.sort(drawn)
    empirical = np.searchsorted(found, found, side="right") / found.size
    assert np.abs(empirical - np.exp(law.log_below(found))).max() < 0.045
