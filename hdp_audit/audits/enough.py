"""Is a budget enough? What all checks of a case foresee, and the least budget that detects what is asked."""

from __future__ import annotations

from collections.abc import Iterator

from hdp_audit.audits.case import Case
from hdp_audit.audits.check import Check
from hdp_audit.audits.forecast import DetectableLoss, Forecast
from hdp_audit.audits.plan import plan

MOST_CALLS = 10**11
LEAST_CALLS = 16


def forecasts(case: Case, confidence: float, budget: int) -> list[tuple[Check, Forecast]]:
    """Of every check that can say something without a call, in the plan's order."""
    return list(_each(case, confidence, budget))[::-1]


def detectable_losses(case: Case, confidence: float, budget: int) -> list[DetectableLoss]:
    """For each demand tier of the case under this budget, or each of its own pairs."""
    found = (forecast.detectable for _, forecast in forecasts(case, confidence, budget))
    return [loss for loss in found if loss is not None]


def cost(case: Case, confidence: float, detect: float) -> int | None:
    """The least budget (within a tenth) that detects this factor in every tier; None beyond what anybody can pay."""
    high = LEAST_CALLS
    while not _detects(case, confidence, high, detect):
        high *= 4
        if high > MOST_CALLS:
            return None
    low = max(high // 4, LEAST_CALLS)
    while high > 1.1 * low:
        middle = int((low * high) ** 0.5)
        low, high = (low, middle) if _detects(case, confidence, middle, detect) else (middle, high)
    return high


def _each(case: Case, confidence: float, budget: int) -> Iterator[tuple[Check, Forecast]]:
    """The last first: large demands take most calls, so whoever looks for one that is not detected finds it soon."""
    for check in reversed(plan([case], confidence=confidence, budget=budget, seed=1)):
        for found in () if check.forecast_calls else reversed(list(check.forecasts())):
            yield check, found


def _detects(case: Case, confidence: float, budget: int, detect: float) -> bool:
    losses = (forecast.detectable for _, forecast in _each(case, confidence, budget))
    return all(loss is None or loss.factor <= detect for loss in losses)
