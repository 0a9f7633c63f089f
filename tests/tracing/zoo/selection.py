"""Choosing one of several: noisy maxima, the exponential mechanism, medians."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import numpy as np
from scipy import integrate, stats

from tests.tracing.zoo.entry import Entry, Mechanism, Pair, Vector
from tests.tracing.zoo.laws import (
    Density,
    Law,
    Part,
    continuous,
    discrete,
    laplace_density,
    laplace_log_cdf,
    only,
    softmax,
)
from tests.tracing.zoo.means import D as D4

K, N = 3, 5
D = (1.0, 1.0, 2.0, 2.0, 1.5)
PAIRS: tuple[Pair, ...] = ((0, (0, 0, 1, 2, 2), 1), (1, (0, 0, 0, 0, 0), 2), (2, (0, 1, 1, 2, 2), 0))


def tally(x: Vector) -> Vector:
    return np.bincount(x, minlength=K)


def noisy_maximum(x: Vector, epsilon: Vector, rng: np.random.Generator) -> int:
    return int(np.argmax(tally(x) + rng.laplace(0, 2 / epsilon.min(), size=K)))


def noisy_maximum_less_noise(x: Vector, epsilon: Vector, rng: np.random.Generator) -> int:
    """The scale for counts that only grow; here one grows and one falls."""
    best, answer = -math.inf, -1
    for kind in range(K):
        value = np.sum(x == kind) + rng.laplace(0, 1 / epsilon.min())
        if value > best:
            best, answer = value, kind
    return answer


def noisy_minimum(x: Vector, epsilon: Vector, rng: np.random.Generator) -> int:
    return int(np.argmin([c + rng.laplace(0, 2 / epsilon.min()) for c in tally(x)]))


def gumbel_maximum(x: Vector, epsilon: Vector, rng: np.random.Generator) -> int:
    return int(np.argmax(epsilon.min() * tally(x) / 2 + rng.gumbel(size=K)))


def gumbel_scipy(x: Vector, epsilon: Vector, rng: np.random.Generator) -> str:
    noise = stats.gumbel_r.rvs(scale=2 / epsilon.min(), size=K, random_state=rng)
    return ("red", "green", "blue")[int(np.argmax(tally(x) + noise))]


def exponential_maximum(x: Vector, epsilon: Vector, rng: np.random.Generator) -> int:
    """Permute-and-flip, by one-sided noise."""
    return int(np.argmax(tally(x) + rng.exponential(2 / epsilon.min(), K)))


def exponential_choice(x: Vector, epsilon: Vector, rng: np.random.Generator) -> int:
    score = tally(x) * epsilon.min() / 2
    p = np.exp(score - score.max())
    return int(rng.choice(K, p=p / p.sum()))


def exponential_multinomial(x: Vector, epsilon: Vector, rng: np.random.Generator) -> int:
    p = np.exp(tally(x) * epsilon.min() / 2)
    return int(rng.multinomial(1, p / p.sum()).argmax())


def exponential_cumulative(x: Vector, epsilon: Vector, rng: np.random.Generator) -> int:
    p = np.exp(tally(x) * epsilon.min() / 2)
    return int(np.searchsorted(np.cumsum(p) / p.sum(), rng.random()))


def exponential_no_half(x: Vector, epsilon: Vector, rng: np.random.Generator) -> int:
    p = np.exp(tally(x) * epsilon.min())
    return int(rng.choice(K, p=p / p.sum()))


def exponential_of_those_present(x: Vector, epsilon: Vector, rng: np.random.Generator) -> int:
    kinds, counts = np.unique(x, return_counts=True)
    p = np.exp(counts * epsilon.min() / 2)
    return int(rng.choice(kinds, p=p / p.sum()))


def true_maximum(x: Vector, epsilon: Vector, rng: np.random.Generator) -> int:
    """Noise for ties only."""
    counts = tally(x)
    return int(rng.choice(np.flatnonzero(counts == counts.max())))


LEVELS = (0.1, 0.3, 0.5, 0.7, 0.9)


def at_least(x: Vector) -> list[int]:
    return [int((x >= level).sum()) for level in LEVELS]


def maximum_with_its_value(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[int, float]:
    noisy = np.array(at_least(x)) + rng.laplace(0, 2 / epsilon.min(), size=len(LEVELS))
    best = int(noisy.argmax())
    return best, float(noisy[best])


def maximum_with_fresh_value(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[int, float]:
    half = epsilon.min() / 2
    counts = tally(x)
    best = int(np.argmax(counts + rng.laplace(0, 2 / half, size=K)))
    return best, float(counts[best] + rng.laplace(0, 1 / half))


GRID = (0.0, 0.25, 0.5, 0.75, 1.0)


def unbalance(x: Vector, g: float) -> float:
    return abs(float((x < g).sum()) - float((x > g).sum()))


def median_on_grid(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    score = np.array([-unbalance(x, g) for g in GRID])
    p = np.exp(epsilon.min() * score / 4)  # one user moves the score by 2
    return float(rng.choice(GRID, p=p / p.sum()))


def median_on_grid_sensitivity_one(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    score = np.array([-unbalance(x, g) for g in GRID])
    noise = rng.gumbel(size=len(GRID))
    return GRID[int(np.argmax(epsilon.min() * score / 2 + noise))]


def median_by_intervals(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    ends = np.concatenate([[0.0], np.sort(x), [1.0]])
    rank = np.arange(len(x) + 1)
    weight = np.diff(ends) * np.exp(-epsilon.min() * np.abs(rank - len(x) / 2) / 2)
    i = rng.choice(len(weight), p=weight / weight.sum())
    return float(rng.uniform(ends[i], ends[i + 1]))


def losses_of(pairs: tuple[Pair, ...], chances: Callable[[Vector], list[float]]) -> dict[Pair, float | None]:
    """The largest log-ratio of a finite law."""
    out: dict[Pair, float | None] = {}
    for user, base, value in pairs:
        x = np.array(base)
        p = chances(x)
        x[user] = value
        out[user, base, value] = max(abs(math.log(a / b)) for a, b in zip(p, chances(x), strict=True))
    return out


def counts_of(x: Vector) -> list[int]:
    return [sum(int(v) == k for v in x) for k in range(K)]


def exponential_weights(half: float) -> Callable[[Vector], list[float]]:
    """e^(half·count), normalised."""

    def chances(x: Vector) -> list[float]:
        w = [math.exp(half * c) for c in counts_of(x)]
        return [v / sum(w) for v in w]

    return chances


def pdf(z: float) -> float:
    return math.exp(-abs(z)) / 2


def cdf(z: float) -> float:
    return math.exp(z) / 2 if z < 0 else 1 - math.exp(-z) / 2


def by_quadrature(scale: float, sign: int) -> Callable[[Vector], list[float]]:
    """P(argmax = j) of Laplace noise: ∫ f(z - cⱼ) Π F(z - cₗ) dz, in pieces between the counts."""

    def chances(x: Vector) -> list[float]:
        c = [sign * v / scale for v in counts_of(x)]
        cuts = [-40.0, *sorted(set(c)), 45.0]

        def one(j: int) -> float:
            f = lambda z: pdf(z - c[j]) * math.prod(cdf(z - c[m]) for m in range(K) if m != j)  # noqa: E731
            return sum(integrate.quad(f, a, b, epsabs=1e-11)[0] for a, b in itertools.pairwise(cuts))

        return [one(j) for j in range(K)]

    return chances


def permute_and_flip(x: Vector) -> list[float]:
    """Inclusion and exclusion: Σ over sets S of others (-1)^|S| e^(-½Σ(max - c))/(|S| + 1)."""
    gap = [(max(counts_of(x)) - c) / 2 for c in counts_of(x)]

    def one(j: int) -> float:
        others = [m for m in range(K) if m != j]
        sets = [s for r in range(K) for s in itertools.combinations(others, r)]
        return sum((-1) ** len(s) * math.exp(-gap[j] - sum(gap[m] for m in s)) / (len(s) + 1) for s in sets)

    return [one(j) for j in range(K)]


def argmax_law(locations: list[float], log_pdf: Any, log_cdf: Any) -> list[float]:
    """The same by sums on a fine grid, whatever the noise."""
    z = np.linspace(-40, 60, 20001)  # bends are grid points
    logs = [log_cdf(z - c) for c in locations]
    with np.errstate(invalid="ignore"):
        all_below = np.sum(logs, axis=0)
        parts = [np.exp(log_pdf(z - c) + all_below - f) for c, f in zip(locations, logs, strict=True)]
    weight = np.array([np.nan_to_num(p).sum() for p in parts])
    return [float(v) for v in weight / weight.sum()]


def laplace_pdf(z: Vector) -> Vector:
    return -np.abs(z) - math.log(2)


def laplace_argmax(x: Vector, scale: float, sign: int = 1) -> Law:
    return only(
        discrete(dict(enumerate(argmax_law([sign * c / scale for c in counts_of(x)], laplace_pdf, laplace_log_cdf))))
    )


def gumbel_argmax(scores: list[float], names: Any) -> Law:
    chances = argmax_law(scores, lambda z: -z - np.exp(-z), lambda z: -np.exp(-z))
    return only(discrete(dict(zip(names, chances, strict=True))))


def exponential_argmax(x: Vector) -> Law:
    """Mid-points, since the density jumps at its start."""
    c = [v / 2 for v in counts_of(x)]
    h = 1e-3
    z = max(c) + h * (np.arange(40_000) + 0.5)
    below = [-np.expm1(-(z - v)) for v in c]
    p = [float(h * np.sum(np.exp(-(z - c[j])) * math.prod(below[m] for m in range(K) if m != j))) for j in range(K)]
    return only(discrete(dict(enumerate(p))))


def finite(chances: list[float], names: Any = range(K)) -> Law:
    return only(discrete(dict(zip(names, chances, strict=True))))


def with_value(x: Vector) -> Law:
    """f(v - cⱼ) Π F(v - cₗ), for each j."""
    c = at_least(x)

    def log(j: int) -> Any:
        rest = [v for m, v in enumerate(c) if m != j]
        return lambda y: laplace_density(c[j], 4.0).log(y) + sum(laplace_log_cdf((y - v) / 4) for v in rest)

    return only(Part({}, {j: Density(log(j), tuple(float(v) for v in sorted(set(c))), 4.0) for j in range(len(c))}))


def with_fresh_value(x: Vector) -> Law:
    c = counts_of(x)
    p = argmax_law([v / 4 for v in c], laplace_pdf, laplace_log_cdf)
    log = lambda j: lambda y: laplace_density(c[j], 2.0).log(y) + math.log(p[j])  # noqa: E731
    return only(Part({}, {j: Density(log(j), (float(c[j]),), 2.0) for j in range(K)}))


def fresh_loss(pair: Pair) -> float:
    """The choice's ratio, and that of the chosen count, in the same direction: the number has both tails."""
    x = np.array(pair[1])
    p, c = by_quadrature(4.0, 1)(x), counts_of(x)
    x[pair[0]] = pair[2]
    q, d = by_quadrature(4.0, 1)(x), counts_of(x)
    return max(abs(math.log(p[j] / q[j])) + abs(c[j] - d[j]) / 2 for j in range(K))


