"""Up to four users: no weights on a grid over the whole simplex, nor near the built ones, are better.

Tolerance: 1e-9 of the built value. The criterion is evaluated for the built weights and for the grid by the same plain
numerics, whose error (bisection to 2^-70; quadrature and the grid of splits to about 1e-10) is common to neighbours.
For the split of β, where the grid of splits can miss by more for one weighting than for another, 3e-5 is allowed: 4000
splits 0.015 apart in the logit leave at most 0.015²/8 of the second derivative, below 3e-5 of the value.
"""

from __future__ import annotations

import numpy as np
import pytest

from mechanisms import build, entries, entry
from tests.oracles.grid import Floats, box_grid, least_noise, simplex_grid, table_of

BETA, CATEGORIES = 0.1, 3
# An anchored answer has no single weighting: tests/mechanisms/test_anchored.py.
# Hull noise depends on the weights through missing weight and t alone: tests/mechanisms/test_hull.py searches both.
OPTIMISED = [each.name for each in entries() if each.laplace and each.rule in ("hp", "turbo", "sharp", "centred")]
DEMANDS = {
    "two": [2.0, 12.0],
    "two-with-public": [1.0, np.inf],
    "three": [1.0, 6.0, 6.0],
    "three-with-forbidden": [0.0, 3.0, 30.0],
    "four": [0.4, 2.0, 9.0, 40.0],
    "four-small": [0.05, 0.2, 0.2, 1.0],
    "four-edges": [0.0, 1.5, 20.0, np.inf],
}
STEPS = {1: 1, 2: 400, 3: 60, 4: 24}
SLACK_STEPS = {2: 90, 3: 28, 4: 16}
BOX_STEPS = {2: 100, 3: 16, 4: 8}


def candidates(name: str, n: int) -> Floats:
    if name == "hpm-we-centred":
        return simplex_grid(n, SLACK_STEPS[n], slack=True)
    if entry(name).rule == "centred":
        return box_grid(n, BOX_STEPS[n])
    return simplex_grid(n, STEPS[n])


def neighbours(name: str, w: Floats, seed: int) -> Floats:
    """Random steps of 1e-6 to 1e-1 from the built weights, back inside the set of weights."""
    rng = np.random.default_rng(seed)
    size = 10.0 ** rng.uniform(-6, -1, (400, 1))
    near = np.maximum(w + size * rng.normal(size=(400, w.size)), 0.0)
    if entry(name).rule != "centred":
        return np.asarray(near / near.sum(axis=1, keepdims=True))
    if name == "hpm-we-centred":
        return np.asarray(near / np.maximum(near.sum(axis=1, keepdims=True), 1.0))
    return np.minimum(near, 1 / w.size)


@pytest.mark.many(5)
@pytest.mark.parametrize("demands", DEMANDS)
@pytest.mark.parametrize("name", OPTIMISED)
def test_no_weights_on_a_grid_or_nearby_are_better(name: str, demands: str) -> None:
    epsilon = np.array(DEMANDS[demands])
    k, given = (CATEGORIES, CATEGORIES) if entry(name).task == "frequency" else (1, None)
    built = build(name, epsilon=epsilon, categories=given, beta=BETA)
    t = built.noise_scale / (2 if entry(name).task == "frequency" else 1)
    grid = np.concatenate([candidates(name, epsilon.size), neighbours(name, built.weights, seed=11)])
    grid = grid * (epsilon > 0)  # a forbidden user's weight is 0; on the simplex the others take over its share
    if entry(name).rule != "centred":
        grid = grid[grid.sum(axis=1) > 0]
        grid = grid / grid.sum(axis=1, keepdims=True)
    grid = np.unique(grid, axis=0)
    reached = table_of(name, built.weights[None, :], np.array([t]), k, BETA)[0]
    others = table_of(name, grid, least_noise(grid, epsilon), k, BETA)
    assert reached <= others.min() * (1 + (3e-5 if "-wp-sharp" in name else 1e-9))
    assert others.min() <= reached * (1 + 1e-3)  # the neighbours come close, so the comparison is of the same thing
