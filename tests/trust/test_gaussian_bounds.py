"""Bounds under Gaussian noise: derived twice, compared with 30-digit integrals, and never exceeded by releases."""

from __future__ import annotations

from typing import Any

import mpmath
import numpy as np
import pytest
from scipy.stats import binom

from hdp_audit.audits.claimed import estimator
from hdp_audit.theory import gaussian
from hdp_audit.theory.exact_mean import GAUSSIAN, error_quantile, largest_exceeds, mean_square
from hdp_audit.theory.gaussian import Gaussian
from hdp_audit.theory.guarantee import Estimator, before_clipping, guarantee
from hdp_audit.theory.names import Metric, Problem, Setting, Task
from mechanisms import Entry, build, criteria, entries, entry, error_law, laws, sharp_gaussian, standard_demands
from mechanisms.criteria import Aim
from mechanisms.saturation import Centred, Simplex, SortedDemands, best_level
from mechanisms.zcdp import ratios

BETA = 0.05
K = 5
RULES = {
    ("sharp", "correlated"): criteria.sharp_correlated,
    ("sharp", "weakly-correlated"): criteria.sharp_weak,
    ("centred", "correlated"): criteria.centred,
    ("centred", "weakly-correlated"): criteria.centred_weak_square,
}
OURS = [(task, each) for task in ("mean", "frequency") for each in entries(task) if each.rule in ("sharp", "centred")]


@pytest.mark.parametrize(("task", "declared"), OURS, ids=[each.name for _, each in OURS])
@pytest.mark.parametrize("demands", ["two-point", "tiers"])
def test_what_a_mechanism_minimises_is_what_the_theory_guarantees(
    task: str, declared: Entry[Any], demands: str
) -> None:
    """Two derivations, written apart: the criterion at the level found, and the guarantee for weights and noise."""
    rho = standard_demands(demands) ** 2 / 2
    k, pac = (K if task == "frequency" else 1), declared.metric == "pac"
    name, setting = declared.name, declared.setting
    mechanism = build(name, rho=rho, task=task, categories=K if k > 1 else None)
    problem = Problem(Task(task), Setting(setting), Metric("pac" if pac else "mse"), K, BETA)
    centred = declared.rule == "centred" and setting == "correlated"
    family = (Centred if centred else Simplex)(SortedDemands(ratios(rho, mechanism.task.moved)))
    rule = RULES[declared.rule, setting]
    _, value = best_level(family, rule(Aim(k, 1, BETA if pac else None, "gaussian")))
    theory = before_clipping(estimator(error_law(mechanism)), problem)
    # The theory splits β on a coarser grid, and may add the correlated bound, which is a valid one.
    assert theory <= value * (1 + 1e-6)
    assert theory == pytest.approx(value, rel=1e-6) or setting == "weakly-correlated"


def exact_square(theta: float, truth: float, sigma: float) -> float:
    """E(clip(θ + N) − μ)² by quadrature in 30 digits."""
    with mpmath.workdps(30):

        def part(y: mpmath.mpf) -> mpmath.mpf:
            return (y - truth) ** 2 * mpmath.npdf(y, theta, sigma)

        inside = mpmath.quad(part, mpmath.linspace(0, 1, 12))
        return float(
            inside + truth**2 * mpmath.ncdf(0, theta, sigma) + (1 - truth) ** 2 * mpmath.ncdf(theta - 1, 0, sigma)
        )


@pytest.mark.parametrize(
    ("theta", "truth", "sigma"),
    [(0.5, 0.5, 0.1), (0.9, 0.7, 0.3), (0.02, 0.1, 0.05), (-0.3, 0.2, 0.2), (1.0, 1.0, 0.01)],
)
def test_the_exact_law_of_a_clipped_mean_is_that_of_the_integral(theta: float, truth: float, sigma: float) -> None:
    assert mean_square(theta, truth, sigma, GAUSSIAN) == pytest.approx(exact_square(theta, truth, sigma), rel=1e-10)
    quantile = error_quantile(theta, truth, sigma, BETA, GAUSSIAN)
    with mpmath.workdps(30):
        above = mpmath.ncdf(-(truth + quantile - theta) / sigma) if truth + quantile < 1 else 0
        below = mpmath.ncdf((truth - quantile - theta) / sigma) if truth - quantile > 0 else 0
    assert float(above + below) <= BETA + 1e-12
    less = largest_exceeds(np.array([quantile - 1e-9]), np.array([theta]), np.array([truth]), sigma, GAUSSIAN)[0]
    assert less > BETA


