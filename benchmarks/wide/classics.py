"""Mechanisms of the literature, each on the best pair known to us: noisy maxima, tables, local reports, prefix sums.

After Ding et al., Detecting Violations of Differential Privacy (2018), and Bichsel et al., DP-Sniper (2021), who call
them by these names. One user changes each answer by at most 1; the data are one row of answers.
"""

from __future__ import annotations

import math
import zlib

import numpy as np

from benchmarks.wide.laws import Array, at_least, best, rounded, tail
from benchmarks.wide.subject import Shown, Subject, subject

KIND = "classic"
EPSILON = 0.7  # of the three demands of Ding et al. the one in the middle
DEMAND = np.array([EPSILON])


def answers(*values: float) -> Array:
    """A dataset of one row."""
    return np.array([values], dtype=float)


def argmax_event(first: Array, second: Array) -> Shown:
    """The first of two answers wins after Laplace noise of scale 2/epsilon: the difference of two such variables."""

    def chance(gap: float) -> float:
        x = abs(gap) * EPSILON / 2
        below = 0.5 * math.exp(-x) * (1 + x / 2)
        return 1 - below if gap >= 0 else below

    gaps = first[0, 0] - first[0, 1], second[0, 0] - second[0, 1]
    return Shown(first, second, 0, lambda out: out == 0, chance(gaps[0]), chance(gaps[1]))


@subject(
    KIND,
    "The index of the largest answer after Laplace noise.",
    DEMAND,
    "custom",
    argmax_event(answers(1, 0), answers(0, 1)),
    correct=True,
)
def noisy_max_1(data, epsilon, rng):
    return int(np.argmax(data[0] + rng.laplace(0, 2 / epsilon[0], data.shape[1])))


def exponential_event() -> Shown:
    """The first of two answers wins after exponential noise of scale 2/epsilon."""
    wins = 1 - 0.5 * math.exp(-EPSILON / 2)
    return Shown(answers(1, 0), answers(0, 1), 0, lambda out: out == 0, wins, 1 - wins)


@subject(
    KIND,
    "The index of the largest answer after exponential noise.",
    DEMAND,
    "custom",
    exponential_event(),
    correct=True,
)
def noisy_max_2(data, epsilon, rng):
    return int(np.argmax(data[0] + rng.exponential(2 / epsilon[0], data.shape[1])))


def largest_value() -> Shown:
    """The largest of five noisy answers is at most t, where all answers are 0 or 1."""
    scale = 2 / EPSILON
    events = [(t, (1 - tail(t / scale)) ** 5, (1 - tail((t - 1) / scale)) ** 5) for t in np.linspace(-4, 4, 161)]
    cut, on_first, on_second = best(events, EPSILON)
    return Shown(answers(*[0] * 5), answers(*[1] * 5), 0, lambda out: out <= cut, on_first, on_second, 5 * EPSILON / 2)


@subject(KIND, "The largest answer itself, after Laplace noise.", DEMAND, "custom", largest_value())
def noisy_max_3(data, epsilon, rng):
    return rounded(np.max(data[0] + rng.laplace(0, 2 / epsilon[0], data.shape[1])))


BELOW = math.prod(1 - math.exp(-EPSILON / 2 * gap) for gap in (1, 21, 21, 21, 21))


@subject(
    KIND,
    "The largest answer itself, after exponential noise, which is never negative.",
    DEMAND,
    "custom",
    Shown(answers(20, 0, 0, 0, 0), answers(21, 0, 0, 0, 0), 0, lambda out: out < 21, BELOW, 0.0),
)
def noisy_max_4(data, epsilon, rng):
    return rounded(np.max(data[0] + rng.exponential(2 / epsilon[0], data.shape[1])))


@subject(
    KIND,
    "A table with noise of scale 1/epsilon.",
    DEMAND,
    "custom",
    Shown(answers(1, 0, 0, 0, 0), answers(0, 0, 0, 0, 0), 0, lambda out: out[0] >= 1, 0.5, 0.5 * math.exp(-EPSILON)),
    correct=True,
    tight=True,
)
def noisy_hist_1(data, epsilon, rng):
    return np.round(data[0] + rng.laplace(0, 1 / epsilon[0], data.shape[1]), 6)


