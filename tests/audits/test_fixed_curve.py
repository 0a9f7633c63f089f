"""The fixed-sample game for promises with a δ: close to what normal noise loses, and rarely above it."""

from __future__ import annotations

import numpy as np
import pytest

from hdp_audit.audits.fixed import Draw
from hdp_audit.audits.fixed_curve import measure_curve
from hdp_audit.model.approximate import ApproximateLimit
from hdp_audit.model.gaussian import GaussianLimit
from hdp_audit.model.promise import Limit


def normal(mu: float, seed: int, width: int = 1) -> Draw:
    rng = np.random.default_rng([seed, 17])

    def draw(size: int) -> tuple[np.ndarray, np.ndarray]:
        coins = rng.random(size) < 0.5
        outputs = rng.normal(size=(size, width))
        outputs[:, 0] += mu * coins
        return outputs, coins

    return draw


@pytest.mark.parametrize(
    ("limit", "least"),
    [(ApproximateLimit(1.0, 1e-5), 2.1), (GaussianLimit(1.0), 0.94)],
    ids=["approximate", "gaussian"],
)
def test_normal_noise_is_measured_closely(limit: Limit, least: float) -> None:
    """The median of 3 seeds, 20,000 calls each; medians over 50 are in benchmarks/tightness.md."""
    found = [measure_curve(normal(1.0, seed), 20_000, 0.05, limit).lower for seed in range(3)]
    assert least < np.median(found) < limit.lost_by(1.0)


@pytest.mark.parametrize("mu", [0.3, 2.0])
def test_a_bound_on_mu_is_above_the_truth_no_more_often_than_stated(mu: float) -> None:
    """25 runs at 0.1 with a limit that normal noise attains: more than 12 above has probability 2·10⁻⁷."""
    found = [measure_curve(normal(mu, seed, width=3), 1_000, 0.1, GaussianLimit(1.0)).lower for seed in range(25)]
    assert sum(lower > mu for lower in found) <= 12


def test_a_leak_as_rare_as_allowed_is_not_held_against_a_mechanism() -> None:
    """Randomised response of ε = 1, but the coin with probability δ = 1%: 25 runs at 0.1, 13 above by 2·10⁻⁷."""

    def draw_of(seed: int) -> Draw:
        rng = np.random.default_rng([seed, 23])

        def draw(size: int) -> tuple[np.ndarray, np.ndarray]:
            coins = rng.random(size) < 0.5
            told = np.where(rng.random(size) < 1.0 / (1.0 + np.exp(-1.0)), coins, ~coins).astype(float)
            told[rng.random(size) < 0.01] += 4.0
            outputs = np.where(told >= 4.0, np.where(coins, 5.0, 4.0), told)
            return outputs[:, None], coins

        return draw

    found = [measure_curve(draw_of(seed), 1_000, 0.1, ApproximateLimit(1.0, 0.01)).lower for seed in range(25)]
    assert sum(lower > 1.0 for lower in found) <= 12


def test_all_calls_and_no_more_are_drawn_for_a_curve() -> None:
    drawn = []
    game = normal(1.0, 1)

    def counting(size: int) -> tuple[np.ndarray, np.ndarray]:
        drawn.append(size)
        return game(size)

    found = measure_curve(counting, 4_000, 0.05, GaussianLimit(1.0))
    assert sum(drawn) <= 4_000
    assert found.right <= found.guesses <= found.judged < 4_000


def test_no_mu_is_found_where_nothing_is() -> None:
    rng = np.random.default_rng(5)
    limit = GaussianLimit(1.0)
    found = measure_curve(lambda n: (rng.normal(size=(n, 3)), rng.random(n) < 0.5), 5_000, 1e-6, limit)
    assert found.lower == 0.0
