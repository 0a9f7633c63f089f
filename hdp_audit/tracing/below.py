"""What events of independent draws show together."""

from __future__ import annotations

import numpy as np

from hdp_audit.tracing.measure import Measure
from hdp_audit.tracing.steps import Event, Steps, joint


def from_below(levels: list[Steps] | None, measure: Measure) -> tuple[float, tuple[Event, ...]]:
    """Independent draws: the best event of each, all in the same direction."""
    if not levels:
        return np.nan, ()
    ways = []
    for forwards in (True, False):
        events = tuple(event for each in levels if (event := each.best(forwards, measure)) is not None)
        if measure.ratio:
            ways.append((abs(sum(event.ratio for event in events)), events))
            continue
        tried = [events, *((event,) for event in events)] if len(events) > 1 else [events]
        ways += [(measure.shown(joint(each, forwards)), each) for each in tried if each]
    return max(ways, key=lambda way: way[0], default=(0.0, ()))
