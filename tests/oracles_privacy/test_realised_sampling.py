"""`sm-realised`: its declared loss, searched at kinks and corners only, against dense outputs and fractional data."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest

from mechanisms.broken import CONTROLS
from tests.oracles_privacy.laws import Floats, clipped, laplace

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
    assert found == pytest.approx(CONTROLS["sm-realised"].loss(demands).tolist(), rel=1e-9, abs=1e-12)


def test_declared_loss_covers_data_between_the_corners() -> None:
    """On the demands it is judged on; for large demands the corners are only a lower bound, as its docstring says."""
    demands = CONTROLS["sm-realised"].epsilon
    declared = CONTROLS["sm-realised"].loss(demands)
    for user in (0, 1):
        for other in np.linspace(0.0, 1.0, 11):
            pair = [np.array([own, other]) if user == 0 else np.array([other, own]) for own in (0.0, 1.0)]
            low, high = (log_law(data, demands) for data in pair)
            assert declared[user] >= float(np.abs(low - high).max()) * (1 - 1e-9)