def interval_density(x: Vector, y: float) -> float:
    """Of `median_by_intervals`, from its definition: e^(-½|rank - n/2|), normalised."""
    ends = [0.0, *sorted(float(v) for v in x), 1.0]
    weights = [math.exp(-abs(i - N / 2) / 2) for i in range(N + 1)]
    total = sum(w * (b - a) for w, a, b in zip(weights, ends, ends[1:], strict=False))
    return weights[sum(v < y for v in x)] / total


def interval_loss(pair: Pair) -> float:
    one, other = np.array(pair[1]), np.array(pair[1])
    other[pair[0]] = pair[2]
    cuts = sorted({0.0, 1.0, *map(float, one), *map(float, other)})
    middles = [(a + b) / 2 for a, b in itertools.pairwise(cuts)]
    return max(abs(math.log(interval_density(one, m) / interval_density(other, m))) for m in middles)


def interval_law(x: Vector) -> Law:
    def raw(y: Vector) -> Vector:
        below = (np.asarray(x)[:, None] < y).sum(axis=0)
        return -np.abs(below - N / 2) / 2

    fine = (np.arange(200_000) + 0.5) / 200_000
    total = math.log(float(np.exp(raw(fine)).mean()))
    knots = tuple(float(v) for v in sorted({*x, 0.5}))
    return only(continuous(Density(lambda y: raw(y) - total, knots, 0.3, (1e-9, 1.0))))


