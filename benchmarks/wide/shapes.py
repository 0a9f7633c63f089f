"""Faults of mechanisms whose outputs are lists, sets, dicts, texts or nothing."""

from __future__ import annotations

import hashlib
import math
import zlib

import numpy as np

from benchmarks.wide.laws import HIGH, TIERS, TWO, best, data, keep, labels, noisy, rounded, shifted, sure, tail
from benchmarks.wide.subject import Shown, Subject, subject

KIND = "shape"
ONE = data(20, 0, {0: 1}), data(20)


@subject(
    KIND,
    "Noisy values are listed of those alone who have a value.",
    TWO,
    "custom",
    sure(*ONE, 0, lambda out: len(out) == 1),
)
def contributors(data, epsilon, rng):
    return [noisy(value, rng, 1 / own) for value, own in zip(data, epsilon, strict=True) if value > 0]


@subject(
    KIND,
    "Words are shown whose noisy count is at least three, of those that somebody used.",
    HIGH,
    "custom",
    sure(labels(20, 0, {0: 7}), labels(20), 0, lambda out: 7 in out, tail(1.0)),
)
def seen_words(data, epsilon, rng):
    counts = np.bincount(data)
    shown = counts + rng.laplace(0, 1 / epsilon.min(), len(counts)) >= 3
    return frozenset(np.flatnonzero(shown & (counts > 0)).tolist())


@subject(
    KIND,
    "How many answers are valid is stated beside the noisy sum, as it is.",
    TWO,
    "custom",
    sure(data(20, 0.5), data(20, 0.5, {0: -1}), 0, lambda out: out[1] == ("valid", 20)),
)
def valid_answers(data, epsilon, rng):
    valid = data >= 0
    return ("total", (noisy(epsilon @ np.where(valid, data, 0), rng),)), ("valid", int(np.count_nonzero(valid)))


@subject(
    KIND,
    "A table of noisy counts lists its keys by their true counts.",
    TWO,
    "custom",
    sure(
        labels(20, 0, dict.fromkeys(range(11), 1)),
        labels(20, 0, dict.fromkeys(range(11), 1) | {9: 0}),
        9,
        lambda out: next(iter(out)) == "no",
    ),
)
def ranked_table(data, epsilon, rng):
    counts = np.bincount(data, minlength=2)
    weights = np.bincount(data, epsilon, 2)
    return {("yes", "no")[k]: noisy(weights[k], rng, 2.0) for k in np.argsort(-counts, kind="stable")}


@subject(
    KIND,
    "Large sums are written with one decimal, small ones with three, by their true size.",
    TWO,
    "custom",
    sure(data(20, 0, {0: 1, 10: 1, 11: 1}), data(20, 0, {10: 1, 11: 1}), 0, lambda out: out[-2] == "."),
)
def decimals(data, epsilon, rng):
    answer = epsilon @ data + rng.laplace()
    return f"{answer:.1f}" if data.sum() >= 3 else f"{answer:.3f}"


@subject(
    KIND,
    "Nothing is returned where the true mean is below one half.",
    TWO,
    "custom",
    sure(data(20, 0.5, {0: 0.4}), data(20, 0.5), 0, lambda out: out is None),
)
def none_below(data, epsilon, rng):
    return noisy(epsilon @ data, rng) if data.mean() >= 0.5 else None


def retried() -> Shown:
    """The sum is 0 or 1: noise must be redrawn with probability 1/2, or 1/(2e)."""
    events = [(m, tail(0) ** m, tail(1) ** m) for m in range(1, 12)]
    many, on_first, on_second = best(events, 1.0)
    return Shown(data(20), data(20, 0, {15: 1}), 15, lambda out: out[1] >= many, on_first, on_second, math.inf)


@subject(KIND, "Negative answers are drawn anew, and the number of retries is logged.", TWO, "custom", retried())
def logged_retries(data, epsilon, rng):
    total, retries = epsilon @ data, 0
    while (answer := total + rng.laplace()) < 0:
        retries += 1
    return rounded(answer), retries


