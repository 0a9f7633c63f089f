"""A duration as a number of calls: a stopwatch before the audit, and a fixed number from then on."""

from __future__ import annotations

import time
from typing import Any

from hdp_audit.config.running import LEAST_CALLS
from hdp_audit.engine import Case
from hdp_audit.sampling.executors import Each
from hdp_audit.sampling.streams import stream

TRIED = 0.5  # seconds of trying
PART = 0.7  # of the time goes into calls, the rest into learning and judging


def fixed_budget(case: Case, seconds: float, jobs: int, each: Each) -> int:
    """Calls that fit into the time on so many jobs, by the pace of a few calls."""
    pace = next(iter(each(calls_a_second, [case])))
    rate = float(pace) if isinstance(pace, float) else 0.0  # an outcome instead: the process died
    return max(LEAST_CALLS, int(PART * seconds * jobs * rate))


def calls_a_second(case: Case) -> float:
    """How quickly the mechanism answers, batches included."""
    subject = case.subject()
    data = _zeros(case)
    rng = stream(0, "pace")
    size, started = 1, time.monotonic()
    while True:
        before = time.monotonic()
        subject.draw(data, size, rng)
        now = time.monotonic()
        if now - started > TRIED or size >= 1 << 20:
            return float(size / max(now - before, 1e-9))
        size *= 2


def _zeros(case: Case) -> Any:
    import numpy as np

    if case.task == "custom":
        return next(iter(case.pairs()))[0]  # type: ignore[attr-defined]
    return np.zeros(len(case.demands), dtype=np.int64 if case.task == "frequency" else np.float64)
