"""Reports of one of k categories: k-ary response and unary encodings."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.tracing.zoo.entry import Entry, Pair, Vector, per_category
from tests.tracing.zoo.laws import Law, discrete
from tests.tracing.zoo.local import (
    INF,
    D,
    bit_law,
    losing,
    of,
    truth_chance,
    truthful,
)

K = 4


KINDS: tuple[Pair, ...] = ((0, (0, 1, 2, 3), 2), (1, (3, 3, 3, 3), 0), (3, (0, 1, 2, 3), 1))


def kinds_of_response(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[int, ...]:
    reports = []
    for value, e in zip(x, epsilon, strict=True):
        if rng.random() < math.exp(e) / (math.exp(e) + K - 1):
            reports.append(int(value))
        else:
            other = int(rng.integers(K - 1))
            reports.append(other + (other >= value))
    return tuple(reports)


def kinds_by_choice(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[int, ...]:
    def one(value: int, e: float) -> int:
        p = np.ones(K)
        p[value] = np.exp(e)
        return int(rng.choice(K, p=p / p.sum()))

    return tuple(one(int(v), float(e)) for v, e in zip(x, epsilon, strict=True))


def kinds_with_own_among_others(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[int, ...]:
    keep = rng.random(len(x)) < np.exp(epsilon) / (np.exp(epsilon) + K - 1)
    anything = rng.integers(K, size=len(x))
    return tuple(int(v) for v in np.where(keep, x, anything))


def kinds_neighbouring(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[int, ...]:
    """A lie is the next category only: far ones are never said."""
    keep = rng.random(len(x)) < truth_chance(epsilon)
    return tuple(int(v) for v in np.where(keep, x, (x + 1) % K))


def unary(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[int, ...]:
    """k-RAPPOR: each of k bits is flipped, with half of the demand."""
    bits = np.eye(K, dtype=int)[x]
    flip = rng.random(bits.shape) < 1 / (1 + np.exp(epsilon / 2))[:, None]
    return tuple(int(v) for v in (bits ^ flip).ravel())


def unary_whole_demand(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[int, ...]:
    bits = np.eye(K, dtype=int)[x]
    flip = rng.random(bits.shape) < 1 / (1 + np.exp(epsilon))[:, None]
    return tuple(int(v) for v in (bits ^ flip).ravel())


def unary_optimised(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[int, ...]:
    bits = np.eye(K, dtype=bool)[x]
    high = 0.5
    low = (1 / (np.exp(epsilon) + 1))[:, None]
    return tuple(int(v) for v in (rng.random(bits.shape) < np.where(bits, high, low)).ravel())


def reports(x: Vector, table: Any) -> Law:
    """table(value, ε): the chances of the K reports."""
    return Law(tuple(discrete(dict(enumerate(table(int(v), e)))) for v, e in zip(x, D, strict=True)))


def kinds_table(value: int, e: float) -> list[float]:
    return [(math.exp(e) if j == value else 1.0) / (math.exp(e) + 3) for j in range(K)]


def own_among_others(value: int, e: float) -> list[float]:
    p = math.exp(e) / (math.exp(e) + 3)
    return [(p if j == value else 0.0) + (1 - p) / 4 for j in range(K)]


def next_only(value: int, e: float) -> list[float]:
    return [truthful(e) if j == value else (1 - truthful(e)) * (j == (value + 1) % K) for j in range(K)]


def unary_law(x: Vector, high: Any, low: Any) -> Law:
    return Law(tuple(bit_law(high(e) if j == v else low(e)) for v, e in zip(x, D, strict=True) for j in range(K)))


ENTRIES: tuple[Entry, ...] = (
    of("k_ary_response", kinds_of_response, K, per_category(KINDS, D), 1.0, "", lambda x: reports(x, kinds_table)),
    of("k_ary_by_choice", kinds_by_choice, K, per_category(KINDS, D), 1.0, "", lambda x: reports(x, kinds_table)),
    # 1 + kp/(1-p) = 1 + 4e^ε/3.
    of(
        "k_ary_own_among_others",
        kinds_with_own_among_others,
        K,
        losing(KINDS, lambda e: math.log(1 + 4 * math.exp(e) / 3)),
        math.log(1 + 4 * math.exp(0.5) / 3) / 0.5,
        "a lie may be the truth",
        lambda x: reports(x, own_among_others),
    ),
    of(
        "k_ary_next_only",
        kinds_neighbouring,
        K,
        dict.fromkeys(KINDS, INF),
        INF,
        "some reports are impossible",
        lambda x: reports(x, next_only),
    ),
    of(
        "unary_encoding",
        unary,
        K,
        per_category(KINDS, D),
        1.0,
        "k-RAPPOR",
        lambda x: unary_law(x, lambda e: truthful(e / 2), lambda e: 1 - truthful(e / 2)),
    ),
    of(
        "unary_encoding_whole_demand",
        unary_whole_demand,
        K,
        per_category(KINDS, D, 2.0),
        2.0,
        "two bits move",
        lambda x: unary_law(x, truthful, lambda e: 1 - truthful(e)),
    ),
    of(
        "unary_encoding_optimised",
        unary_optimised,
        K,
        per_category(KINDS, D),
        1.0,
        "½ and 1/(e^ε + 1)",
        lambda x: unary_law(x, lambda _: 0.5, lambda e: 1 / (1 + math.exp(e))),
    ),
)
