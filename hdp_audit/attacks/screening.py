"""Screening everybody at once: each user has a fair coin of their own in every call, so one call says something about
all of them.

Given the output and everybody else's coins, the coin of user i is still guessed right with probability at most 1/(1 +
e^{−ε_i}). Here the coins only *name suspects*: the correlation of a coin with the output estimates how far that user
moves it, and whoever moves it further than their demand allows, in units of the noise, is tried on fresh draws by the
two-dataset game.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp_audit.attacks.pairs import Data
from hdp_audit.sampling.streams import stream
from hdp_audit.sampling.subject import Subject

Floats = NDArray[np.float64]

CELLS = 1 << 22  # coins held at once
TYPICAL_DRAWS = 400  # outputs of one dataset that tell the noise's scale


@dataclass(frozen=True)
class Screening:
    """How far each user moves the output, with the standard error, and how far their demand allows."""

    moved: Floats
    error: float
    allowed: Floats  # demand × noise scale
    calls: int

    @property
    def suspicion(self) -> Floats:
        """Standard errors by which a user moves the output too far."""
        return (self.moved - self.allowed) / self.error

    def suspects(self, most: int) -> NDArray[np.int64]:
        """The most suspicious users, worst first; nobody whom chance explains."""
        order = np.argsort(-self.suspicion)[:most]
        return order[self.suspicion[order] > 1.0]

    def nameable(self, margin: float = 4.5) -> Floats:
        """The loss, in units of the noise, at which each user would stand out from n others."""
        return np.maximum(self.allowed, 0.0) + margin * self.error


def screen(subject: Subject, first: Data, second: Data, calls: int, seed: int) -> Screening:
    """Everybody between two values by their own coin, `calls` times."""
    n = subject.epsilon.size
    total, squares, sums = np.zeros(n), 0.0, 0.0
    coins_stream, rng = stream(seed, "screening", "coins"), stream(seed, "screening", "mechanism")
    done = 0
    signs_sum = np.zeros(n)
    while done < calls:
        rows = min(max(CELLS // n, 1), calls - done)
        coins = coins_stream.integers(0, 2, size=(rows, n), dtype=np.int8)
        outputs = _moving(subject.draw_each(np.where(coins, second, first), rng))
        signs = 2.0 * coins - 1.0
        total += outputs @ signs
        signs_sum += signs.sum(axis=0)
        sums += float(outputs.sum())
        squares += float((outputs**2).sum())
        done += rows
    mean = sums / calls
    deviation = np.sqrt(max(squares / calls - mean**2, 0.0))
    moved = 2.0 * (total - mean * signs_sum) / calls
    scale = _noise_scale(subject, first, seed)
    # Public users were promised nothing; a noiseless mechanism allows nobody anything.
    allowed = np.where(np.isinf(subject.epsilon), np.inf, np.minimum(subject.epsilon, 1e300) * scale)
    return Screening(moved, max(2.0 * deviation / np.sqrt(calls), 1e-300), allowed, calls + TYPICAL_DRAWS)


def _moving(table: Floats) -> Floats:
    """One number an output that every user's coin moves the same way: a mean itself, or bin 1 less bin 0, halved."""
    return table[:, 0] if table.shape[1] == 2 else 0.5 * (table[:, 1] - table[:, 0])


def _noise_scale(subject: Subject, data: Data, seed: int) -> float:
    """Laplace scale of the mean, or half of a bin's, from the middle half of outputs on one dataset.

    Where nothing is clipped.
    """
    middle = np.array(data, copy=True)
    middle[::2] = 1 if subject.categories else 1.0
    outputs = _moving(subject.draw(middle, TYPICAL_DRAWS, stream(seed, "screening", "noise")))
    low, high = np.quantile(outputs, [0.25, 0.75])
    # The middle half of a Laplace law of scale b is 2b·log 2 wide; half of a difference of two bins of scale 2t
    # is about 1.26 times as wide.
    return float((high - low) / (2.0 * np.log(2.0)) / (1.0 if subject.categories is None else 1.26))
