"""The sampling mechanism's exact output masses from the integers it runs on, by enumeration of all samples.

A bin's total is U times the number of sampled users in it; the noise is discrete Laplace of scale 2^bits, in closed
form: P(N = z) = (1−q)/(1+q)·q^|z|, P(N ≥ z) = q^z/(1+q) for z ≥ 0, q = exp(−2^−bits). All noise has one scale, so
between two kinks (multiples of U) a ratio of masses is a Möbius function of e^{2z/2^bits}, hence monotone in each bin's
output: kinks and the two clips are enough.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import mpmath as mp
import numpy as np

from mechanisms.baselines.sampling import SamplingMechanism

ONE, ZERO = "clipped to 1", "clipped to 0"
Place = int | str


@dataclass(frozen=True)
class SamplingLaw:
    """Chances over 2^62, units, bits, and the smallest total that comes out as 1."""

    chances: tuple[int, ...]
    unit: int
    bits: int
    top: int
    bins: int

    @classmethod
    def of(cls, mechanism: SamplingMechanism) -> SamplingLaw:
        assert mechanism.bits is not None
        chances = tuple(int(c) for c in mechanism.chances)
        top = _smallest_clipped(mechanism.unit * mechanism.expected_size)
        return cls(chances, mechanism.unit, mechanism.bits, top, mechanism.task.outputs)

    def factor(self, place: Place, count: int) -> mp.mpf:
        """P(total + N falls at `place`) up to a common factor; `count` users are in the bin."""
        scale = mp.mpf(2) ** self.bits
        total = count * self.unit
        if place == ZERO:
            return mp.exp(-total / scale)
        if place == ONE:
            return self._at_least(self.top - total, scale)
        return mp.exp(-abs(int(place) - total) / scale)

    def _at_least(self, z: int, scale: mp.mpf) -> mp.mpf:
        """(1 + q)·P(N ≥ z)."""
        return mp.exp(-z / scale) if z >= 0 else 1 + mp.exp(-1 / scale) - mp.exp((z - 1) / scale)

    def places(self) -> list[Place]:
        kinks = [j * self.unit for j in range(len(self.chances) + 1)]
        return [ZERO, ONE, *(z for z in kinks if 0 < z < self.top)]

    def mass(self, data: tuple[int, ...], output: tuple[Place, ...]) -> mp.mpf:
        """The output's mass; for a mean, data of 1 count and data of 0 do not."""
        total = mp.mpf(0)
        for sample in product((0, 1), repeat=len(data)):
            chance = mp.mpf(1)
            for chosen, own in zip(sample, self.chances, strict=True):
                chance *= mp.mpf(own if chosen else 2**62 - own) / 2**62
            counts = self._counts(data, sample)
            for place, count in zip(output, counts, strict=True):
                chance *= self.factor(place, count)
            total += chance
        return total

    def _counts(self, data: tuple[int, ...], sample: tuple[int, ...]) -> list[int]:
        if self.bins == 1:
            return [sum(c * x for c, x in zip(sample, data, strict=True))]
        return [sum(c for c, x in zip(sample, data, strict=True) if x == j) for j in range(self.bins)]

    def worst(self, user: int) -> mp.mpf:
        """The user's exact loss: all data, all neighbours, all outputs at kinks and clips."""
        values = range(max(self.bins, 2))
        best = mp.mpf(0)
        for rest in product(values, repeat=len(self.chances) - 1):
            for output in product(self.places(), repeat=self.bins):
                masses = [self.mass((*rest[:user], own, *rest[user:]), output) for own in values]
                best = max(best, max(masses) / min(masses))
        return mp.log(best)


def closed_form(mechanism: SamplingMechanism, user: int) -> mp.mpf:
    """log(1 − p + p·e^s) for a mean, minus log(1 − p + p·e^{−s}) for frequencies; s = U/2^bits."""
    p = mp.mpf(int(mechanism.chances[user])) / 2**62
    step = mp.mpf(mechanism.unit) / mp.mpf(2) ** mechanism.bits
    if p == 1:
        return step * mechanism.task.sensitivity
    up = mp.log1p(p * mp.expm1(step))
    return up if mechanism.task.outputs == 1 else up - mp.log1p(p * mp.expm1(-step))


def _smallest_clipped(whole: float) -> int:
    """The smallest integer m with double(m)/whole ≥ 1."""
    low, high = 0, int(whole) + 1024
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if np.int64(middle) / whole >= 1 else (middle, high)
    return high
