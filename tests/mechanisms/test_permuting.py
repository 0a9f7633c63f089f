"""Permuted totals: exact, equal in law to permuting the data, and bounded in memory."""

from __future__ import annotations

import tracemalloc
from collections import Counter
from itertools import permutations

import numpy as np
import pytest
from scipy.stats import chi2

from mechanisms import build
from mechanisms.frequency import Frequency
from mechanisms.mean import Mean
from mechanisms.permuting import permuted_totals
from mechanisms.task import Task

UNITS = np.array([2, 7, 7, 7, 7], dtype=np.int64)  # most users share a weight
DISTINCT = np.array([1, 2, 4, 8, 16], dtype=np.int64)


@pytest.mark.parametrize("units", [UNITS, DISTINCT], ids=["shared weight", "distinct weights"])
@pytest.mark.parametrize("few", [0, 512], ids=["one by one", "in blocks"])
@pytest.mark.parametrize(
    ("task", "data"), [(Frequency(3), np.array([0, 0, 1, 2, 2])), (Mean(), np.array([0.0, 0.25, 0.5, 1.0, 1.0]))]
)
def test_every_permutation_is_equally_likely(units: np.ndarray, few: int, task: Task, data: np.ndarray) -> None:
    """All 120 permutations enumerated; chi-square over their distinct totals, false-alarm probability 10⁻⁶."""
    size = 6_000
    law = Counter(tuple(task.totals(units[list(p)][None, :], data[None, :])[0]) for p in permutations(range(5)))
    drawn = Counter(map(tuple, permuted_totals(task, units, data, size, np.random.default_rng(31), few)))
    assert set(drawn) <= set(law)
    expected = np.array([size * law[key] / 120 for key in law])
    observed = np.array([drawn[key] for key in law])
    assert chi2.sf(((observed - expected) ** 2 / expected).sum(), len(law) - 1) > 1e-6


def test_memory_does_not_grow_with_users_times_trials() -> None:
    """2,000 trials of 20,000 users are 320 MB of doubles; a million trials of 100,000 users 800 GB."""
    epsilon = np.exp(np.random.default_rng(1).uniform(-5, 5, 20_000))
    mechanism = build("hpf-wp", epsilon=epsilon, categories=5)
    data = np.random.default_rng(2).integers(0, 5, 20_000)
    tracemalloc.start()
    mechanism.release_many(data, size=2_000, rng=np.random.default_rng(3), permuted=True)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 32e6


def test_a_million_releases_of_a_large_dataset_take_the_memory_of_the_outputs() -> None:
    mechanism = build("hpm-cp", epsilon=np.full(100_000, 0.5), noise="float")
    data = np.zeros(100_000)
    tracemalloc.start()
    outputs = mechanism.release_many(data, size=1_000_000, rng=np.random.default_rng(3))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert outputs.shape == (1_000_000,)
    assert peak < 100e6


def test_frequency_totals_are_exact_beyond_the_precision_of_doubles() -> None:
    units = np.array([2**59 + 1, 2**58 + 3, 5, 7], dtype=np.int64)
    totals = Frequency(2).totals(units, np.array([[0, 0, 1, 0]]))
    assert totals.tolist() == [[2**59 + 2**58 + 4 + 7, 5]]
