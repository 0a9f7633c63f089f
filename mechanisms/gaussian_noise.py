"""Gaussian noise on the integers, exactly: P(Z = z) ∝ exp(−z²/2σ²) for any rational σ², without a single float.

After Canonne, Kamath and Steinke (2020): draw y from the discrete Laplace law of any scale t and keep it with
probability exp(−(|y| − σ²/t)²/2σ²). Both exponents together are −y²/2σ² and a constant, so what is kept has the law
asked for, whichever t; t is a power of two, for which proposals are drawn already, near σ, where most are kept. Where
σ itself is a power of two, as in every mechanism here, (|y|/σ − 1)² is taken apart into coins that need no product.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mechanisms.noise import (
    WIDEST,
    Integers,
    Words,
    bernoulli_exp,
    bernoulli_inverse_e,
    capped,
    geometric_parts,
    low_bits,
    one_geometric,
    one_in,
    signed,
)

Bools = NDArray[np.bool_]
Whole = NDArray[Any]  # Python integers of any size


def discrete_gaussian(variance: Fraction, size: int, words: Words, limit: int, block: int = 1 << 17) -> Integers:
    """`size` independent draws, P(z) ∝ exp(−z²/2σ²), clamped to ±limit, which a later clip must hide."""
    bits = power_of_two(variance)
    out = np.empty(size, dtype=np.int64)
    filled = 0
    while filled < size:
        # Three of four proposals are kept.
        fresh = min(size - filled + (size - filled >> 1) + 8, block)
        if bits is None:
            draws = signed(_any_variance(variance, fresh, words, limit), words)
        else:
            draws = signed(_power_of_two(bits, fresh, words, limit), words)
        kept = draws[: size - filled]
        out[filled : filled + kept.size] = kept
        filled += kept.size
    return out


def power_of_two(variance: Fraction) -> int | None:
    """The bits of a σ = 2^bits that machine words can carry; None for any other."""
    bits = (variance.numerator.bit_length() - 1) // 2
    return bits if variance == 1 << 2 * bits and bits <= WIDEST else None


def _power_of_two(bits: int, size: int, words: Words, limit: int) -> Integers:
    """Magnitudes that are kept of `size` proposals with t = σ = 2^bits."""
    low, steps = geometric_parts(bits, size, words)
    keep = _near_one(low, steps, bits, words)
    return capped(low[keep], steps[keep], bits, limit)


def _near_one(low: Integers, steps: Integers, bits: int, words: Words) -> Bools:
    """True with probability exp(−r²/2), r = |y/σ − 1| = j + f: exp(−j²/2)·exp(−jf)·exp(−f²/2), f = u/2^bits."""
    u = np.where(steps == 0, (1 << bits) - low, low).astype(np.uint64)
    j = np.maximum(steps - 1, 0)
    keep = _bernoulli_exp_half_square(u, bits, words)
    _repeated(keep, j * j, lambda rows: bernoulli_exp(np.ones(rows.size, dtype=np.uint64), 1, words))
    _repeated(keep, j, lambda rows: bernoulli_exp(u[rows], bits, words))
    return keep


def _repeated(keep: Bools, times: Integers, coin: Callable[[Integers], Bools]) -> None:
    """Toss so many coins for each row that is kept; one that fails drops its row."""
    rows = np.repeat(keep.nonzero()[0], times[keep])
    keep[rows[~coin(rows)]] = False


def _bernoulli_exp_half_square(u: NDArray[np.uint64], bits: int, words: Words) -> Bools:
    """True with probability exp(−f²/2), f = u/2^bits ≤ 1: count k until a coin of bias f·f/(2k) fails, keep if odd."""
    accepted = np.ones(u.size, dtype=np.bool_)
    alive = np.arange(u.size)
    k = 1
    while alive.size:
        alive = alive[one_in(2 * k, alive.size, words)]
        for _ in range(2):
            alive = alive[low_bits(bits, alive.size, words) < u[alive]]
        accepted[alive] = k % 2 == 0
        k += 1
    return accepted


def _any_variance(variance: Fraction, size: int, words: Words, limit: int) -> Integers:
    """The same for σ² = p/q and t ≤ σ < 2t (t = 1 below): the exponent is (qt|y| − p)²/(2pqt²)."""
    p, q = variance.numerator, variance.denominator
    bits = max(isqrt(p // q).bit_length() - 1, 0)
    magnitude = _magnitudes(bits, size, words)
    keep = bernoulli_exp_fraction((q * (magnitude << bits) - p) ** 2, 2 * p * q << 2 * bits, words)
    return np.minimum(magnitude[keep], limit).astype(np.int64)


def _magnitudes(bits: int, size: int, words: Words) -> Whole:
    if bits > WIDEST:
        return np.array([one_geometric(bits, words) for _ in range(size)], dtype=object)
    low, steps = geometric_parts(bits, size, words)
    return low.astype(object) + (steps.astype(object) << bits)


def bernoulli_exp_fraction(numerators: Whole, denominator: int, words: Words) -> Bools:
    """True with probability exp(−a/d): one coin of bias 1/e for each whole part, and one for what is left."""
    accepted = np.ones(numerators.size, dtype=np.bool_)
    whole, rest = numerators // denominator, numerators % denominator
    alive, tossed = (whole > 0).nonzero()[0], 0
    while alive.size:
        fine = bernoulli_inverse_e(alive.size, words)
        accepted[alive[~fine]] = False
        tossed += 1
        alive = alive[fine & (whole[alive] > tossed)]
    left = accepted.nonzero()[0]
    accepted[left] = _bernoulli_exp_below_one(rest[left], denominator, words)
    return accepted


def _bernoulli_exp_below_one(rest: Whole, denominator: int, words: Words) -> Bools:
    """Count k until a coin of bias rest/(d·k) fails; True where the count is odd."""
    accepted = np.ones(rest.size, dtype=np.bool_)
    alive = np.arange(rest.size)
    k = 1
    while alive.size:
        if k > 1:
            alive = alive[one_in(k, alive.size, words)]
        alive = alive[bernoulli_fraction(rest[alive], denominator, words)]
        accepted[alive] = k % 2 == 0
        k += 1
    return accepted


def bernoulli_fraction(numerators: Whole, denominator: int, words: Words) -> Bools:
    """True with probability a/d, 0 ≤ a ≤ d: a uniform number below a/d, in 64 digits at a time."""
    digits, rest = (numerators << 64) // denominator, (numerators << 64) % denominator
    drawn = words(numerators.size).astype(object)
    below = np.less(drawn, digits).astype(np.bool_)
    tied = np.equal(drawn, digits).nonzero()[0]
    if tied.size:
        below[tied] = bernoulli_fraction(rest[tied], denominator, words)
    return below
