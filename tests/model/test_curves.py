"""Curves against 30 digits: derived anew from what a promise means, not from the formulas of the product."""

from __future__ import annotations

import numpy as np
import pytest
from mpmath import e, exp, findroot, log, mp, mpf, ncdf, npdf, quad, sqrt

from hdp_audit.model.approximate import ApproximateDP, ApproximateLimit
from hdp_audit.model.gaussian import GaussianDP, GaussianLimit
from hdp_audit.model.promise import Limit, PureLimit
from hdp_audit.model.zcdp import ZCDP, ConcentratedLimit

EPSILONS = [0.0, 1e-3, 0.1, 0.5, 1.0, 2.0, 3.7, 8.0, 15.0]
STRENGTHS = [1e-3, 0.05, 0.3, 1.0, 2.5, 6.0]
TABLE = 1e-7  # of δ: what the table of orders may leave open


@pytest.fixture(autouse=True)
def _digits() -> object:
    with mp.workdps(30):
        yield


def hockey_stick(first: list[object], second: list[object], epsilon: float) -> object:
    """Σ(p − e^ε·q)₊: the largest P(S) − e^ε·Q(S) over all events."""
    return sum(max(p - exp(mpf(epsilon)) * q, mpf(0)) for p, q in zip(first, second, strict=True))


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("strength", STRENGTHS)
@pytest.mark.parametrize("delta", [0.0, 1e-9, 0.01, 0.4])
def test_the_approximate_curve_is_that_of_revealing_or_answering(strength: float, delta: float, epsilon: float) -> None:
    """Outputs: revealed 0 and 1 with probability δ, else an answer with odds e^ε₀."""
    odds, leak = exp(mpf(strength)), mpf(delta)
    truth, lie = (1 - leak) * odds / (1 + odds), (1 - leak) / (1 + odds)
    exact = hockey_stick([leak, mpf(0), truth, lie], [mpf(0), leak, lie, truth], epsilon)
    found = ApproximateLimit(strength, delta).delta(epsilon)
    assert abs(mpf(float(found)) - exact) <= 1e-15


@pytest.mark.many(3)
@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("mu", STRENGTHS)
def test_the_gaussian_curve_is_the_integral_over_all_outputs(mu: float, epsilon: float) -> None:
    """∫(φ(y − μ) − e^ε·φ(y))₊ dy, which starts where the integrand turns positive."""
    start = findroot(lambda y: log(npdf(y - mu)) - log(npdf(y)) - epsilon, mpf(epsilon) / mu)
    scale = npdf(start)  # the quadrature stops at an error of so many digits, whatever the size
    parts = quad(
        lambda y: (npdf(y - mu) - exp(mpf(epsilon)) * npdf(y)) / scale, [start, start + 2, start + 6, start + 20]
    )
    exact = parts * scale
    found = mpf(float(GaussianLimit(mu).delta(epsilon)))
    # Two terms are subtracted; a place z that is known to 2^-53 of itself tells Φ(z) to z² times that of itself.
    place = mpf(mu) / 2 + mpf(epsilon) / mu
    assert abs(found - exact) <= mpf(2) ** -50 * (1 + place**2) * ncdf(mpf(mu) - place) + mpf("1e-300")


def infimum(rho: float, epsilon: float) -> object:
    """The smallest over α of max over L of (L − e^ε)/L^α, times E L^α ≤ e^{α(α−1)ρ}: by search, in 30 digits."""

    def logarithm(more: object) -> object:
        alpha = 1 + more
        peak = alpha * exp(mpf(epsilon)) / more  # where (L − e^ε)/L^α is largest
        return log(peak - exp(mpf(epsilon))) - alpha * log(peak) + alpha * more * mpf(rho)

    low, high = mpf(-60), mpf(60)
    golden = (sqrt(mpf(5)) - 1) / 2
    for _ in range(110):
        one, other = high - golden * (high - low), low + golden * (high - low)
        low, high = (low, other) if logarithm(e**one) < logarithm(e**other) else (one, high)
    return min(exp(logarithm(e ** ((low + high) / 2))), mpf(1))


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("rho", [1e-6, 1e-3, 0.05, 0.5, 2.0, 18.0])
def test_the_concentrated_curve_is_the_best_of_all_orders_and_never_below(rho: float, epsilon: float) -> None:
    exact = infimum(rho, epsilon)
    found = mpf(float(ZCDP([rho]).group(np.array([0])).delta(epsilon)))
    assert found >= exact * (1 - mpf("1e-10")) - mpf("1e-300")  # too small would be unsound
    assert found <= exact * (1 + TABLE) + mpf("1e-300")


