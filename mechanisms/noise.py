"""Laplace noise, twice: exact on the integers, and fast but leaky in doubles.

The exact source draws Z with P(Z = z) ∝ exp(−|z|/2^bits) in integer arithmetic alone (Canonne, Kamath and Steinke
2020): no rounding, so the privacy loss is a theorem about the code. It eats uniform 64-bit words, from the operating
system (a real release) or from a seeded generator (a simulation of the same exact law).
"""

from __future__ import annotations

import os
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from mechanisms.demands import Floats

Words = Callable[[int], NDArray[np.uint64]]
Integers = NDArray[np.int64]

WIDEST = 62  # bits of a scale that 64-bit integers can carry; wider scales are drawn one at a time


def word_source(rng: np.random.Generator | None) -> Words:
    """Uniform 64-bit words: the operating system's for None, else the generator's."""
    if rng is None:
        return lambda size: np.frombuffer(os.urandom(8 * size), dtype=np.uint64)
    if isinstance(rng.bit_generator, np.random.MT19937):  # its raw words have 32 bits
        return lambda size: rng.integers(0, 2**64 - 1, size=size, dtype=np.uint64, endpoint=True)
    return rng.bit_generator.random_raw  # the same words, without the checks that cost more than small draws


def discrete_laplace(bits: int, size: int, words: Words, limit: int, block: int = 1 << 17) -> Integers:
    """`size` independent draws, P(z) ∝ exp(−|z|/2^bits), clamped to ±limit.

    The clamp loses nothing where the sum is clipped anyway, and keeps every sum within 64 bits.
    """
    draw = _laplace_block if bits <= WIDEST else _laplace_one_by_one
    out = np.empty(size, dtype=np.int64)
    filled = 0
    while filled < size:
        fresh = draw(bits, min(size - filled, block), words, limit)
        out[filled : filled + fresh.size] = fresh
        filled += fresh.size
    return out


def _laplace_block(bits: int, size: int, words: Words, limit: int) -> Integers:
    """Up to `size` draws: a magnitude and a sign."""
    return signed(geometric(bits, size, words, limit), words)


def signed(magnitude: Integers, words: Words) -> Integers:
    """A fair sign for each; the second of the two zeros (+0, −0) is dropped."""
    negative = coin_flips(magnitude.size, words)
    keep = ~(negative & (magnitude == 0))
    both = np.where(negative, -magnitude, magnitude)
    return both if keep.all() else both[keep]


def geometric(bits: int, size: int, words: Words, limit: int) -> Integers:
    """P(y) ∝ exp(−y/2^bits) for y ≥ 0, capped at `limit`."""
    return capped(*geometric_parts(bits, size, words), bits, limit)


def capped(low: Integers, steps: Integers, bits: int, limit: int) -> Integers:
    """The parts together, at most `limit`; whole steps beyond it would overflow, and are capped all the same."""
    return np.minimum(low + (np.minimum(steps, (limit >> bits) + 1) << bits), limit)


def geometric_parts(bits: int, size: int, words: Words) -> tuple[Integers, Integers]:
    """The same number in two parts, y = low + 2^bits·steps: low below 2^bits, steps geometric of ratio 1/e."""
    low = np.empty(size, dtype=np.int64)
    filled = 0
    while filled < size:
        # A proposal is kept with probability (1 − 1/e) or more.
        proposals = low_bits(bits, int(1.6 * (size - filled)) + 8, words)
        kept = proposals[bernoulli_exp(proposals, bits, words)][: size - filled]
        low[filled : filled + kept.size] = kept
        filled += kept.size
    return low, _whole_steps(size, words)


def bernoulli_exp(u: NDArray[np.uint64], bits: int, words: Words) -> NDArray[np.bool_]:
    """True with probability exp(−u/2^bits): count k until a coin of bias u/(2^bits·k) fails.

    True where the count is odd.
    """
    accepted = np.ones(u.size, dtype=np.bool_)
    alive = np.arange(u.size)
    k = 1
    while alive.size:
        if k > 1:
            alive = alive[one_in(k, alive.size, words)]
        alive = alive[low_bits(bits, alive.size, words) < u[alive]]
        accepted[alive] = k % 2 == 0
        k += 1
    return accepted


