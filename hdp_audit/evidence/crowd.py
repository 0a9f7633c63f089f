"""Bets on many users within one call, each on that user's own coin.

Everybody's datum is chosen by a fair coin of their own, a call is made, and coins are revealed one after another;
before each one it may be bet on, by the output and by the coins that were revealed. If user i is promised (ε, δ) then,
whatever the output and the other coins, the guess is right with probability at most p = e^ε/(1 + e^ε), but for outputs
that make up for at most (1 − p)·δ on average. So stakes that multiply the wealth by q/p after a right guess and by
(1 − q)/(1 − p) after a wrong one, q > p, leave it at 1 on average if δ = 0; and else at no more than 1 + M·Σ(1 − p)·δ,
as long as no bet of the call lifts it above M (ledger: crowd-bets). Wealth divided by that is an e-process over calls.

How sure a bet is was learned before; several tempers, from taking it at its word to a quarter of it, share the stake.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from hdp_audit.evidence.e_process import goal, mixed
from hdp_audit.model.promise import Limit, Promise

Floats = NDArray[np.float64]
Users = NDArray[np.int64]

TEMPERS = np.array([1.0, 0.5, 0.25])
BOLDEST = 20.0  # times less often wrong than is allowed
RUNS = 8.0  # times the even pace: so much faster a call may lift the wealth
LEAST_LIFT = float(np.log(4.0))
ROOM = 2.0  # above the goal, as tempers share the stake
FREE = 1.0  # nats that all δ together may cost, where ε can be chosen
FARTHEST = 60.0  # of an ε


@dataclass(frozen=True, eq=False)
class Call:
    """Users in the order in which their coins were revealed, how sure each guess was (a logit), and which was right."""

    users: Users
    sure: Floats
    right: NDArray[np.bool_]
    apart: Floats  # squared distance between the two sides of a coin, in units of what is unknown: as it was modelled


@dataclass(frozen=True, eq=False)
class Odds:
    """What everybody may lose, as a line of their curve: p, δ, and how far a call may lift the wealth."""

    p: Floats  # NaN of whom nothing was promised
    delta: Floats
    lift: float  # log M
    fee: float  # log(1 + M·Σ(1 − p)·δ), in each call

    @classmethod
    def of(cls, promise: Promise, factor: float, calls: int, significance: float) -> Odds:
        """Of promises some times as weak as they are."""
        most = goal(significance) + ROOM
        lift = float(np.clip(RUNS * goal(significance) / max(calls, 1), min(LEAST_LIFT, most), most))
        bound = np.flatnonzero(np.isfinite(promise.strengths))
        target = FREE / (np.exp(lift) * max(bound.size, 1) * max(calls, 1))
        p, delta = np.full(len(promise), np.nan), np.zeros(len(promise))
        limits, kinds = limits_of(promise, bound)
        limits = [limit.at(factor * limit.strength) for limit in limits]
        lines = np.array([_line(limit, target) for limit in limits])
        p[bound] = expit(lines)[kinds]
        delta[bound] = np.array([limit.delta(at) for limit, at in zip(limits, lines, strict=True)])[kinds]
        fee = float(np.log1p(np.exp(lift) * float(((1.0 - p[bound]) * delta[bound]).sum())))
        return cls(p, delta, lift, fee)


def limits_of(promise: Promise, users: Users) -> tuple[list[Limit], Users]:
    """What a user alone may lose, each limit once, and which of them is whose."""
    columns = np.stack([column[users] for column in promise.columns.values()])
    _, firsts, kinds = np.unique(columns, axis=1, return_index=True, return_inverse=True)
    return [promise.group(users[first : first + 1]) for first in firsts.tolist()], kinds.ravel()


@lru_cache(maxsize=4096)
def _line(limit: Limit, target: float) -> float:
    """The smallest ε whose δ is as small as asked, or as small as it gets."""
    if limit.ratio:
        return limit.strength
    target = max(target, float(limit.delta(FARTHEST)) * (1.0 + 1e-9))
    low, high = 0.0, FARTHEST
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if float(limit.delta(middle)) <= target else (middle, high)
    return high


def gained(call: Call, odds: Odds) -> Floats:
    """What a call makes of the wealth of each temper, as a logarithm."""
    p = odds.p[call.users]
    most = 1.0 - (1.0 - p) / BOLDEST
    q = np.minimum(expit(TEMPERS[:, None] * call.sure), most)
    with np.errstate(invalid="ignore", divide="ignore"):
        bets = q > p  # nobody's where p is NaN, or 1
        won = np.where(bets, np.log(q) - np.log(p), 0.0)
        logs = np.where(bets, np.where(call.right, won, np.log1p(-q) - np.log1p(-p)), 0.0)
    before = np.cumsum(logs, axis=1) - logs
    beyond = before + won > odds.lift
    ended = np.maximum.accumulate(beyond, axis=1)  # the first bet that could lift it too far, and all after it
    return np.asarray(np.where(ended, 0.0, logs).sum(axis=1) - odds.fee)


def path(calls: list[Call], odds: Odds) -> Floats:
    """Logarithm of the wealth after each call, from 0."""
    gains = np.cumsum([np.zeros(TEMPERS.size), *(gained(call, odds) for call in calls)], axis=0)
    return mixed(gains, -float(np.log(TEMPERS.size)))


def made(calls: list[Call], odds: Odds) -> tuple[int, int, float]:
    """Right guesses, guesses that were bet on at their word, and how many of these the promise allows to be right."""
    right = many = 0
    allowed = 0.0
    for call in calls:
        p = odds.p[call.users]
        with np.errstate(invalid="ignore"):
            bets = expit(call.sure) > p
        right, many, allowed = (
            right + int(call.right[bets].sum()),
            many + int(bets.sum()),
            allowed + float(p[bets].sum()),
        )
    return right, many, allowed
