"""The sections [run] and [[waive]]."""

from __future__ import annotations

import datetime as dt

from hdp_audit.config import durations
from hdp_audit.config.section import Section
from hdp_audit.config.spec import Run
from hdp_audit.model import Waiver
from hdp_audit.model.waiver import WILD

LEAST_CALLS, MOST_CALLS = 1, 10**12
MOST_SEED = 2**63 - 1
CONFIDENCE = "a number from 0.5 to below 1"


def read_run(section: Section) -> Run:
    """The run's numbers, with defaults for what is absent."""
    confidence = section.number("confidence", 0.999, 0.5, 1.0, CONFIDENCE)
    seed = section.integer("seed", 1, 0, MOST_SEED)
    budget: int | None = 1_000_000
    duration = None
    if section.has("budget"):
        budget, duration = budget_of(section.table["budget"])
        if budget is None and duration is None:
            section.wrong("budget", f"give a number of calls from {LEAST_CALLS}, or {durations.ALLOWED}")
    section.finish()
    return Run(confidence, budget, duration, 1 if seed is None else seed)


def budget_of(value: object) -> tuple[int | None, float | None]:
    """(calls, None), (None, seconds), or (None, None) for what is neither."""
    if isinstance(value, str):
        if value.isascii() and value.replace("_", "").isdecimal() and len(value) < 20:
            value = int(value.replace("_", ""))
        else:
            return None, durations.seconds(value)
    if isinstance(value, int) and not isinstance(value, bool) and LEAST_CALLS <= value <= MOST_CALLS:
        return value, None
    return None, None


def read_waiver(section: Section) -> Waiver | None:
    """One dated waiver."""
    finding, reason = section.text("finding"), section.text("reason")
    until = section.table.get("until") if section.has("until") else None
    for key in ("finding", "reason", "until"):
        if key not in section.table:
            section.missing(f"has no {key}; a waiver names a finding, a reason and a date")
    if until is not None and (not isinstance(until, dt.date) or isinstance(until, dt.datetime)):
        section.wrong("until", "give a date without quotes, such as until = 2027-03-31")
        until = None
    if finding is not None and any(s in finding for s in WILD) and not any(c.isalnum() for c in finding):
        section.wrong("finding", "this would waive what nobody has seen; name at least a kind, such as */float/*")
        finding = None
    section.finish()
    if finding is None or reason is None or not isinstance(until, dt.date):
        return None
    return Waiver(finding, reason, until)
