"""The event of a trace as a bet: does it tell the two datasets apart when the mechanism gets real noise?

Which event, and which dataset it speaks for, is known before the first call. So every call is a bet of the e-process
that all tests use: a fair coin chooses the dataset, and where the event comes the guess is the one it is likelier on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from hdp_audit.evidence.bets import Bet
from hdp_audit.evidence.e_process import p_value
from hdp_audit.evidence.wealth import Wealth
from hdp_audit.model.traced import Counted
from hdp_audit.targets.streams import stream
from hdp_audit.tracing.execution import Execution
from hdp_audit.tracing.result import TracedPair

BY_CHANCE = 1e-6  # that counts of a true trace are called a disagreement, on each dataset
FIRST = 64  # calls of the first round


def counted(mechanism: Callable[..., Any], worst: TracedPair, calls: int, seed: int, significance: float) -> Counted:
    """At most so many calls: until the promise is refuted, at this significance."""
    pair, events, execution = worst.pair, worst.found.events, Execution(mechanism)
    chances = [float(np.exp(sum(event.log_probabilities[side] for event in events))) for side in (0, 1)]
    likelier = int(chances[0] < chances[1])
    wrong, often = np.nanmin(chances), float(np.nanmean(chances))
    bet, limit = Bet.of(pair.limit, float(wrong), sides=1), pair.limit
    horizon = max(int(calls * (often if limit.ratio else 1.0)), 1)
    wealth, drawn, came = Wealth(limit, horizon, significance), np.zeros(2, int), np.zeros(2, int)
    for number, size in enumerate(_rounds(calls)):
        coins, rng = stream(seed, "trace", "coins", number).integers(2, size=size), stream(seed, "trace", number)
        runs = (execution.real((pair.first, pair.second)[coin], rng) for coin in coins)
        held = np.array([all(event.holds(run) for event in events) for run in runs])
        right, made = int((held & (coins == likelier)).sum()), int(held.sum())
        wealth = wealth.after(right, made, size, bet, assured=worst.found.lower)
        drawn, came = drawn + np.bincount(coins, minlength=2), came + np.bincount(coins[held], minlength=2)
        if wealth.refutes:
            break
    alike = (_agree(*each) for each in zip(came.tolist(), drawn.tolist(), chances, strict=True))
    agrees = bool(wealth.refutes) or all(alike)
    one, two = (tuple(each.tolist()) for each in (came, drawn))
    return Counted((two[0], two[1]), one[0], one[1], agrees, bool(wealth.refutes), p_value(max(wealth.log, 0.0)))


def _rounds(calls: int) -> Iterator[int]:
    """Each as many calls as all before it."""
    done = 0
    while done < calls:
        size = min(max(done, FIRST), calls - done)
        yield size
        done += size


def _agree(count: int, calls: int, chance: float) -> bool:
    from scipy.stats import binomtest

    if np.isnan(chance) or not calls:
        return count > 0
    return bool(binomtest(count, calls, min(max(chance, 0.0), 1.0)).pvalue >= BY_CHANCE)