def of(
    name: str,
    mechanism: Mechanism,
    losses: Any,
    bound: float | None,
    note: str,
    reference: Any,
    reach: Any = "upper",
    task: Any = "frequency",
    n: int = N,
    demands: tuple[float, ...] = D,
) -> Entry:
    worst = max(losses, key=lambda p: losses[p] / demands[p[0]])
    correct = losses[worst] <= demands[worst[0]] * (1 + 1e-9)
    return Entry(
        name,
        mechanism,
        task,
        n,
        K if task == "frequency" else None,
        demands,
        correct,
        losses,
        bound,
        note,
        breaks=None if correct else worst,
        reference=reference,
        reach=reach,
    )


EXACT = losses_of(PAIRS, exponential_weights(0.5))
HALFLESS = losses_of(PAIRS, exponential_weights(1.0))
EVEN = (*PAIRS, (0, (0, 0, 0, 1, 1), 1))
MEDIANS: tuple[Pair, ...] = (
    (0, (0.0, 0.1, 0.6, 0.8, 1.0), 1.0),
    (1, (0.0, 0.0, 0.0, 1.0, 1.0), 1.0),
    (2, (0.3,) * 5, 0.4),
    (0, (0.0, 0.3, 0.3, 0.3, 0.3), 1.0),
)
UP: Pair = (0, (0.0, 0.0, 0.0, 0.0), 1.0)
PART: Pair = (0, (0.0, 0.4, 0.8, 0.2), 0.6)


