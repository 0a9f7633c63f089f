"""Anchored against an oracle of its own: every dataset of a few users, the answer's exact law in closed form.

Entry j of the answer is y₂ moved into y₁ ± h, with y₁ = θ₁ + N₁ and y₂ = θ₂ + N₂ independent, so
P(y ≤ c) = P(y₁ ≤ c − h) + P(c − h < y₁ ≤ c + h)·P(y₂ ≤ c). Nothing here uses the mechanisms' criteria or searches.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest
from numpy.typing import NDArray

from mechanisms import build, entry, standard_demands
from mechanisms.anchored import AnchoredMechanism

Floats = NDArray[np.float64]
Law = Callable[[Floats, int], Floats]  # P(entry j ≤ at)
BETA = 0.05
ALPHAS = np.concatenate([[0.0], np.geomspace(1e-4, 1e3, 1_000)])  # unclipped errors of strict users reach far above 1
ROUNDING = 1e-3  # of the grid: a sum of 1000 trapezoids, an interpolated quantile
DEMANDS = {
    "one relaxed": [0.2, 0.3, 0.5, 40.0],
    "two tiers": [0.5, 0.5, 0.5, 20.0, 20.0],
    "geometric": [0.25, 1.0, 3.0, 9.0, 27.0],
    "one strict": [0.05, 30.0, 30.0, 30.0],
}


@dataclass(frozen=True)
class Box:
    """Both releases' weights and scales, and the reach h = b₁·q_k(β)."""

    first: Floats
    b1: float
    second: Floats
    b2: float
    h: float


def boxed(epsilon: Floats, level: float, rest_level: float, outputs: int) -> Box:
    """Weights min(ε, ρ) and min((ε − ρ)₊, ρ₂); one user's datum moves an entry by 1, a table by 2."""
    c = 1.0 if outputs == 1 else 2.0
    first = np.minimum(epsilon, level)
    second = np.minimum(np.maximum(epsilon - level, 0.0), rest_level)
    assert np.all(first + second <= epsilon * (1 + 1e-15))
    b1 = c / first.sum()
    return Box(first / first.sum(), b1, second / second.sum(), c / second.sum(), b1 * noise_quantile(outputs))


def noise_quantile(outputs: int) -> float:
    """q_k: the 95% quantile of the largest of k exponentials."""
    return float(-np.log1p(-((1 - BETA) ** (1 / outputs))))


def datasets(users: int, outputs: int) -> list[Floats]:
    """0/1 data for a mean, whose worst data are extreme; all tables for frequencies. Outputs × users."""
    every = [np.array(one) for one in product(range(max(outputs, 2)), repeat=users)]
    if outputs == 1:
        return [one[None, :].astype(np.float64) for one in every]
    return [(one == np.arange(outputs)[:, None]).astype(np.float64) for one in every]


def laplace(at: Floats, centre: float, scale: float) -> Floats:
    z = (at - centre) / scale
    return np.where(z < 0, 0.5 * np.exp(np.minimum(z, 0)), 1 - 0.5 * np.exp(-np.maximum(z, 0)))


def weighted_law(weights: Floats, scale: float, data: Floats) -> Law:
    centre = data @ weights
    return lambda at, j: laplace(at, centre[j], scale)


def boxed_law(box: Box, data: Floats) -> Law:
    anchor, opinion = weighted_law(box.first, box.b1, data), weighted_law(box.second, box.b2, data)

    def law(at: Floats, j: int) -> Floats:
        low, high = anchor(at - box.h, j), anchor(at + box.h, j)
        return low + (high - low) * opinion(at, j)

    return law


def within(law: Law, data: Floats) -> Floats:
    """P(every entry errs by at most α), for all α; entries are independent."""
    return np.prod([law(m + ALPHAS, j) - law(m - ALPHAS, j) for j, m in enumerate(data.mean(axis=1))], axis=0)


def quantile(inside: Floats) -> float:
    return float(np.interp(1 - BETA, inside, ALPHAS))


def root_mean_square(inside: Floats) -> float:
    """E error² = ∫2α·P(error > α)dα."""
    return float(np.sqrt(np.trapezoid(2 * ALPHAS * (1 - inside), ALPHAS)))


@pytest.mark.many(2)
@pytest.mark.parametrize("outputs", [1, 3])
@pytest.mark.parametrize("demands", DEMANDS)
def test_on_every_dataset_the_answer_errs_at_most_by_the_anchors_figure_and_h(demands: str, outputs: int) -> None:
    """And over all data by at most twice the anchor's worst quantile, 1 + q_k/√(H² + H₂) times its worst root."""
    epsilon = np.array(DEMANDS[demands])
    inverses = 1 / np.arange(1, outputs + 1)
    factor = 1 + noise_quantile(outputs) / np.sqrt(inverses.sum() ** 2 + (inverses**2).sum())
    for level, rest_level in product(np.geomspace(epsilon.min(), 0.5 * epsilon.max(), 3), (0.3, 100.0)):
        box = boxed(epsilon, level, rest_level, outputs)
        every = datasets(epsilon.size, outputs)
        laws = [(within(weighted_law(box.first, box.b1, d), d), within(boxed_law(box, d), d)) for d in every]
        for measure, most in ((quantile, 2.0), (root_mean_square, factor)):
            anchors, answers = np.array([(measure(anchor), measure(answer)) for anchor, answer in laws]).T
            assert np.all(answers <= (anchors + box.h) * (1 + ROUNDING))
            assert answers.max() <= most * anchors.max() * (1 + ROUNDING)
            assert not np.allclose(answers, anchors)


@pytest.mark.parametrize("name", ["hpm-cp", "hpm-ce", "hpf-cp", "hpf-ce"])
def test_releases_follow_the_closed_form(name: str) -> None:
    """20,000 releases of the mechanism; by Dvoretzky, Kiefer, Wolfowitz, Massart a gap above 0.02 has p < 10⁻⁶."""
    epsilon = np.sort(standard_demands("log-uniform"))
    outputs = 1 if entry(name).task == "mean" else 3
    built = build(f"{name}-anchored", epsilon=epsilon, categories=None if outputs == 1 else 3)
    assert isinstance(built, AnchoredMechanism)
    assert built.opinion is not None
    bins = (np.arange(epsilon.size) * 3) // epsilon.size  # tied to the demands: the box is at work
    given = 0.25 + 0.25 * bins if outputs == 1 else bins
    shown = given[None, :] if outputs == 1 else (bins == np.arange(3)[:, None]).astype(np.float64)
    anchor, opinion = built.anchor, built.opinion
    box = Box(anchor.weights, anchor.noise_scale, opinion.weights, opinion.noise_scale, built.reach)
    law = boxed_law(box, shown)
    found = built.release_many(given, size=20_000, rng=np.random.default_rng(8)).reshape(20_000, -1)
    for j in range(outputs):
        ordered = np.sort(found[:, j])
        assert 0.0 < ordered[0] < ordered[-1] < 1.0  # no release is clipped, as in the closed form
        expected = law(ordered, j)
        places = np.arange(1, ordered.size + 1) / ordered.size
        assert np.abs(places - expected).max() <= 0.02
