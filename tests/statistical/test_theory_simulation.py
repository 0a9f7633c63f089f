"""Simulated errors against the bounds. The simulator is a few lines of numpy; it shares no code with any mechanism.

False alarms: every comparison of a count with a binomial quantile uses probability 1e-8, at most 100 of them a test.
"""

import math

import numpy as np
import pytest
from scipy import stats

from hdp_audit.theory import lower_mse, lower_pac, upper
from hdp_audit.theory.family import Family
from hdp_audit.theory.minimise import Optimum, candidates, minimise
from hdp_audit.theory.names import Metric, Problem, Setting, Task

DRAWS = 20_000
ALARM = 1e-8
BETA = 0.1
DEMANDS = {
    "mixed": np.exp(np.random.default_rng(1).uniform(-4, 2, 60)),
    "zeros and public": np.concatenate([np.zeros(6), np.full(30, 0.3), np.full(20, 1.5), np.full(4, np.inf)]),
    "equal": np.full(50, 0.4),
}


def weights(demands: np.ndarray, level: float, *, centred: bool) -> tuple[np.ndarray, float]:
    """(w, t) from the definitions, not from the family's sums."""
    n = demands.size
    if centred:
        w = np.array([1.0 if math.isinf(e) else min(1.0, e / level) for e in demands]) / n
    elif math.isinf(level) and np.isinf(demands).any():
        w = np.isinf(demands) / np.isinf(demands).sum()
    else:
        w = np.minimum(demands, level)
        w = w / w.sum()
    used = (w > 0) & np.isfinite(demands)
    return w, float(np.max(w[used] / demands[used], initial=0.0))


def frequency_errors(w, t, data, k: int, centre: float, rng) -> np.ndarray:
    """‖clip(Σ w 1{x = j} + centre·(1 − Σw) + Lap(2t)) − frequencies‖∞, DRAWS times; data is (n,) or (DRAWS, n)."""
    table = np.broadcast_to(data, (DRAWS, w.size))
    worst = np.zeros(DRAWS)
    for j in range(k):
        mine = table == j
        answer = mine @ w + centre * (1 - w.sum()) + rng.laplace(0, 2 * t, DRAWS)
        worst = np.maximum(worst, np.abs(np.clip(answer, 0, 1) - mine.mean(axis=1)))
    return worst


def mean_errors(w, t, data, centre: float, rng) -> np.ndarray:
    table = np.broadcast_to(data, (DRAWS, w.size))
    answer = table @ w + centre * (1 - w.sum()) + rng.laplace(0, t, DRAWS)
    return np.abs(np.clip(answer, 0, 1) - table.mean(axis=1))


def assert_quantile_at_most(errors: np.ndarray, bound: float) -> None:
    missed = int((errors > bound * (1 + 1e-12)).sum())
    assert missed <= stats.binom.isf(ALARM, errors.size, BETA)


def assert_mean_square_at_most(errors: np.ndarray, bound: float) -> None:
    squares = errors**2
    # Squared errors lie in [0, 1]: Bernstein's inequality with the empirical variance (Maurer and Pontil 2009).
    log = math.log(2 / ALARM)
    slack = math.sqrt(2 * squares.var(ddof=1) * log / squares.size) + 7 * log / (3 * (squares.size - 1))
    assert squares.mean() - slack <= bound


def optima(demands: np.ndarray, problem: Problem) -> list[tuple[bool, Optimum]]:
    family = Family.of(demands)
    return [(c.centred, minimise(family, c)) for c in candidates(problem, family.n) if c.mechanism != "hpm-we-centred"]


@pytest.mark.parametrize("name", DEMANDS)
@pytest.mark.parametrize("metric", list(Metric))
@pytest.mark.parametrize("task", list(Task))
def test_worst_case_data_stay_within_the_correlated_guarantee(name: str, metric: Metric, task: Task) -> None:
    """False-alarm probability below 1e-6: fewer than 100 comparisons at 1e-8."""
    demands, k = DEMANDS[name], 4
    rng = np.random.default_rng([1, list(DEMANDS).index(name)])
    for centred, best in optima(demands, Problem(task, Setting.CORRELATED, metric, k, BETA)):
        w, t = weights(demands, best.level, centred=centred)
        heavy = (w > 1 / demands.size + 1e-15).astype(int)
        for data in (heavy, 1 - heavy, np.ones_like(heavy), rng.integers(0, 2, heavy.size)):
            centre = 0.5 if centred else 0.0
            errors = (
                mean_errors(w, t, data, centre, rng)
                if task is Task.MEAN
                else frequency_errors(w, t, data, k, centre, rng)
            )
            check = assert_quantile_at_most if metric is Metric.PAC else assert_mean_square_at_most
            check(errors, best.value)


