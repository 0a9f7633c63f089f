"""Randomised response and its relatives: each user's report is noisy by itself."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np

from tests.tracing.zoo.entry import Entry, Mechanism, Pair, Vector, per_category
from tests.tracing.zoo.laws import Law, discrete, only

D = (0.5, 1.0, 1.0, 2.0)
BITS: tuple[Pair, ...] = ((0, (0, 1, 1, 0), 1), (1, (0, 1, 1, 0), 0), (3, (0, 0, 0, 0), 1))


def truth_chance(epsilon: Any) -> Any:
    return np.exp(epsilon) / (1 + np.exp(epsilon))


def response(x: Vector, epsilon: Vector, rng: np.random.Generator) -> Vector:
    keep = rng.random(len(x)) < truth_chance(epsilon)
    return np.where(keep, x, 1 - x)


def response_loop(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[int, ...]:
    reports = []
    for bit, e in zip(x, epsilon, strict=True):
        flip = rng.binomial(1, 1 / (1 + math.exp(e)))
        reports.append(int(bit) ^ int(flip))
    return tuple(reports)


def response_or_coin(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[int, ...]:
    """The truth with e^ε/(1 + e^ε), else a fair coin, which may be the truth as well."""
    keep = rng.random(len(x)) < truth_chance(epsilon)
    coins = rng.integers(0, 2, size=len(x))
    return tuple(int(v) for v in np.where(keep, x, coins))


def warner_coin(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[int, ...]:
    """The truth with (e^ε - 1)/(e^ε + 1), else a fair coin: the right chance for that."""
    reports = []
    for bit, e in zip(x, epsilon, strict=True):
        if rng.random() < math.tanh(e / 2):
            reports.append(int(bit))
        else:
            reports.append(int(rng.integers(2)))
    return tuple(reports)


def linear_chance(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[int, ...]:
    keep = rng.random(len(x)) < np.minimum(0.5 + epsilon / 4, 0.99)
    return tuple(int(v) for v in np.where(keep, x, 1 - x))


def count_of_responses(x: Vector, epsilon: Vector, rng: np.random.Generator) -> int:
    return int(sum(response_loop(x, epsilon, rng)))


def binomial_count(x: Vector, epsilon: Vector, rng: np.random.Generator) -> int:
    p = truth_chance(epsilon.min())
    ones = int(x.sum())
    return int(rng.binomial(ones, p) + rng.binomial(len(x) - ones, 1 - p))


def shuffled_responses(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[int, ...]:
    return tuple(int(v) for v in rng.permutation(response(x, epsilon, rng)))


def bit_law(p_one: float) -> Any:
    return discrete({0: 1 - p_one, 1: p_one})


def bits(x: Vector, chances: list[float]) -> Law:
    return Law(tuple(bit_law(p if v else 1 - p) for v, p in zip(x, chances, strict=True)))


def truthful(e: float) -> float:
    return 1 / (1 + math.exp(-e))


def counts(x: Vector, chances: list[float]) -> Law:
    """All 2⁴ reports, one by one."""
    law: dict[Any, float] = dict.fromkeys(range(len(x) + 1), 0.0)
    for out in itertools.product((0, 1), repeat=len(x)):
        law[sum(out)] += math.prod(p if o == v else 1 - p for o, v, p in zip(out, x, chances, strict=True))
    return only(discrete(law))


def count_loss(pair: Pair, chances: list[float]) -> float:
    """The count without this user is a product of polynomials q; his report adds 1 with p or 1 - p."""
    user, base, _ = pair
    q = np.array([1.0])
    for j, p in enumerate(chances):
        if j != user:
            one = p if base[j] else 1 - p
            q = np.convolve(q, [1 - one, one])
    p = chances[user]
    laws = [np.convolve(q, [1 - p, p]), np.convolve(q, [p, 1 - p])]
    return float(np.max(np.abs(np.log(laws[0] / laws[1]))))


def of(
    name: str,
    mechanism: Mechanism,
    k: int,
    losses: Any,
    bound: float,
    note: str,
    reference: Any,
) -> Entry:
    broken = bound > 1 + 1e-9
    breaks = max(losses, key=lambda p: losses[p] / D[p[0]]) if broken else None
    return Entry(
        name,
        mechanism,
        "frequency",
        4,
        k,
        D,
        not broken,
        losses,
        bound,
        note,
        breaks=breaks,
        reference=reference,
    )


def losing(pairs: tuple[Pair, ...], of_demand: Any) -> dict[Pair, float | None]:
    return {pair: of_demand(D[pair[0]]) for pair in pairs}


TRUE = [truthful(e) for e in D]
SAME = [truthful(0.5)] * 4
COIN = [p + (1 - p) / 2 for p in TRUE]
INF = math.inf

ENTRIES: tuple[Entry, ...] = (
    of("randomised_response", response, 2, per_category(BITS, D), 1.0, "", lambda x: bits(x, TRUE)),
    of("randomised_response_loop", response_loop, 2, per_category(BITS, D), 1.0, "", lambda x: bits(x, TRUE)),
    # (p + (1-p)/2)/((1-p)/2) = (1+p)/(1-p) = 2e^ε + 1.
    of(
        "response_or_coin",
        response_or_coin,
        2,
        losing(BITS, lambda e: math.log(2 * math.exp(e) + 1)),
        math.log(2 * math.exp(0.5) + 1) / 0.5,
        "a coin may tell the truth, too",
        lambda x: bits(x, COIN),
    ),
    of(
        "response_by_two_coins",
        warner_coin,
        2,
        per_category(BITS, D),
        1.0,
        "the chance that fits a coin",
        lambda x: bits(x, [(1 + (math.exp(e) - 1) / (math.exp(e) + 1)) / 2 for e in D]),
    ),
    # p = 0.5 + ε/4: log((2+ε)/(2-ε)) > ε; at ε = 2 the chance is 0.99.
    of(
        "linear_chance",
        linear_chance,
        2,
        losing(BITS, lambda e: math.log(99) if e == 2 else math.log((2 + e) / (2 - e))),
        math.log(99) / 2,
        "a first-order formula",
        lambda x: bits(x, [min(0.5 + e / 4, 0.99) for e in D]),
    ),
    of(
        "count_of_responses",
        count_of_responses,
        2,
        {p: count_loss(p, TRUE) for p in BITS},
        1.0,
        "none at all, and all of them, have the whole loss",
        lambda x: counts(x, TRUE),
    ),
    of(
        "binomial_count",
        binomial_count,
        2,
        {p: count_loss(p, SAME) for p in BITS},
        1.0,
        "two binomial draws",
        lambda x: counts(x, SAME),
    ),
    of(
        "shuffled_responses",
        shuffled_responses,
        2,
        {p: count_loss(p, TRUE) for p in BITS},
        1.0,
        "an order that tells nothing: as much as the count",
        lambda x: only(counts(x, TRUE).parts[0], sum),
    ),
)
