"""Exact noise on the sensitivity hull: integer vectors v with Σv = 0 and P(v) ∝ exp(−‖v‖₁/2^{bits+1}).

Moving a user of W units from one category to another changes the table by W(e_a − e_b), within the hyperplane of
constant sum. Noise that stays in that hyperplane wastes nothing on it: user i loses W_i/2^bits, and the largest of
ten entries is a sixth smaller than with independent noise.

Sampler. With r = ‖v‖₁/2, exactly j positive entries leave C(k,j)·C(r−1,j−1)·C(r+k−j−1,k−j−1) vectors. Propose r as a
sum of k−1 geometric numbers (weight C(r+k−2,k−2)q^r) and j hypergeometric (weight C(k,j)C(k−2,j−1)); accept with
probability Π_{i<j}(r−i)/(r+k−j−1+i), or 1/C(2k−2,k−1) at r = 0. Then which entries are positive, how r is divided
among them, and how among the others, are uniform. Every step is integer arithmetic on uniform words.

With r near k·2^bits and j near k/2 a proposal is accepted with probability about exp(−jk/r) = exp(−k/2^{bits+1}), so
the noise must not be much narrower than `narrowest_bits`.
"""

from __future__ import annotations

from itertools import pairwise
from math import comb

import numpy as np
from numpy.typing import NDArray

from mechanisms.noise import Integers, Words, geometric_parts, wide_word

Table = NDArray[np.int64]

LONGEST = 62  # bits that r may have on the fast path
CELLS = 1 << 20  # numbers to draw at once


def narrowest_bits(outputs: int) -> int:
    """The bits from which on at least one in e² proposals or so is accepted: k < 2^{bits+2}."""
    return max(outputs.bit_length() - 2, 0)