@pytest.mark.parametrize("name", DEMANDS)
@pytest.mark.parametrize("metric", list(Metric))
@pytest.mark.parametrize("task", list(Task))
def test_permuted_data_stay_within_the_weak_guarantee(name: str, metric: Metric, task: Task) -> None:
    """False-alarm probability below 1e-6: fewer than 100 comparisons at 1e-8."""
    demands, k = DEMANDS[name], 4
    rng = np.random.default_rng([2, list(DEMANDS).index(name)])
    for centred, best in optima(demands, Problem(task, Setting.WEAK, metric, k, BETA)):
        w, t = weights(demands, best.level, centred=centred)
        for ones in (demands.size // 2, demands.size // 5):
            data = rng.permuted(np.broadcast_to(np.arange(demands.size) < ones, (DRAWS, demands.size)), axis=1).astype(
                int
            )
            centre = 0.5 if centred else 0.0
            errors = (
                mean_errors(w, t, data, centre, rng)
                if task is Task.MEAN
                else frequency_errors(w, t, data, k, centre, rng)
            )
            check = assert_quantile_at_most if metric is Metric.PAC else assert_mean_square_at_most
            check(errors, best.value)


@pytest.mark.parametrize("name", DEMANDS)
def test_no_mechanism_of_ours_beats_the_packing_bound_on_its_datasets(name: str) -> None:
    """Just below the bound, the error is missed more often than β on some packing dataset. False alarms below 1e-6."""
    demands, k = np.sort(DEMANDS[name]), 4
    n = demands.size
    rng = np.random.default_rng([3, list(DEMANDS).index(name)])
    bound = lower_pac.packing_correlated(demands, k - 1, BETA)
    radius = bound * (1 - 1e-9) if bound else 0.0
    moved = math.floor(2 * n * radius) + 1
    for centred, best in optima(demands, Problem(Task.FREQUENCY, Setting.CORRELATED, Metric.PAC, k, BETA)):
        w, t = weights(demands, best.level, centred=centred)
        missed = []
        for category in range(k):
            data = np.where(np.arange(n) < moved, category, 0)
            errors = frequency_errors(w, t, data, k, 0.5 if centred else 0.0, rng)
            missed.append(int((errors > radius).sum()))
        assert max(missed) >= stats.binom.ppf(ALARM, DRAWS, BETA)


def test_the_two_dataset_risk_is_not_beaten_on_its_datasets() -> None:
    """Averaged over the two datasets the risk is at least the bound; Bernstein at 1e-8."""
    demands = np.full(50, 0.4)
    bound = lower_mse.packing_correlated(demands, 1)
    values = (np.arange(1, 51) / 100 / np.cosh(np.cumsum(demands) / 2)) ** 2
    moved = int(np.argmax(values)) + 1
    assert bound == pytest.approx(values[moved - 1])
    rng = np.random.default_rng(4)
    w, t = weights(demands, 0.4, centred=False)
    flipped = (np.arange(50) < moved).astype(int)
    squares = np.concatenate([mean_errors(w, t, data, 0.0, rng) ** 2 for data in (np.zeros(50, int), flipped)])
    log = math.log(2 / ALARM)
    slack = math.sqrt(2 * squares.var(ddof=1) * log / squares.size) + 7 * log / (3 * (squares.size - 1))
    assert squares.mean() + slack >= bound


def test_the_exact_quantile_is_attained_before_clipping() -> None:
    """Unclipped errors on the worst vertex miss the exact quantile with probability β: two-sided at 1e-8."""
    rng = np.random.default_rng(5)
    a, b, k = 0.1, 0.05, 6
    bound = float(upper.correlated_pac(a, b, BETA, 2, k - 2))
    bias = np.array([a, -a] + [0.0] * (k - 2))
    missed = int((np.abs(bias + rng.laplace(0, b, (DRAWS, k))).max(axis=1) > bound).sum())
    assert stats.binom.ppf(ALARM, DRAWS, BETA) <= missed <= stats.binom.isf(ALARM, DRAWS, BETA)


def test_the_shrunk_mean_stays_within_its_weak_guarantee() -> None:
    """Weights s·w around ½; Bernstein at 1e-8 on two datasets."""
    demands = np.exp(np.random.default_rng(6).uniform(-5, -2, 40))
    n = demands.size
    rng = np.random.default_rng(7)
    w, t = weights(demands, 0.05, centred=False)
    spread = float(((w - 1 / n) ** 2).sum())
    variance = spread * n / (n - 1)
    s = min(1 / (1 + math.sqrt(variance)), 1 / (1 + 8 * t**2))
    bound = float(upper.shrunk_mean_weak_mse(spread, t, n))
    for ones in (0, n // 2):
        data = rng.permuted(np.broadcast_to(np.arange(n) < ones, (DRAWS, n)), axis=1).astype(int)
        assert_mean_square_at_most(mean_errors(s * w, s * t, data, 0.5, rng), bound)
