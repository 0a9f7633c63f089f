"""What a pass of everybody together is worth follows from the shape of the noise that was seen."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hdp_audit.audits.crowd_power import detectable_factor
from hdp_audit.evidence.crowd import Call, Odds
from hdp_audit.model.approximate import ApproximateDP

USERS, CALLS = 60, 50
APART = np.full(USERS, 0.5)
PROMISE = ApproximateDP([1.0] * USERS, 1e-3)


def calls(noise: Callable[..., NDArray[np.float64]], *more: Call) -> list[Call]:
    """Guesses with normal noise as modelled, or with another one of variance 1."""
    rng = np.random.default_rng(1)
    logits = [0.5 * APART + np.sqrt(APART) * noise(rng, USERS) for _ in range(CALLS)]
    return [Call(np.arange(USERS), np.abs(each), each > 0, APART) for each in logits] + list(more)


def factor(seen: list[Call]) -> float:
    def odds(factor: float) -> Odds:
        return Odds.of(PROMISE, factor, CALLS, 1e-3)

    return detectable_factor(seen, odds, 1e-3, 1, pure=False)


def normal(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    return rng.standard_normal(size)


def laplace(rng: np.random.Generator, size: int) -> NDArray[np.float64]:
    return rng.laplace(0.0, np.sqrt(0.5), size)


def test_laplace_noise_under_a_delta_is_not_credited_with_the_power_of_normal_noise() -> None:
    assert 1.0 < factor(calls(normal)) < factor(calls(laplace)) < np.inf


def test_a_call_that_tells_everything_does_not_make_the_others_worth_more() -> None:
    everything = Call(np.arange(USERS), np.full(USERS, 20.0), np.ones(USERS, dtype=np.bool_), APART)
    assert factor(calls(laplace, everything)) == factor(calls(laplace))
