"""Histograms: one user moves two counts."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.tracing.zoo.entry import Entry, Mechanism, Pair, Vector
from tests.tracing.zoo.laws import Law, Part, certain, discrete, laplace, laplaces
from tests.tracing.zoo.outputs import cell
from tests.tracing.zoo.selection import D, K, counts_of, tally

INF = math.inf
PAIRS: tuple[Pair, ...] = ((0, (0, 0, 1, 1, 2), 1), (1, (0, 0, 0, 0, 0), 2), (2, (0, 0, 1, 1, 2), 2))
FULL: tuple[Pair, ...] = ((0, (0, 0, 1, 1, 2), 1), (1, (0, 0, 1, 2, 1), 2))
N50 = 50
X50 = tuple(i % K for i in range(N50))
D50 = tuple(0.2 if i < 25 else 1.0 for i in range(N50))


def laplace_histogram(x: Vector, epsilon: Vector, rng: np.random.Generator) -> Vector:
    return tally(x) + rng.laplace(0, 2 / epsilon.min(), size=K)


def add_remove_scale(x: Vector, epsilon: Vector, rng: np.random.Generator) -> dict[int, float] | tuple[float, ...]:
    """The scale for datasets that differ by one record more."""
    cells = {kind: int((x == kind).sum()) for kind in range(K)}
    for kind in cells:
        cells[kind] += rng.laplace(0, 1 / epsilon.min())
    return tuple(float(v) for v in cells.values())


def weighted_histogram(x: Vector, epsilon: Vector, rng: np.random.Generator) -> Vector:
    w = np.minimum(epsilon, 1.6)
    b = 2 * np.max(w / epsilon)
    return np.bincount(x, weights=w, minlength=K) + rng.laplace(0, b, size=K)


def share_of_weights(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[float, ...]:
    out = []
    for kind in range(K):
        out.append(float(epsilon[x == kind].sum() / epsilon.sum() + rng.laplace(0, 2 / epsilon.sum())))
    return tuple(out)


def present_cells_only(x: Vector, epsilon: Vector, rng: np.random.Generator) -> Vector:
    counts = tally(x).astype(float)
    there = counts > 0
    counts[there] += rng.laplace(0, 2 / epsilon.min(), size=there.sum())
    return counts


def tidy_histogram(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[int, ...]:
    noisy = laplace_histogram(x, epsilon, rng)
    return tuple(int(v) for v in np.maximum(np.rint(noisy), 0))


def last_by_difference(x: Vector, epsilon: Vector, rng: np.random.Generator) -> Vector:
    some = tally(x)[:-1] + rng.laplace(0, 2 / epsilon.min(), size=K - 1)
    return np.append(some, len(x) - some.sum())


def last_left_raw(x: Vector, epsilon: Vector, rng: np.random.Generator) -> Vector:
    counts = tally(x).astype(float)
    counts[:-1] += rng.laplace(0, 2 / epsilon.min(), size=K - 1)
    return counts


def geometric_histogram(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[int, ...]:
    p = 1 - math.exp(-epsilon.min() / 2)
    noise = rng.geometric(p, size=K) - rng.geometric(p, size=K)
    return tuple(int(v) for v in tally(x) + noise)


def geometric_histogram_half(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[int, ...]:
    p = -math.expm1(-epsilon.min())
    return tuple(int(c) + int(rng.geometric(p)) - int(rng.geometric(p)) for c in tally(x))


def floored_exponential(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[int, ...]:
    """A geometric variable is an exponential one, rounded down."""
    z = np.floor(rng.exponential(2 / epsilon.min(), size=(2, K)))
    return tuple(int(v) for v in tally(x) + z[0] - z[1])


def binomial_noise(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[int, ...]:
    return tuple(int(v) for v in tally(x) + rng.binomial(40, 0.5, size=K) - 20)


def poisson_noise(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[int, ...]:
    return tuple(int(v) for v in tally(x) + rng.poisson(30, size=K))


def one_draw_for_all(x: Vector, epsilon: Vector, rng: np.random.Generator) -> Vector:
    return tally(x) + rng.laplace(0, 2 / epsilon.min())


def noisy_shares(x: Vector, epsilon: Vector, rng: np.random.Generator) -> Vector:
    noisy = np.maximum(laplace_histogram(x, epsilon, rng), 0.0)
    total = noisy.sum()
    return noisy / total if total > 0 else np.full(K, 1 / K)


def weights_of(x: Vector, w: tuple[float, ...]) -> list[float]:
    return [sum(v for v, kind in zip(w, x, strict=True) if kind == k) for k in range(K)]


def geometric(centre: int, alpha: float, reach: int = 60) -> Part:
    """(1 - α)/(1 + α)·α^|z|."""
    top = (1 - alpha) / (1 + alpha)
    return discrete({centre + z: top * alpha ** abs(z) for z in range(-reach - centre, reach + 1 - centre)})


def tidy(c: int) -> Part:
    """Rounded, and everything up to ½ is 0."""

    def at(k: float) -> float:
        return (k - c) / 2

    return discrete({0: cell(-60.0, at(0.5)), **{k: cell(at(k - 0.5), at(k + 0.5)) for k in range(1, 60)}})


def binomial(c: int) -> Part:
    return discrete({c + k - 20: math.comb(40, k) / 2**40 for k in range(41)})


def poisson(c: int) -> Part:
    return discrete({c + k: math.exp(k * math.log(30) - 30 - math.lgamma(k + 1)) for k in range(150)})


def each(x: Vector, part: Any) -> Law:
    return Law(tuple(part(c) for c in counts_of(x)))


def of(
    name: str, mechanism: Mechanism, losses: Any, bound: float, note: str, reference: Any, demands: Any = D, **more: Any
) -> Entry:
    top = max(losses, key=lambda p: losses[p] / demands[p[0]])
    correct = bound <= 1 + 1e-9
    return Entry(
        name,
        mechanism,
        "frequency",
        len(demands),
        K,
        demands,
        correct,
        losses,
        bound,
        note,
        breaks=None if correct else top,
        reference=reference,
        **more,
    )


CAPPED = tuple(min(e, 1.6) for e in D)  # the largest w/ε is 1
MORE = (*PAIRS, (3, (0, 1, 2, 0, 1), 2))
FIFTY: tuple[Pair, ...] = ((0, X50, 1), (49, X50, 0))

ENTRIES: tuple[Entry, ...] = (
    of("laplace_histogram", laplace_histogram, dict.fromkeys(PAIRS, 1.0), 1.0, "two counts, 1/b each",
       lambda x: laplaces(counts_of(x), 2.0)),
    of("laplace_histogram_scale_of_one_count", add_remove_scale, dict.fromkeys(PAIRS, 2.0), 2.0, "factor 2",
       lambda x: laplaces(counts_of(x), 1.0)),
    of("weighted_histogram", weighted_histogram, {p: CAPPED[p[0]] for p in MORE}, 1.0, "weights min(ε, 1.6)",
       lambda x: laplaces(weights_of(x, CAPPED), 2.0)),
    of("weighted_histogram_50", share_of_weights, {p: D50[p[0]] for p in FIFTY}, 1.0, "weights ε/Σε, 50 users",
       lambda x: laplaces([v / 30 for v in weights_of(x, D50)], 2 / 30), D50),
    of("noise_on_present_cells_only", present_cells_only, {PAIRS[1]: INF, PAIRS[0]: 1.0}, INF, "an empty cell is 0",
       lambda x: each(x, lambda c: laplace(c, 2.0) if c else certain(0.0))),
    of("tidy_histogram", tidy_histogram, dict.fromkeys(FULL, 1.0), 1.0, "rounded and not below 0",
       lambda x: each(x, tidy)),
    of("last_cell_by_difference", last_by_difference, {PAIRS[0]: 1.0, PAIRS[1]: 0.5, PAIRS[2]: 0.5}, 1.0,
       "post-processing", lambda x: Law(laplaces(counts_of(x)[:2], 2.0).parts, lambda y: tuple(y[:2]))),
    of("last_cell_left_raw", last_left_raw, {PAIRS[1]: INF, PAIRS[2]: INF, PAIRS[0]: 1.0}, INF,
       "the last count is true",
       lambda x: Law((*laplaces(counts_of(x)[:2], 2.0).parts, certain(float(counts_of(x)[2]))))),
    of("geometric_histogram", geometric_histogram, dict.fromkeys(PAIRS, 1.0), 1.0, "two-sided geometric, α = e^(-ε/2)",
       lambda x: each(x, lambda c: geometric(c, math.exp(-0.5)))),
    of("geometric_histogram_of_one_count", geometric_histogram_half, dict.fromkeys(PAIRS, 2.0), 2.0, "α = e^(-ε)",
       lambda x: each(x, lambda c: geometric(c, math.exp(-1.0)))),
    of("geometric_by_floored_exponentials", floored_exponential, dict.fromkeys(PAIRS, 1.0), 1.0, "",
       lambda x: each(x, lambda c: geometric(c, math.exp(-0.5)))),
    of("binomial_noise", binomial_noise, dict.fromkeys(PAIRS, INF), INF, "the support moves",
       lambda x: each(x, binomial)),
    of("poisson_noise", poisson_noise, dict.fromkeys(PAIRS, INF), INF, "the support moves", lambda x: each(x, poisson)),
    of("one_draw_for_all_cells", one_draw_for_all, dict.fromkeys(PAIRS, INF), INF, "differences of counts are true",
       lambda x: Law(
           (laplace(counts_of(x)[0], 2.0), *(certain(counts_of(x)[k] - counts_of(x)[0]) for k in (1, 2))),
           lambda y: (y[0], round(y[1] - y[0]), round(y[2] - y[0])),
       )),
    of("noisy_shares", noisy_shares, dict.fromkeys(PAIRS, 1.0), 1.0, "upper: the noisy histogram's loss", None,
       upper=True, reach="upper"),
)  # fmt: skip
