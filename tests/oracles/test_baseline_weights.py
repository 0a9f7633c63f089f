"""Weights of the variants that minimise no criterion, and of every baseline, from their formulas.

Tolerance 1e-12 absolute on weights of order 1/n: they are integers over about 2^60, rounded once (1e-18 each), and the
formulas here are evaluated in doubles (1e-16 relative). SM rounds chances down by up to 2^-40 relative, so there it is
2^-39 relative. Noise: relative 1e-9, and 1e-17 absolute where none is needed (the finest grid's own step).
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mechanisms import build, standard_demands

Floats = NDArray[np.float64]
CATEGORIES = 7
CASES: dict[str, Floats] = {
    "plain": np.exp(np.random.default_rng(50).uniform(-4, 3, 120)),
    "edges": np.array([0.0, 0.2, 0.2, 1.5, 8.0, np.inf, np.inf]),
    "tiers": standard_demands("tiers"),
    "one": np.array([0.7]),
    "large": np.array([0.1, 5.0, 700.0, 900.0]),
}
TASKS = [("mean", None, 1), ("frequency", CATEGORIES, 2)]


def close(found: Floats, wanted: Floats) -> None:
    assert np.abs(found - wanted).max() <= 1e-12


def needed_noise(w: Floats, epsilon: Floats, per_user: int) -> float:
    used = w > 0
    return per_user * float((w[used] / epsilon[used]).max())


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("task", "categories", "per_user"), TASKS)
def test_uni_is_uniform_over_positive_demands(task: str, categories: int | None, per_user: int, case: str) -> None:
    epsilon = CASES[case]
    wanted = (epsilon > 0) / np.count_nonzero(epsilon)
    built = build("uni", task=task, categories=categories, epsilon=epsilon)
    close(built.weights, wanted)
    assert built.noise_scale == pytest.approx(needed_noise(wanted, epsilon, per_user), rel=1e-9)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("task", "categories", "per_user"), TASKS)
def test_prop_is_proportional_or_uniform_over_public(
    task: str, categories: int | None, per_user: int, case: str
) -> None:
    epsilon = CASES[case]
    public = np.isinf(epsilon)
    wanted = public / public.sum() if public.any() else epsilon / math.fsum(epsilon)
    built = build("prop", task=task, categories=categories, epsilon=epsilon)
    close(built.weights, wanted)
    noise = needed_noise(wanted, epsilon, per_user)
    assert built.noise_scale == pytest.approx(noise, rel=1e-9, abs=1e-17)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize(("task", "categories", "per_user"), TASKS)
def test_stretch_shrinks_data_by_their_demands(task: str, categories: int | None, per_user: int, case: str) -> None:
    """w_i = ε_i/(n·max ε), Laplace scale c/(n·max ε), nothing for what is missing; the loss is ε_i, rounded down."""
    epsilon = CASES[case]
    n, top = epsilon.size, float(epsilon.max())
    wanted = np.isinf(epsilon) / n if math.isinf(top) else epsilon / (n * top)
    built = build("stretch", task=task, categories=categories, epsilon=epsilon)
    close(built.weights, wanted)
    assert built.noise_scale == pytest.approx(per_user / (n * top), rel=1e-9)
    assert built.share == 0.0
    if math.isfinite(top):
        assert (built.privacy_loss <= epsilon).all()
        np.testing.assert_allclose(built.privacy_loss, epsilon, rtol=1e-6)


@pytest.mark.parametrize("data", [(0, 1, 2), (1, 1, 0)])
def test_noise_of_one_bin_lets_a_stretched_table_lose_twice_the_demand(data: tuple[int, ...]) -> None:
    """Laplace(1/(n·max ε)) in each bin keeps removals (one bin falls by v_i/n), not replacements (another rises)."""
    epsilon, n = np.array([0.3, 0.7, 2.0]), 3
    shrunk = epsilon / (n * epsilon.max())
    for user in range(n):
        table, removed, replaced = (np.zeros(3) for _ in range(3))
        for other, category in enumerate(data):
            table[category] += shrunk[other]
            removed[category] += shrunk[other] * (other != user)
            replaced[(category + (other == user)) % 3] += shrunk[other]
        scale = 1 / (n * epsilon.max())
        assert np.abs(table - removed).sum() / scale == pytest.approx(epsilon[user])
        assert np.abs(table - replaced).sum() / scale == pytest.approx(2 * epsilon[user])


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("name", ["hpf-a", "hpm-a"])
def test_a_follows_the_papers_table(name: str, case: str) -> None:
    """tab:hpf-weights, tab:hpm-weights: (1 − e^{−ε})/‖1 − e^{−ε}‖₁; noise is whatever these weights need."""
    epsilon = CASES[case]
    soft = -np.expm1(-epsilon)
    wanted = soft / math.fsum(soft)
    built = build(name, epsilon=epsilon, categories=CATEGORIES if name == "hpf-a" else None)
    close(built.weights, wanted)
    noise = needed_noise(wanted, epsilon, 2 if name == "hpf-a" else 1)
    assert built.noise_scale == pytest.approx(noise, rel=1e-9)


@pytest.mark.parametrize("case", ["plain", "tiers", "large", "one"])
@pytest.mark.parametrize(("task", "categories", "per_user"), TASKS)
def test_sm_weighs_by_the_chance_of_being_sampled(task: str, categories: int | None, per_user: int, case: str) -> None:
    """p_i/Σp, p_i = (e^ε − 1)/(e^τ − 1), τ the largest demand; Laplace scale 1/(τP), 2/(τP) for frequencies."""
    epsilon = CASES[case]
    tau = float(epsilon.max())
    if math.isinf(tau):
        chances = np.isinf(epsilon).astype(np.float64)
    else:
        chances = np.array([math.exp(e - tau) * (1 - math.exp(-e)) / (1 - math.exp(-tau)) for e in epsilon])
    built = build("sm", task=task, categories=categories, epsilon=epsilon)
    wanted = chances / chances.sum()
    assert (np.abs(built.weights - wanted) <= 2.0**-39 * wanted + 2.0**-60).all()
    if math.isfinite(tau):
        assert built.noise_scale == pytest.approx(per_user / (tau * chances.sum()), rel=1e-9)


def local_weights(epsilon: Floats, L: float, setting: str) -> Floats:
    """adx:ldp with ‖·‖₁² ≤ n‖·‖₂²: the least Σ(c + L·a_i)w_i², a_i = coth(ε_i/4)/ε_i, is at w ∝ 1/(c + La_i)."""
    with np.errstate(divide="ignore"):
        a = 1 / np.tanh(epsilon / 4) / epsilon
    n = epsilon.size

    def weights(c: float) -> Floats:
        share = 1 / (c + L * a)
        return np.asarray(share / share.sum())

    def value(w: Floats, bias: float) -> float:
        used = w > 0
        return bias + L * float((w[used] ** 2 * a[used]).sum())

    first, second = weights(n), weights(L)
    if setting == "correlated":
        return first
    at_first, at_second = value(first, n * float((first**2).sum()) - 1), value(second, L * float((second**2).sum()))
    return first if at_first < at_second else second


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("setting", ["correlated", "weakly-correlated"])
@pytest.mark.parametrize(("metric", "L"), [("pac", math.log(CATEGORIES / 0.05)), ("mse", math.log(CATEGORIES))])
def test_local_frequency_weights_follow_the_appendix(metric: Any, L: float, setting: Any, case: str) -> None:
    epsilon = CASES[case]
    built = build("ldp", task="frequency", categories=CATEGORIES, epsilon=epsilon, setting=setting, metric=metric)
    close(built.weights, local_weights(epsilon, L, setting))


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("setting", ["correlated", "weakly-correlated"])
@pytest.mark.parametrize("metric", ["pac", "mse"])
def test_local_mean_weights_are_those_of_hpm(metric: Any, setting: Any, case: str) -> None:
    """adx:ldp: "exact same weights obtained in" HPM-CP and HPM-WP; for MSE their E variants."""
    same = f"hpm-{setting[0]}{'p' if metric == 'pac' else 'e'}"
    local = build("ldp", task="mean", epsilon=CASES[case], setting=setting, metric=metric)
    close(local.weights, build(same, epsilon=CASES[case]).weights)


@pytest.mark.parametrize("case", CASES)
@pytest.mark.parametrize("metric", ["pac", "mse"])
@pytest.mark.parametrize(("task", "categories", "per_user"), TASKS)
def test_threshold_keeps_the_best_cut(task: str, categories: int | None, per_user: int, metric: Any, case: str) -> None:
    """Of all cuts, the least a + b·q_k(β), or a + b√(H² + H2) for MSE; equal weights above the cut."""
    epsilon, k = CASES[case], categories or 1
    H, H2 = sum(1 / i for i in range(1, k + 1)), sum(1 / i**2 for i in range(1, k + 1))
    factor = -math.log(1 - 0.95 ** (1 / k)) if metric == "pac" else math.sqrt(H * H + H2)

    def bound(kept: int, cut: float) -> float:
        return 1 - kept / epsilon.size + factor * per_user / (kept * cut)

    cuts = np.unique(epsilon[epsilon > 0])
    best = min(bound(int(np.count_nonzero(epsilon >= cut)), float(cut)) for cut in cuts)
    built = build("threshold", task=task, categories=categories, epsilon=epsilon, metric=metric)
    kept = built.weights > 0
    close(built.weights, kept / kept.sum())
    cut = float(epsilon[kept].min())
    assert kept.sum() == np.count_nonzero(epsilon >= cut)
    assert bound(int(kept.sum()), cut) <= best * (1 + 1e-12)
    assert built.noise_scale == pytest.approx(per_user / (kept.sum() * cut), rel=1e-9, abs=1e-17)
