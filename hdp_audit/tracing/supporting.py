"""Whether a loss is above a demand, and whether as many tapes say so as such an accusation takes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hdp_audit.model.neighbours import NeighbourPair
from hdp_audit.tracing.aligning import TAPES
from hdp_audit.tracing.execution import Execution
from hdp_audit.tracing.loss import PairLoss
from hdp_audit.tracing.measure import Measure

CERTAIN = 14.0  # −log of 1e-6: so many tapes without an exception leave it that chance to be one in as many
MOST_TAPES = 20_000
EQUAL = 1e-9  # relative: a loss that exceeds the demand by less is rounding


def exceeds(loss: float, demand: float) -> bool:
    """Whether a loss is above the demand by more than rounding."""
    return bool(loss > demand * (1 + EQUAL) + 1e-300)


def supported(execution: Execution, pair: NeighbourPair, found: PairLoss, measure: Measure) -> PairLoss:
    """A loss without a bound that was only seen needs as many tapes as a demand allows exceptions."""
    event = next((event for event in found.events if event.seen > 0), None)
    demand = pair.limit.strength
    if event is None or not exceeds(found.lower, demand):
        return found
    rarest = measure.rarest(event.seen, demand)
    if rarest <= 0 or (tapes := CERTAIN / rarest) > MOST_TAPES:
        told = f"{pair.limit.shown:g} allows exceptions"
        return replace(found, lower=np.nan, events=(), why=f"no draw seems to matter, but a promise of {told}")
    for number in range(TAPES, int(tapes)):
        one, two = (execution.run(each, seed=number) for each in (pair.first, pair.second))
        likely, never = (two, one) if event.swapped else (one, two)
        if event.holds(never) or (event.always and not event.holds(likely)):
            return replace(found, lower=np.nan, upper=np.nan, events=(), why="its draws matter on few tapes alone")
    return found
