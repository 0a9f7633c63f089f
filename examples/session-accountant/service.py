"""A service that counts, with a budget for every user; README.md proves what it promises."""

import numpy as np

FEWEST = 10  # smaller counts are told to nobody


class Refused(Exception):
    """A question without an answer."""


class Service:
    """Counts users above a cut, with noise. Whoever is counted pays 1/scale; whoever cannot pay is not counted."""

    def __init__(self, data, epsilon, rng):
        self._data, self._epsilon, self._rng = data, epsilon, rng
        self._spent = np.zeros(len(epsilon))

    def count(self, cut, scale, at_least):
        """The noisy number of users above the cut; refused where it is below `at_least` (10 or more)."""
        noisy = self._paid(self._counted(cut, scale), scale)
        if noisy < max(at_least, FEWEST):
            raise Refused
        return noisy

    def _counted(self, cut, scale):
        """Who is above the cut, and can pay; scales are powers of two, so that sums of prices are exact."""
        return (self._data > cut) & (self._spent + 1 / scale <= self._epsilon)

    def _paid(self, counted, scale):
        """How many they are, plus an integer k with probability proportional to exp(-|k|/scale)."""
        self._spent[counted] += 1 / scale
        stop = -np.expm1(-1 / scale)
        return int(counted.sum() + self._rng.geometric(stop) - self._rng.geometric(stop))
