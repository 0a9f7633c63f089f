"""The anytime game: every guess is a bet of an e-process, which refutes the claim past 1/significance.

Which bets there are says bets.py; whichever user, pair or rule each one uses, the wealth never grows in expectation
while the limit holds (a supermartingale), as long as all was chosen before the draw.

The stake has three parts: one makes every bet, one only those of rules that their own training makes promising, so
that bets from before a leak was understood do not bury it, and one those that should refute the claim by far: few
guesses, on rare outputs, that are almost always right. Which sub-stakes a bet is made from is known before its draw.
The first has most of the stake, which costs it another log(1/0.6).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp_audit.evidence.bets import COIN, Bet, stakes
from hdp_audit.evidence.e_process import EProcess, goal, mixed, together
from hdp_audit.model.promise import Limit, PureLimit

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

LARGEST = 30.0  # e^−30 is far below one in any number of calls: a larger claim cannot be bet against
SUB_STAKES = {-np.inf: 0.6, 0.0: 0.3, 1.0: 0.1}  # of the stake, by how far beyond the claim a rule should get
TRIED = 48  # counts at once, where the fewest that refute are looked for
PRECISION = 1e-6  # bounds are too low by so much, never too high
LOOKS = 48  # strengths below a bound at which it is looked whether all of them are refuted


class Tally(NamedTuple):
    """Right guesses, guesses and draws of one kind of bet; numbers, or arrays of them at several moments."""

    right: Any = 0
    made: Any = 0
    drawn: Any = 0

    def plus(self, right: Any, made: Any, drawn: Any) -> Tally:
        """With more of them."""
        return Tally(self.right + right, self.made + made, self.drawn + drawn)


Tallies = tuple[tuple[Bet, Tally], ...]  # each kind of bet once


@dataclass(frozen=True)
class Wealth(EProcess):
    """Guesses so far, against one limit on what may be lost."""

    limit: Limit
    horizon: int  # guesses, or draws where abstaining costs, for which stakes are laid out; any number may be made
    significance: float
    sub_stakes: tuple[Tallies, ...] = (((COIN, Tally()),),) * len(SUB_STAKES)  # what was bet from each

    @property
    def claimed(self) -> float:
        """The limit's strength."""
        return self.limit.strength

    def after(
        self, right: int, made: int, drawn: int | None = None, bet: Bet = COIN, *, assured: float = np.inf
    ) -> Wealth:
        """The wealth after more bets by a rule that should prove a loss of `assured`."""
        counts = (
            _with(tallies, bet, right, made, made if drawn is None else drawn) if plays else tallies
            for plays, tallies in zip(self._plays(assured), self.sub_stakes, strict=True)
        )
        return replace(self, sub_stakes=tuple(counts))

    def along(
        self, right: Counts, made: Counts, drawn: Counts | None = None, bet: Bet = COIN, *, assured: float = np.inf
    ) -> Wealth:
        """The wealth at the first moment that refutes the claim, else at the last; counts are from now to each."""
        drawn, logs = made if drawn is None else drawn, []
        for share, plays, before in zip(SUB_STAKES.values(), self._plays(assured), self.sub_stakes, strict=True):
            tallies = _with(before, bet, right, made, drawn) if plays else before
            logs.append(np.log(share) + log_of(self.limit, tallies, self.horizon, self.significance))
        refuting = together(logs) >= self.goal
        at = int(np.argmax(refuting)) if refuting.any() else -1
        return self.after(int(right[at]), int(made[at]), int(drawn[at]), bet, assured=assured)

    def _plays(self, assured: float) -> list[bool]:
        """True for each sub-stake that such a rule's bets are made from."""
        return [assured > self.claimed + beyond for beyond in SUB_STAKES]

    @property
    def counts(self) -> list[Tally]:
        """All guesses of each sub-stake, whatever the bet."""
        return [_summed(tallies) for tallies in self.sub_stakes]

    @property
    def every(self) -> Tally:
        """Of all bets."""
        return self.counts[0]

    def log_against(self, loss: float) -> float:
        """Logarithm of the wealth against the limit of another strength, from 0."""
        return self.log_of(self.limit.at(loss))

    def log_of(self, limit: Limit) -> float:
        """Logarithm of the wealth against any limit."""
        logs = self._logs(limit) + np.log(list(SUB_STAKES.values()))
        return float(together(list(logs)))

    def _logs(self, limit: Limit) -> Floats:
        return np.array([log_of(limit, tallies, self.horizon, self.significance) for tallies in self.sub_stakes])

    @cached_property
    def log(self) -> float:
        """Logarithm of the wealth against the claim."""
        return self.log_of(self.limit)

    @property
    def loss_lower(self) -> float:
        """A confidence sequence: every smaller loss is refuted, at all times at once; 0 where none is."""
        return joint_lower((self,))

    @property
    def most_shown(self) -> float:
        """The loss that its counts show, which is more than they prove: no bet gains against it."""
        bets = (entry for tallies in self.sub_stakes for entry in tallies)
        return float(max(_shown(self.limit, bet, tally) for bet, tally in bets))

    @property
    def best_bets(self) -> Tallies:
        """Those of the sub-stake that did best which were bets against the claim; all of them if none was."""
        best = self.sub_stakes[int(np.argmax(self._logs(self.limit)))]
        return tuple((bet, tally) for bet, tally in best if self.claimed <= bet.most) or best

    @property
    def best_counts(self) -> Tally:
        """All guesses of the sub-stake that did best: the counts to print."""
        return _summed(self.best_bets)


