"""What a pass of everybody together is worth follows from the shape of the noise that was seen."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from hdp_audit.audits.crowd_power import detectable_factor, largest_moves
from hdp_audit.evidence.crowd import Call, Odds
from hdp_audit.model.approximate import ApproximateDP, ApproximateLimit
from hdp_audit.model.gaussian import GaussianDP
from hdp_audit.model.promise import Promise, PureDP
from hdp_audit.model.zcdp import ZCDP

USERS, CALLS = 60, 50
APART = np.full(USERS, 0.5)
PROMISE = ApproximateDP([1.0] * USERS, 1e-3)


def calls(noise: Callable[..., NDArray[np.float64]], *more: Call, times: float = 1.0) -> list[Call]:
    """Guesses with normal noise as modelled, or with another one of variance 1; of moves some times as large."""
    rng, apart = np.random.default_rng(1), APART * times**2
    logits = [0.5 * apart + np.sqrt(apart) * noise(rng, USERS) for _ in range(CALLS)]
    return [Call(np.arange(USERS), np.abs(each), each > 0, apart) for each in logits] + list(more)


def factor(seen: list[Call]) -> float:
    def odds(factor: float) -> Odds:
        return Odds.of(PROMISE, factor, CALLS, 1e-3)

    return detectable_factor(seen, odds, largest_moves(PROMISE), 1e-3, 1, pure=False)


def normal(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    return rng.standard_normal(size)


def laplace(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    return rng.laplace(0.0, np.sqrt(0.5), size)


def test_laplace_noise_under_a_delta_is_not_credited_with_the_power_of_normal_noise() -> None:
    assert 1.0 < factor(calls(normal)) < factor(calls(laplace)) < np.inf


def test_a_call_that_tells_everything_does_not_make_the_others_worth_more() -> None:
    everything = Call(np.arange(USERS), np.full(USERS, 20.0), np.ones(USERS, dtype=np.bool_), APART)
    assert factor(calls(laplace, everything)) == factor(calls(laplace))


def test_outputs_that_tell_more_than_is_allowed_do_not_make_a_pass_worth_more() -> None:
    """Else noise too small by a factor that was not refuted would pass, as a smaller factor seems detectable."""
    assert factor(calls(normal, times=2.5)) >= 0.999 * factor(calls(normal))


@pytest.mark.parametrize(
    ("promise", "most"),
    [
        (PureDP([0.5, 2.0]), [0.5 / np.sqrt(2), np.sqrt(2)]),
        (GaussianDP([0.3, np.inf]), [0.3, np.inf]),
        (ZCDP([0.5, 0.0]), [1.0, 0.0]),
        (ApproximateDP([1.0, 1.0], [0.3, 0.0]), [ApproximateLimit(1.0, 0.3).gaussian(), np.sqrt(0.5)]),
    ],
)
def test_what_noise_may_tell_is_what_the_promise_allows_it(promise: Promise, most: list[float]) -> None:
    np.testing.assert_allclose(largest_moves(promise), most, rtol=1e-12)
