"""Order relations that no bound may break: lower ≤ upper, and monotone in demands, β and k."""

import math

import numpy as np
import pytest

from hdp_audit.theory import lower_mse, lower_pac, sampling, split, statistical
from hdp_audit.theory.cells import cells
from hdp_audit.theory.coin_chain import coin_mse, coin_pac
from hdp_audit.theory.family import Family, Statistics
from hdp_audit.theory.minimise import best_upper, candidates, curve_of
from hdp_audit.theory.names import Metric, Problem, Setting, Task, problems
from hdp_audit.theory.symmetric import compress
from tests.amount import rounds

VECTORS = 1000
BATCH = 50


def random_demands(rng: np.random.Generator, largest: int = 30, n: int | None = None) -> np.ndarray:
    """Any mixture of scales, with ties, zeros and infinities among them."""
    n = n or int(rng.integers(1, largest))
    demands = np.exp(rng.uniform(*sorted(rng.uniform(-7, 4, 2)), n))
    if rng.random() < 0.3:
        demands = np.round(demands, 1)
    if rng.random() < 0.3:
        demands[rng.random(n) < rng.random()] = 0.0
    if rng.random() < 0.3:
        demands[rng.random(n) < rng.random()] = math.inf
    return demands


def quick_lower(ascending: np.ndarray, problem: Problem) -> float:
    """The closed-form bounds; chains and spiders are tried on fewer vectors below."""
    if problem.setting is Setting.CORRELATED:
        if problem.metric is Metric.PAC:
            return lower_pac.packing_correlated(ascending, problem.rivals, problem.beta)
        return lower_mse.packing_correlated(ascending, problem.rivals)
    if problem.metric is Metric.PAC:
        return split.split_pac(ascending, problem.beta)
    stat = statistical.from_statistical(statistical.statistical_rate(ascending), ascending.size)
    return max(split.split_mse(ascending), sampling.beta_prior_mse(ascending), stat)


def some_levels(family: Family) -> np.ndarray:
    low, high = family.level_range()
    return np.append(np.geomspace(low, high * 100, 7), math.inf)


def some_upper(family: Family, problem: Problem) -> float:
    """The least guarantee at a handful of levels: any level is a valid upper bound."""
    tried = candidates(problem, family.n) if family.usable else []
    values = [float(curve_of(family, candidate)(some_levels(family)).min()) for candidate in tried]
    return min([problem.trivial, *values])


def some_uppers(families: list[Family], problem: Problem) -> np.ndarray:
    """The same for many vectors of one length at once."""
    least = np.full(len(families), problem.trivial)
    for candidate in candidates(problem, families[0].n):
        seen = [(f.centred if candidate.centred else f.simplex)(some_levels(f)) for f in families]
        parts = (np.stack([getattr(one, name) for one in seen]) for name in ("t", "bias", "spread"))
        heights = candidate.criterion(Statistics(*parts))
        least = np.minimum(least, np.where(np.isnan(heights), np.inf, heights).min(axis=1))
    return least


