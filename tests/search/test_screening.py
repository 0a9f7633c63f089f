"""Everybody's own coin: effects are found exactly where there is no noise, and to its error where there is."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hdp_audit.search import screening
from hdp_audit.search.designs import Design, hadamard
from hdp_audit.search.overheard import ROWS, overheard
from hdp_audit.search.screening import foreseen_error, screen
from tests.subjects import between, subject_of


class Linear:
    """Σ w_i x_i plus Laplace noise."""

    name = "linear"

    def __init__(self, weights: np.ndarray, scale: float) -> None:
        self.weights, self.scale = weights, scale

    def __call__(self, data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
        return float(self.batch(data, epsilon, rng, 1)[0])

    def batch(self, data: np.ndarray, _: np.ndarray, rng: np.random.Generator, size: int) -> np.ndarray:
        return data @ self.weights + rng.laplace(0.0, self.scale, size)

    def many(self, datasets: np.ndarray, _: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return datasets @ self.weights + rng.laplace(0.0, self.scale, len(datasets))


def screened(weights: np.ndarray, scale: float, epsilon: np.ndarray, calls: int):
    subject = subject_of(Linear(weights, scale), epsilon, None)
    n = epsilon.size
    return screen(subject, between(np.zeros(n), np.ones(n), epsilon), calls, seed=1), subject


def test_the_fast_transform_is_the_matrix_product() -> None:
    values = np.random.default_rng(1).random(64)
    rows = np.arange(64)
    matrix = 1.0 - 2.0 * (np.bitwise_count(rows[:, None] & rows[None, :]) & 1)
    assert np.allclose(hadamard(values), matrix @ values, rtol=0, atol=1e-12)


def test_without_noise_every_effect_is_found_to_the_last_digits() -> None:
    weights = np.random.default_rng(2).random(300) / 300
    seen, _ = screened(weights, 0.0, np.full(300, 0.5), 1_500)
    assert np.allclose(seen.moved, weights, rtol=0, atol=1e-12)


def test_noise_leaves_the_error_that_is_stated() -> None:
    """300 independent errors, of variance 1 each after scaling: their mean square is within 0.4 of 1 but for 10⁻⁶."""
    weights = np.full(300, 1 / 300)
    seen, _ = screened(weights, 0.01, np.full(300, 0.3), 8_192)
    assert abs(np.mean(((seen.moved - weights) / seen.error) ** 2) - 1.0) < 0.4


@pytest.mark.parametrize(("epsilon", "factor", "calls"), [(0.02, 20, 3_000), (1.0, 20, 900), (1.0, 3, 3_000)])
def test_one_user_with_too_much_weight_is_the_first_suspect(epsilon: float, factor: float, calls: int) -> None:
    """1,000 users; with fewer calls than users by blocks."""
    weights = np.full(1_000, 1e-3)
    weights[417] *= factor
    seen, subject = screened(weights, 1e-3 / epsilon, np.full(1_000, epsilon), calls)
    assert seen.suspects(8)[0] == 417
    assert subject.calls <= 1.6 * calls + 400


def test_public_users_are_never_suspects() -> None:
    weights = np.full(100, 0.01)
    epsilon = np.where(np.arange(100) < 50, np.inf, 1.0)
    seen, _ = screened(weights, 1e-6, epsilon, 1_000)
    assert (seen.suspects(8) >= 50).all()


@pytest.mark.parametrize(("users", "calls"), [(10, 400), (300, 400), (300, 5000), (3000, 400)])
def test_the_error_of_a_screening_is_foreseen(users: int, calls: int) -> None:
    """Up to the spread over the scale of 400 or more draws, which is within a quarter of Laplace's by far."""
    seen, _ = screened(np.full(users, 1.0), 2.0, np.ones(users), calls)
    assert foreseen_error(users, calls, False) == pytest.approx(seen.single_error(), rel=0.25)


def test_a_user_who_moves_the_output_the_wrong_way_is_a_suspect_too() -> None:
    weights = np.full(1_000, 1e-3)
    weights[417] = -0.02
    seen, _ = screened(weights, 1e-3, np.ones(1_000), 3_000)
    assert seen.suspects(8)[0] == 417


def test_a_user_whose_datum_makes_calls_fail_is_a_suspect() -> None:
    class Fragile(Linear):
        def many(self, datasets: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> np.ndarray:
            outputs = super().many(datasets, epsilon, rng)
            return np.where(datasets[:, 417] == 1, np.nan, outputs)

    subject = subject_of(Fragile(np.full(1_000, 1e-3), 1e-3), np.ones(1_000), None)
    seen = screen(subject, between(np.zeros(1_000), np.ones(1_000), np.ones(1_000)), 3_000, seed=1)
    assert seen.suspects(8)[0] == 417


def test_what_is_kept_of_a_screening_does_not_grow_with_its_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: list[tuple[int, int]] = []

    def noted(seen: list[np.ndarray], designs: list[Design], traits: Any) -> Any:
        kept.append((sum(map(len, seen)), sum(design.order for design in designs)))
        return overheard(seen, designs, traits)

    monkeypatch.setattr(screening, "overheard", noted)
    monkeypatch.setattr(screening, "LOOKED_AT", 2 * ROWS)
    for calls in (ROWS // 2, 5 * ROWS):
        screened(np.full(20, 0.05), 0.1, np.ones(20), calls)
    assert kept == [(ROWS // 2, ROWS // 2), (2 * ROWS, ROWS)]
