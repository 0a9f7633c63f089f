"""Bets against curves: what they pay is held against curves written down anew, and every law that keeps them.

What a bet pays tells its line: right − none = λ, (none − wrong)/λ = e^ε, (1 − none)/λ = δ, or half of it. It is sound
if that δ is no smaller than the curve's at that ε.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog, minimize_scalar
from scipy.stats import norm

from hdp_audit.distinguishers.steps import Score
from hdp_audit.distinguishers.witness import with_thresholds
from hdp_audit.evidence.bets import COIN, Bet, Line, stakes
from hdp_audit.evidence.wealth import Tally, Wealth, log_of
from hdp_audit.model.approximate import ApproximateLimit
from hdp_audit.model.gaussian import GaussianLimit
from hdp_audit.model.promise import Limit, PureLimit
from hdp_audit.model.zcdp import ConcentratedLimit

Floats = NDArray[np.float64]


def pure(strength: float, epsilon: float, leaked: float = 0.0) -> float:
    """By its extreme mechanism: an answer with odds e^ε₀, or the truth with probability δ₀."""
    odds = np.exp(strength)
    truth, lie = (1.0 - leaked) * odds / (1.0 + odds), (1.0 - leaked) / (1.0 + odds)
    return float(leaked + max(truth - np.exp(epsilon) * lie, 0.0))


def gaussian(mu: float, epsilon: float) -> float:
    """The output beyond which the likelihood ratio e^{μy − μ²/2} is at least e^ε."""
    place = epsilon / mu + 0.5 * mu
    return float(norm.sf(place - mu) - np.exp(epsilon) * norm.sf(place))


def concentrated(root: float, epsilon: float) -> float:
    """The best order, by search."""

    def log_delta(at: float) -> float:
        more = np.exp(at)
        return float(more * ((1 + more) * 0.5 * root**2 - epsilon) + more * at - (1 + more) * np.log1p(more))

    return float(
        np.exp(minimize_scalar(log_delta, bounds=(-20.0, 20.0), method="bounded", options={"xatol": 1e-9}).fun)
    )


CASES: list[tuple[Limit, Callable[[float], float]]] = [
    (PureLimit(0.5), lambda epsilon: pure(0.5, epsilon)),
    (ApproximateLimit(0.5, 1e-5), lambda epsilon: pure(0.5, epsilon, 1e-5)),
    (ApproximateLimit(2.0, 0.1), lambda epsilon: pure(2.0, epsilon, 0.1)),
    (ApproximateLimit(0.0, 0.05), lambda epsilon: pure(0.0, epsilon, 0.05)),
    (GaussianLimit(0.1), lambda epsilon: gaussian(0.1, epsilon)),
    (GaussianLimit(2.0), lambda epsilon: gaussian(2.0, epsilon)),
    (ConcentratedLimit(0.3), lambda epsilon: concentrated(0.3, epsilon)),
    (ConcentratedLimit(2.0), lambda epsilon: concentrated(2.0, epsilon)),
]
WRONGS, SIDES = [1e-6, 1e-3, 0.02, 0.2, 0.45], [1, 2]
NAMES = [f"{type(limit).__name__}-{limit.strength}" for limit, _ in CASES]


def factors(limit: Limit, wrong: float, sides: int, horizon: int = 1000) -> tuple[Floats, Floats, Floats]:
    """What is multiplied by after a right guess, a wrong one and none, for each alternative."""
    pays = stakes(limit, Bet.of(limit, wrong, sides), horizon, 0.01)
    none = np.zeros_like(pays.right) if pays.none is None else pays.none
    return np.exp(pays.right), np.exp(pays.wrong), np.exp(none)


@pytest.mark.parametrize(("limit", "curve"), CASES, ids=NAMES)
@pytest.mark.parametrize("sides", SIDES)
@pytest.mark.parametrize("wrong", WRONGS)
def test_every_bet_is_on_or_above_a_line_of_the_curve(
    limit: Limit, curve: Callable[[float], float], wrong: float, sides: int
) -> None:
    right, lost, none = factors(limit, wrong, sides)
    stake = right - none
    assert np.all(stake > 0)
    assert np.all(lost >= 0)
    prices, frees = (none - lost) / stake, (1.0 - none) / stake
    # λ may be so small that its factors differ from 1 by little: they are known to 2^-52
    slack = 4.0 * np.finfo(float).eps * (1.0 + prices) / stake
    for price, free, off in zip(prices, frees, slack, strict=True):
        assert price >= 1.0 - off
        allowed = 0.5 * sides * curve(max(float(np.log(price)), 0.0)) if limit.delta(limit.strength) else 0.0
        assert free >= allowed * (1.0 - 1e-6) - off
        assert free <= allowed * (1.0 + 1e-6) + off  # and no needless loss


@pytest.mark.parametrize(("limit", "curve"), CASES, ids=NAMES)
@pytest.mark.parametrize("sides", SIDES)
def test_no_law_that_keeps_the_curve_makes_a_bet_grow(
    limit: Limit, curve: Callable[[float], float], sides: int
) -> None:
    """Of the laws (right, wrong, none) that keep many lines of the curve the best for a bet, by linear programming."""
    for wrong in WRONGS[1:]:
        for pays in np.stack(factors(limit, wrong, sides), axis=1)[[0, 8, -1]]:
            own = np.log(max((pays[2] - pays[1]) / (pays[0] - pays[2]), 1.0))
            epsilons = np.append(np.linspace(0.0, 6.0, 40), own)
            lines = np.stack([np.ones(epsilons.size), -np.exp(epsilons), np.zeros(epsilons.size)], axis=1)
            most = [0.5 * sides * curve(float(epsilon)) for epsilon in epsilons]
            best = -linprog(-pays, lines, most, np.ones((1, 3)), [1.0], bounds=(0.0, 1.0)).fun
            assert best <= 1.0 + 1e-6 * (pays[0] - pays[2])


def test_half_of_delta_is_for_one_side_only() -> None:
    """Guessing both sides, a shift wins more than δ/2: the one-sided bet would grow."""
    limit, epsilon = GaussianLimit(1.0), 0.8
    right, wrong = norm.cdf(0.5 - epsilon), norm.cdf(-0.5 - epsilon)
    two, one = (np.stack(factors(limit, float(wrong), sides), axis=1) for sides in (2, 1))
    law = np.array([right, wrong, 1.0 - right - wrong])
    assert np.all(two @ law <= 1.0 + 1e-12)
    assert np.all(one @ law > 1.0 + 1e-12)
    halved = np.array([0.5 * right, 0.5 * wrong, 1.0 - 0.5 * (right + wrong)])
    assert np.all(one @ halved <= 1.0 + 1e-12)


@pytest.mark.parametrize("limit", [ApproximateLimit(0.5, 0.02), GaussianLimit(0.7)], ids=["approximate", "gaussian"])
def test_a_rule_that_might_guess_both_sides_is_held_against_all_of_delta(limit: Limit) -> None:
    """What it was learned from may lack one side; a draw to come need not."""
    score = Score(np.array([0.0, 1.0]), np.array([-1.0, 0.3, 2.0]), steps=True)
    seen = np.concatenate([np.full(300, 0.5), np.full(60, 1.5)])[:, None]  # never below 0
    rule = with_thresholds(((0, score),), seen, 1000, 0.05, limit=limit)
    ones, zeros = rule.guesses(np.array([[-1.0], [0.5], [1.5]]))
    assert rule.bet.sides >= int(ones.any()) + int(zeros.any())
    for low, high in itertools.product((-1.0, 0.0, 1.0), repeat=2):
        score = Score(np.array([0.0, 1.0]), np.array([low, 0.3, high]), steps=True)
        trained = with_thresholds(((0, score),), seen, 1000, 0.05, limit=limit)
        ones, zeros = trained.guesses(np.array([[-1.0], [0.5], [1.5]]))
        assert trained.bet.sides >= int(ones.any()) + int(zeros.any())


@pytest.mark.parametrize("limit", [limit for limit, _ in CASES], ids=NAMES)
def test_stakes_sum_to_one(limit: Limit) -> None:
    for horizon in (1, 50, 10**6):
        pays = stakes(limit, Bet.of(limit, 0.01, 2), horizon, 1e-3)
        assert np.exp(pays.stake).sum() == pytest.approx(1.0, rel=1e-12)


def test_the_best_bet_is_the_likelihood_ratio_to_the_nearest_law() -> None:
    """max over λ of E_q log(1 + λ(c − δ)) is the smallest KL(q‖p) over laws p with p_right − e^ε·p_wrong ≤ δ."""
    rng = np.random.default_rng(4)
    for _ in range(6):
        price, free = float(np.exp(rng.uniform(0.0, 2.0))), float(rng.uniform(0.0, 0.2))
        wrong = float(rng.uniform(0.01, 0.5 / (1.0 + price)))
        right = min(price * wrong + free + 0.1, 0.98 - wrong)
        q, pays = np.array([right, wrong, 1.0 - right - wrong]), Line(np.array(price), np.array(free)).pays
        top = 1.0 / (price + free)
        found = minimize_scalar(lambda part: -float(q @ np.log1p(part * pays)), bounds=(0.0, top), method="bounded")  # noqa: B023
        # the nearest law lies on the line, so one number tells it
        ends = (1.0 - free) / (1.0 + price)

        def divergence(w: float) -> float:
            p = np.array([price * w + free, w, 1.0 - free - (1.0 + price) * w])  # noqa: B023
            return float(q @ np.log(q / np.maximum(p, 1e-300)))  # noqa: B023

        nearest = minimize_scalar(divergence, bounds=(0.0, ends), method="bounded", options={"xatol": 1e-10})
        assert -found.fun == pytest.approx(nearest.fun, rel=1e-5)


def test_the_coin_is_the_bet_without_delta() -> None:
    """λ = q/p − 1, as before there were curves."""
    right, lost, none = factors(PureLimit(0.7), 0.1, 2)
    p = 1.0 / (1.0 + np.exp(-0.7))
    assert Bet.of(PureLimit(0.7), 0.1, 2) is Bet.of(ApproximateLimit(0.7, 0.0), 0.1, 1) is COIN
    np.testing.assert_allclose(right * p + lost * (1.0 - p), 1.0, rtol=1e-12)
    assert np.all(none == 1.0)


def test_bets_of_several_kinds_multiply() -> None:
    limit = GaussianLimit(1.0)
    first, second = Bet.of(limit, 0.1, 2), Bet.of(limit, 0.001, 1)
    tallies = ((first, Tally(30, 40, 100)), (second, Tally(5, 5, 200)))
    expected = np.zeros(1)
    for bet, (right, made, drawn) in tallies:
        pays = stakes(limit, bet, 500, 0.05 * 0.6)
        assert pays.none is not None
        expected = expected + right * pays.right + (made - right) * pays.wrong + (drawn - made) * pays.none
    wealths = np.exp(pays.stake + expected)
    assert float(log_of(limit, tallies, 500, 0.05)) == pytest.approx(np.log(wealths.sum()), rel=1e-12)


@pytest.mark.parametrize("limit", [ApproximateLimit(0.5, 0.01), GaussianLimit(0.6), ConcentratedLimit(0.6)])
@pytest.mark.parametrize("seed", range(4))
def test_every_loss_below_the_bound_is_refuted(limit: Limit, seed: int) -> None:
    """Also where wealth does not fall with the strength: else the bound would not hold with its confidence."""
    rng = np.random.default_rng(seed)
    wealth = Wealth(limit, 5_000, 0.05)
    for _ in range(2):
        wrong, sides = float(10.0 ** rng.uniform(-2.5, -1.0)), int(rng.integers(1, 3))
        right = min(wrong * float(rng.uniform(3.0, 9.0)), 0.9)
        counts = rng.multinomial(2_000, [right * sides / 2, wrong * sides / 2, 1 - (right + wrong) * sides / 2])
        bet = Bet.of(limit, wrong, sides)
        wealth = wealth.after(int(counts[0]), int(counts[0] + counts[1]), 2_000, bet, assured=2.0)
    bound = wealth.loss_lower
    assert bound > 0.1
    assert all(wealth.log_against(float(loss)) >= wealth.goal for loss in np.linspace(0.0, bound * (1 - 1e-5), 60))
    assert wealth.log_against(bound + 0.02) < wealth.goal


@pytest.mark.parametrize("limit", [ApproximateLimit(4.0, 1e-5), GaussianLimit(2.0)], ids=["approximate", "gaussian"])
def test_a_bet_counts_against_no_strength_beyond_what_its_rule_was_thought_to_show(limit: Limit) -> None:
    poor = Bet.of(limit, 0.2, 2, most=1.0)
    before = Wealth(limit, 4000, 0.05).after(900, 950, 2000, Bet.of(limit, 0.02, 2))
    after = before.after(600, 1000, 1200, poor)
    for strength in (1.01, 1.5, limit.strength):
        assert after.log_against(strength) == pytest.approx(before.log_against(strength), abs=1e-12)
    assert abs(after.log_against(0.99) - before.log_against(0.99)) > 1.0  # there it counts
    assert sum(tally.made for _, tally in after.best_bets) == 950


@pytest.mark.parametrize("limit", [ApproximateLimit(4.0, 1e-5), GaussianLimit(2.0)], ids=["approximate", "gaussian"])
def test_a_bound_does_not_pass_over_a_strength_that_a_poor_bet_saved(limit: Limit) -> None:
    """A bet lost much against strengths up to `most`; beyond, where it was not made, all looks refuted."""
    wealth = Wealth(limit, 4000, 0.05).after(900, 950, 2000, Bet.of(limit, 0.02, 2))
    free = wealth.loss_lower
    most = 0.93 * free
    poor = wealth.after(20, 400, 400, Bet.of(limit, 0.02, 2, most=most))
    assert poor.log_against(most) < poor.goal < poor.log_against(most + 1e-9)
    assert poor.loss_lower < most
