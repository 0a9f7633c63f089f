"""The anytime game: every guess is a bet of an e-process, which refutes the claim past 1/significance.

If P(right | everything before) ≤ p then betting on an alternative q > p, wealth ×= q/p after a right guess and
(1−q)/(1−p) after a wrong one, never grows in expectation (a supermartingale), whichever user, pair or rule each bet
uses, as long as it was chosen before the draw.

Which alternatives: after m bets log wealth on q is about m·KL(q‖p) if q is the truth, and no bet reaches log(1/s)
from fewer right guesses than the q with m·KL(q‖p) = log(1/s). So half of the stake goes to the q that is best at the
horizon, a quarter to the one that is best at half the horizon, and so on: near the limit of what the calls can show the
mixture costs log 2, and glaring claims fall early.

The stake has three parts: one makes every bet, one only those of rules that their own training makes promising, so
that bets from before a leak was understood do not bury it, and one those that should refute the claim by far: few
guesses, on rare outputs, that are almost always right. Which sub-stakes a bet is made from is known before its draw.
The first has most of the stake, which costs it another log(1/0.6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp_audit.evidence.e_process import EProcess, goal, mixed, together

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

LARGEST = 30.0  # e^−30 is far below one in any number of calls: a larger claim cannot be bet against
SUB_STAKES = {-np.inf: 0.6, 0.0: 0.3, 1.0: 0.1}  # of the stake, by how far beyond the claim a rule should get
STAKES = 24  # halvings of the horizon
BOLDEST = 20.0  # times less often wrong than claimed: wins all but a twentieth of what surest bets do, bears errors
BEYOND = np.geomspace(1e-6, 64.0, 512)  # logits above the claim at which alternatives are looked up
TRIED = 48  # counts at once, where the fewest that refute are looked for
PRECISION = 1e-6  # bounds are too low by so much, never too high


@dataclass(frozen=True)
class Wealth(EProcess):
    """Right guesses and guesses made so far, against one claimed loss."""

    claimed: float
    horizon: int  # guesses for which the stakes are laid out; any number may be made
    significance: float
    sub_stakes: tuple[tuple[int, int], ...] = ((0, 0),) * len(SUB_STAKES)  # right guesses and all guesses, from each

    def after(self, right: int, made: int, *, assured: float = np.inf) -> Wealth:
        """The wealth after more bets by a rule that should prove a loss of `assured`."""
        plays = self._plays(assured)
        counts = ((before + p * right, of + p * made) for p, (before, of) in zip(plays, self.sub_stakes, strict=True))
        return replace(self, sub_stakes=tuple(counts))

    def along(self, right: Counts, made: Counts, *, assured: float = np.inf) -> Wealth:
        """The wealth at the first moment that refutes the claim, else at the last; counts are from now to each."""
        logs = []
        for share, plays, (before, of) in zip(SUB_STAKES.values(), self._plays(assured), self.sub_stakes, strict=True):
            won, bets = (before + right, of + made) if plays else (before, of)
            logs.append(np.log(share) + log_wealth(self.claimed, won, bets, self.horizon, self.significance))
        refuting = together(logs) >= self.goal
        at = int(np.argmax(refuting)) if refuting.any() else -1
        return self.after(int(right[at]), int(made[at]), assured=assured)

    def _plays(self, assured: float) -> list[int]:
        """1 for each sub-stake that such a rule's bets are made from, 0 for others."""
        return [int(assured > self.claimed + beyond) for beyond in SUB_STAKES]

    @property
    def every(self) -> tuple[int, int]:
        """(right, made) of all bets."""
        return self.sub_stakes[0]

    def log_against(self, loss: float) -> float:
        """Logarithm of the wealth against any loss, from 0."""
        logs = self._logs(loss) + np.log(list(SUB_STAKES.values()))
        return float(together(list(logs)))

    def _logs(self, loss: float) -> Floats:
        return np.array([log_wealth(loss, *counts, self.horizon, self.significance) for counts in self.sub_stakes])

    @cached_property
    def log(self) -> float:
        """Logarithm of the wealth against the claim."""
        return self.log_against(self.claimed)

    @property
    def loss_lower(self) -> float:
        """A confidence sequence: every smaller loss is refuted, at all times at once; 0 where none is."""
        return joint_lower((self,))

    @property
    def most_shown(self) -> float:
        """The loss that its counts show, which is more than they prove: no bet gains against it."""
        shown = (np.log(right / (made - right)) if made > right > 0 else LARGEST for right, made in self.sub_stakes)
        return float(max(shown))

    @property
    def best_counts(self) -> tuple[int, int]:
        """(right, made) of the sub-stake that did best: the counts to print."""
        return self.sub_stakes[int(np.argmax(self._logs(self.claimed)))]


