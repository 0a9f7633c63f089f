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
    discrete,
    laplace_density,
    laplace_log_cdf,
    only,
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

    def log(j: int) -> Any:
        return lambda y: laplace_density(c[j], 2.0).log(y) + math.log(p[j])

    return only(Part({}, {j: Density(log(j), (float(c[j]),), 2.0) for j in range(K)}))


def fresh_loss(pair: Pair) -> float:
    """The choice's ratio, and that of the chosen count, in the same direction: the number has both tails."""
    x = np.array(pair[1])
    p, c = by_quadrature(4.0, 1)(x), counts_of(x)
    x[pair[0]] = pair[2]
    q, d = by_quadrature(4.0, 1)(x), counts_of(x)
    return max(abs(math.log(p[j] / q[j])) + abs(c[j] - d[j]) / 2 for j in range(K))


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
EVEN = (*PAIRS, (0, (0, 0, 0, 1, 1), 1))
UP: Pair = (0, (0.0, 0.0, 0.0, 0.0), 1.0)
PART: Pair = (0, (0.0, 0.4, 0.8, 0.2), 0.6)


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
    # All five counts move: far below them each of five factors has its whole loss, 5/b = 5·0.5/2.
    of("noisy_maximum_with_its_value", maximum_with_its_value, {UP: 1.25, PART: 0.75}, 2.5,
       "the maximum's own noise is returned", with_value, "attained", "mean", 4, D4),
    of("noisy_maximum_with_fresh_value", maximum_with_fresh_value, {p: fresh_loss(p) for p in PAIRS}, 1.0,
       "half of the demand each", with_fresh_value),
)  # fmt: skip