@pytest.mark.full
def test_lower_never_exceeds_upper_on_a_thousand_vectors() -> None:
    rng = np.random.default_rng(2024)
    for number in range(VECTORS // BATCH):
        n, k, beta = int(rng.integers(1, 20)), int(rng.integers(2, 30)), float(rng.choice([0.01, 0.05, 0.2, 0.45]))
        families = [Family.of(random_demands(rng, n=n)) for _ in range(BATCH)]
        families = [family for family in families if family.usable]
        # One cell a batch, all eight in turn: each meets 100 or 150 vectors, less those that are all 0.
        cell = problems(k, beta)[number % 8]
        for family, least in zip(families, some_uppers(families, cell), strict=True):
            assert quick_lower(family.ascending, cell) <= least * (1 + 1e-9), (family.ascending, cell)


def test_weak_moments_never_exceed_the_upper_bound() -> None:
    rng = np.random.default_rng(77)
    for _ in range(rounds(10, 30)):
        demands = random_demands(rng)
        family = Family.of(demands)
        compressed = compress(family.ascending)
        for task in Task:
            pac = Problem(task, Setting.WEAK, Metric.PAC, 6, 0.05)
            assert lower_pac.packing_weak(*compressed, pac.rivals, 0.05) <= some_upper(family, pac) * (1 + 1e-9)
            assert coin_pac(family.ascending, 0.05) <= some_upper(family, pac) * (1 + 1e-9)
        mse = Problem(Task.MEAN, Setting.WEAK, Metric.MSE)
        assert coin_mse(family.ascending) <= some_upper(family, mse) * (1 + 1e-9)
        assert lower_mse.k_datasets_weak(*compressed, 1) <= some_upper(family, mse) * (1 + 1e-9)


def test_the_whole_table_keeps_its_order_on_random_vectors() -> None:
    rng = np.random.default_rng(5)
    for _ in range(rounds(2, 4)):
        demands = random_demands(rng, largest=40)
        for cell in cells(demands, categories=int(rng.integers(2, 8)), beta=0.05):
            assert cell.lower.value <= cell.upper.value * (1 + 1e-9), (demands, cell)


def test_the_weak_setting_is_never_guaranteed_less() -> None:
    rng = np.random.default_rng(6)
    for _ in range(rounds(2, 3)):
        family = Family.of(random_demands(rng))
        for task in Task:
            for metric in Metric:
                weak = best_upper(family, Problem(task, Setting.WEAK, metric)).value
                assert weak <= best_upper(family, Problem(task, Setting.CORRELATED, metric)).value * (1 + 1e-9)


def raised(demands: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    return demands * np.where(rng.random(demands.size) < 0.5, 1.0, np.exp(rng.exponential(1.0, demands.size)))


def test_larger_demands_never_raise_a_bound() -> None:
    rng = np.random.default_rng(8)
    for _ in range(rounds(1, 2)):
        demands = random_demands(rng)
        before, after = Family.of(demands), Family.of(raised(demands, rng))
        for problem in problems(5, 0.05):
            assert best_upper(after, problem).value <= best_upper(before, problem).value * (1 + 1e-6)
        for rivals in (1, 4):
            pac = [lower_pac.packing_correlated(f.ascending, rivals, 0.05) for f in (before, after)]
            mse = [lower_mse.packing_correlated(f.ascending, rivals) for f in (before, after)]
            weak = [lower_pac.packing_weak(*compress(f.ascending), rivals, 0.05) for f in (before, after)]
            assert pac[1] <= pac[0]
            assert mse[1] <= mse[0] + 1e-15
            assert weak[1] <= weak[0]


def test_searched_lower_bounds_stay_below_the_guarantee_for_smaller_demands() -> None:
    # The searches over splits and chains are not exactly monotone, but the rates are: lower(raised) ≤ rate ≤ upper.
    rng = np.random.default_rng(9)
    for _ in range(rounds(1, 2)):
        demands = random_demands(rng)
        guarantees = cells(demands, categories=4)
        for cell, low in zip(guarantees, cells(raised(demands, rng), categories=4), strict=True):
            assert low.lower.value <= cell.upper.value * (1 + 1e-9)


@pytest.mark.parametrize("setting", list(Setting))
def test_a_stricter_error_probability_never_lowers_a_bound(setting: Setting) -> None:
    rng = np.random.default_rng(10)
    for _ in range(rounds(2, 3)):
        family = Family.of(random_demands(rng))
        for task in Task:
            uppers = [
                best_upper(family, Problem(task, setting, Metric.PAC, 5, beta)).value for beta in (0.2, 0.05, 0.01)
            ]
            assert uppers[0] <= uppers[1] * (1 + 1e-9) <= uppers[2] * (1 + 2e-9)
            lowers = [
                quick_lower(family.ascending, Problem(task, setting, Metric.PAC, 5, b)) for b in (0.2, 0.05, 0.01)
            ]
            if setting is Setting.CORRELATED:
                assert lowers[0] <= lowers[1] <= lowers[2]
            else:
                # The split's search over m uses a grid of about 2%.
                assert lowers[0] <= lowers[1] * 1.05 + 1e-12 <= lowers[2] * 1.05**2 + 2e-12


@pytest.mark.parametrize("setting", list(Setting))
@pytest.mark.parametrize("metric", list(Metric))
def test_more_categories_never_lower_a_bound(setting: Setting, metric: Metric) -> None:
    rng = np.random.default_rng(11)
    for _ in range(rounds(1, 2)):
        family = Family.of(random_demands(rng))
        values = [best_upper(family, Problem(Task.FREQUENCY, setting, metric, k)).value for k in (2, 5, 20)]
        assert values[0] <= values[1] * (1 + 1e-9) <= values[2] * (1 + 2e-9)
        lowers = [quick_lower(family.ascending, Problem(Task.FREQUENCY, setting, metric, k)) for k in (2, 5, 20)]
        assert lowers[0] <= lowers[1] <= lowers[2]
