"""The family's statistics, computed by sums over sorted demands, against the weights themselves."""

import math

import numpy as np
import pytest

from hdp_audit.errors import InvalidInput
from hdp_audit.theory.family import Family

DEMANDS = {
    "plain": np.array([0.3, 0.1, 2.0, 0.7, 0.1]),
    "zeros": np.array([0.0, 0.5, 0.0, 1.5]),
    "public": np.array([0.2, np.inf, 0.9, np.inf, 4.0]),
    "all kinds": np.array([0.0, 0.02, 0.5, 0.5, np.inf]),
}


def weights_at(demands: np.ndarray, level: float) -> np.ndarray:
    if math.isinf(level) and np.isinf(demands).any():
        public = np.isinf(demands)
        return public / public.sum()
    raw = np.minimum(demands, level)
    return raw / raw.sum()


def ratio(weights: np.ndarray, demands: np.ndarray) -> float:
    positive = weights > 0
    return float(np.max(weights[positive] / demands[positive]))


@pytest.mark.parametrize("name", DEMANDS)
@pytest.mark.parametrize("factor", [1.0, 1.3, 2.0, 7.0, 50.0, math.inf])
def test_simplex_statistics_are_those_of_the_weights(name: str, factor: float) -> None:
    demands = DEMANDS[name]
    level = demands[demands > 0].min() * factor
    w = weights_at(demands, level)
    found = Family.of(demands).simplex(level)
    u = 1 / demands.size
    assert float(found.t) == pytest.approx(ratio(w, demands), rel=1e-12)
    assert float(found.bias) == pytest.approx(np.abs(w - u).sum() / 2, abs=1e-12)
    assert float(found.spread) == pytest.approx(((w - u) ** 2).sum(), abs=1e-12)


@pytest.mark.parametrize("name", DEMANDS)
@pytest.mark.parametrize("level", [0.05, 0.4, 3.0, math.inf])
def test_centred_statistics_are_those_of_the_weights(name: str, level: float) -> None:
    demands = DEMANDS[name]
    n = demands.size
    w = np.array([1.0 if math.isinf(e) else min(1.0, e / level) for e in demands]) / n
    found = Family.of(demands).centred(level)
    assert float(found.bias) == pytest.approx((1 / n - w).sum() / 2, abs=1e-12)
    assert float(found.t) == pytest.approx(0.0 if math.isinf(level) else 1 / (n * level))


def test_no_weights_with_the_same_noise_have_less_bias() -> None:
    # MATH: ½‖w − u‖₁ ≥ A(t) for every w on the simplex with ‖w/ε‖∞ ≤ t.
    rng = np.random.default_rng(7)
    demands = DEMANDS["plain"]
    family = Family.of(demands)
    for _ in range(500):
        w = rng.dirichlet(np.full(demands.size, 0.7))
        assert np.abs(w - 0.2).sum() / 2 >= float(family.shortfall(ratio(w, demands))) - 1e-12


@pytest.mark.parametrize("bad", [[], [-1.0], [math.nan], [[1.0]]])
def test_demands_outside_the_range_are_refused(bad: list[float]) -> None:
    with pytest.raises(InvalidInput):
        Family.of(bad)