def bernoulli_inverse_e(size: int, words: Words) -> NDArray[np.bool_]:
    """True with probability 1/e: the same count with u = 2^bits, whose first coin never fails."""
    accepted = np.zeros(size, dtype=np.bool_)
    alive = np.arange(size)
    k = 2
    while alive.size:
        alive = alive[one_in(k, alive.size, words)]
        accepted[alive] = k % 2 == 0
        k += 1
    return accepted


def _whole_steps(size: int, words: Words) -> Integers:
    """P(v) ∝ e^{−v}: how often a coin of bias 1/e succeeds before it fails, `size` times in one row of tosses."""
    fails, tossed = np.array([-1]), 0
    while fails.size <= size:
        # A toss fails with probability 1 − 1/e; what is tossed beyond the last failure is not used.
        fresh = int(1.6 * (size + 1 - fails.size)) + 8
        fails = np.concatenate([fails, tossed + np.flatnonzero(~bernoulli_inverse_e(fresh, words))])
        tossed += fresh
    return fails[1 : size + 1] - fails[:size] - 1


def low_bits(bits: int, size: int, words: Words) -> NDArray[np.uint64]:
    """Uniform integers of so many bits."""
    if bits == 0:
        return np.zeros(size, dtype=np.uint64)
    return words(size) >> np.uint64(64 - bits)


def coin_flips(size: int, words: Words) -> NDArray[np.bool_]:
    """Fair coins."""
    packed = words(-(-size // 64)).view(np.uint8)
    return np.unpackbits(packed, count=size).astype(np.bool_)


def one_in(k: int, size: int, words: Words) -> NDArray[np.bool_]:
    """True with probability 1/k exactly: a uniform number below k (drawn again while too large) is 0."""
    if k == 2:
        return coin_flips(size, words)
    bits = (k - 1).bit_length()
    number = low_bits(bits, size, words)
    again = (number >= k).nonzero()[0]
    while again.size:
        number[again] = low_bits(bits, again.size, words)
        again = again[number[again] >= k]
    return number == 0


def _laplace_one_by_one(bits: int, size: int, words: Words, limit: int) -> Integers:
    """The same law in Python integers, for scales that no machine word holds."""
    return np.array([_one_laplace(bits, words, limit) for _ in range(size)], dtype=np.int64)


def _one_laplace(bits: int, words: Words, limit: int) -> int:
    while True:
        magnitude = one_geometric(bits, words)
        negative = bool(coin_flips(1, words)[0])
        if not (negative and magnitude == 0):
            return max(-magnitude, -limit) if negative else min(magnitude, limit)


def one_geometric(bits: int, words: Words) -> int:
    """P(y) ∝ exp(−y/2^bits) for y ≥ 0, in Python integers."""
    low = wide_word(bits, words)
    while not _one_bernoulli_exp(low, bits, words):
        low = wide_word(bits, words)
    return low + (int(_whole_steps(1, words)[0]) << bits)


def _one_bernoulli_exp(u: int, bits: int, words: Words) -> bool:
    k = 1
    while (k == 1 or bool(one_in(k, 1, words)[0])) and wide_word(bits, words) < u:
        k += 1
    return k % 2 == 1


def wide_word(bits: int, words: Words) -> int:
    """A uniform integer of so many bits."""
    count = -(-bits // 64)
    return int.from_bytes(words(count).tobytes(), "little") >> (64 * count - bits)


def float_laplace(scale: float, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """Laplace noise in doubles.

    Leaky: the low bits of value + noise tell the value (Mironov 2012); for simulation only.
    """
    return rng.laplace(0.0, scale, size=shape)
