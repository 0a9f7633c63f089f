"""A service that counts, with a budget for every user; README.md proves what it promises."""

import numpy as np

FEWEST = 10  # smaller counts are told to nobody


class Refused(Exception):
    """A question without an answer."""


class Service:
    """Counts users above a cut, with noise. Whoever is counted pays for it; whoever cannot pay is not counted."""

    def __init__(self, data, epsilon, rng):
        self._data, self._epsilon, self._rng = data, epsilon, rng
        self._spent = np.zeros(len(epsilon))

    def count(self, cut, price, at_least):
        """The noisy number of users above the cut; refused where it is below `at_least`, or below 10."""
        noisy = self._paid(self._payers(cut, price), price)
        if noisy < max(at_least, FEWEST):
            raise Refused
        return noisy

    def _payers(self, cut, price):
        """Who is above the cut and has the price left; in prices of whole 64ths sums are exact."""
        if price <= 0 or price * 64 % 1:
            raise ValueError("a price is a positive number of 64ths")
        return (self._data > cut) & (self._spent + price <= self._epsilon)

    def _paid(self, payers, price):
        """How many they are, plus an integer k with probability proportional to exp(-|k| * price)."""
        self._spent[payers] += price
        stop = -np.expm1(-price)
        return int(payers.sum() + self._rng.geometric(stop) - self._rng.geometric(stop))