def test_largest_of_normals_has_the_moments_of_the_integrals() -> None:
    for k in (1, 2, 12):
        with mpmath.workdps(20):

            def outside(y: mpmath.mpf, k: int = k) -> mpmath.mpf:
                return 1 - (1 - 2 * mpmath.ncdf(-y)) ** k

            first = float(mpmath.quad(outside, mpmath.linspace(0, 12, 7)))
            second = float(mpmath.quad(lambda y: 2 * y * outside(y), mpmath.linspace(0, 12, 7)))
        assert sharp_gaussian.mean_maximum(k) == pytest.approx(first, rel=1e-12)
        assert sharp_gaussian.typical_maximum(k, None) ** 2 == pytest.approx(second, rel=1e-12)
        assert Gaussian(1.0).largest(k) == pytest.approx(first, rel=1e-12)
        assert Gaussian(1.0).square(((0.0, k),)) == pytest.approx(second, rel=1e-12)
        level = sharp_gaussian.typical_maximum(k, BETA)
        assert float(outside(mpmath.mpf(level))) == pytest.approx(BETA, rel=1e-9)


def test_without_permutation_the_weak_bound_is_a_union_bound_over_the_noise() -> None:
    """Spread 0: y + log(2kQ(y)/β)/h is least where 2k·Q(y) = β."""
    with mpmath.workdps(20):
        level = float(-mpmath.findroot(lambda y: mpmath.ncdf(y) - BETA / 24, -2.5))
    assert gaussian.weak_pac(0.0, 1.0, 100, 12, BETA) == pytest.approx(level, rel=1e-6)
    zero = sharp_gaussian.tilted_quantile(np.zeros(1), np.ones(1), 100, 12, BETA)
    assert float(zero[0]) == pytest.approx(level, rel=1e-6)


def test_no_noise_is_a_point_mass() -> None:
    vertex = ((0.2, 1), (0.1, 3))
    assert Gaussian(0.0).quantile(vertex, BETA) == 0.2
    assert Gaussian(0.0).square(vertex) == pytest.approx(0.04, rel=1e-15)
    public = Estimator(np.array([0.0, 0.5, 0.5]), Gaussian(0.0))
    for setting in Setting:
        problem = Problem(Task.MEAN, setting, Metric.PAC, K, BETA)
        assert guarantee(public, problem) <= 1 / 3 + 1e-12


@pytest.mark.parametrize("name", ["hpm-cp-sharp", "hpm-cp", "hpf-cp-sharp", "hpf-cp-centred"])
def test_releases_on_the_worst_data_exceed_the_guarantee_as_rarely_as_it_says(name: str) -> None:
    """Errors above the (1−β)-quantile are binomial(size, β) at most; more are seen with probability 10⁻⁷."""
    rho = np.repeat([0.02, 2.0], 100)
    k = K if entry(name).task == "frequency" else None
    mechanism = build(name, rho=rho, categories=k)
    data = (rho > 1).astype(float) if k is None else (rho > 1).astype(np.int64)
    law = error_law(mechanism)
    assert isinstance(law.noise, laws.Gaussian)
    problem = Problem(Task.MEAN if k is None else Task.FREQUENCY, Setting.CORRELATED, Metric.PAC, K, BETA)
    bound, size = guarantee(estimator(law), problem), 4_000
    outputs = mechanism.release_many(data, size=size, rng=np.random.default_rng(31)).reshape(size, -1)
    errors = np.abs(outputs - mechanism.task.truth(data)).max(axis=1)
    exceeded = int((errors > bound).sum())
    assert binom.sf(exceeded - 1, size, BETA) > 1e-7
    if name == "hpm-cp-sharp":  # the worst data: the quantile is exact, so it is not exceeded more rarely either
        assert binom.cdf(exceeded, size, BETA) > 1e-7


@pytest.mark.parametrize("name", ["hpm-wp-sharp", "hpf-wp-sharp"])
def test_releases_on_permuted_data_exceed_the_weak_guarantee_no_more_often(name: str) -> None:
    rho = np.repeat([0.02, 2.0], 100)
    k = K if entry(name).task == "frequency" else None
    mechanism = build(name, rho=rho, categories=k)
    data = (np.arange(200) % 2).astype(float if k is None else np.int64)
    problem = Problem(Task.MEAN if k is None else Task.FREQUENCY, Setting.WEAK, Metric.PAC, K, BETA)
    bound, size = guarantee(estimator(error_law(mechanism)), problem), 4_000
    outputs = mechanism.release_many(data, size=size, rng=np.random.default_rng(32), permuted=True).reshape(size, -1)
    errors = np.abs(outputs - mechanism.task.truth(data)).max(axis=1)
    assert binom.sf(int((errors > bound).sum()) - 1, size, BETA) > 1e-7
