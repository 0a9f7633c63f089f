"""The fixed-sample bound with a δ, against the best that any mechanism could do, found by dynamic programming."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binom

from hdp_audit.evidence.binomial import loss_lower
from hdp_audit.evidence.counted import strength_lower, tail
from hdp_audit.model.approximate import ApproximateLimit
from hdp_audit.model.gaussian import GaussianLimit
from hdp_audit.model.promise import PureLimit


def most(right: int, guesses: int, judged: int, epsilon: float, delta: float) -> float:
    """The largest probability of `right` among the first `guesses`, over mechanisms that change from draw to draw.

    A draw's law is a point (a, b) of a ≤ e^ε·b + δ, a + b ≤ 1; the value is linear in it, so a corner is best.
    """
    price = np.exp(epsilon)
    corners = [(0.0, 0.0), (delta, 0.0), ((price + delta) / (1.0 + price), (1.0 - delta) / (1.0 + price)), (0.0, 1.0)]

    @cache
    def value(draws: int, made: int, won: int) -> float:
        if won >= right:
            return 1.0
        if draws == 0 or made == guesses:
            return 0.0
        after = value(draws - 1, made, won), value(draws - 1, made + 1, won + 1), value(draws - 1, made + 1, won)
        return max((1.0 - a - b) * after[0] + a * after[1] + b * after[2] for a, b in corners)

    return value(judged, 0, 0)


@given(
    st.integers(1, 9),
    st.integers(0, 6),
    st.floats(0.0, 3.0),
    st.floats(0.0, 0.6),
    st.data(),
)
def test_no_mechanism_that_keeps_its_promise_is_right_more_often(
    guesses: int, idle: int, epsilon: float, delta: float, data: st.DataObject
) -> None:
    right = data.draw(st.integers(1, guesses))
    judged = guesses + idle
    assert most(right, guesses, judged, epsilon, delta) <= tail(right, guesses, judged, epsilon, delta) + 1e-12


@pytest.mark.parametrize(("right", "guesses"), [(3, 5), (8, 8), (1, 9)])
def test_with_a_guess_in_every_draw_it_is_attained(right: int, guesses: int) -> None:
    found = tail(right, guesses, guesses, 0.7, 0.1)
    assert found == pytest.approx(most(right, guesses, guesses, 0.7, 0.1), rel=1e-12)


def test_a_sum_over_what_is_for_nothing_is_the_sum_by_definition() -> None:
    right, guesses, judged, epsilon, delta = 70, 80, 5000, 1.5, 0.002
    share = 1.0 / (1.0 + np.exp(-epsilon))
    free = np.arange(81)
    direct = binom.pmf(free, judged, delta) @ binom.sf(right - free - 1, guesses - free, share)
    assert tail(right, guesses, judged, epsilon, delta) == pytest.approx(
        direct + binom.sf(80, judged, delta), rel=1e-11
    )


@pytest.mark.parametrize(("right", "guesses", "judged"), [(90, 100, 100), (90, 100, 400), (100, 100, 101)])
def test_without_delta_it_is_the_pure_bound(right: int, guesses: int, judged: int) -> None:
    pure = float(loss_lower(right, guesses, 0.01))
    assert strength_lower(right, guesses, judged, 0.01, PureLimit(1.0)) == pytest.approx(pure, rel=2e-6)
    assert strength_lower(right, guesses, judged, 0.01, ApproximateLimit(1.0, 1e-13)) == pytest.approx(pure, rel=3e-6)


def test_a_guess_in_every_draw_bounds_mu_by_its_share() -> None:
    """P(right) ≤ Φ(μ/2): the interval of Clopper and Pearson, moved."""
    from scipy.special import betaincinv, ndtri

    least = 2.0 * ndtri(betaincinv(8_200, 10_000 - 8_200 + 1, 0.05))
    assert strength_lower(8_200, 10_000, 10_000, 0.05, GaussianLimit(1.0)) == pytest.approx(least, rel=2e-6)


def test_nothing_right_proves_nothing() -> None:
    assert strength_lower(0, 10, 10, 0.05, GaussianLimit(1.0)) == 0.0
    assert tail(0, 10, 20, 1.0, 1e-5) == 1.0
