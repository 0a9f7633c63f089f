"""Errors of frequencies in ℓ1 and ℓ2: guarantees hold on worst data, nothing beats the bounds, mechanisms keep them."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from hdp_audit.audits.claimed import estimator
from hdp_audit.errors import InvalidInput
from hdp_audit.theory import Metric, Norm, Problem, Setting, Task, cells
from hdp_audit.theory.chain import Chain
from hdp_audit.theory.chain_absolute import absolute_certificate
from hdp_audit.theory.family import Family
from hdp_audit.theory.guarantee import guarantee
from hdp_audit.theory.lower import LowerBounds
from hdp_audit.theory.minimise import best_upper
from hdp_audit.theory.names import problems
from hdp_audit.theory.noise_norms import first_moment, quantile, second_moment
from hdp_audit.theory.norm_lower import guessed_pairs, moved_pairs
from mechanisms import InvalidInput as Refused
from mechanisms import build, error_law

NORMS = (Norm.L2, Norm.L1)
DEMANDS = np.array([0.05] * 20 + [0.5] * 20 + [3.0] * 8 + [0.0, np.inf])


def _norm(rows: NDArray[np.float64], norm: Norm) -> NDArray[np.float64]:
    return np.asarray(np.linalg.norm(rows, ord=1 if norm is Norm.L1 else 2, axis=-1))


@pytest.mark.parametrize("k", [2, 3, 7])
@pytest.mark.parametrize("hull", [True, False])
def test_lengths_of_noise_are_those_of_draws(k: int, hull: bool) -> None:
    """20,000 draws of Laplace numbers; hull noise is theirs given Σ = 0, kept by how likely the last of them is.

    Means within 5.2 standard errors: false alarms below 1e-6 in all. Quantiles are never too small by more than 6 %.
    """
    rng = np.random.default_rng(5)
    drawn = _hull(k, 20_000, rng) if hull else rng.laplace(size=(20_000, k))
    for norm in NORMS:
        sizes = _norm(drawn, norm)
        squares = sizes**2
        error = 5.2 * squares.std() / np.sqrt(squares.size)
        assert squares.mean() == pytest.approx(second_moment(norm, k, hull=hull), abs=error)
        assert sizes.mean() <= first_moment(norm, k, hull=hull) + 5.2 * sizes.std() / np.sqrt(sizes.size)
        for beta in (0.2, 0.05, 0.01):
            assert np.quantile(sizes, 1 - beta) <= quantile(norm, k, beta, hull=hull) * 1.06


def _hull(k: int, size: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """Normal numbers on the plane, kept with the density of hull noise by importance: independent of its signs."""
    plane = rng.normal(size=(40 * size, k - 1)) if k == 2 else rng.laplace(size=(size * 40, k - 1))
    rows = np.column_stack([plane, -plane.sum(axis=1)])
    # P ∝ e^{−Σ|v|}; drawn ∝ e^{−Σ_{j<k}|v_j|} (or normal): what is left is kept with its ratio.
    if k == 2:
        ratio = np.exp(-2 * np.abs(plane[:, 0]) + plane[:, 0] ** 2 / 2)
        return rows[rng.choice(len(rows), size, p=ratio / ratio.sum())]
    return rows[rng.random(len(rows)) < np.exp(-np.abs(rows[:, -1]))][:size]


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("metric", list(Metric))
@pytest.mark.parametrize("setting", list(Setting))
def test_a_mechanism_made_for_the_norm_keeps_what_the_cell_guarantees(
    norm: Norm, metric: Metric, setting: Setting
) -> None:
    """Two computations of the same level; and 20,000 releases on data at the bound's vertex err less."""
    problem = Problem(Task.FREQUENCY, setting, metric, 4, 0.1, norm)
    best = best_upper(Family.of(DEMANDS), problem)
    made = build(best.mechanism, epsilon=DEMANDS, categories=4, beta=0.1, norm=norm.value)
    own = guarantee(estimator(error_law(made)), problem)
    assert own == pytest.approx(best.value, rel=1e-4)
    data = np.where(DEMANDS < 0.2, 0, 1)  # whom the weights leave out are all in one category
    truth = np.bincount(data, minlength=4) / data.size
    rng = np.random.default_rng(3)
    drawn = made.release_many(data, size=20_000, rng=rng, permuted=setting is Setting.WEAK)
    errors = _norm(drawn - truth, norm)
    found = np.quantile(errors, 0.9) if metric is Metric.PAC else (errors**2).mean()
    assert found <= own


