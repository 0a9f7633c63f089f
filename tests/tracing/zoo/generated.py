"""Random mechanisms that are correct by construction: `correct_mechanisms(seed)`.

Each has per-user sensitivities that are computed, noise that fits them, and processing that only sees noisy answers.
Without processing the losses are exact and there is a reference; with it they are upper bounds.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from scipy.special import logsumexp

from tests.tracing.zoo import generated_parts as parts
from tests.tracing.zoo.entry import Entry, Pair, Vector
from tests.tracing.zoo.histograms import geometric
from tests.tracing.zoo.laws import Law, discrete, laplaces, only, softmax

ROUNDING = 1 + 1e-9  # scales are larger by this, so that no rounding of floats passes a demand
Processing = Callable[[Vector], Any] | None


def correct_mechanisms(seed: int) -> Entry:
    """A random correct mechanism; the same one for the same seed."""
    rng = np.random.default_rng([20261118, seed])
    kinds = (noisy_answers, noisy_answers, logistic_answers, chosen, responses, geometric_counts)
    n = int(rng.integers(3, 9))
    demands = np.round(np.exp(rng.uniform(math.log(0.2), math.log(3), n)), 3)
    return kinds[int(rng.integers(len(kinds)))](f"generated_{seed}", rng, demands)


def noisy_answers(name: str, rng: np.random.Generator, demands: Vector) -> Entry:
    return _answers(name, rng, demands, parts.LAPLACE[int(rng.integers(len(parts.LAPLACE)))])


def logistic_answers(name: str, rng: np.random.Generator, demands: Vector) -> Entry:
    """The logistic law has slopes below 1/scale, as its limit: losses of Laplace noise."""
    return _answers(name, rng, demands, parts.logistic)


def _answers(name: str, rng: np.random.Generator, demands: Vector, noise: parts.Noise) -> Entry:
    n, count = len(demands), int(rng.integers(1, 4))
    answers = parts.some_answers(rng, n, count)
    scales = rng.uniform(0.5, 2, count)
    spent = (answers.sensitivities / scales[:, None]).sum(axis=0) / demands
    scales = scales * spent.max() * ROUNDING
    title, process = _processing(rng)

    def mechanism(x: Vector, epsilon: Vector, rng: np.random.Generator) -> Any:
        y = answers(x) + noise(scales, rng)
        return parts.single(y) if process is None else process(y)

    def loss(one: Vector, other: Vector) -> float:
        return float((np.abs(answers(one) - answers(other)) / scales).sum())

    reference = None if process or noise is parts.logistic else lambda x: laplaces(answers(x), scales)
    label = f"{name}_{noise.__name__}_{title}"
    return _entry(label, mechanism, None, demands, rng, loss, 1 / ROUNDING, process is not None, reference)


def chosen(name: str, rng: np.random.Generator, demands: Vector) -> Entry:
    """The exponential mechanism: chances e^score; if no score moves by more than ε/2 the loss is at most ε."""
    n, count = len(demands), int(rng.integers(2, 6))
    answers = parts.some_answers(rng, n, count)
    strength = 1 / (2 * (answers.sensitivities.max(axis=0) / demands).max() * ROUNDING)
    way = int(rng.integers(3))
    names = [f"option {j}" for j in range(count)] if rng.random() < 0.5 else list(range(count))

    def mechanism(x: Vector, epsilon: Vector, rng: np.random.Generator) -> Any:
        return names[_pick(strength * answers(x), way, rng)]

    def loss(one: Vector, other: Vector) -> float:
        logs = [strength * answers(x) for x in (one, other)]
        return float(np.abs(logs[0] - logsumexp(logs[0]) - logs[1] + logsumexp(logs[1])).max())

    def reference(x: Vector) -> Law:
        return only(discrete(dict(zip(names, softmax(strength * answers(x)), strict=True))))

    label = f"{name}_choice_{('p', 'gumbel', 'cumulative')[way]}"
    return _entry(label, mechanism, None, demands, rng, loss, 1.0, False, reference)


def _pick(scores: Vector, way: int, rng: np.random.Generator) -> int:
    p = np.exp(scores - scores.max())
    if way == 0:
        return int(rng.choice(len(p), p=p / p.sum()))
    if way == 1:
        return int(np.argmax(scores + rng.gumbel(size=len(scores))))
    return int((np.cumsum(p)[:-1] / p.sum() < rng.random()).sum())


def responses(name: str, rng: np.random.Generator, demands: Vector) -> Entry:
    """k-ary randomised response of each user with a part of the demand; the reports, or what they add up to."""
    n, k = len(demands), int(rng.integers(2, 5))
    used = demands * rng.choice([0.5, 1.0], size=n)
    truth = np.exp(used) / (np.exp(used) + k - 1)
    way = int(rng.integers(4))
    at_once = rng.random() < 0.5

    def mechanism(x: Vector, epsilon: Vector, rng: np.random.Generator) -> Any:
        reports = _reports_at_once(x, truth, k, rng) if at_once else _reports(x, truth, k, rng)
        counts = np.bincount(reports, minlength=k)
        return (tuple(reports.tolist()), tuple(counts.tolist()), int(counts[0]), f"most: {counts.argmax()}")[way]

    def loss(one: Vector, other: Vector) -> float:
        return float(used[one != other].sum())

    def reference(x: Vector) -> Law:
        lies = (1 - truth) / (k - 1)
        chances = np.where(np.arange(k) == x[:, None], truth[:, None], lies[:, None])
        return Law(tuple(discrete(dict(enumerate(p.tolist()))) for p in chances))

    label = f"{name}_responses_{('reports', 'counts', 'count', 'string')[way]}"
    bound = float((used / demands).max())
    return _entry(label, mechanism, k, demands, rng, loss, bound, way > 0, None if way else reference)


def _reports(x: Vector, truth: Vector, k: int, rng: np.random.Generator) -> Vector:
    out = x.copy()
    for i, p in enumerate(truth):
        if rng.random() >= p:
            out[i] = (x[i] + rng.integers(1, k)) % k
    return out


def _reports_at_once(x: Vector, truth: Vector, k: int, rng: np.random.Generator) -> Vector:
    lie = rng.binomial(1, 1 - truth)
    return np.asarray((x + lie * rng.integers(1, k, size=len(x))) % k)


def geometric_counts(name: str, rng: np.random.Generator, demands: Vector) -> Entry:
    """Counts with whole weights vᵢ and two-sided geometric noise: two of them move by vᵢ, so 2vᵢ/b is at most εᵢ."""
    n, k = len(demands), int(rng.integers(2, 5))
    weights = rng.integers(0, 4, size=n)
    weights[0] = 1
    b = float((2 * weights / demands).max()) * ROUNDING
    p = -math.expm1(-1 / b)
    title, process = _processing(rng)

    def mechanism(x: Vector, epsilon: Vector, rng: np.random.Generator) -> Any:
        noise = rng.geometric(p, size=k) - rng.geometric(p, size=k)
        y = counts(x) + noise
        return tuple(int(v) for v in y) if process is None else process(y.astype(float))

    def counts(x: Vector) -> Vector:
        return np.bincount(x, weights=weights, minlength=k).astype(int)

    def loss(one: Vector, other: Vector) -> float:
        return float(np.abs(counts(one) - counts(other)).sum()) / b

    def reference(x: Vector) -> Law:
        reach = int(40 * b) + 20
        return Law(tuple(geometric(int(c), math.exp(-1 / b), reach) for c in counts(x)))

    label = f"{name}_geometric_{title}"
    return _entry(label, mechanism, k, demands, rng, loss, 1 / ROUNDING, bool(process), None if process else reference)


def _processing(rng: np.random.Generator) -> tuple[str, Processing]:
    if rng.random() < 0.3:
        return "as_it_is", None
    return parts.PROCESSING[int(rng.integers(len(parts.PROCESSING)))]


def _pair(rng: np.random.Generator, n: int, k: int | None) -> Pair:
    user = int(rng.integers(n))
    if k is not None:
        base = [int(v) for v in rng.integers(k, size=n)]
        return user, tuple(base), int((base[user] + rng.integers(1, k)) % k)
    data = [float(v) for v in np.where(rng.random(n) < 0.5, rng.integers(2, size=n), rng.random(n).round(3))]
    return user, tuple(data), 1.0 if data[user] < 0.5 else 0.0


def _entry(
    name: str,
    mechanism: Any,
    k: int | None,
    demands: Vector,
    rng: np.random.Generator,
    loss: Callable[[Vector, Vector], float],
    bound: float,
    upper: bool,
    reference: Callable[[Vector], Law] | None,
) -> Entry:
    """Four random pairs; the losses from `loss`."""
    made = Entry(
        name, mechanism, "mean" if k is None else "frequency", len(demands), k, tuple(demands.tolist()), True, {}, bound
    )
    losses = {pair: loss(*made.datasets(pair)) for pair in (_pair(rng, len(demands), k) for _ in range(4))}
    return replace(made, losses=losses, upper=upper, reference=reference, reach="upper")