@pytest.mark.parametrize("mu", STRENGTHS)
def test_gaussian_noise_keeps_the_concentrated_promise_that_it_loses(mu: float) -> None:
    epsilons = np.linspace(0.0, 12.0, 50)
    assert np.all(GaussianLimit(mu).delta(epsilons) <= ConcentratedLimit(mu).delta(epsilons))


@pytest.mark.parametrize("order", [1.01, 2.0, 7.0])
def test_a_shift_loses_half_its_square_at_every_order(order: float) -> None:
    """∫φ(y−μ)^α·φ(y)^(1−α) dy = e^{α(α−1)μ²/2}, so that the strength √(2ρ) is the shift."""
    mu = mpf("1.3")
    moment = quad(lambda y: npdf(y - mu) ** order * npdf(y) ** (1 - order), [-15, 0, order * mu, 15 + order * mu])
    rho = ZCDP([0.5 * 1.3**2]).parameter(GaussianDP([1.3]).group(np.array([0])).strength)
    assert abs(log(moment) / (order - 1) - order * rho) <= 1e-9


LIMITS = [PureLimit(0.7), ApproximateLimit(0.7, 0.02), GaussianLimit(0.7), ConcentratedLimit(0.7)]


@pytest.mark.parametrize("limit", LIMITS[2:], ids=lambda limit: type(limit).__name__)
@pytest.mark.parametrize("epsilon", [0.1, 0.4, 1.0, 2.0])
def test_the_tangent_is_the_slope(limit: Limit, epsilon: float) -> None:
    """−dδ/d(e^ε) by differences of a step at which rounding and curvature are both below 1e-6."""
    ratio, step = np.exp(epsilon), 1e-5
    slope = (limit.delta(np.log(ratio - step)) - limit.delta(np.log(ratio + step))) / (2.0 * step)
    assert float(limit.tangent(slope)) == pytest.approx(epsilon, abs=2e-4)


@pytest.mark.parametrize("limit", LIMITS[:2], ids=lambda limit: type(limit).__name__)
@pytest.mark.parametrize("wrong", [1e-9, 0.01, 0.3])
def test_the_tangent_of_a_bent_line_is_its_corner(limit: Limit, wrong: float) -> None:
    assert limit.tangent(wrong) == 0.7
    assert limit.tangent(np.full(3, wrong)).tolist() == [0.7] * 3


def test_what_counts_show_is_the_strength_that_just_allows_them() -> None:
    for limit in (GaussianLimit(1.0), ApproximateLimit(1.0, 0.01), PureLimit(1.0)):
        epsilon = limit.tangent(0.05)
        right = 0.05 * np.exp(epsilon) + limit.delta(epsilon)
        assert float(limit.shown_by(right, 0.05)) == pytest.approx(1.0, rel=1e-12)


@pytest.mark.parametrize("certain", [0.0, 1.0])
def test_what_is_certain_on_both_datasets_shows_nothing(certain: float) -> None:
    assert float(GaussianLimit(1.0).shown_by(certain, certain)) == 0.0
    assert float(GaussianLimit(1.0).shown_by(1.0, 0.5)) == np.inf


@pytest.mark.parametrize(("right", "wrong"), [(0.9, 0.2), (0.3, 0.01), (0.02, 1e-4), (1e-3, 1e-9)])
def test_what_an_event_shows_of_a_concentrated_promise_is_the_strength_that_just_allows_it(
    right: float, wrong: float
) -> None:
    shown = float(ConcentratedLimit(1.0).shown_by(right, wrong))
    epsilons = np.linspace(0.0, 40.0, 400_001)
    most = float((np.exp(epsilons) * wrong + ConcentratedLimit(shown).delta(epsilons)).min())
    assert most == pytest.approx(right, rel=1e-6)


@pytest.mark.parametrize("promise", [GaussianDP([0.0, np.inf]), ZCDP([0.0, np.inf]), ApproximateDP([0.0, np.inf], 0.0)])
def test_nothing_and_everything_are_promises_too(promise: GaussianDP | ZCDP | ApproximateDP) -> None:
    nothing, everything = (promise.group(np.array([user])) for user in (0, 1))
    assert np.all(nothing.delta(np.linspace(0.0, 5.0, 7)) == 0.0)
    assert np.all(everything.delta(np.linspace(0.0, 5.0, 7)) == 1.0)
