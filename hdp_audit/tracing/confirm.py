"""Does the event come as often as the trace says, when the mechanism gets real noise?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hdp_audit.model.dataset import Dataset
from hdp_audit.model.neighbours import NeighbourPair
from hdp_audit.model.traced import Counted
from hdp_audit.targets.streams import stream
from hdp_audit.tracing.execution import Execution
from hdp_audit.tracing.steps import Event

BY_CHANCE = 1e-6  # that counts of a true trace are called a disagreement, on each dataset


def counted(
    mechanism: Callable[..., Any], pair: NeighbourPair, events: tuple[Event, ...], calls: int, seed: int
) -> Counted:
    """So many calls on each of the two datasets."""
    execution = Execution(mechanism, most=2 * calls)
    times = [_times(execution, each, events, calls, seed, side) for side, each in enumerate((pair.first, pair.second))]
    chances = [float(np.exp(sum(event.log_probabilities[side] for event in events))) for side in (0, 1)]
    agrees = all(_agree(count, calls, chance) for count, chance in zip(times, chances, strict=True))
    return Counted(calls, times[0], times[1], agrees)


def _times(execution: Execution, dataset: Dataset, events: tuple[Event, ...], calls: int, seed: int, side: int) -> int:
    rng = stream(seed, "trace", side)
    return sum(
        all(event.holds(run) for event in events) for run in (execution.real(dataset, rng) for _ in range(calls))
    )


def _agree(count: int, calls: int, chance: float) -> bool:
    from scipy.stats import binomtest

    if np.isnan(chance):
        return count > 0
    return bool(binomtest(count, calls, min(max(chance, 0.0), 1.0)).pvalue >= BY_CHANCE)
