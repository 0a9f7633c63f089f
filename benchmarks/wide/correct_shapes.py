"""Correct mechanisms whose outputs have any shape; tight ones lose exactly what was demanded."""

from __future__ import annotations

import math

import numpy as np

from benchmarks.wide.classic_sparse import first_hit
from benchmarks.wide.classics import answers
from benchmarks.wide.laws import HIGH, TIERS, TWO, data, keep, labels, noisy
from benchmarks.wide.shapes import pseudonym
from benchmarks.wide.subject import Shown, Subject, subject

KIND = "correct"
ONE_OF_20 = data(20, 0, {15: 1}), data(20)
ONE_OF_24 = data(24, 0, {8: 1}), data(24)


@subject(
    KIND,
    "Everybody's bit by their own randomised response, as a set of those who say yes.",
    TIERS,
    "custom",
    Shown(*ONE_OF_24, 8, lambda out: 8 in out, keep(0.5), keep(-0.5)),
    correct=True,
    tight=True,
)
def yes_set_rightly(data, epsilon, rng):
    truth = rng.random(len(data)) < 1 / (1 + np.exp(-epsilon))
    return set(np.flatnonzero((data > 0.5) == truth).tolist())


SPELLS = math.e**2 / (math.e**2 + 3)


@subject(
    KIND,
    "Everybody's letter by their own k-ary randomised response, as a text.",
    HIGH,
    "custom",
    Shown(labels(20, 0, {15: 2}), labels(20), 15, lambda out: out[15] == "c", SPELLS, (1 - SPELLS) / 3),
    correct=True,
    tight=True,
)
def letters_rightly(data, epsilon, rng):
    stays = rng.random(len(data)) < np.exp(epsilon) / (np.exp(epsilon) + 3)
    others = (data + rng.integers(1, 4, len(data))) % 4
    return "".join("abcd"[k] for k in np.where(stays, data, others).tolist())


@subject(
    KIND,
    "One bit of each user, whose chance is linear in the value, as a list.",
    TWO,
    "custom",
    Shown(*ONE_OF_20, 15, lambda out: out[15] == 1, keep(1.0), keep(-1.0)),
    correct=True,
    tight=True,
)
def one_bit_each(data, epsilon, rng):
    chance = (1 + data * np.expm1(epsilon)) / (1 + np.exp(epsilon))
    return (rng.random(len(data)) < chance).astype(int).tolist()


@subject(
    KIND,
    "A tier is drawn at random and its noisy sum is told.",
    TIERS,
    "custom",
    Shown(*ONE_OF_24, 8, lambda out: out[0] == ("tier", 1) and out[1] >= 1.0, 0.5 / 3, 0.5 / 3 * math.exp(-0.5)),
    correct=True,
    tight=True,
)
def random_tier(data, epsilon, rng):
    tier = int(rng.integers(3))
    demand = (0.1, 0.5, 1.0)[tier]
    return ("tier", tier), noisy(data[epsilon == demand].sum(), rng, 1 / demand)


RISEN = [first_hit(answers(-6, -6, -1, last), 3, 2.0, 4.0) for last in (4, 3)]


@subject(
    KIND,
    "Sparse vectors as they should be: a noisy threshold, and the first sum above it.",
    TWO,
    "custom",
    Shown(
        data(20, 0, dict.fromkeys(range(10, 20), 1.0)),
        data(20, 0, dict.fromkeys(range(10, 19), 1.0)),
        19,
        lambda out: out == "nnny",
        *RISEN,
    ),
    correct=True,
)
def first_above(data, epsilon, rng):
    bar = 6 + rng.laplace(0, 2)
    signs = ""
    for sum_so_far in (epsilon * data).cumsum()[4::5]:
        above = sum_so_far + rng.laplace(0, 4) >= bar
        signs += "y" if above else "n"
        if above:
            break
    return signs


@subject(
    KIND,
    "A nested table, or nothing if a noisy count is small; each gets half of the demand.",
    TWO,
    "custom",
    Shown(*ONE_OF_20, 15, lambda out: out is not None and out["sum"] >= 0.5, 0.25, 0.25 * math.exp(-1)),
    correct=True,
    tight=True,
)
def nothing_if_few(data, epsilon, rng):
    if epsilon @ (data > 0.5) / 2 + rng.laplace() < 0.5:
        return None
    answer = noisy(epsilon @ data / 2, rng)
    return {"sum": answer, "meta": {"unit": "eur", "range": (0, 12), "high": answer > 3}}


@subject(
    KIND,
    "Everybody's noisy value in rising order, among a random number of invented ones.",
    HIGH,
    "custom",
    Shown(*ONE_OF_20, 15, lambda out: len(out) >= 23, *2 * [1 - 8.5 * math.exp(-3)]),
    correct=True,
)
def among_invented(data, epsilon, rng):
    values = data + rng.laplace(0, 1 / epsilon)
    return np.sort(np.round(np.append(values, rng.normal(size=rng.poisson(3))), 3)).tolist()


@subject(
    KIND,
    "A table in the order of its noisy sums.",
    TWO,
    "custom",
    Shown(
        labels(20, 0, {15: 1}),
        labels(20),
        15,
        lambda out: out["no"] >= 1 and out["yes"] <= 11,
        0.25,
        0.25 * math.exp(-1),
    ),
    correct=True,
    tight=True,
)
def ranked_by_noise(data, epsilon, rng):
    sums = np.bincount(data, epsilon, 2)
    table = {"yes": noisy(sums[0], rng, 2.0), "no": noisy(sums[1], rng, 2.0)}
    return dict(sorted(table.items(), key=lambda item: -item[1]))


@subject(
    KIND,
    "Hashes of bits that were randomised before, one for each user.",
    TWO,
    "custom",
    Shown(*ONE_OF_20, 15, lambda out: out[15] == pseudonym(1.0), keep(1.0), keep(-1.0)),
    correct=True,
    tight=True,
)
def hashes_of_noise(data, epsilon, rng):
    truth = rng.random(len(data)) < 1 / (1 + np.exp(-epsilon))
    return [PSEUDONYMS[bit] for bit in ((data > 0.5) == truth).tolist()]


PSEUDONYMS = {False: pseudonym(0.0), True: pseudonym(1.0)}


@subject(
    KIND,
    "The bit of one user drawn at random, randomised so that being drawn makes up for it.",
    np.full(10, 0.5),
    "custom",
    Shown(
        data(10, 0, {3: 1}),
        data(10),
        3,
        lambda out: out == "yes",
        math.exp(0.5) / (10 * math.expm1(0.5) + 2),
        1 / (10 * math.expm1(0.5) + 2),
    ),
    correct=True,
    tight=True,
)
def one_drawn(data, epsilon, rng):
    truth = keep(math.log1p(len(data) * math.expm1(epsilon[0])))
    yes = (data[rng.integers(len(data))] > 0.5) == (rng.random() < truth)
    return "yes" if yes else "no"


SUBJECTS = [each for each in list(vars().values()) if isinstance(each, Subject)]