def hull_noise(bits: int, outputs: int, size: int, words: Words, limit: int, longest: int = LONGEST) -> Integers:
    """`size` independent vectors, entries clamped to ±limit (which a clip of total + noise makes invisible).

    Radii of more than `longest` bits are drawn one by one, in Python's integers.
    """
    out = np.empty((size, outputs), dtype=np.int64)
    filled = 0
    while filled < size:
        block = min(size - filled, max(1, CELLS // outputs))
        proposals = min(int(1.3 * block) + 8, max(2 * CELLS // outputs, 1))
        fresh = _accepted(bits, outputs, proposals, words, limit, longest)[: size - filled]
        out[filled : filled + fresh.shape[0]] = fresh
        filled += fresh.shape[0]
    return out


def _accepted(bits: int, k: int, proposals: int, words: Words, limit: int, longest: int) -> Integers:
    """The accepted among some proposals, in the order proposed."""
    low, steps = _radius_parts(bits, k, proposals, words)
    j = _positives(k, proposals, words)
    vectors = np.zeros((proposals, k), dtype=np.int64)
    kept = np.zeros(proposals, dtype=np.bool_)
    # The radius of a far-out proposal may not fit into a machine word: such rows go the slow way.
    wide = steps >= (1 << (longest - bits)) - k
    r = low + (np.where(wide, 0, steps) << bits)
    near = np.flatnonzero(~wide)
    kept[near] = _accept(r[near], j[near], k, words)
    for positives in np.unique(j[kept]):
        rows = np.flatnonzero(kept & (j == positives) & (r > 0))
        vectors[rows] = _vectors(r[rows], int(positives), k, words)
    for row in np.flatnonzero(wide):
        radius = int(low[row]) + (int(steps[row]) << bits)
        kept[row] = _one_accepted(radius, int(j[row]), k, words)
        if kept[row] and radius:
            vectors[row] = [min(max(entry, -limit), limit) for entry in _one_vector(radius, int(j[row]), k, words)]
    return np.clip(vectors[kept], -limit, limit)


def _radius_parts(bits: int, k: int, size: int, words: Words) -> tuple[Integers, Integers]:
    """r = low + 2^bits·steps, a sum of k − 1 geometric numbers of ratio exp(−1/2^bits)."""
    lows, steps = geometric_parts(bits, size * (k - 1), words)
    low, whole = np.zeros(size, dtype=np.int64), steps.reshape(size, k - 1).sum(axis=1)
    for part in lows.reshape(size, k - 1).T:  # one by one: several of 62 bits would not fit into a word
        low = low + part
        whole += low >> bits
        low &= (1 << bits) - 1
    return low, whole


def _positives(k: int, size: int, words: Words) -> Integers:
    """Hypergeometric: how many of k marked among k − 1 drawn from 2k − 2, by a random order."""
    return (random_orders(size, 2 * k - 2, words)[:, : k - 1] < k).sum(axis=1)


def _accept(r: Integers, j: Integers, k: int, words: Words) -> NDArray[np.bool_]:
    kept = np.ones(r.size, dtype=np.bool_)
    zero = np.flatnonzero(r == 0)
    kept[zero] = [_one_below(comb(2 * k - 2, k - 1), words) == 0 for _ in zero]
    for i in range(1, int(j.max(initial=1))):
        rows = np.flatnonzero(kept & (j > i) & (r > 0))
        bounds = r[rows] + (k - 1 + i) - j[rows]
        kept[rows] = below(bounds, words) < r[rows] - i
    return kept


def _vectors(r: Integers, j: int, k: int, words: Words) -> Table:
    """Uniform among the vectors of radius r with j positive entries, a row for each r."""
    vectors = np.empty((r.size, k), dtype=np.int64)
    up = _compositions(r, j, words)
    down = _compositions(r + (k - j), k - j, words) - 1
    order = random_orders(r.size, k, words)
    np.put_along_axis(vectors, order[:, :j], up, axis=1)
    np.put_along_axis(vectors, order[:, j:], -down, axis=1)
    return vectors


def _compositions(totals: Integers, parts: int, words: Words) -> Table:
    """Totals divided into so many positive parts, uniformly: distinct cuts, drawn again where two coincide."""
    cuts = np.empty((totals.size, parts - 1), dtype=np.int64)
    todo = np.arange(totals.size)
    while todo.size and parts > 1:
        bounds = np.repeat(totals[todo] - 1, parts - 1)
        drawn = np.sort(1 + below(bounds, words).reshape(todo.size, parts - 1), axis=1)
        cuts[todo] = drawn
        todo = todo[(drawn[:, 1:] == drawn[:, :-1]).any(axis=1)]
    edges = np.concatenate([np.zeros((totals.size, 1), dtype=np.int64), cuts, totals[:, None]], axis=1)
    return np.diff(edges, axis=1)


def below(bounds: Integers, words: Words) -> Integers:
    """Uniform integers from 0 to bound − 1, each with its own bound: enough bits, drawn again while too large."""
    shift = (64 - np.frexp(bounds.astype(np.float64))[1]).astype(np.uint64)
    numbers = (words(bounds.size) >> shift).astype(np.int64)
    again = np.flatnonzero(numbers >= bounds)
    while again.size:
        numbers[again] = (words(again.size) >> shift[again]).astype(np.int64)
        again = again[numbers[again] >= bounds[again]]
    return numbers


def random_orders(rows: int, width: int, words: Words) -> Table:
    """A uniformly random permutation of 0..width−1 in each row.

    The order of random keys, drawn again where two coincide.
    """
    orders = np.empty((rows, width), dtype=np.int64)
    todo = np.arange(rows)
    while todo.size:
        keys = words(todo.size * width).reshape(todo.size, width)
        orders[todo] = np.argsort(keys, axis=1)
        ordered = np.sort(keys, axis=1)
        todo = todo[(ordered[:, 1:] == ordered[:, :-1]).any(axis=1)]
    return orders


def _one_below(bound: int, words: Words) -> int:
    """A uniform integer from 0 to bound − 1, of any size."""
    bits = (bound - 1).bit_length()
    number = wide_word(bits, words)
    while number >= bound:
        number = wide_word(bits, words)
    return number


def _one_accepted(radius: int, j: int, k: int, words: Words) -> bool:
    """`_accept` in Python integers."""
    if radius == 0:
        return _one_below(comb(2 * k - 2, k - 1), words) == 0
    return all(_one_below(radius + k - j - 1 + i, words) < radius - i for i in range(1, j))


def _one_vector(radius: int, j: int, k: int, words: Words) -> list[int]:
    """`_vectors` in Python integers."""
    order = random_orders(1, k, words)[0]
    vector = [0] * k
    for place, part in zip(order[:j], _one_composition(radius, j, words), strict=True):
        vector[place] = part
    for place, part in zip(order[j:], _one_composition(radius + k - j, k - j, words), strict=True):
        vector[place] = 1 - part
    return vector


def _one_composition(total: int, parts: int, words: Words) -> list[int]:
    cuts: set[int] = set()
    while len(cuts) < parts - 1:
        cuts.add(1 + _one_below(total - 1, words))
    edges = [0, *sorted(cuts), total]
    return [after - before for before, after in pairwise(edges)]