def on_grid(quarter: float) -> Callable[[Vector], list[float]]:
    return lambda x: softmax([-quarter * abs(sum(v < g for v in x) - sum(v > g for v in x)) for g in GRID])


ENTRIES: tuple[Entry, ...] = (
    of("noisy_maximum", noisy_maximum, losses_of(PAIRS, by_quadrature(2.0, 1)), 1.0, "by quadrature",
       lambda x: laplace_argmax(x, 2.0)),
    of("noisy_maximum_half_noise", noisy_maximum_less_noise, losses_of(EVEN, by_quadrature(1.0, 1)), 2.0,
       "at most 2, by the two counts that move", lambda x: laplace_argmax(x, 1.0)),
    of("noisy_minimum", noisy_minimum, losses_of(PAIRS, by_quadrature(2.0, -1)), 1.0, "by quadrature",
       lambda x: laplace_argmax(x, 2.0, -1)),
    of("gumbel_maximum", gumbel_maximum, EXACT, 1.0, "the exponential mechanism",
       lambda x: gumbel_argmax([c / 2 for c in counts_of(x)], range(K))),
    of("gumbel_scipy", gumbel_scipy, EXACT, 1.0, "strings",
       lambda x: gumbel_argmax([c / 2 for c in counts_of(x)], ("red", "green", "blue"))),
    of("exponential_noise_maximum", exponential_maximum, losses_of(PAIRS, permute_and_flip), 1.0, "permute and flip",
       exponential_argmax),
    of("exponential_mechanism", exponential_choice, EXACT, 1.0, "choice(p=)",
       lambda x: finite(softmax([c / 2 for c in counts_of(x)]))),
    of("exponential_mechanism_multinomial", exponential_multinomial, EXACT, 1.0, "",
       lambda x: finite(softmax([c / 2 for c in counts_of(x)]))),
    of("exponential_mechanism_cumulative", exponential_cumulative, EXACT, 1.0, "one uniform draw",
       lambda x: finite(softmax([c / 2 for c in counts_of(x)]))),
    of("exponential_mechanism_no_half", exponential_no_half, HALFLESS, 2.0, "two counts move, the factor ½ is missing",
       lambda x: finite(softmax([float(c) for c in counts_of(x)]))),
    of("exponential_mechanism_of_those_present", exponential_of_those_present,
       {(1, (0, 0, 0, 0, 0), 2): math.inf, (2, (0, 1, 1, 2, 2), 0): EXACT[PAIRS[2]]}, math.inf,
       "absent categories are never said",
       lambda x: only(discrete({k: p for k, p in zip(np.unique(x).tolist(), softmax(np.unique(x, return_counts=True)[1] / 2), strict=True)}))),
    of("true_maximum", true_maximum, {(0, (0, 0, 0, 1, 1), 1): math.inf, (0, (0, 0, 1, 1, 2), 2): math.inf,
                                      (0, (0, 0, 0, 0, 1), 1): 0.0}, math.inf, "noise for ties only",
       lambda x: only(discrete({k: 1 / counts_of(x).count(max(counts_of(x))) for k in range(K) if counts_of(x)[k] == max(counts_of(x))}))),
    # All five counts move: far below them each of five factors has its whole loss, 5/b = 5·0.5/2.
    of("noisy_maximum_with_its_value", maximum_with_its_value, {UP: 1.25, PART: 0.75}, 2.5,
       "the maximum's own noise is returned", with_value, "attained", "mean", 4, D4),
    of("noisy_maximum_with_fresh_value", maximum_with_fresh_value, {p: fresh_loss(p) for p in PAIRS}, 1.0,
       "half of the demand each", with_fresh_value),
    of("median_on_grid", median_on_grid, losses_of(MEDIANS, on_grid(0.25)), 1.0, "one user moves the score by 2",
       lambda x: finite(softmax([-unbalance(x, g) / 4 for g in GRID]), GRID), task="mean"),
    of("median_on_grid_sensitivity_1", median_on_grid_sensitivity_one, losses_of(MEDIANS, on_grid(0.5)), 2.0,
       "one user moves the score by 2, not 1",
       lambda x: gumbel_argmax([-unbalance(x, g) / 2 for g in GRID], GRID), task="mean"),
    of("median_by_intervals", median_by_intervals, {p: interval_loss(p) for p in MEDIANS}, 1.0,
       "an interval, then a uniform point in it", interval_law, task="mean"),
)  # fmt: skip
