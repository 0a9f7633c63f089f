"""Thresholds that no base dataset lies at: the user who crosses one is found by halving."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hdp_audit import trace

DEMANDS = [1.0] * 23


def noise(data: Any, epsilon: Any, rng: Any) -> float:
    return float(rng.laplace(0.0, 1.0 / (len(data) * epsilon.min())))


@pytest.mark.many(2)
@pytest.mark.parametrize("threshold", [2, 7, 15, 20])
def test_an_answer_that_jumps_when_one_more_is_there_is_found(threshold: int) -> None:
    def jumping(data: Any, epsilon: Any, rng: Any) -> float:
        return float(data.mean()) + (0.5 if data.sum() > threshold + 0.5 else 0.0) + noise(data, epsilon, rng)

    found = trace(jumping, epsilon=DEMANDS, task="mean")
    assert found.breaks
    assert found.worst is not None
    assert found.worst.pair.base == f"{threshold} users at 1, the others at 0"
    assert found.worst.found.lower == pytest.approx(1.0 + 0.5 * len(DEMANDS), rel=1e-9)


def test_noise_that_depends_on_a_count_is_found_where_the_count_changes() -> None:
    def telling(data: Any, epsilon: Any, rng: Any) -> float:
        return float(data.mean()) + (1.0 if data.sum() < 15 else 1.5) * noise(data, epsilon, rng)

    found = trace(telling, epsilon=DEMANDS, task="mean")
    assert found.breaks


def test_categories_at_a_threshold_are_found() -> None:
    def telling(data: Any, epsilon: Any, rng: Any) -> Any:
        counts = np.bincount(data, minlength=3) * 1.0
        counts[0] += 5.0 * (counts[2] > 4)
        return counts + rng.laplace(0.0, 2.0 / epsilon.min(), size=3)

    found = trace(telling, epsilon=DEMANDS, task="frequency", categories=3)
    assert found.breaks
    assert found.worst is not None
    assert found.worst.found.lower == pytest.approx((5.0 + 1.0 + 1.0) / 2.0, rel=1e-9)  # from 1 to 2


def test_a_sum_is_not_searched_and_a_correct_median_is_not_accused() -> None:
    def summed(data: Any, epsilon: Any, rng: Any) -> float:
        return float(data.mean()) + noise(data, epsilon, rng)

    def median(data: Any, epsilon: Any, rng: Any) -> float:
        return float(np.median(data)) + len(data) * noise(data, epsilon, rng)

    assert all("users at" not in each.pair.base for each in trace(summed, epsilon=DEMANDS, task="mean").pairs)
    found = trace(median, epsilon=DEMANDS, task="mean")
    assert found.within
    assert found.losses.max() == pytest.approx(1.0, rel=1e-9)