def joint_lower(games: Sequence[Wealth]) -> float:
    """The loss below which all are refuted when each game bets what the one before it won, as far as that went best.

    Wealth that is bet again is a supermartingale still, so one limit holds for the whole chain, at all times (ledger:
    game-chain).
    """
    from scipy.optimize import brentq

    def beyond(loss: float, chain: Sequence[Wealth]) -> float:
        return sum(wealth.log_against(loss) for wealth in chain) - games[0].goal

    best = 0.0
    for end in range(1, len(games) + 1):
        chain, most = games[:end], min(max(wealth.most_shown for wealth in games[:end]), LARGEST)
        if beyond(best, chain) > 0 > beyond(most, chain):
            found: float = brentq(beyond, best, most, args=(chain,), xtol=PRECISION)
            best = max(best, found - 2.0 * PRECISION)
    return best


def goal_of_one(significance: float) -> float:
    """Logarithm of what the first sub-stake must win to refute the claim alone."""
    return goal(significance * SUB_STAKES[-np.inf])


@lru_cache(maxsize=4096)
def stakes(claimed: float, horizon: int, significance: float) -> tuple[Floats, Floats, Floats]:
    """(log of what a right guess pays, of what a wrong one leaves, of the stake) for each alternative, boldest last."""
    shares = np.arange(1, STAKES + 1) * np.log(0.5)
    shares[-1] = shares[-2]  # the last two are equal, so that all stakes sum to one
    needed = (goal_of_one(significance) - shares) / np.maximum(horizon * 0.5 ** np.arange(STAKES), 1.0)
    logits = claimed + BEYOND[np.log(BOLDEST * (1.0 + np.exp(claimed)) - 1.0) - claimed >= BEYOND]
    # any alternative is sound; KL is close to a power of the distance, hence straight in logarithms
    known = np.log(np.maximum(divergence(logits, claimed), 1e-300))
    high = claimed + np.exp(np.interp(np.log(needed), known, np.log(logits - claimed)))
    # log p = −log(1 + e^−loss), log(1 − p) = −log(1 + e^loss)
    won = np.logaddexp(0.0, -claimed) - np.logaddexp(0.0, -high)
    lost = np.logaddexp(0.0, claimed) - np.logaddexp(0.0, high)
    return won, lost, shares


def divergence(logit: Floats, claimed: float) -> Floats:
    """KL(q‖p) of coins with these logits: what a bet on q gains, if q is the truth."""
    q = 1.0 / (1.0 + np.exp(-logit))
    return q * (np.logaddexp(0, -claimed) - np.logaddexp(0, -logit)) + (1 - q) * (
        np.logaddexp(0, claimed) - np.logaddexp(0, logit)
    )


def growth(right: Floats, made: Floats, claimed: float) -> Floats:
    """made·KL(p‖claim) for a cautious p: what bets on p gain, if p is the truth."""
    p = (right + 0.5) / (made + 1.0)
    gained = right * (np.log(p) + np.logaddexp(0, -claimed)) + (made - right) * (
        np.log1p(-p) + np.logaddexp(0, claimed)
    )
    return np.where(np.log(p) - np.log1p(-p) > claimed, gained, 0.0)


def log_wealth(loss: float, right: ArrayLike, made: ArrayLike, horizon: int, significance: float) -> Floats:
    """log of the stake-weighted mean over alternatives q of (q/p)^right·((1−q)/(1−p))^wrong."""
    right, made = np.asarray(right), np.asarray(made)
    if loss > LARGEST:
        return np.zeros(right.shape)
    won, lost, shares = stakes(loss, horizon, significance)
    return mixed(right[..., None] * won + (made - right)[..., None] * lost, shares)


@lru_cache(maxsize=4096)  # a search for the power asks for the same counts again and again
def needed_right(claimed: float, made: int, horizon: int, significance: float) -> int:
    """The fewest right guesses of `made` that refute the claim by one sub-stake; more than `made` where none do."""
    low, high = 0, made + 1  # the answer is among these; a few dozen are tried at once
    while low < high:
        step = -(-(high - low) // TRIED)
        tried = np.arange(low, high, step)
        enough = log_wealth(claimed, tried, made, horizon, significance) >= goal_of_one(significance)
        first = int(enough.argmax()) if enough.any() else tried.size
        high = int(tried[first]) if first < tried.size else high
        low = int(tried[first - 1]) + 1 if first else high
    return low
