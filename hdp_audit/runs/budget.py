"""A duration as a number of calls: small audits under a stopwatch first, and a fixed number from then on."""

from __future__ import annotations

import time
from collections.abc import Sequence

from hdp_audit.audits.case import Case
from hdp_audit.config.running import LEAST_CALLS, MOST_CALLS
from hdp_audit.engine import plan, run_checks
from hdp_audit.targets.executors import Each

ENOUGH = 0.02  # of the time: a trial that takes longer shows the pace
PART = 0.75  # of the time that is left is planned; the rest is for reports and for a machine with other things to do


def fixed_budget(cases: Sequence[Case], confidence: float, seconds: float, each: Each) -> int:
    """Calls whose audit fits into the time, by the pace of smaller ones; learning costs more than calling."""
    started = time.monotonic()
    budget = LEAST_CALLS
    while True:
        before = time.monotonic()
        run_checks(plan(cases, confidence=confidence, budget=budget, seed=0), each=each)
        took = time.monotonic() - before
        if took > ENOUGH * seconds or 4 * budget > MOST_CALLS:
            break
        budget *= 4
    left = max(seconds - (time.monotonic() - started), 0.0)
    return min(max(LEAST_CALLS, int(PART * budget * left / took)), MOST_CALLS)
