"""The event of a trace as a line of Python, so that a short script can look for it in an output."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hdp_audit.tracing.execution import Run
from hdp_audit.tracing.result import TracedPair
from hdp_audit.tracing.steps import Event

FEW = 64  # outputs that an event may list


def plain_event(worst: TracedPair) -> str | None:
    """True where the event comes; None without an event, or where no line of Python says it."""
    formulas = [_formula(event) for event in worst.found.events]
    told = [f"({formula})" for formula in formulas if formula is not None]
    return " and ".join(told) if told and len(told) == len(formulas) else None


def chances(worst: TracedPair) -> tuple[float, float]:
    """Of all events together, on either dataset; NaN where it is not known."""
    one, two = (float(np.exp(sum(event.log_probabilities[side] for event in worst.found.events))) for side in (0, 1))
    return one, two


def _formula(event: Event) -> str | None:
    """Of `numbers` and `symbols`, as the script takes an output apart; the same as `Event.holds`."""
    if event.weights:
        weighed = f"abs(np.dot(numbers, {list(event.weights)!r}) - {event.level!r}) <= {event.reached[0]!r}"
        return f"len(numbers) == {len(event.weights)} and {weighed}"
    if event.among:
        return _listed(event.among, event.places)
    if event.symbols is not None:
        below = [name for name, number in event.symbols.known.items() if number < event.level]
        return f"symbols {'not in' if event.at_least else 'in'} {below!r}" if len(below) <= FEW else None
    compared = f"numbers[{event.output}] {'>=' if event.at_least else '<'} {float(event.level)!r}"
    return f"len(numbers) > {event.output} and {compared}" if np.isfinite(event.level) else None


def _listed(among: Sequence[Run], places: Sequence[int]) -> str | None:
    """One of some outputs; None where calls that fail are among them, or where they are too many."""
    if len(among) > FEW or any(run.failed for run in among):
        return None
    listed = [(run.numbers.tolist(), run.symbols) for run in among]
    return f"same(numbers, symbols, {listed!r}, {list(places)!r})"