@subject(
    KIND,
    "The size of the compressed input is logged beside a noisy sum.",
    TWO,
    "custom",
    sure(data(20, 0.5, {9: 1}), data(20, 0.5), 9, lambda out: out["bytes"] > 12),
)
def compressed_size(data, epsilon, rng):
    packed = zlib.compress((100 * data).astype(np.uint8).tobytes())
    return {"sum": noisy(epsilon @ data, rng), "bytes": len(packed)}


@subject(
    KIND,
    "A noisy mean has an interval whose width comes from the true deviation.",
    TIERS,
    "custom",
    sure(data(24), data(24, 0, {0: 1}), 0, lambda out: out["interval"][1] == out["interval"][0]),
)
def interval(data, epsilon, rng):
    answer = noisy(epsilon @ data, rng)
    half = 1.96 * float(data.std())
    return {"mean": answer, "interval": (round(answer - half, 6), round(answer + half, 6))}


@subject(
    KIND,
    "Noisy partial sums are listed until the true sum reaches three.",
    TWO,
    "custom",
    sure(data(20, 0.5, {0: 1}), data(20, 0.5), 0, lambda out: len(out) == 5),
)
def until_full(data, epsilon, rng):
    stop = int(np.searchsorted(data.cumsum(), 3.0)) + 1
    weights = (epsilon * data).cumsum()[:stop]
    return np.round(weights + rng.laplace(0, 20, len(weights)), 6).tolist()


@subject(
    KIND,
    "The set of users who say yes is randomised for the largest demand.",
    TIERS,
    "custom",
    Shown(data(24, 0, {0: 1}), data(24), 0, lambda out: 0 in out, keep(1.0), keep(-1.0)),
)
def yes_set(data, epsilon, rng):
    truth = rng.random(len(data)) < keep(epsilon.max())
    return set(np.flatnonzero((data > 0.5) == truth).tolist())


@subject(
    KIND,
    "Regions have noisy counts of their own, and a region without people has no entry.",
    TWO,
    "custom",
    sure(labels(20, 0, {0: 2}), labels(20), 0, lambda out: "south" in out["regions"]),
)
def regions(data, epsilon, rng):
    names = {0: "north", 1: "west", 2: "south"}
    weights = np.bincount(data, epsilon, 3)
    return {"regions": {names[k]: {"count": noisy(weights[k], rng, 2.0)} for k in np.unique(data).tolist()}}


RIGHT = (math.e**2 + 0.75) / (math.e**2 + 3)
WRONG = 0.75 / (math.e**2 + 3)


@subject(
    KIND,
    "Letters that are replaced are drawn from all four, with the probability for the three others.",
    HIGH,
    "custom",
    Shown(labels(20, 0, {15: 2}), labels(20), 15, lambda out: out[15] == "c", RIGHT, WRONG),
)
def letters(data, epsilon, rng):
    stays = rng.random(len(data)) < np.exp(epsilon) / (np.exp(epsilon) + 3)
    return "".join("abcd"[k] for k in np.where(stays, data, rng.integers(0, 4, len(data))).tolist())


def pseudonym(value: float) -> str:
    """A salted hash of a value."""
    return hashlib.sha256(f"salt{value:.2f}".encode()).hexdigest()[:8]


@subject(
    KIND,
    "Values are replaced by salted hashes, and listed in the order of the hashes.",
    TWO,
    "custom",
    sure(data(20, 0.5, {0: 0.51}), data(20, 0.5), 0, lambda out: pseudonym(0.51) in out),
)
def pseudonyms(data, epsilon, rng):
    return sorted(map(pseudonym, data.tolist()))


@subject(
    KIND,
    "The lowest demand is used for the sum, and the highest for the text beside it.",
    TWO,
    "custom",
    shifted(*ONE, 0, (1, 0), 0.2, 1.0, lambda out: float(out[1].split()[-1])),
    loss=1.2,
)
def text_beside(data, epsilon, rng):
    total = data.sum()
    return [noisy(total, rng, 1 / epsilon.min()), f"about {noisy(total, rng, 1 / epsilon.max())}"]


SUBJECTS = [each for each in list(vars().values()) if isinstance(each, Subject)]
