"""Guarantees for given weights: against the theory's minimisers, all datasets of small cases, and the catalog."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product

import numpy as np
import pytest
from scipy import integrate

from hdp_audit.audits.claimed import estimator
from hdp_audit.targets.reference import build, error_law, names
from hdp_audit.theory import hull, upper
from hdp_audit.theory.family import Family
from hdp_audit.theory.guarantee import Estimator, Hull, Laplace, guarantee
from hdp_audit.theory.names import Metric, Problem, Setting, Task, problems

K = 4
DEMANDS = {
    "mixed": np.exp(np.random.default_rng(3).uniform(-3, 2, 40)),
    "zeros and public": np.concatenate([np.zeros(3), np.full(20, 0.3), np.full(10, 1.5), np.full(2, np.inf)]),
    "equal": np.full(30, 0.4),
}
EVERY = pytest.mark.parametrize("demands", DEMANDS.values(), ids=DEMANDS)


def built(name: str, epsilon: np.ndarray, task: Task) -> Estimator:
    k = K if task is Task.FREQUENCY else None
    return estimator(error_law(build(name, epsilon=epsilon, task=task.value, categories=k)))


@EVERY
@pytest.mark.parametrize("problem", problems(K), ids=lambda p: f"{p.task.value}-{p.setting.value}-{p.metric.value}")
def test_simplex_weights_get_the_theory_s_bound_at_their_level(demands: np.ndarray, problem: Problem) -> None:
    mechanism = build("prop" if np.isfinite(demands).all() else "uni", epsilon=demands, task="mean")
    s = Family.of(demands).simplex(np.array([mechanism.level]))
    b = problem.scale * mechanism.noise_scale
    n, k = demands.size, problem.coordinates
    biased, plain = (1, 0) if k == 1 else (2, k - 2)
    if problem.metric is Metric.PAC:
        expected = upper.correlated_pac(s.bias, b, problem.beta, biased, plain)[0]
        weak = upper.weak_pac(s.bias, s.spread, b, n, k, problem.beta)[0]
    elif k == 1:
        expected, weak = upper.mean_correlated_mse(s.bias, b)[0], upper.mean_weak_mse(s.spread, b, n)[0]
    else:
        expected = upper.frequency_correlated_mse(s.bias, b, 2, k - 2)[0]
        weak = upper.frequency_weak_mse(s.bias, s.spread, b, n, k)[0]
    if problem.setting is Setting.WEAK:
        expected = min(expected, weak)
    found = guarantee(Estimator(mechanism.weights, Laplace(b)), problem)
    # The theory's quadrature bends where an error meets 0: good to 1e-7.
    assert found == pytest.approx(min(expected, 1.0), rel=1e-7)


@pytest.mark.parametrize("scale", [0.003, 0.1, 2.0])
def test_the_mean_square_at_a_vertex_is_the_integral_of_its_tail(scale: float) -> None:
    vertex = ((0.3, 1), (0.1, 2), (0.0, 3))

    def outside(alpha: float) -> float:
        logs = [count * float(upper.log_inside(*map(np.array, (alpha, bias, scale)))) for bias, count in vertex]
        return -2 * alpha * float(np.expm1(sum(logs)))

    edges = [1e-300, 0.1, 0.3, 0.3 + 5 * scale, 0.3 + 20 * scale, 0.3 + 60 * scale]
    parts = [integrate.quad(outside, low, high, epsabs=1e-14, limit=200)[0] for low, high in pairwise(edges)]
    assert Laplace(scale).square(vertex) == pytest.approx(sum(parts), rel=1e-9)


@EVERY
def test_hull_noise_gets_the_theory_s_bound_when_it_uses_the_theory_s_centre(demands: np.ndarray) -> None:
    s = Family.of(demands).centred(np.array([0.5]))
    t, missing = float(s.t[0]), float(2 * s.bias[0])
    weights = np.minimum(demands / 0.5, 1.0) / demands.size
    for metric, beta in ((Metric.PAC, 0.05), (Metric.MSE, None)):
        centre = float(hull.hull_centre(missing, t, K, beta))
        expected = hull.hull_pac(missing, t, K, 0.05) if beta else hull.hull_mse(missing, t, K)
        problem = Problem(Task.FREQUENCY, Setting.CORRELATED, metric, K)
        found = guarantee(Estimator(weights, Hull(2 * t, K), centre), problem)
        assert found == pytest.approx(float(expected), rel=1e-5)


@pytest.mark.many(2)
@pytest.mark.parametrize("share", [0.5, 0.3])
@pytest.mark.parametrize("scale", [0.0, 0.05, 0.4])
def test_the_worst_of_all_datasets_is_the_guarantee(share: float, scale: float) -> None:
    """Five users, three categories, 243 datasets: before clipping the guarantee is attained, and never exceeded."""
    weights = np.array([0.05, 0.1, 0.15, 0.3, 0.4])
    for missing in (0.0, 0.1):
        own = Estimator(weights * (1 - missing), Laplace(scale), share)
        for metric in Metric:
            problem = Problem(Task.FREQUENCY, Setting.CORRELATED, metric, 3)
            noise, tables = own.noise, set()
            for data in product(range(3), repeat=5):
                table = np.bincount(data, weights=own.weights - 0.2, minlength=3) + share * missing
                tables.add(tuple(sorted(abs(round(float(bias), 12)) for bias in table)))
            vertices = [tuple((bias, 1) for bias in table) for table in tables]
            errors = [noise.quantile(v, 0.05) if metric is Metric.PAC else noise.square(v) for v in vertices]
            assert guarantee(own, problem) == pytest.approx(min(max(errors), 1.0), rel=1e-9)


def test_a_mean_s_worst_dataset_is_the_guarantee() -> None:
    weights = np.array([0.02, 0.1, 0.2, 0.3, 0.28])
    own = Estimator(weights, Laplace(0.02))
    biases = [abs(float((weights - 0.2) @ data) + 0.05) for data in product((0, 1), repeat=5)]
    problem = Problem(Task.MEAN, Setting.CORRELATED, Metric.MSE)
    assert own.missing == pytest.approx(0.1)
    assert guarantee(own, problem) == pytest.approx(max(biases) ** 2 + 2 * 0.02**2)


def test_a_reach_widens_every_guarantee() -> None:
    own = Estimator(np.full(10, 0.1), Laplace(0.01))
    wide = replace(own, reach=0.05)
    pac, mse = (Problem(Task.MEAN, Setting.CORRELATED, metric) for metric in Metric)
    assert guarantee(wide, pac) == pytest.approx(guarantee(own, pac) + 0.05)
    assert guarantee(wide, mse) == pytest.approx((np.sqrt(guarantee(own, mse)) + 0.05) ** 2)


@pytest.mark.many(2)
@pytest.mark.parametrize("demands", [DEMANDS["zeros and public"]], ids=["zeros and public"])
@pytest.mark.parametrize("task", list(Task), ids=lambda task: task.value)
def test_every_catalog_name_has_a_theorem_in_every_cell(demands: np.ndarray, task: Task) -> None:
    for name in names(task.value):
        own = built(name, demands, task)
        for problem in problems(K):
            if problem.task is task:
                value = guarantee(own, problem)
                assert 0 <= value <= 1, name
                if problem.setting is Setting.WEAK:
                    assert value <= guarantee(own, replace(problem, setting=Setting.CORRELATED)) * (1 + 1e-12)


def test_the_local_mean_s_square_is_the_sum_of_its_parts() -> None:
    epsilon = np.array([0.5, 1.0, 2.0, 4.0])
    known = build("ldp", epsilon=epsilon, task="mean")
    bias = np.abs(known.weights - 0.25).sum() / 2
    expected = bias**2 + 2 * ((known.weights / epsilon) ** 2).sum()
    problem = Problem(Task.MEAN, Setting.CORRELATED, Metric.MSE)
    assert guarantee(estimator(error_law(known)), problem) == pytest.approx(min(expected, 1.0), rel=1e-6)
