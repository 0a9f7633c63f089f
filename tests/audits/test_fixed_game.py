"""The fixed-sample game: rules that learn on the way, one interval that stays valid."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from hdp_audit.audits.fixed import measure

Draw = Callable[[int], tuple[np.ndarray, np.ndarray]]


def laplace(epsilon: float, seed: int) -> Draw:
    rng = np.random.default_rng(seed)

    def draw(size: int) -> tuple[np.ndarray, np.ndarray]:
        coins = rng.random(size) < 0.5
        return (coins + rng.laplace(0, 1 / epsilon, size))[:, None], coins

    return draw


@pytest.mark.many(2)
@pytest.mark.parametrize(("epsilon", "least"), [(0.1, 0.06), (1.0, 0.95), (3.0, 2.85)])
def test_laplace_noise_is_measured_closely(epsilon: float, least: float) -> None:
    """The median of 5 seeds, 60,000 calls each; medians over 50 are in benchmarks/."""
    found = [measure(laplace(epsilon, seed), 60_000, 0.05).lower for seed in range(5)]
    assert least < np.median(found) < epsilon


@pytest.mark.many(2)
@pytest.mark.parametrize("epsilon", [0.05, 1.0, 4.0])
def test_the_bound_is_above_the_truth_no_more_often_than_stated(epsilon: float) -> None:
    """60 runs at 0.2: more than 28 above has probability 10⁻⁶."""
    above = sum(measure(laplace(epsilon, seed), 6_000, 0.2).lower > epsilon for seed in range(60))
    assert above <= 28


def test_all_calls_and_no_more_are_drawn() -> None:
    drawn = []
    game = laplace(1.0, 1)

    def counting(size: int) -> tuple[np.ndarray, np.ndarray]:
        drawn.append(size)
        return game(size)

    found = measure(counting, 20_000, 0.05)
    assert sum(drawn) <= 20_000
    assert found.right <= found.guesses


def test_nothing_is_found_where_nothing_is() -> None:
    rng = np.random.default_rng(5)
    found = measure(lambda size: (rng.normal(size=(size, 3)), rng.random(size) < 0.5), 20_000, 1e-6)
    assert found.lower == 0.0


@pytest.mark.parametrize(("ties", "least", "most"), [(False, 0.85, 0.985), (True, 0.999, 1.0)])
def test_a_step_through_untied_outputs_is_taken_for_a_ramp_not_yet_seen(ties: bool, least: float, most: float) -> None:
    """Laplace noise of a loss from 0.03 to 0.35, as 1,100 runs may guess of 0.1, gives it in 85 to 98.5% of runs."""
    rng = np.random.default_rng(3)

    def draw(size: int) -> tuple[np.ndarray, np.ndarray]:
        coins = rng.random(size) < 0.5
        noisy = coins + rng.laplace(0, 10.0, size)
        return (np.sign(noisy - 0.5) if ties else noisy)[:, None], coins

    calls, opening = 40_000, 1_100
    found = measure(draw, calls, 0.05)
    assert least * (calls - opening) <= found.guesses <= most * (calls - opening)


@pytest.mark.parametrize("moved", [1, 2, 3])
def test_how_often_several_outputs_tell_all_they_can_is_known_in_closed_form(moved: int) -> None:
    """2^{−k}·(1 + e^{−k}) for k outputs of loss 1 each: counted, and the share of calls that are guessed.

    A count that is 4.9 standard errors off has probability 10⁻⁶; a height that is misjudged by 0.3 moves the share by
    a tenth at most.
    """
    rng = np.random.default_rng([8, moved])

    def draw(size: int) -> tuple[np.ndarray, np.ndarray]:
        coins = rng.random(size) < 0.5
        outputs = rng.laplace(size=(size, 4))
        outputs[:, :moved] += coins[:, None]
        return outputs, coins

    share = 2.0**-moved * (1.0 + np.exp(-moved))
    outputs, _ = draw(200_000)
    beyond = (outputs[:, :moved] >= 1).all(axis=1) | (outputs[:, :moved] <= 0).all(axis=1)
    assert abs(beyond.mean() - share) < 4.9 * np.sqrt(share * (1.0 - share) / beyond.size)
    calls, opening = 40_000, 1_100
    found = measure(draw, calls, 0.05)
    assert found.guesses == pytest.approx(share * (calls - opening), rel=0.1)
    assert 0.85 * moved < found.lower <= moved
