"""Standard demands: named vectors, so that two people who quote a figure have measured the same thing."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType

import numpy as np

from mechanisms.demands import Floats
from mechanisms.errors import InvalidInput


def _tiers(_: np.random.Generator) -> Floats:
    return np.repeat([0.02, 0.5, 2.0, 0.0, np.inf], [100, 800, 90, 5, 5])


STANDARD: Mapping[str, Callable[[np.random.Generator], Floats]] = MappingProxyType(
    {
        "equal-0.1": lambda _: np.full(1000, 0.1),
        "equal-1": lambda _: np.full(1000, 1.0),
        "tiers": _tiers,
        "log-uniform": lambda rng: np.exp(rng.uniform(-5.0, 5.0, 10_000)),
        "two-point": lambda _: np.repeat([0.05, 2.0], 500),
        "uniform": lambda rng: rng.uniform(0.0, 1.0, 10_000),
    }
)


def standard_demands(name: str, seed: int = 1) -> Floats:
    """The demands of that name; the random ones are drawn from numpy's default generator with the given seed."""
    if name not in STANDARD:
        raise InvalidInput(f"no standard demands are called {name!r}; the names are {', '.join(STANDARD)}")
    return STANDARD[name](np.random.default_rng(seed))