def wrong_scale() -> Shown:
    """One cell moves by 1 at noise of scale epsilon."""
    events = [(c, tail((c - 1) / EPSILON), tail(c / EPSILON)) for c in np.linspace(0, 1, 65)]
    cut, on_first, on_second = best(events, EPSILON)
    sets = answers(1, 0, 0, 0, 0), answers(0, 0, 0, 0, 0)
    return Shown(*sets, 0, lambda out: out[0] >= cut, on_first, on_second, 1 / EPSILON)


@subject(KIND, "A table with noise of scale epsilon.", DEMAND, "custom", wrong_scale())
def noisy_hist_2(data, epsilon, rng):
    return np.round(data[0] + rng.laplace(0, epsilon[0], data.shape[1]), 6)


@subject(
    KIND,
    "Prefix sums of noisy answers.",
    DEMAND,
    "custom",
    Shown(answers(*[0] * 9, 1), answers(*[0] * 10), 0, lambda out: out[9] - out[8] >= 1, 0.5, 0.5 * math.exp(-EPSILON)),
    correct=True,
    tight=True,
)
def prefix_sum(data, epsilon, rng):
    return np.cumsum(np.round(data[0] + rng.laplace(0, 1 / epsilon[0], data.shape[1]), 6))


HASHES, BITS = 4, 20


def filter_of(value: int) -> Array:
    """A Bloom filter of one value."""
    bits = np.zeros(BITS, dtype=int)
    bits[[zlib.crc32(f"{turn}:{value}".encode()) % BITS for turn in range(HASHES)]] = 1
    return bits


def disjoint() -> tuple[int, int]:
    """Two values whose filters have four bits each, and none in common."""
    filters = {value: filter_of(value) for value in range(200)}
    whole = [value for value, bits in filters.items() if bits.sum() == HASHES]
    return next((a, b) for a in whole for b in whole if filters[a] @ filters[b] == 0)


FILTERS = {value: filter_of(value) for value in disjoint()}


def reported(kept: float) -> Shown:
    """At least m of the eight bits in which two filters differ speak for the first."""
    one, other = disjoint()
    demand = 2 * HASHES * math.log(kept / (1 - kept))
    differ = np.flatnonzero(FILTERS[one] != FILTERS[other])
    right = FILTERS[one][differ]
    chances = at_least(2 * HASHES, 2 * HASHES, kept), at_least(2 * HASHES, 2 * HASHES, 1 - kept)
    sets = np.array([float(one)]), np.array([float(other)])
    return Shown(*sets, 0, lambda out: (np.asarray(out)[differ] == right).all(), *chances, demand)


def permanent(value: float, f: float, rng: np.random.Generator) -> Array:
    """Bits of a filter, of which a share f is replaced by fair coins."""
    drawn = rng.random((2, BITS))
    return np.where(drawn[0] < f, drawn[1] < 0.5, FILTERS[int(value)]).astype(int)


ONE_TIME, LATER = 1 - 0.95 / 2, 0.5 * 0.75 * (0.45 + 0.55) + 0.25 * 0.55


@subject(
    KIND,
    "A Bloom filter with four hashes in twenty bits, randomised once (f = 0.95).",
    np.array([reported(ONE_TIME).loss]),
    "custom",
    reported(ONE_TIME),
    correct=True,
    tight=True,
)
def one_time_rappor(data, epsilon, rng):
    return permanent(data[0], 0.95, rng).tolist()


@subject(
    KIND,
    "The same, randomised twice (f = 0.75, p = 0.45, q = 0.55).",
    np.array([reported(LATER).loss]),
    "custom",
    reported(LATER),
    correct=True,
    tight=True,
)
def rappor(data, epsilon, rng):
    bits = permanent(data[0], 0.75, rng)
    return (rng.random(BITS) < np.where(bits == 1, 0.55, 0.45)).astype(int).tolist()


RATIO = math.exp(-0.12)


@subject(
    KIND,
    "A count with two-sided geometric noise, cut to what is possible.",
    np.array([0.12]),
    "custom",
    Shown(answers(3), answers(2), 0, lambda out: out >= 3, 1 / (1 + RATIO), RATIO / (1 + RATIO)),
    correct=True,
    tight=True,
)
def truncated_geometric(data, epsilon, rng):
    chance = 1 - math.exp(-epsilon[0])
    return int(np.clip(data[0, 0] + rng.geometric(chance) - rng.geometric(chance), 0, 5))


SUBJECTS = [each for each in list(vars().values()) if isinstance(each, Subject)]
