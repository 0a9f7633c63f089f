"""Correct means: one answer, linear in the data, and noise that fits its weights."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import stats

from tests.tracing.zoo.entry import Entry, Mechanism, Pair, Vector, linear
from tests.tracing.zoo.laws import laplace, laplaces, only

D = (0.5, 1.0, 1.0, 2.0)
X = (0.2, 0.5, 0.9, 0.4)
O = (0.0, 0.0, 0.0, 0.0)  # noqa: E741  (all zeros)
PAIRS: tuple[Pair, ...] = ((0, X, 1.0), (1, O, 1.0), (3, X, 0.0), (3, O, 1.0))

N50 = 50
D50 = tuple([0.1] * 20 + [0.5] * 20 + [1.0] * 10)
X50 = tuple(round(0.02 * i, 2) for i in range(N50))
PAIRS50: tuple[Pair, ...] = ((0, X50, 1.0), (25, X50, 0.0), (49, X50, 0.0))


def made(
    name: str,
    mechanism: Mechanism,
    weights: tuple[float, ...],
    scale: float,
    note: str = "",
    demands: tuple[float, ...] = D,
    pairs: tuple[Pair, ...] = PAIRS,
    **more: Any,
) -> Entry:
    """A correct Σ wᵢxᵢ + Laplace(scale): losses wᵢ·|change|/scale, so the bound is the largest wᵢ/(scale·εᵢ)."""
    bound = max(w / (scale * e) for w, e in zip(weights, demands, strict=True))
    more.setdefault("reference", lambda x: only(laplace(sum(w * v for w, v in zip(weights, x, strict=True)), scale)))
    correct = bound <= 1 + 1e-12
    losses = linear(pairs, weights, scale)
    return Entry(name, mechanism, "mean", len(demands), None, demands, correct, losses, bound, note, **more)


def plain(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(x.mean() + rng.laplace(scale=1 / (len(x) * epsilon.min())))


def proportional(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    w = epsilon / epsilon.sum()
    return float(w @ x + rng.laplace(0.0, 1.0 / epsilon.sum()))


def saturated_weights(epsilon: Vector, cap: float) -> Vector:
    kept = np.minimum(epsilon, cap)
    return kept / kept.sum()


def saturated(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    w = saturated_weights(epsilon, cap=0.8)
    b = np.max(w / epsilon)
    return float(np.dot(w, x) + b * rng.laplace())


@dataclass
class WeightedMean:
    """A class, as libraries write it."""

    cap: float

    def noise(self, scale: float, rng: np.random.Generator) -> float:
        return float(scale * (rng.exponential() - rng.exponential()))

    def __call__(self, x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
        w = saturated_weights(epsilon, self.cap)
        return float(np.average(x, weights=w)) + self.noise(float(np.max(w / epsilon)), rng)


def inverse_transform(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    u = rng.random() - 0.5
    b = 1 / (len(x) * epsilon.min())
    return float(np.mean(x) - b * np.sign(u) * np.log1p(-2 * abs(u)))


def uniform_inverse(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    p = rng.uniform(1e-300, 1.0)
    z = np.log(2 * p) if p < 0.5 else -np.log(2 * (1 - p))
    return float(x.sum() / x.size + z / (x.size * epsilon.min()))


def scipy_rvs(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(stats.laplace.rvs(loc=np.mean(x), scale=1 / (len(x) * min(epsilon)), random_state=rng))


UNIT = stats.laplace()


def scipy_frozen(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    z = UNIT.rvs(size=1, random_state=rng)[0]
    return float(x @ (epsilon / epsilon.sum()) + z / epsilon.sum())


def size_one(x: Vector, epsilon: Vector, rng: np.random.Generator) -> Vector:
    return np.atleast_1d(x.mean()) + rng.laplace(scale=1 / (len(x) * epsilon.min()), size=1)


def size_empty(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    z = rng.laplace(scale=1 / (len(x) * epsilon.min()), size=())
    return float(x.mean() + z)


def unused_draws(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    _warm_up = rng.normal(size=7)
    y = x.mean() + rng.laplace(0, 1 / (x.size * epsilon.min()))
    rng.random()
    return float(y)


def noise_first(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    z = rng.standard_exponential(2)
    z = (z[0] - z[1]) / epsilon.sum()
    total = 0.0
    for value, e in zip(x, epsilon, strict=True):
        total += value * e / epsilon.sum()
    return float(total + z)


def sign_times_exponential(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    side = rng.choice([-1.0, 1.0])
    return float(x.mean() + side * rng.standard_exponential() / (x.size * epsilon.min()))


def low_demands_left_out(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    keep = epsilon >= 1.0
    return float(x[keep].mean() + rng.laplace(0, 1 / (keep.sum() * epsilon[keep].min())))


def public_bounds(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    clipped = np.clip(x, 0.25, 0.75)
    return float(clipped.mean() + rng.laplace(0, 0.5 / (x.size * epsilon.min())))


def one_public_user(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    w = saturated_weights(epsilon, cap=1.0)
    b = float(np.max(w / epsilon))
    return float(w @ x + rng.laplace(0, b))


QUARTER, MIN = (0.25,) * 4, 1 / (4 * 0.5)
BY_DEMAND = tuple(e / 4.5 for e in D)
CAPPED = tuple(min(e, 0.8) / 2.9 for e in D)  # 0.5 + 3·0.8; the largest w/ε is that of a demand below the cap: 1/2.9
CAPPED50 = tuple(min(e, 0.3) / 11.0 for e in D50)  # 20·0.1 + 30·0.3 = 11
PUBLIC = (0.5, 1.0, 1.0, float("inf"))


def bounded(value: float) -> float:
    return min(max(value, 0.25), 0.75)


BOUNDED = {p: abs(bounded(p[2]) - bounded(p[1][p[0]])) for p in PAIRS}  # (change/4)/(0.5/(4·0.5)) = change

ENTRIES = (
    made("plain_laplace_mean", plain, QUARTER, MIN),
    made("proportional_weights", proportional, BY_DEMAND, 1 / 4.5, "every user is saturated"),
    made("saturated_weights", saturated, CAPPED, 1 / 2.9, "demands above the cap keep slack"),
    made("class_with_exponential_difference", WeightedMean(0.8), CAPPED, 1 / 2.9),
    made("saturated_weights_50", WeightedMean(0.3), CAPPED50, 1 / 11.0, demands=D50, pairs=PAIRS50),
    made("inverse_transform", inverse_transform, QUARTER, MIN),
    made("uniform_inverse_two_branches", uniform_inverse, QUARTER, MIN),
    made("scipy_laplace_rvs", scipy_rvs, QUARTER, MIN, "the location is passed to the law"),
    made("scipy_frozen_law", scipy_frozen, BY_DEMAND, 1 / 4.5),
    made("size_one", size_one, QUARTER, MIN, "an array of one number", reference=lambda x: laplaces([x.mean()], MIN)),
    made("size_empty_tuple", size_empty, QUARTER, MIN),
    made("draws_never_used", unused_draws, QUARTER, MIN),
    made("noise_before_data", noise_first, BY_DEMAND, 1 / 4.5),
    made("sign_times_exponential", sign_times_exponential, QUARTER, MIN),
    made("low_demands_left_out", low_demands_left_out, (0, 1 / 3, 1 / 3, 1 / 3), 1 / 3, "user 0 loses nothing"),
    Entry(
        "public_bounds",
        public_bounds,
        "mean",
        4,
        None,
        D,
        True,
        dict(BOUNDED),
        1.0,
        "clipped to constants",
        reference=lambda x: only(laplace(float(np.mean([bounded(v) for v in x])), 0.25)),
    ),
    made(
        "one_public_user",
        one_public_user,
        (0.5 / 3.5, 1 / 3.5, 1 / 3.5, 1 / 3.5),
        1 / 3.5,
        "the last demand is infinite; its weight is capped",
        demands=PUBLIC,
    ),
)
