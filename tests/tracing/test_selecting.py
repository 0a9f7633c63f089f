"""The classics of selection: a noisy maximum and a sparse vector keep each outcome by a move of their noise."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from hdp_audit import trace
from hdp_audit.tracing.result import Trace

SIX = [1.0] * 6


def traced(mechanism: Callable[..., Any], *datasets: list[int]) -> Trace:
    def pairs() -> Iterator[Any]:
        yield *datasets, [0]

    def release(data: Any, epsilon: Any, rng: Any) -> Any:
        return mechanism(np.asarray(data), float(np.min(epsilon)), rng)

    return trace(release, epsilon=SIX, task="custom", pairs=pairs)


def maximum(law: str, scale: float) -> Callable[..., int]:
    """Counts where one rises and one falls need noise of scale 2/ε."""

    def release(data: Any, epsilon: float, rng: Any) -> int:
        noise = getattr(rng, law)(scale=scale / epsilon, size=3)
        return int(np.argmax(np.bincount(data, minlength=3) + noise))

    return release


@pytest.mark.many(3)
@pytest.mark.parametrize("law", ["laplace", "gumbel", "exponential"])
@pytest.mark.parametrize("scale", [2.0, 1.0])
def test_a_noisy_maximum_loses_what_its_winner_has_to_rise(law: str, scale: float) -> None:
    found = traced(maximum(law, scale), [0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0])
    assert found.losses[0] == pytest.approx(2.0 / scale, rel=1e-6)
    assert found.within is (scale >= 2.0)
    assert not found.breaks


def sparse(threshold: float, answer: float) -> Callable[..., Any]:
    def release(data: Any, epsilon: float, rng: Any) -> Any:
        level = 3 + (rng.laplace(0.0, threshold / epsilon) if threshold else 0.0)
        for place in range(3):
            if (data > place).sum() + rng.laplace(0.0, answer / epsilon) > level:
                return place
        return "none"

    return release


@pytest.mark.many(3)
@pytest.mark.parametrize(("threshold", "answer", "most"), [(2.0, 4.0, 1.0), (2.0, 2.0, 1.0), (1.0, 1.0, 2.0)])
def test_a_sparse_vector_loses_at_most_what_threshold_and_answer_have_to_rise(
    threshold: float, answer: float, most: float
) -> None:
    found = traced(sparse(threshold, answer), [0, 0, 1, 1, 2, 2], [3, 0, 1, 1, 2, 2])
    assert not found.breaks
    assert 0.0 < found.losses[0] <= most * (1 + 1e-6)


def test_a_sparse_vector_without_noise_on_its_threshold_is_not_called_within_the_promise() -> None:
    assert not traced(sparse(0.0, 2.0), [0, 0, 1, 1, 2, 2], [3, 0, 1, 1, 2, 2]).within


def test_an_outcome_that_hardly_ever_changes_is_no_loss_of_nothing() -> None:
    """On 32 tapes by lot the maximum is the same on both datasets."""
    found = traced(maximum("gumbel", 0.5), [0, 0, 0, 0, 0, 0], [1, 0, 0, 0, 0, 0])
    assert not found.within
