"""The anytime game: every guess is a bet, and wealth that grows past 1/significance refutes the claim.

If P(right | everything before) ≤ p then betting on an alternative q > p, wealth ×= q/p after a right guess and
(1−q)/(1−p) after a wrong one, never grows in expectation (a supermartingale), whichever user, pair or rule each bet
uses, as long as it was chosen before the draw. By Ville's inequality wealth ever reaches 1/s with probability at most
s. A fixed mixture of alternatives is again such a wealth: it costs the logarithm of a weight, not a guess of the true
loss.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logsumexp

Floats = NDArray[np.float64]

FACTORS = np.array(
    [1.05, 1.1, 1.2, 1.35, 1.6, 2.0, 3.0, 6.0, 20.0, 200.0]
)  # losses bet on, in units of the claimed one
EXCESSES = np.array([0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0])  # and in absolute terms, for claims near 0


LARGEST = 30.0  # e^−30 is far below one in any number of calls: a larger claim cannot be bet against


def alternatives(loss: float) -> Floats:
    """The losses that are bet on: multiples of the claim, and the claim plus something."""
    bets = np.unique(np.concatenate([loss * FACTORS, loss + EXCESSES]))
    return bets[bets <= LARGEST + 5.0]


@dataclass(frozen=True)
class Wealth:
    """Right guesses and guesses made so far, against one claimed loss."""

    claimed: float
    right: int = 0
    made: int = 0

    def after(self, right: int, made: int) -> Wealth:
        """The wealth after more bets."""
        return Wealth(self.claimed, self.right + right, self.made + made)

    @property
    def log(self) -> float:
        """Logarithm of the wealth, from 0."""
        return float(log_wealth(self.claimed, self.right, self.made))

    def refutes(self, significance: float) -> bool:
        """True when the claim is refuted at that significance; it may be asked after every bet."""
        return self.log >= -np.log(significance)

    def loss_lower(self, significance: float) -> float:
        """A confidence sequence: every smaller loss is refuted, at all times at once."""
        return loss_lower_anytime(self.right, self.made, significance)


def log_wealth(loss: float, right: int, made: int) -> float:
    """log of the mean over alternatives q of (q/p)^right·((1−q)/(1−p))^wrong."""
    if loss > LARGEST:
        return 0.0
    bets = alternatives(loss)
    # log p = −log(1 + e^−loss), log(1 − p) = −log(1 + e^loss)
    steps = right * (np.logaddexp(0.0, -loss) - np.logaddexp(0.0, -bets)) + (made - right) * (
        np.logaddexp(0.0, loss) - np.logaddexp(0.0, bets)
    )
    return float(logsumexp(steps) - np.log(bets.size))


def loss_lower_anytime(right: int, made: int, significance: float) -> float:
    """The largest loss refuted by these counts, by bisection; 0 where none is."""
    if log_wealth(0.0, right, made) < -np.log(significance):
        return 0.0
    low, high = 0.0, LARGEST
    for _ in range(50):
        middle = 0.5 * (low + high)
        refuted = log_wealth(middle, right, made) >= -np.log(significance)
        low, high = (middle, high) if refuted else (low, middle)
    return low
