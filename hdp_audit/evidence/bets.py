"""What a bet on guesses pays, against a limit on what may be lost.

A rule guesses which of two datasets was used, right or wrong, or it abstains. If the limit holds then for every ε that
was fixed before the draw E[right − e^ε·wrong] ≤ δ(ε), or half of that if the rule only ever guesses one of the two. So
with 0 ≤ λ ≤ 1/(e^ε + δ) a wealth that is multiplied by 1 + λ(1−δ) after a right guess, 1 − λ(e^ε + δ) after a wrong one
and 1 − λδ after none does not grow in expectation (ledger: curve-bet). No other bets are needed: the likelihood ratio
of any alternative to the nearest law that keeps the limit has this form.

Without δ nothing is lost by abstaining, and λ is told by q, the share of right guesses that is bet on: 1 + λ = q/p with
p = e^ε/(1 + e^ε). Which ε: that of the line which touches the limit's curve where an event is as rare as the rule's
wrong guesses should be.

Which alternatives: after m bets log wealth on an alternative is about m·KL if it is the truth, and no bet reaches
log(1/s) before m·KL does. So 0.45 of the stake goes to the alternative that is best at the horizon, and 0.45/j^1.5 to
the one that is best at the 2^(1−j)-th part of it: near the limit of what the calls can show the mixture costs 0.8 nats,
at a thousandth of the horizon 4.4, so glaring claims fall early.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hdp_audit.evidence.e_process import goal
from hdp_audit.model.promise import Limit

Floats = NDArray[np.float64]

STAKES = 24  # halvings of the horizon
FADING = 1.5  # the j-th has a share of 1/j^FADING, all of them together one
SHARES = -FADING * np.log(np.arange(1, STAKES + 1)) - np.log((np.arange(1, STAKES + 1.0) ** -FADING).sum())
BOLDEST = 20.0  # times less often wrong than claimed: wins all but a twentieth of what surest bets do, bears errors
BEYOND = np.geomspace(1e-6, 64.0, 512)  # logits above the claim at which alternatives are looked up
PARTS = np.geomspace(1e-6, 1.0 - 1.0 / BOLDEST, 96)  # of the largest λ, at which others are
GROWTHS = np.geomspace(4e-3, 1.0 - 1.0 / BOLDEST, 14)  # of the largest λ, at which gains are looked up
MORE = np.array([1.0, 1.3, 2.0, 5.0, 40.0, 1e4])  # times as often wrong as the truth is
STEP = 0.5  # of the logarithm of `wrong`: bets that hardly differ are counted together
RAREST = 1e-12
STEEPEST = 700.0  # ε of a line of a curve: e^ε is a double; any line is sound


class Bet(NamedTuple):
    """Which line of the curve a rule is held against: how often each side should be guessed wrongly, how many sides.

    Against strengths beyond `most`, which the rule is not thought to show, it is not bet.
    """

    wrong: float = 0.0
    sides: int = 2
    most: float = np.inf

    @classmethod
    def of(cls, limit: Limit, wrong: float, sides: int, most: float = np.inf) -> Bet:
        """The bet of a rule; all rules make the same one where there is one line and no δ."""
        if limit.ratio:
            return COIN
        step = round(float(np.log(max(wrong, RAREST))) / STEP) * STEP
        return cls(float(np.exp(step)), sides, most)


COIN = Bet()  # the one bet where there is no δ: a guess is right or wrong, and abstaining costs nothing


class Pays(NamedTuple):
    """Logarithms, for each alternative, boldest last."""

    right: Floats
    wrong: Floats
    none: Floats | None  # None where abstaining costs nothing
    stake: Floats


@dataclass(frozen=True)
class Line:
    """E[right − price·wrong] ≤ free."""

    price: Floats  # e^ε
    free: Floats  # δ, or half of it

    @classmethod
    def of(cls, limit: Limit, wrong: Floats | float, sides: NDArray[Any] | int) -> Line:
        """That touches the curve where each side is guessed wrongly so often."""
        epsilon = limit.tangent(wrong)
        if not limit.ratio:
            epsilon = np.minimum(epsilon, STEEPEST)
        return cls(np.exp(epsilon), limit.delta(epsilon) * sides * 0.5)

    @property
    def pays(self) -> Floats:
        """What λ is multiplied by after a right guess, a wrong one, and none."""
        return np.array([1.0 - self.free, -(self.price + self.free), -self.free])


@lru_cache(maxsize=4096)
def stakes(limit: Limit, bet: Bet, horizon: int, significance: float) -> Pays:
    """What bets pay that are laid out for a horizon; `significance` is that of the part of the stake."""
    shares = SHARES
    needed = (goal(significance) - shares) / np.maximum(horizon * 0.5 ** np.arange(STAKES), 1.0)
    line = Line.of(limit, bet.wrong, bet.sides)
    if line.free == 0:
        return Pays(*_coin_pays(float(limit.tangent(bet.wrong)), needed), None, shares)
    return Pays(*_curve_pays(line, bet, needed), shares)


def _coin_pays(claimed: float, needed: Floats) -> tuple[Floats, Floats]:
    """Horizons count guesses."""
    logits = claimed + BEYOND[np.log(BOLDEST * (1.0 + np.exp(claimed)) - 1.0) - claimed >= BEYOND]
    # any alternative is sound; KL is close to a power of the distance, hence straight in logarithms
    known = np.log(np.maximum(divergence(logits, claimed), 1e-300))
    high = claimed + np.exp(np.interp(np.log(needed), known, np.log(logits - claimed)))
    # log p = −log(1 + e^−loss), log(1 − p) = −log(1 + e^loss)
    won = np.logaddexp(0.0, -claimed) - np.logaddexp(0.0, -high)
    lost = np.logaddexp(0.0, claimed) - np.logaddexp(0.0, high)
    return won, lost


def _curve_pays(line: Line, bet: Bet, needed: Floats) -> tuple[Floats, Floats, Floats]:
    """Horizons count draws. The alternative of λ: each outcome so much more often as it pays."""
    price, free = float(line.price), float(line.free)
    wrong = min(0.5 * bet.sides * bet.wrong, (1.0 - free) / (1.0 + price))
    often = np.array([price * wrong + free, wrong, 1.0 - free - (1.0 + price) * wrong])

    def logs(parts: Floats) -> Floats:
        return np.log1p(np.multiply.outer(parts / (price + free), line.pays))

    tried = logs(PARTS)
    divergences = np.log(np.maximum((often * np.exp(tried) * tried).sum(axis=1), 1e-300))
    found = np.exp(np.interp(np.log(needed), divergences, np.log(PARTS)))
    won, lost, passed = logs(found).T
    return won, lost, passed


def divergence(logit: Floats, claimed: float) -> Floats:
    """KL(q‖p) of coins with these logits: what a bet on q gains, if q is the truth."""
    q = 1.0 / (1.0 + np.exp(-logit))
    return q * (np.logaddexp(0, -claimed) - np.logaddexp(0, -logit)) + (1 - q) * (
        np.logaddexp(0, claimed) - np.logaddexp(0, logit)
    )


def growth(right: Floats, made: Floats, drawn: int, limit: Limit, sides: NDArray[Any] | int = 2) -> Floats:
    """What the best bet on such counts gains over all draws, if they are cautious estimates of the truth."""
    if limit.ratio:
        return _coin_growth(right, made, limit.strength)
    return best_line((right + 0.5) / (drawn + 1.0), (made - right + 0.5) / (drawn + 1.0), limit, sides)[0] * drawn


def best_line(right: Floats, wrong: Floats, limit: Limit, sides: NDArray[Any] | int) -> tuple[Floats, Floats]:
    """(gain of the best bet in a draw, how often each side would be guessed wrongly where the line touches the curve).

    Of the laws that keep the limit the one nearest to the truth is wrong somewhat more often than that is.
    """
    right, wrong, sides = np.broadcast_arrays(right, wrong, sides)
    none, best, touching = np.maximum(1.0 - right - wrong, 0.0), np.zeros(right.shape), 2.0 * wrong / sides
    for more in MORE if not limit.straight else MORE[:1]:
        at = np.minimum(more * 2.0 * wrong / sides, 0.5)
        line = Line.of(limit, at, sides)
        for part in GROWTHS:
            stake = part / (line.price + line.free)
            gained = right * np.log1p(stake * (1.0 - line.free)) + wrong * np.log1p(-part)
            gained += none * np.log1p(-stake * line.free)
            touching, best = np.where(gained > best, at, touching), np.maximum(best, gained)
    return best, touching


def _coin_growth(right: Floats, made: Floats, claimed: float) -> Floats:
    """made·KL(p‖claim) for a cautious p."""
    p = (right + 0.5) / (made + 1.0)
    gained = right * (np.log(p) + np.logaddexp(0, -claimed)) + (made - right) * (
        np.log1p(-p) + np.logaddexp(0, claimed)
    )
    return np.where(np.log(p) - np.log1p(-p) > claimed, gained, 0.0)
