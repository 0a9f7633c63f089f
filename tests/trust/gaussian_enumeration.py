"""Small Gaussian mechanisms, output by output: exact laws and divergences in 50 digits."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from itertools import product

import mpmath
import numpy as np

from mechanisms.gaussian import GaussianMechanism

DIGITS = 50
Law = dict[int, mpmath.mpf]


@lru_cache(maxsize=8)
def noise(bits: int) -> Law:
    """P(Z = z) of the discrete Gaussian with σ = 2^bits, up to 40 σ: D_α looks as far as α gaps, here below 28 σ."""
    with mpmath.workdps(DIGITS):
        reach = 40 << bits
        weights = {z: mpmath.exp(-mpmath.mpf(z * z) / (2 << 2 * bits)) for z in range(-reach, reach + 1)}
        whole = sum(weights.values())
        return {z: weight / whole for z, weight in weights.items()}


@lru_cache(maxsize=256)
def released(total: int, bits: int, ends: tuple[int, int] | None) -> Law:
    """The law of total + noise, clipped to the ends if there are any."""
    law: Law = {}
    with mpmath.workdps(DIGITS):
        for z, chance in noise(bits).items():
            output = total + z if ends is None else min(max(total + z, ends[0]), ends[1])
            law[output] = law.get(output, mpmath.mpf(0)) + chance
    return law


def renyi(first: Law, second: Law, order: mpmath.mpf) -> mpmath.mpf:
    """D_α(P‖Q), over the outputs that both have; what only one has lies beyond 36 σ."""
    with mpmath.workdps(DIGITS):
        both = first.keys() & second.keys()
        return mpmath.log(sum(first[y] ** order * second[y] ** (1 - order) for y in both)) / (order - 1)


@lru_cache(maxsize=256)
def shifted(gap: int, bits: int, order: Fraction) -> mpmath.mpf:
    """D_α between the noise and the noise moved by the gap."""
    return renyi(released(0, bits, None), released(gap, bits, None), real(order))


def real(fraction: Fraction) -> mpmath.mpf:
    """The fraction in all digits."""
    with mpmath.workdps(DIGITS):
        return mpmath.mpf(fraction.numerator) / fraction.denominator


def hockey_stick(first: Law, second: Law, epsilon: float) -> mpmath.mpf:
    """Σ(P − e^ε·Q)₊."""
    with mpmath.workdps(DIGITS):
        factor = mpmath.exp(epsilon)
        return sum(max(first[y] - factor * second.get(y, mpmath.mpf(0)), mpmath.mpf(0)) for y in first)


def clip_ends(mechanism: GaussianMechanism) -> tuple[int, int]:
    """The totals at which the estimate reaches 0 and 1."""
    offset = Fraction(mechanism.grid.whole - int(mechanism.grid.units.sum()), 2)
    return -int(offset // 1), int((mechanism.grid.whole - offset) // 1)


def replacements(
    mechanism: GaussianMechanism, user: int, values: list[float]
) -> Iterator[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The totals of every dataset of these values, before and after the user's datum is replaced; each pair once."""
    seen = set()
    for data in product(values, repeat=mechanism.epsilon.size):
        for value in values:
            other = (*data[:user], value, *data[user + 1 :])
            rows = mechanism.task.totals(mechanism.grid.units, np.array([data, other]))
            pair = tuple(map(int, rows[0])), tuple(map(int, rows[1]))
            if pair not in seen:
                seen.add(pair)
                yield pair
