"""The declared losses of SM with the realised size: a mean's, searched at kinks and corners only, against dense outputs
and fractional data; the closed form for frequencies against the densities themselves."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from scipy.optimize import minimize

from mechanisms.broken import FAINT, FAULTS, sm_realised
from tests.mechanisms.laws import Floats, clipped, laplace

OUTPUTS = np.unique(np.concatenate([np.linspace(1e-9, 1.0 - 1e-9, 401), [1 / 3, 0.5, 2 / 3]]))
DEMANDS = [(0.25, 0.5), (0.5, 0.5), (0.1, 1.0), (3.0, 8.0), (0.2, 0.5, 1.0), (1.0, 3.0, 10.0), (0.0, 0.4, 0.9), (0.7,)]


def log_law(data: Floats, epsilon: Floats) -> Floats:
    """Log-masses of both atoms and log-densities at `OUTPUTS`: a mixture over samples of clipped Laplace laws."""
    tau = float(epsilon.max())
    chances = np.expm1(epsilon) / np.expm1(tau)
    parts = []
    for sample in product((0, 1), repeat=epsilon.size):
        chance = float(np.prod(np.where(sample, chances, 1.0 - chances)))
        if chance > 0:
            count = max(sum(sample), 1)
            law = clipped(float(np.dot(sample, data)) / count, laplace(1.0 / (tau * count)))
            assert law.log_density is not None
            parts.append(np.log(chance) + np.array([*law.atoms.values(), *law.log_density(OUTPUTS)]))
    mixture: Floats = np.logaddexp.reduce(parts)
    return mixture


@pytest.mark.parametrize("epsilon", DEMANDS, ids=str)
def test_declared_loss_is_the_supremum_over_dense_outputs_and_fractional_data(epsilon: tuple[float, ...]) -> None:
    demands = np.array(epsilon)
    found = []
    for user in range(demands.size):
        worst = 0.0
        for rest in product((0.0, 0.3, 0.5, 1.0), repeat=demands.size - 1):
            laws = [log_law(np.insert(np.array(rest), user, own), demands) for own in (0.0, 0.5, 1.0)]
            worst = max(worst, *(float(np.abs(a - b).max()) for a, b in combinations(laws, 2)))
        found.append(worst)
    assert found == pytest.approx(FAINT["sm-realised-mean"].loss(demands).tolist(), rel=1e-9, abs=1e-12)


def test_declared_loss_covers_data_between_the_corners() -> None:
    """On the demands it is judged on; for large demands the corners are only a lower bound, as its docstring says."""
    demands = FAINT["sm-realised-mean"].epsilon
    declared = FAINT["sm-realised-mean"].loss(demands)
    for user in (0, 1):
        for other in np.linspace(0.0, 1.0, 11):
            pair = [np.array([own, other]) if user == 0 else np.array([other, own]) for own in (0.0, 1.0)]
            low, high = (log_law(data, demands) for data in pair)
            assert declared[user] >= float(np.abs(low - high).max()) * (1 - 1e-9)


PAIRS = [(0.5, 1.0), (0.25, 0.5), (0.1, 2.0), (2.0, 2.5)]


def log_shares_density(outputs: Floats, data: tuple[int, int], epsilon: Floats) -> Floats:
    """Without clipping; the second user is in every sample, the first one with chance p."""
    p, tau = np.expm1(epsilon[0]) / np.expm1(epsilon[1]), epsilon[1]
    both, alone = (np.bincount(people, minlength=outputs.shape[1]) / len(people) for people in (data, data[1:]))
    parts = []
    for chance, shares, rate in ((p, both, tau), (1.0 - p, alone, 0.5 * tau)):
        parts.append(np.log(chance) + (np.log(0.5 * rate) - rate * np.abs(outputs - shares)).sum(axis=1))
    mixture: Floats = np.logaddexp(*parts)
    return mixture


@pytest.mark.parametrize("epsilon", PAIRS, ids=str)
def test_loss_of_shares_is_the_supremum_over_a_dense_grid(epsilon: tuple[float, float]) -> None:
    demands = np.array(epsilon)
    line = np.linspace(-1.0, 2.0, 61)
    grid = np.stack(np.meshgrid(line, line, line), axis=-1).reshape(-1, 3)
    densities = {data: log_shares_density(grid, data, demands) for data in product(range(3), repeat=2)}
    worst = np.zeros(2)
    for (one, first), (other, second) in product(densities.items(), repeat=2):
        changed = [user for user in (0, 1) if one[user] != other[user]]
        if len(changed) == 1:
            worst[changed[0]] = max(worst[changed[0]], (first - second).max())
    assert worst.tolist() == pytest.approx(sm_realised.loss(demands, categories=3).tolist(), rel=1e-9)


def test_no_search_finds_a_larger_ratio_in_ten_categories() -> None:
    control = FAULTS["sm-realised"]
    demands = control.epsilon
    rng = np.random.default_rng(8)

    def minus_ratio(at: Floats, other: int) -> float:
        first, second = (log_shares_density(at[None, :], (own, other), demands) for own in (0, 1))
        return float(second[0] - first[0])

    found = []
    for other in (0, 1, 2):
        starts = rng.normal(0.0, 0.3, (6, 10)) + 0.5 * (np.arange(10) == 0)
        found += [-minimize(minus_ratio, at, (other,), method="Powell").fun for at in starts]
    declared = control.loss(demands)[0]
    assert 0.999 * declared < max(found) <= declared * (1 + 1e-9)
