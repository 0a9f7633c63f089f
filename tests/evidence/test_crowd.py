"""Bets on many users within one call: fair against every kept promise, whatever leaks together."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit
from scipy.stats import binom

from hdp_audit import ZCDP, ApproximateDP, GaussianDP, Promise, PureDP
from hdp_audit.evidence.crowd import TEMPERS, Call, Odds, gained, path
from hdp_audit.search.decoding import Decoder

Floats = NDArray[np.float64]

EPSILON, DELTA = 0.7, 0.01


def call(coins: NDArray[np.bool_], guesses: NDArray[np.bool_], sure: float) -> Call:
    """Guesses of everybody's coin, all as sure."""
    users = np.arange(coins.size)
    return Call(users, np.full(coins.size, sure), guesses == coins, np.full(coins.size, 1.0))


@pytest.mark.parametrize("sure", [1.0, 3.0, 40.0])
@pytest.mark.parametrize("told", [0.0, DELTA])
def test_the_mean_wealth_is_at_most_1_on_an_exactly_tight_mechanism(sure: float, told: float) -> None:
    """Everybody by randomised response; with probability δ all coins are told at once. By enumeration."""
    users, planned = 6, 3
    promise = ApproximateDP([EPSILON] * users, told) if told else PureDP([EPSILON] * users)
    odds = Odds.of(promise, 1.0, planned, 0.01)
    p, mean, everything = expit(EPSILON), np.zeros(TEMPERS.size), list(product((False, True), repeat=users))
    coins = np.array(everything[0])  # by symmetry any
    for guesses in map(np.array, everything):
        right = int((guesses == coins).sum())
        chance = (1.0 - told) * p**right * (1.0 - p) ** (users - right)
        mean += chance * np.exp(gained(call(coins, guesses, sure), odds))
    mean += told * np.exp(gained(call(coins, coins, 60.0), odds))
    assert (mean <= 1.0 + 1e-12).all()
    if not told:  # a pure promise costs nothing, wherever a call's bets end
        np.testing.assert_allclose(mean, 1.0, rtol=1e-12)


def test_without_the_fee_coins_that_leak_together_would_make_it_grow() -> None:
    """So the test above can fail: six coins told at once win more than a δ each would."""
    odds = Odds.of(ApproximateDP([EPSILON] * 6, DELTA), 1.0, 3, 0.01)
    coins = np.zeros(6, dtype=bool)
    told = float(np.exp(gained(call(coins, coins, 60.0), odds) + odds.fee)[0])
    assert (1.0 - DELTA) + DELTA * told > 1.0


def linear_calls(rng: np.random.Generator, users: int, numbers: int, calls: int, mu: float) -> list[Call]:
    """A weighted sum of vectors with normal noise, everybody `mu` apart, read by the decoder."""
    data = rng.standard_normal((users, numbers))
    data /= np.linalg.norm(data, axis=1)[:, None]
    decoder, found = Decoder.of(2.0 * data, np.full(users, mu), rng), []
    for number in range(calls):
        coins = rng.random(users) < 0.5
        output = np.where(coins, 1.0, -1.0) @ data + rng.normal(0.0, 2.0 / mu, numbers)
        if number:
            found.append(decoder.read(output, coins, rng.permutation(users)))
        decoder.learn(output, coins)
    return found


PROMISED = {
    "gaussian": GaussianDP([1.0] * 12),
    "zcdp": ZCDP([0.5] * 12),
    "approximate": ApproximateDP([1.0] * 12, 0.127),
}


@pytest.mark.parametrize("kind", PROMISED)
def test_normal_noise_that_keeps_a_promise_is_seldom_refuted(kind: str) -> None:
    """At significance ½, 60 games: at most a half is allowed; false alarm of this test: P(Bin(60, ½) > 48) < 1e-6."""
    rng, promise = np.random.default_rng(5), PROMISED[kind]
    refuted = sum(
        path(linear_calls(rng, 12, 8, 10, 1.0), Odds.of(promise, 1.0, 10, 0.5)).max() >= np.log(2.0) for _ in range(60)
    )
    assert binom.sf(48, 60, 0.5) < 1e-6
    assert refuted <= 48


@pytest.mark.parametrize(("kind", "mu"), [("gaussian", 6.0), ("zcdp", 12.0), ("approximate", 6.0)])
def test_too_little_noise_is_refuted_in_a_few_calls(kind: str, mu: float) -> None:
    """With three times as many users and numbers as above."""
    rng = np.random.default_rng(6)
    column = {"gaussian": 1.0, "zcdp": 0.5, "approximate": 1.0}[kind]
    many: Promise = ApproximateDP([column] * 36, 1e-4) if kind == "approximate" else type(PROMISED[kind])([column] * 36)
    won = [path(linear_calls(rng, 36, 48, 30, mu), Odds.of(many, 1.0, 30, 1e-3)).max() for _ in range(4)]
    assert min(won) >= np.log(1e3)


def test_the_decoder_knows_how_sure_it_is() -> None:
    """Guesses that say 1/(1 + e^−s) are right as often, within five standard errors (2·10⁻⁶ if they were exact)."""
    rng = np.random.default_rng(7)
    calls = linear_calls(rng, 20, 30, 120, 2.0)[20:]
    right, sure = (np.concatenate([getattr(one, name) for one in calls]) for name in ("right", "sure"))
    for low, high in ((0.0, 0.5), (0.5, 1.5), (1.5, 3.0), (3.0, 8.0)):
        some = (sure >= low) & (sure < high)
        expected = expit(sure[some])
        error = np.sqrt((expected * (1.0 - expected)).sum()) / some.sum()
        assert abs(right[some].mean() - expected.mean()) < 5.0 * error + 0.02


def test_outputs_of_many_numbers_are_read_in_random_directions() -> None:
    rng = np.random.default_rng(8)
    calls = linear_calls(rng, 6, 700, 6, 30.0)
    assert np.concatenate([one.right for one in calls[1:]]).mean() > 0.9
