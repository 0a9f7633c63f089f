"""What hardly ever happens, and then on one dataset alone."""

from __future__ import annotations

import numpy as np
import pytest

from hdp_audit.audits.game import play
from hdp_audit.distinguishers.features import Features
from hdp_audit.distinguishers.rare import FEWEST, rare_score
from hdp_audit.distinguishers.witness import learn_witness
from hdp_audit.distinguishers.words import event_words
from hdp_audit.model.promise import PureLimit
from tests.subjects import subject_of, zero_or_one

SIZE = 20_000


def printed(seed: int, chance: float = 2e-3) -> tuple[np.ndarray, np.ndarray]:
    """Noise that keeps a loss of 0.1, but the datum itself in two of a thousand calls."""
    rng = np.random.default_rng([41, seed])
    coins = rng.random(SIZE) < 0.5
    outputs = coins + rng.laplace(0.0, 10.0, SIZE)
    return np.where(rng.random(SIZE) < chance, coins, outputs), coins


def test_values_that_one_dataset_alone_gives_are_found() -> None:
    """About twenty of either come; fewer than ten do with probability 10⁻² at most, and the seed is fixed."""
    outputs, coins = printed(1)
    score = rare_score(outputs, coins, PureLimit(0.1))
    assert score is not None
    low, high, elsewhere = score(np.array([0.0, 1.0, 0.5]))
    assert low < -2 < 2 < high
    assert elsewhere == 0


def test_a_value_that_came_ten_times_with_one_coin_is_enough_among_noise_that_hardly_repeats() -> None:
    """1,024 draws with noise on a grid of 1/64: about 200 values repeat, but none as often as the two that are told."""
    rng = np.random.default_rng([41, 5])
    coins = rng.random(1_024) < 0.5
    outputs = np.round(64.0 * rng.laplace(size=1_024)) / 64.0
    for value in (0, 1):
        outputs[np.flatnonzero(coins == value)[:12]] = 5.0 + 0.5 * value + 1 / 128
    score = rare_score(outputs, coins, PureLimit(0.5))
    assert score is not None
    low, high, elsewhere = score(np.array([5.0 + 1 / 128, 5.5 + 1 / 128, 5.25]))
    assert low < -2 < 2 < high
    assert elsewhere == 0


@pytest.mark.parametrize("sign", [-1.0, 1.0], ids=["low", "high"])
def test_a_far_end_that_one_dataset_alone_gives_is_found(sign: float) -> None:
    rng = np.random.default_rng(42)
    coins = rng.random(SIZE) < 0.5
    outputs = rng.laplace(size=SIZE)
    outputs[coins & (rng.random(SIZE) < 4e-3)] = sign * 1000.0
    outputs += rng.normal(size=SIZE)
    score = rare_score(outputs, coins, PureLimit(0.1))
    assert score is not None
    beyond, elsewhere = score(np.array([sign * 500.0, 0.0]))
    assert beyond > 2
    assert elsewhere == 0


def test_nothing_rare_is_found_in_noise() -> None:
    """False alarm below 10⁻⁶: 12 nats against a claim of 1 are 26 against a fair coin, at four times 312 places."""
    assert 3 * 4 * 312 * np.exp(-26.0) < 1e-6
    for seed in range(3):
        rng = np.random.default_rng([43, seed])
        assert rare_score(rng.laplace(size=SIZE), rng.random(SIZE) < 0.5, PureLimit(1.0)) is None


def test_few_draws_tell_nothing_rare() -> None:
    outputs, coins = printed(2, chance=0.02)
    assert rare_score(outputs[: FEWEST - 1], coins[: FEWEST - 1], 0.1) is None


def test_the_event_names_the_value() -> None:
    outputs, coins = printed(3)
    witness = learn_witness(outputs[:, None], coins, SIZE, 1e-3, limit=PureLimit(0.1))
    assert event_words(witness, Features(np.zeros(1))) == (
        "guess the second dataset where the output is exactly 1; the first where the output is exactly 0"
    )


class Printing:
    """Prints the datum once in five hundred calls."""

    name = "printing"

    def batch(self, data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator, size: int) -> np.ndarray:
        return np.where(rng.random(size) < 2e-3, data[0], data[0] + rng.laplace(0.0, 1.0 / epsilon[0], size))

    def __call__(self, data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
        return float(self.batch(data, epsilon, rng, 1)[0])


def test_a_game_after_another_starts_with_what_that_one_saw() -> None:
    """All its calls are bet on, and by the rule that was learned before: it needs fewer than the first one."""
    subject = subject_of(Printing(), np.array([0.1]), None, "printing")
    pair = zero_or_one(0.1)
    first = play(subject, [pair], 100_000, 1e-3, 1, "first")
    assert first.wealth.refutes
    again = play(subject, [pair], 100_000, 1e-3, 1, "again", after=first)
    assert again.wealth.refutes
    assert again.judged == again.calls < first.calls