def _with(tallies: Tallies, bet: Bet, right: Any, made: Any, drawn: Any) -> Tallies:
    known = {kind: tally for kind, tally in tallies if kind == bet or tally.drawn}
    known[bet] = known.get(bet, Tally()).plus(right, made, drawn)
    return tuple(known.items())


def _summed(tallies: Tallies) -> Tally:
    total = Tally()
    for _, tally in tallies:
        total = total.plus(*tally)
    return total


def _shown(limit: Limit, bet: Bet, tally: Tally) -> float:
    """The strength that a bet's counts show."""
    right, made, drawn = tally
    if not made > right > 0:
        return LARGEST
    if bet == COIN:
        return float(np.log(right / (made - right)))
    sides = 2.0 / (bet.sides * drawn)
    return float(limit.shown_by(min(right * sides, 1.0), min((made - right) * sides, 1.0)))


def joint_lower(games: Sequence[Wealth]) -> float:
    """The loss below which all are refuted when each game bets what the one before it won, as far as that went best.

    Wealth that is bet again is a supermartingale still, so one limit holds for the whole chain, at all times (ledger:
    game-chain). Where wealth need not fall with the strength, the first strength that is not refuted ends it.
    """
    from scipy.optimize import brentq

    def beyond(loss: float, chain: Sequence[Wealth]) -> float:
        return sum(wealth.log_against(loss) for wealth in chain) - games[0].goal

    best = 0.0
    for end in range(1, len(games) + 1):
        chain, most = games[:end], min(max(wealth.most_shown for wealth in games[:end]), LARGEST)
        if not games[0].limit.ratio:
            ends = {bet.most for wealth in chain for tallies in wealth.sub_stakes for bet, _ in tallies}
            low, most = _first_open(partial(beyond, chain=chain), best, most, ends)
        else:
            low = best
        if beyond(low, chain) > 0 > beyond(most, chain):
            found: float = brentq(beyond, low, most, args=(chain,), xtol=PRECISION)
            best = max(best, found - 2.0 * PRECISION)
    return best


def _first_open(beyond: Callable[[float], float], low: float, high: float, ends: set[float]) -> tuple[float, float]:
    """The first strength of many that is not refuted, and the one before it.

    Wealth is lowest right where bets end, as they count no more beyond: there it is looked, too.
    """
    evenly = low + (high - low) * np.linspace(0.0, 1.0, LOOKS) ** 3
    looks = sorted({*evenly.tolist(), *(end for end in ends if low < end < high)})
    after = next((i for i, look in enumerate(looks) if beyond(look) <= 0), len(looks) - 1)
    return looks[max(after - 1, 0)], looks[after]


def goal_of_one(significance: float) -> float:
    """Logarithm of what the first sub-stake must win to refute the claim alone."""
    return goal(significance * SUB_STAKES[-np.inf])


def log_of(limit: Limit, tallies: Tallies, horizon: int, significance: float) -> Floats:
    """log of the stake-weighted mean over alternatives of what their bets made of one."""
    bets = [(bet, tally) for bet, tally in tallies if limit.strength <= min(bet.most, LARGEST)]
    shape = np.broadcast_shapes(*(np.shape(tally.right) for _, tally in tallies))
    if not bets:
        return np.zeros(shape)
    gains: Floats | float = 0.0
    for bet, (right, made, drawn) in bets:
        right, made, drawn = np.asarray(right), np.asarray(made), np.asarray(drawn)
        pays = stakes(limit, Bet(bet.wrong, bet.sides), horizon, significance * SUB_STAKES[-np.inf])
        own = right[..., None] * pays.right + (made - right)[..., None] * pays.wrong
        if pays.none is not None:
            own = own + (drawn - made)[..., None] * pays.none
        gains = own if len(bets) == 1 else gains + own
    return np.broadcast_to(mixed(np.asarray(gains), pays.stake), shape)


def log_wealth(loss: float, right: ArrayLike, made: ArrayLike, horizon: int, significance: float) -> Floats:
    """The same of guesses against one pure loss."""
    return log_of(PureLimit(loss), ((COIN, Tally(np.asarray(right), np.asarray(made))),), horizon, significance)


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
