"""Simulated errors against the bounds. The simulator is a few lines of numpy; it shares no code with any mechanism.

False alarms: every comparison of a count with a binomial quantile uses probability 1e-8, at most 100 of them a test.
"""

import math

import numpy as np
import pytest
from scipy import stats

from hdp_audit.theory import hull, lower_mse, lower_pac, upper
from hdp_audit.theory.family import Family
from hdp_audit.theory.hull_tail import hull_tail
from hdp_audit.theory.minimise import Candidate, Optimum, candidates, minimise
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


def plane_noise(t: float, k: int, rng) -> np.ndarray:
    """Density ∝ exp(−‖v‖₁/2t) on Σv = 0: a radius of shape k − 1, signs by how many faces there are, simplex points.

    A face with j positive bins is a product of two simplices, its volume ∝ 1/((j−1)!(k−j−1)!) for each choice of bins.
    """
    faces = np.array([math.comb(k, j) * math.comb(k - 2, j - 1) for j in range(1, k)], dtype=float)
    positives = rng.choice(np.arange(1, k), DRAWS, p=faces / faces.sum())
    parts = rng.exponential(1.0, (DRAWS, k))
    up = np.arange(k) < positives[:, None]
    up = np.take_along_axis(up, np.argsort(rng.random((DRAWS, k)), axis=1), axis=1)
    plus, minus = np.where(up, parts, 0.0), np.where(up, 0.0, parts)
    direction = plus / plus.sum(axis=1, keepdims=True) - minus / minus.sum(axis=1, keepdims=True)
    return direction * rng.gamma(k - 1, t, (DRAWS, 1))


def frequency_errors(w, noise, data, centre: float) -> np.ndarray:
    """‖clip(Σ w 1{x = j} + centre·(1 − Σw) + noise_j) − frequencies‖∞, DRAWS times; data is (n,) or (DRAWS, n)."""
    table = np.broadcast_to(data, (DRAWS, w.size))
    worst = np.zeros(DRAWS)
    for j in range(noise.shape[1]):
        mine = table == j
        answer = mine @ w + centre * (1 - w.sum()) + noise[:, j]
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


def optima(demands: np.ndarray, problem: Problem) -> list[tuple[Candidate, Optimum]]:
    family = Family.of(demands)
    return [(c, minimise(family, c)) for c in candidates(problem, family.n) if c.mechanism != "hpm-we-centred"]


def simulated(demands: np.ndarray, problem: Problem, tried: Candidate, best: Optimum, *, data, rng) -> np.ndarray:
    """Errors of a mechanism at its best level on given data."""
    w, t = weights(demands, best.level, centred=tried.centred)
    centre, k = (0.5 if tried.centred else 0.0), problem.categories
    if problem.task is Task.MEAN:
        return mean_errors(w, t, data, centre, rng)
    if tried.rule == "hull":
        beta = problem.beta if problem.metric is Metric.PAC else None
        centre = float(hull.hull_centre(1 - w.sum(), t, k, beta))
        return frequency_errors(w, plane_noise(t, k, rng), data, centre)
    return frequency_errors(w, rng.laplace(0, 2 * t, (DRAWS, k)), data, centre)


@pytest.mark.many(2)
@pytest.mark.parametrize("name", DEMANDS)
@pytest.mark.parametrize("metric", list(Metric))
@pytest.mark.parametrize("task", list(Task))
def test_worst_case_data_stay_within_the_correlated_guarantee(name: str, metric: Metric, task: Task) -> None:
    """False-alarm probability below 1e-6: fewer than 100 comparisons at 1e-8."""
    demands, problem = DEMANDS[name], Problem(task, Setting.CORRELATED, metric, 4, BETA)
    rng = np.random.default_rng([1, list(DEMANDS).index(name)])
    check = assert_quantile_at_most if metric is Metric.PAC else assert_mean_square_at_most
    for tried, best in optima(demands, problem):
        w, _ = weights(demands, best.level, centred=tried.centred)
        heavy = (w > 1 / demands.size + 1e-15).astype(int)
        for data in (heavy, 1 - heavy, np.ones_like(heavy), rng.integers(0, 2, heavy.size)):
            check(simulated(demands, problem, tried, best, data=data, rng=rng), best.value)


