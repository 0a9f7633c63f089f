"""Leaks that single outputs hardly show: rare, far away, in combinations, or one answer too many; and honest releases.

Each is a custom task with a claim of 0.1, audited once with a fixed seed; an honest one is accused with probability
10⁻³ at most, by the plan.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hdp_audit import audit

Floats = np.ndarray
Draw = Callable[[int, np.random.Generator, int], Any]  # which dataset, randomness, how many
CLAIM = 0.1


def noisy(bit: int, rng: np.random.Generator, size: int) -> Floats:
    return bit + rng.laplace(0.0, 1.0 / CLAIM, size)


def prints_the_datum(bit: int, rng: np.random.Generator, size: int) -> Floats:
    """Once in five hundred calls."""
    return np.where(rng.random(size) < 2e-3, bit, noisy(bit, rng, size))


def far_away(bit: int, rng: np.random.Generator, size: int) -> Floats:
    """A number that only one dataset gives, once in five hundred calls."""
    return noisy(bit, rng, size) + bit * 1e4 * (rng.random(size) < 2e-3)


def beside_a_sentinel(bit: int, rng: np.random.Generator, size: int) -> Floats:
    """Ten times too little noise, and half of the time no answer: 10¹⁸."""
    return np.where(rng.random(size) < 0.5, 1e18, bit + rng.laplace(0.0, 1.0, size))


def odd_sum_of_three(bit: int, rng: np.random.Generator, size: int) -> Floats:
    """Twelve fair bits; three of them have an odd sum three times of four, or once."""
    bits = rng.integers(0, 2, (size, 12))
    odd = rng.random(size) < (0.75 if bit else 0.25)
    bits[:, 9] ^= (bits[:, 1] ^ bits[:, 5] ^ bits[:, 9]) != odd
    return bits.astype(np.float64)


def equal_words(bit: int, rng: np.random.Generator, size: int) -> list[tuple[str, ...]]:
    """Two of five words are equal more often on one dataset."""
    words = rng.choice(["red", "green", "blue"], (size, 5))
    same = rng.random(size) < (0.5 if bit else 0.1)
    words[same, 3] = words[same, 0]
    return [tuple(row) for row in words.tolist()]


def one_threshold_for_all(bit: int, rng: np.random.Generator, size: int) -> Floats:
    """Above-threshold answers with noise on the threshold alone: the fifth variant of Lyu, Su and Li (2017)."""
    queries = np.array([0.0, 0.0, 0.0, 1.0, 1.0, 1.0]) if bit else np.array([1.0, 1.0, 1.0, 0.0, 0.0, 0.0])
    return (queries >= rng.laplace(0.0, 2.0 / CLAIM, (size, 1))).astype(np.float64)


def honest_bits(bit: int, rng: np.random.Generator, size: int) -> Floats:
    """The same odd sum as little biased as the claim allows."""
    bits = rng.integers(0, 2, (size, 12))
    odd = rng.random(size) < 1.0 / (1.0 + np.exp(-CLAIM if bit else CLAIM))
    bits[:, 9] ^= (bits[:, 1] ^ bits[:, 5] ^ bits[:, 9]) != odd
    return bits.astype(np.float64)


def honest_beside_a_sentinel(bit: int, rng: np.random.Generator, size: int) -> Floats:
    return np.where(rng.random(size) < 0.5, 1e18, noisy(bit, rng, size))


def audited(draw: Draw, budget: int) -> str:
    def release(data: int, epsilon: Floats, rng: np.random.Generator) -> Any:
        return draw(data, rng, 1)[0]

    release.batch = lambda data, _epsilon, rng, size: draw(data, rng, size)  # type: ignore[attr-defined]
    report = audit(release, epsilon=[CLAIM], task="custom", pairs=[(0, 1, [0])], budget=budget, seed=1)
    return report.verdict


@pytest.mark.parametrize(
    ("draw", "budget"),
    [
        (prints_the_datum, 50_000),
        (far_away, 100_000),
        (beside_a_sentinel, 20_000),
        (odd_sum_of_three, 20_000),
        (equal_words, 12_000),
        (one_threshold_for_all, 20_000),
    ],
)
@pytest.mark.many(2)
def test_a_leak_that_no_single_output_shows_is_refuted(draw: Draw, budget: int) -> None:
    assert audited(draw, budget) == "fail"


@pytest.mark.parametrize("draw", [noisy, honest_bits, honest_beside_a_sentinel])
def test_the_same_with_noise_enough_is_not_accused(draw: Draw) -> None:
    """The odd sum of three bits is not found while it is as faint as this: then a pass would say nothing."""
    faint = draw is honest_bits
    assert audited(draw, 20_000 if faint else 100_000) == ("inconclusive" if faint else "pass")
