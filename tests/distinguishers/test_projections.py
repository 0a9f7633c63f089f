"""Weighted sums hear what outputs tell only together, or by little each."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from hdp_audit.distinguishers.columns import promising
from hdp_audit.distinguishers.features import Features
from hdp_audit.distinguishers.projections import FEWEST, MOST_OUTPUTS, Projection, best_projection
from hdp_audit.distinguishers.witness import learn_witness
from hdp_audit.distinguishers.words import guess_words
from hdp_audit.model.promise import PureLimit

CELLS = 50


def prefix_sums(size: int, scale: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Of eight noisy counts, each of which changes by 1, up and down in turn."""
    rng = np.random.default_rng(seed)
    coins = rng.random(size) < 0.5
    counts = np.where(coins[:, None], [1, -1] * 4, 0) + rng.laplace(0, scale, (size, 8))
    return np.cumsum(counts, axis=1), coins


def test_prefix_sums_are_taken_apart_again() -> None:
    """Σ ±z = Σ weight·(prefix sum), whose weights are 2 and −2 in turn and −1 at last.

    A weight of 1 is estimated from 20,000 draws with a standard error of about 0.02 · √2: 0.2 is seven of these.
    """
    line = best_projection(*prefix_sums(20_000, 1.0, 1), 8, CELLS)
    assert line is not None
    np.testing.assert_allclose(line.weights / line.weights[0], [1, -1, 1, -1, 1, -1, 1, -0.5], atol=0.2)


def test_a_loss_that_no_single_output_shows() -> None:
    """Loss 0.8; one prefix sum shows at most 0.1, the claim. On fresh draws 57 % are right, 52.5 % are allowed."""
    witness = learn_witness(*prefix_sums(20_000, 10.0, 2), 20_000, 0.01, limit=PureLimit(0.1))
    assert isinstance(witness.joint, Projection)
    right, made = witness.counts(*prefix_sums(100_000, 10.0, 3))
    assert np.log(right / (made - right)) > 0.15
    words = guess_words(witness, Features(np.ones(8)))
    terms = ", ".join(f"{weight:.6g} x output {i}" for i, weight in enumerate(witness.joint.weights))
    assert words["second"].startswith(f"the sum of {terms} is at ")
    assert words["first"].startswith("that sum is at ")
    words = guess_words(replace(witness, high=np.inf), Features(np.ones(8)))
    assert words["second"] == "never"
    assert words["first"].startswith(f"the sum of {terms} is at ")


def test_noise_that_another_output_gives_away_to_the_last_digit() -> None:
    rng = np.random.default_rng(4)
    coins = rng.random(2_000) < 0.5
    noise = rng.laplace(0, 100.0, coins.size)
    outputs = np.column_stack([coins + noise, rng.normal(size=coins.size), 3.0 * noise])
    line = best_projection(outputs[:1_000], coins[:1_000], 3, CELLS)
    assert line is not None
    np.testing.assert_array_equal(line(outputs[1_000:]) > 0, coins[1_000:])


def test_an_output_without_noise_is_weighed_too() -> None:
    outputs, coins = prefix_sums(FEWEST, 1.0, 9)
    outputs[:, 2] = coins
    line = best_projection(outputs, coins, 8, CELLS)
    assert line is not None
    np.testing.assert_array_equal(line(outputs) > 0, coins)


def test_no_difference_at_all_says_nothing() -> None:
    """Each row comes with either coin."""
    outputs = np.repeat(np.random.default_rng(10).integers(0, 2, (FEWEST, 3)).astype(float), 2, axis=0)
    line = best_projection(outputs, np.arange(2 * FEWEST) % 2 == 0, 3, CELLS)
    assert line is not None
    assert np.abs(line(outputs)).max() < 0.1


def test_one_far_value_has_no_say_in_the_weights() -> None:
    outputs, coins = prefix_sums(20_000, 1.0, 5)
    without = best_projection(outputs, coins, 8, CELLS)
    outputs[7, 3] = 1e18
    beside = best_projection(outputs, coins, 8, CELLS)
    assert without is not None
    assert beside is not None
    np.testing.assert_allclose(beside.weights, without.weights, atol=0.02)


@pytest.mark.parametrize("case", ["one output", "few draws", "one coin", "no outputs that vary", "a rare value only"])
def test_none_where_there_is_nothing_to_weigh(case: str) -> None:
    outputs, coins = prefix_sums(FEWEST, 1.0, 6)
    columns = 8
    if case == "one output":
        columns = 1
    elif case == "few draws":
        outputs, coins = outputs[:-1], coins[:-1]
    elif case == "one coin":
        coins = np.ones_like(coins)
    else:
        outputs, coins = np.zeros((8 * FEWEST, columns)), np.resize(coins, 8 * FEWEST)
        if case == "a rare value only":
            outputs[0] = 1.0
    assert best_projection(outputs, coins, columns, CELLS) is None


def test_of_many_outputs_those_that_differ_are_weighed() -> None:
    """In 3 of 150 columns the means differ by 0.4, which is twelve standard errors of 0.032."""
    rng = np.random.default_rng(7)
    coins = rng.random(4_000) < 0.5
    outputs = rng.normal(size=(coins.size, 150))
    outputs[:, [10, 70, 149]] += 0.4 * coins[:, None]
    line = best_projection(outputs, coins, 150, CELLS)
    assert line is not None
    assert len(line.columns) == MOST_OUTPUTS
    assert {10, 70, 149} <= set(line.columns)


def test_every_output_that_clearly_tells_is_learned() -> None:
    """A loss of 0.2 on each of twelve outputs: χ² of about 130 beside a mean of 15; nothing on the other eight."""
    rng = np.random.default_rng(8)
    coins = rng.random(20_000) < 0.5
    outputs = rng.laplace(0, 5.0, (coins.size, 20))
    outputs[:, 4:16] += coins[:, None]
    together, alone = promising(outputs, coins, 20)
    assert sorted(together) == list(range(4, 16))
    assert alone == []
