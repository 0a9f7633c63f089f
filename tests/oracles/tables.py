"""The eight cells on the standard demands, which take seconds: computed once for all tests that read them."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from hdp_audit.theory import Cell, cells

# One kind of each pair, so that every other one (`many(2)`) meets all kinds: tiers, equal or two-point, continuous.
STANDARD = {
    "tiers": np.repeat([0.02, 0.5, 2.0, 0.0, np.inf], [100, 800, 90, 5, 5]),
    "equal-0.1": np.full(1000, 0.1),
    "two-point": np.repeat([0.05, 2.0], 500),
    "equal-1": np.ones(1000),
    "log-uniform": np.exp(np.random.default_rng(1).uniform(-5, 5, 10**4)),
    "uniform": np.random.default_rng(1).uniform(0, 1, 10**4),
}
CATEGORIES, BETA = 10, 0.05
TOGETHER = pytest.mark.xdist_group("tables")  # one worker has them


@cache
def table(name: str) -> list[Cell]:
    """All cells for ten categories and an error probability of 0.05."""
    return cells(STANDARD[name], CATEGORIES, BETA)
