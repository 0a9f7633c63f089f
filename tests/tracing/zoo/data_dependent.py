"""Clips, normalisers, scales and suppression that look at the data."""

from __future__ import annotations

import math

import numpy as np

from tests.tracing.zoo.entry import Entry, Pair, Vector, shifted
from tests.tracing.zoo.faults import ZERO
from tests.tracing.zoo.laws import laplace, only
from tests.tracing.zoo.means import MIN, PAIRS, D, O, X

ONES5 = (1.0,) * 5
MIDDLE = (1.0, 1.0, 0.0, 0.0, 0.0)  # the median is 0; with one more 1 it is 1


def clip_at_median(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    cap = np.quantile(x, 0.5)
    return float(np.minimum(x, cap).mean() + rng.laplace(0, 1 / (len(x) * epsilon.min())))


def clip_at_own_maximum(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(np.clip(x, 0, x.max()).mean() + rng.laplace(0, 1 / (len(x) * epsilon.min())))


def scale_of_maximum(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    cap = max(float(x.max()), 0.1)
    return float(np.clip(x, 0, cap).mean() + rng.laplace(0, cap / (len(x) * epsilon.min())))


def divide_by_maximum(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    top = x.max()
    normal = x / top if top > 0 else x
    return float(normal.mean() + rng.laplace(0, 1 / (len(x) * epsilon.min())))


def share(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    total = x.sum()
    return float((x[0] / total if total > 0 else 0.0) + rng.laplace(0, 1 / epsilon.min()))


def share_times_n(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    total = x.sum()
    ratio = x[0] / total if total > 0 else 0.0
    return float(len(x) * ratio + rng.laplace(0, 1 / epsilon.min()))


def scale_of_deviation(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(x.mean() + rng.laplace(0, (0.01 + x.std()) / epsilon.min()))


def scale_of_two_levels(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    b = 1 / (len(x) * epsilon.min())
    if x.mean() > 0.5:
        b *= 2  # "more noise is never worse"
    return float(x.mean() + rng.laplace(0, b))


def local_sensitivity(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    s = np.sort(x)
    gap = max(s[2] - s[1], s[3] - s[2])
    return float(s[2] + rng.laplace(0, max(gap, 1e-3) / epsilon.min()))


def outliers_removed(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    kept = x[np.abs(x - np.median(x)) <= 0.5]
    return float(kept.mean() + rng.laplace(0, 1 / (len(x) * epsilon.min())))


def rounded_sum(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(np.round(x.sum()) + rng.laplace(0, 1 / epsilon.min()))


def at_median(x: Vector) -> float:
    return float(np.minimum(x, sorted(x)[len(x) // 2]).mean())


def by_maximum(x: Vector) -> float:
    return float(sum(x) / max(x) / len(x)) if max(x) > 0 else 0.0


def share_of(x: Vector) -> float:
    return float(x[0]) / float(sum(x)) if sum(x) > 0 else 0.0


def near_median(x: Vector) -> float:
    low, high = np.median(x) - 0.5, np.median(x) + 0.5
    return float(np.mean([v for v in x if low <= v <= high]))


def crossings(x: Vector) -> float:
    return float(sum(v >= 0.5 for v in x))


INF = math.inf
MEDIAN_PAIRS: tuple[Pair, ...] = ((2, MIDDLE, 1.0), (0, MIDDLE, 0.0), (0, MIDDLE, 0.5))
TOP: Pair = (3, (0.1, 0.1, 0.1, 1.0), 0.1)
TOP_FIRST: Pair = (0, (1.0, 0.1, 0.1, 0.1), 0.1)
SHARES: tuple[Pair, ...] = ((0, X, 1.0), (1, (0.01, 0.0, 0.0, 0.0), 1.0), (0, O, 0.01))
FAR: Pair = (0, (1.0, 0.5, 0.6, 0.0, 0.0), 0.4)
HALVES: Pair = (0, (0.0, 0.5, 0.0, 0.0), 1.0)
D5 = (0.5, 1.0, 1.0, 1.0, 1.0)

ENTRIES = (
    # (0,0 → median 1): clipped sums 0 and 3, so 3/5 over 1/5.
    Entry(
        "clip_at_median",
        clip_at_median,
        "mean",
        5,
        None,
        ONES5,
        False,
        {MEDIAN_PAIRS[0]: 3.0, MEDIAN_PAIRS[1]: 0.0, MEDIAN_PAIRS[2]: 0.0},
        3.0,
        "factor 3",
        breaks=MEDIAN_PAIRS[0],
        reference=lambda x: only(laplace(at_median(x), 0.2)),
    ),
    Entry(
        "clip_at_own_maximum",
        clip_at_own_maximum,
        "mean",
        4,
        None,
        D,
        True,
        shifted(PAIRS, lambda x: float(x.mean()), MIN),
        1.0,
        "reads the maximum, which changes nothing",
        reference=lambda x: only(laplace(float(x.mean()), MIN)),
    ),
    Entry(
        "scale_of_maximum",
        scale_of_maximum,
        "mean",
        4,
        None,
        D,
        False,
        {(2, X, 0.3): INF, (3, X, 0.0): 0.1 / (0.9 * MIN), ZERO: INF},
        INF,
        "another scale, told apart in the tails",
        breaks=ZERO,
        reference=lambda x: only(laplace(float(x.mean()), max(x.max(), 0.1) * MIN)),
    ),
    # 1.3/4 against 4·1/4: 0.675/0.5 = 1.35 for user 0, who demands 0.5.
    Entry(
        "divide_by_maximum",
        divide_by_maximum,
        "mean",
        4,
        None,
        D,
        False,
        {TOP: 1.35, TOP_FIRST: 1.35, (3, X, 0.0): 0.4 / 0.9 / 4 / 0.5},
        3.0,
        "sup: the maximum falls from 1 to the others' tiny, equal values: (3/4)/MIN over 0.5",
        breaks=TOP_FIRST,
        reference=lambda x: only(laplace(by_maximum(x), MIN)),
    ),
    Entry(
        "share_of_the_sum",
        share,
        "mean",
        4,
        None,
        D,
        True,
        shifted(SHARES, share_of, 2.0),
        1.0,
        "a normaliser from the data, harmless: the share stays in [0, 1]",
        reference=lambda x: only(laplace(share_of(x), 2.0)),
    ),
    Entry(
        "share_times_n",
        share_times_n,
        "mean",
        4,
        None,
        D,
        False,
        {SHARES[2]: 2.0, SHARES[0]: 2 * (1 / 2.8 - 0.1)},
        4.0,
        "from an empty sum to the whole of it: 4/2",
        breaks=SHARES[2],
        reference=lambda x: only(laplace(4 * share_of(x), 2.0)),
    ),
    Entry(
        "scale_of_deviation",
        scale_of_deviation,
        "mean",
        4,
        None,
        D,
        False,
        dict.fromkeys(((0, X, 0.9), *PAIRS[1:], ZERO), INF),
        INF,
        "the scale is the data's deviation",
        breaks=ZERO,
        reference=lambda x: only(laplace(float(x.mean()), (0.01 + math.sqrt(np.mean((x - x.mean()) ** 2))) / 0.5)),
    ),
    Entry(
        "scale_of_two_levels",
        scale_of_two_levels,
        "mean",
        4,
        None,
        D,
        False,
        {(0, X, 1.0): INF, (1, O, 1.0): 0.5, (3, X, 0.0): 0.2},
        INF,
        "only where the mean passes 0.5",
        breaks=(0, X, 1.0),
        reference=lambda x: only(laplace(float(x.mean()), 1.0 if x.mean() > 0.5 else 0.5)),
    ),
    Entry(
        "local_sensitivity_of_the_median",
        local_sensitivity,
        "mean",
        5,
        None,
        D5,
        False,
        {(0, (0.1, 0.2, 0.5, 0.6, 0.9), 0.3): INF, (1, (0.1, 0.2, 0.5, 0.6, 0.9), 0.55): INF},
        INF,
        "the gaps 0.3 and 0.2 (0.1 and 0.2 become 0.2 and 0.3): another scale",
        breaks=(0, (0.1, 0.2, 0.5, 0.6, 0.9), 0.3),
        reference=lambda x: only(laplace(float(np.median(x)), max(np.diff(np.sort(x))[1:3].max(), 1e-3) / 0.5)),
    ),
    # Median 0.5, all kept: mean 0.42; then median 0.4, and 0.5, 0.6, 0.4, 0, 0 kept: mean 0.3.
    Entry(
        "outliers_removed",
        outliers_removed,
        "mean",
        5,
        None,
        D5,
        False,
        {FAR: 0.12 / 0.4, (0, (0.6, 1.0, 1.0, 0.0, 0.0), 0.4): (2.6 - 0.4) / 3 / 0.4},
        None,
        "who moves the median moves who is kept: {0.6, 1, 1} becomes {0.4, 0, 0}",
        breaks=(0, (0.6, 1.0, 1.0, 0.0, 0.0), 0.4),
        reference=lambda x: only(laplace(near_median(x), 0.4)),
    ),
    # Halves go to the even number: 0.5 → 0 and 1.5 → 2.
    Entry(
        "sum_rounded_half_to_even",
        rounded_sum,
        "mean",
        4,
        None,
        D,
        False,
        {HALVES: 1.0, (1, O, 1.0): 0.5, (0, X, 0.3): 0.0},
        2.0,
        "a sum may move by 2",
        breaks=HALVES,
        reference=lambda x: only(laplace(float(round(float(x.sum()))), 2.0)),
    ),
)