def test_only_hull_forms_are_made_for_other_norms() -> None:
    with pytest.raises(Refused, match="hpf-cp is made for the largest error; take one of hpf-cp-hull"):
        build("hpf-cp", epsilon=DEMANDS, categories=4, norm="l2")
    with pytest.raises(Refused, match="norm = 'l3'; allowed: linf, l2, l1"):
        build("hpf-cp-hull", epsilon=DEMANDS, categories=4, norm="l3")  # type: ignore[arg-type]


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("k", [2, 5])
def test_cells_are_ordered_and_means_do_not_change(norm: Norm, k: int) -> None:
    demands = np.array([0.05] * 6 + [0.8] * 5 + [np.inf])
    plain, found = cells(demands, k), cells(demands, k, norm=norm)
    for largest, cell in zip(plain[:4], found[:4], strict=True):
        assert 0 < cell.lower.value <= cell.upper.value
        # ‖e‖∞ ≤ ‖e‖₂ ≤ ‖e‖₁ ≤ k‖e‖∞, for what is possible and for what is not.
        assert cell.lower.value >= largest.lower.value * (1 - 1e-9)
        assert cell.paper_order is None
        assert f"ℓ{norm.value[1]} error" in cell.sentence
    assert [cell.upper.value for cell in found[4:]] == [cell.upper.value for cell in plain[4:]]
    if k == 2:
        factor = 2.0 if norm is Norm.L1 else np.sqrt(2.0)
        assert found[0].upper.value == pytest.approx(factor * found[4].upper.value)
        assert found[0].lower.value >= factor * found[4].lower.value * (1 - 1e-9)


@pytest.mark.parametrize("norm", NORMS)
def test_no_data_and_all_data(norm: Norm) -> None:
    for cell in cells([0.0] * 6, 5, norm=norm)[:4]:
        assert cell.mechanism == ("constant-zero" if norm is Norm.L1 else "constant-uniform")
        assert cell.upper.value <= 1
    assert all(cell.upper.value == 0 for cell in cells([np.inf] * 6, 5, norm=norm)[:4])


@pytest.mark.parametrize("norm", NORMS)
@pytest.mark.parametrize("name", ["laplace", "hull", "sampled"])
def test_any_noise_is_bounded_in_any_norm(norm: Norm, name: str) -> None:
    """20,000 releases of mechanisms that were made for ℓ∞."""
    entry = {"laplace": "hpf-cp-sharp", "hull": "hpf-cp-hull", "sampled": "sm"}[name]
    demands = np.array([0.3] * 30 + [2.0] * 10)
    made = build(entry, epsilon=demands, categories=3, task="frequency")
    data = np.where(demands < 1, 0, 1)
    truth = np.bincount(data, minlength=3) / data.size
    errors = _norm(made.release_many(data, size=20_000, rng=np.random.default_rng(1)) - truth, norm)
    for metric in Metric:
        found = np.quantile(errors, 0.95) if metric is Metric.PAC else (errors**2).mean()
        bound = guarantee(estimator(error_law(made)), Problem(Task.FREQUENCY, Setting.CORRELATED, metric, 3, norm=norm))
        assert found <= bound


def test_absolute_errors_of_a_chain_are_those_of_the_geometric_mechanism() -> None:
    """Equal steps ε, many nodes: E|N| = 2q/(1 − q²), q = e^{−ε}, but for the two ends."""
    for step in (0.5, 1.0, 2.0):
        size = 60
        chain = Chain(np.arange(size, dtype=np.float64), np.full(size - 1, step))
        found = absolute_certificate(chain)
        assert found is not None
        assert found.proves()
        limit = 2 * np.exp(-step) / -np.expm1(-2 * step)
        assert 0.93 * limit <= found.risk <= limit * (1 + 1e-9)


def test_an_absolute_certificate_that_says_too_much_is_refused() -> None:
    chain = Chain(np.arange(30, dtype=np.float64), np.full(29, 0.7))
    found = absolute_certificate(chain)
    assert found is not None
    assert not type(found)(chain, found.prior, found.nu + 1e-3 * chain.peaks).proves()
    assert not type(found)(chain, 1.1 * found.prior, found.nu).proves()


def test_pairs_are_bounds_for_the_best_guesses_of_randomised_response() -> None:
    """Every user answers by randomised response on a pair of their own: attained, so the bounds cannot be larger."""
    epsilon, k, n = 1.0, 4, 2
    wrong = 1 / (1 + np.exp(epsilon))
    problem = Problem(Task.FREQUENCY, Setting.CORRELATED, Metric.PAC, k, 0.3, Norm.L1)
    # Two users, each known to be in one of two categories: the number of wrong guesses is Bin(2, wrong).
    w = next(w for w in itertools.count() if _below(w, wrong) >= 0.7)
    assert guessed_pairs(np.full(n, epsilon), 2, problem) == pytest.approx(w / n)
    squares = Problem(Task.FREQUENCY, Setting.CORRELATED, Metric.MSE, k, 0.3, Norm.L1)
    assert moved_pairs(np.full(n, epsilon), 2, squares) == pytest.approx((2 * 2 / n * wrong) ** 2)


def _below(w: int, wrong: float) -> float:
    return sum([(1 - wrong) ** 2, 2 * wrong * (1 - wrong), wrong**2][: w + 1])


@pytest.mark.parametrize("norm", NORMS)
def test_lower_bounds_fall_as_demands_grow(norm: Norm) -> None:
    rng = np.random.default_rng(8)
    for _ in range(3):
        demands = np.sort(rng.exponential(size=12))
        few, many = (LowerBounds.of(values, 4, 0.1) for values in (demands, 1.5 * demands))
        for problem in problems(4, 0.1, norm)[:4]:
            upper = best_upper(Family.of(demands), problem).value
            assert many.best(problem).value <= upper * (1 + 1e-9)
            assert few.best(problem).value <= upper * (1 + 1e-9)


def test_a_norm_goes_with_pure_demands() -> None:
    with pytest.raises(InvalidInput):
        cells([1.0, 1.0], 1, norm=Norm.L2)
