"""Outputs whose kind alone tells the two datasets apart: None or a number, an exception, how many numbers there are."""

from __future__ import annotations

import numpy as np

from hdp_audit.tracing.execution import Run
from hdp_audit.tracing.steps import Event, least_part


def told_by_kind(runs: list[Run], others: list[Run], tapes: int) -> Event | None:
    """Outputs of one kind on every tape of the first dataset, and of another one on the second's; `tapes` by lot."""
    forms = [{run.symbols for run in each} for each in (runs, others)]
    if not len(forms[0]) == len(forms[1]) == 1 or forms[0] == forms[1]:
        return None
    alike = all(run.same_output(runs[0]) for run in runs)
    like = runs[0] if alike else Run(np.zeros(0), runs[0].symbols, ())
    return Event((0.0, -np.inf), among=(like,), always=True, seen=least_part(tapes, tapes))
