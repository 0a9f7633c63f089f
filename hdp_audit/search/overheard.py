"""What traits of an output tell about everybody's coin: the remainder after a step, the place of the lowest set bit.

A trait is a number from -1 to 1. A loss of ε moves its average by no more than 2 tanh(ε/2); who moves one clearly
further is a suspect, to be tried on fresh draws.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp_audit.distinguishers.grids import fundamental_steps
from hdp_audit.search.designs import Design, hadamard

Floats = NDArray[np.float64]
Traits = Callable[[Floats], Floats]  # of so many outputs: a row for each trait

ROWS = 1 << 11  # calls that are looked at, or one design: a clear leak needs no more
BY_CHANCE = 0.01  # that anybody is suspected for nothing
PLACES = np.arange(1, 16) / 16  # quantiles at which places of bits are cut
LARGEST = 350.0  # demands that allow everything


@dataclass(frozen=True, eq=False)
class Overheard:
    """The largest move of any trait's average with each block's coin."""

    moved: Floats
    traits: int
    calls: int

    def beyond(self, epsilon: Floats) -> Floats:
        """Standard errors by which a block moves a trait further than its demand allows, if that is no chance; or 0."""
        excess = (self.moved - 2.0 * np.tanh(np.minimum(epsilon, LARGEST) / 2.0)) * np.sqrt(self.calls) / 2.0
        clear = np.sqrt(2.0 * np.log(max(self.traits * self.moved.size, 1) / BY_CHANCE))
        return np.where(excess > clear, excess, 0.0)


def overheard(seen: list[Floats], designs: list[Design], traits: Traits) -> Overheard:
    """From one output a call, of each design."""
    order = designs[0].order
    used = slice(-max(ROWS // order, 1), None)
    columns = np.array([design.columns for design in designs[used]])
    turned = np.array([np.where(design.flips, 1.0, -1.0) for design in designs[used]])
    values = traits(np.concatenate(seen[used]))
    found = hadamard(values.reshape(values.shape[0], columns.shape[0], order))
    effects = 2.0 / order * (turned * np.take_along_axis(found, columns[None], axis=2)).mean(axis=1)
    return Overheard(np.abs(effects).max(axis=0, initial=0.0), values.shape[0], columns.shape[0] * order)


def remainder_traits(outputs: Floats) -> Floats:
    """Where in a step an output lies, as a place on a circle."""
    shares = outputs / np.array(fundamental_steps(outputs))[:, None]
    angles = 2.0 * np.pi * (shares - np.floor(shares))
    return np.concatenate([np.cos(angles), np.sin(angles)])


def place_traits(places: Floats) -> Floats:
    """Whether the lowest set bit has a high place, for a few kinds of high."""
    cuts = np.unique(np.quantile(places, PLACES, method="higher"))
    return np.where(places >= cuts[cuts > places.min(), None], 1.0, -1.0)
