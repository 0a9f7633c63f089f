"""What a rule's guesses on known coins promise for the next draws: what they would gain, and what they would prove."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import logit, ndtri

from hdp_audit.evidence.bets import COIN, Bet, best_line
from hdp_audit.evidence.bets import growth as growth_against
from hdp_audit.model.promise import Limit, PureLimit

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Guesses:
    """Right ones (which need not be whole), all of them, and how many of the two datasets are ever guessed."""

    right: Floats
    made: Floats
    drawn: int
    sides: Counts

    def at(self, *place: np.intp) -> Guesses:
        """One of many rules."""
        return Guesses(self.right[place], self.made[place], self.drawn, self.sides[place])

    def growth(self, limit: Limit) -> Floats:
        """Nats that the best bet gains against a limit over all draws."""
        return growth_against(self.right, self.made, self.drawn, limit, self.sides)

    def bet(self, limit: Limit) -> Bet:
        """The line that the rule is held against."""
        if isinstance(limit, PureLimit):
            return COIN
        right, wrong = ((count + 0.5) / (self.drawn + 1.0) for count in (self.right, self.made - self.right))
        most = float(self.bound(limit, 1.0, 0.5))
        return Bet.of(limit, float(best_line(right, wrong, limit, self.sides)[1]), int(self.sides), most)

    def bound(self, limit: Limit, more: float, significance: float) -> Floats:
        """The lower bound, of the limit's kind, that `more` times the draws would give."""
        if isinstance(limit, PureLimit):
            return _logit_bound(self.right, self.made, more, significance)
        draws, off = max(more * self.drawn, 1.0), ndtri(significance) / np.sqrt(2.0)
        rates = np.maximum([self.right, self.made - self.right], 0.5) * 2.0 / (self.sides * self.drawn)
        error = off * np.sqrt(2.0 * rates * np.maximum(1.0 - 0.5 * rates, 0.0) / (self.sides * draws))
        right, wrong = np.clip([rates[0] + error[0], rates[1] - error[1]], 1e-12, 1.0 - 1e-12)
        return limit.shown_by(right, wrong)


def _logit_bound(right: Floats, made: Floats, more: float, significance: float) -> Floats:
    """logit(p − z·√(p(1−p)/judged guesses))."""
    guesses = np.maximum(made * more, 1.0)
    p = np.clip(right / np.maximum(made, 1.0), 1e-9, 1.0 - 1e-9)
    lower = p + ndtri(significance) * np.sqrt(p * (1.0 - p) / guesses) - 0.5 / guesses
    return logit(np.clip(lower, 1e-12, 1.0 - 1e-12))
