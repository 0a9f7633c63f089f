"""The exponential mechanism through choices, and choices that are not private."""

from __future__ import annotations

import math

import numpy as np

from tests.tracing.zoo.entry import Entry, Vector
from tests.tracing.zoo.laws import (
    Law,
    softmax,
)
from tests.tracing.zoo.selection import (
    EXACT,
    PAIRS,
    K,
    counts_of,
    exponential_weights,
    finite,
    losses_of,
    of,
    tally,
)


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


def present_law(x: Vector) -> Law:
    there = {k: c / 2 for k, c in enumerate(counts_of(x)) if c}
    return finite(softmax(list(there.values())), there)


def true_maximum_law(x: Vector) -> Law:
    best = [k for k, c in enumerate(counts_of(x)) if c == max(counts_of(x))]
    return finite([1 / len(best)] * len(best), best)


HALFLESS = losses_of(PAIRS, exponential_weights(1.0))


ENTRIES: tuple[Entry, ...] = (
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
       present_law),
    of("true_maximum", true_maximum, {(0, (0, 0, 0, 1, 1), 1): math.inf, (0, (0, 0, 1, 1, 2), 2): math.inf,
                                      (0, (0, 0, 0, 0, 1), 1): 0.0}, math.inf, "noise for ties only",
       true_maximum_law),
)  # fmt: skip