@pytest.mark.many(2)
@pytest.mark.parametrize("name", DEMANDS)
@pytest.mark.parametrize("metric", list(Metric))
@pytest.mark.parametrize("task", list(Task))
def test_permuted_data_stay_within_the_weak_guarantee(name: str, metric: Metric, task: Task) -> None:
    """False-alarm probability below 1e-6: fewer than 100 comparisons at 1e-8."""
    demands, problem = DEMANDS[name], Problem(task, Setting.WEAK, metric, 4, BETA)
    rng = np.random.default_rng([2, list(DEMANDS).index(name)])
    check = assert_quantile_at_most if metric is Metric.PAC else assert_mean_square_at_most
    for ones in (demands.size // 2, demands.size // 5):
        data = rng.permuted(np.tile(np.arange(demands.size) < ones, (DRAWS, 1)).astype(int), axis=1)
        for tried, best in optima(demands, problem):
            check(simulated(demands, problem, tried, best, data=data, rng=rng), best.value)


@pytest.mark.parametrize("name", DEMANDS)
def test_no_mechanism_of_ours_beats_the_packing_bound_on_its_datasets(name: str) -> None:
    """Just below the bound, the error is missed more often than β on some packing dataset. False alarms below 1e-6."""
    demands, k = np.sort(DEMANDS[name]), 4
    n = demands.size
    rng = np.random.default_rng([3, list(DEMANDS).index(name)])
    bound = lower_pac.packing_correlated(demands, k - 1, BETA)
    radius = bound * (1 - 1e-9) if bound else 0.0
    moved = math.floor(2 * n * radius) + 1
    problem = Problem(Task.FREQUENCY, Setting.CORRELATED, Metric.PAC, k, BETA)
    for tried, best in optima(demands, problem):
        missed = []
        for category in range(k):
            data = np.where(np.arange(n) < moved, category, 0)
            errors = simulated(demands, problem, tried, best, data=data, rng=rng)
            missed.append(int((errors > radius).sum()))
        assert max(missed) >= stats.binom.ppf(ALARM, DRAWS, BETA)


@pytest.mark.parametrize("k", [2, 3, 7])
def test_noise_on_the_plane_has_the_tail_of_the_table(k: int) -> None:
    """Twelve two-sided comparisons at 1e-8: false alarms below 1e-6."""
    noise = plane_noise(0.5, k, np.random.default_rng([8, k]))
    assert np.abs(noise.sum(axis=1)).max() < 1e-9
    for y in (-0.7, 0.0, 0.4, 2.0):
        share = float(hull_tail(k).beyond(np.array([y]))[0])
        beyond = int((noise[:, 0] > y).sum())
        assert stats.binom.ppf(ALARM, DRAWS, share) <= beyond <= stats.binom.isf(ALARM, DRAWS, share)


@pytest.mark.parametrize("deficit", [0.0, 0.2, 0.8])
def test_the_union_bound_for_hull_noise_is_met_and_nearly_attained_at_the_vertex(deficit: float) -> None:
    """Before clipping the miss probability is at most β, and the union bound loses less than a third. Three at 1e-8."""
    k, t = 6, 0.05
    bound = float(hull.hull_pac(deficit, t, k, BETA))
    centre = float(hull.hull_centre(deficit, t, k, BETA))
    bias = centre * deficit - deficit * (np.arange(k) == 0)
    missed = int((np.abs(bias + plane_noise(t, k, np.random.default_rng(9))).max(axis=1) > bound).sum())
    assert stats.binom.ppf(ALARM, DRAWS, BETA / 1.5) <= missed <= stats.binom.isf(ALARM, DRAWS, BETA)


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
