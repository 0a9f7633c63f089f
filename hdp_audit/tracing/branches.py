"""Pairs whose draws only decide between branches: both laws are counted out, so that the loss is exact."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.dataset import Dataset
from hdp_audit.tracing.counting import TooMany, agrees, counted_loss, tree
from hdp_audit.tracing.draws import Floats
from hdp_audit.tracing.execution import Execution, Run
from hdp_audit.tracing.laws import UNIFORM
from hdp_audit.tracing.loss import PairLoss
from hdp_audit.tracing.measure import Measure

DEEPEST = 24  # entries that may decide one after another
MOST_ENTRIES = 1_000
EDGE = 0.5 - 1e-12  # of a uniform draw, where rare branches are
LOOKED_AT = 6  # tapes on which it is seen what changes what


def counted(
    execution: Execution,
    first: Dataset,
    second: Dataset,
    runs: list[Run],
    others: list[Run],
    flow: str,
    measure: Measure,
) -> PairLoss | None:
    """Exact, where every branch can be taken; None where there are too many, or draws that are no branches."""
    laws = {draw.law for run in (*runs, *others) for draw in run.draws}
    if not laws <= {None, UNIFORM}:
        return None
    parts = _independent(execution, first, second, runs, others)
    for free, places in (*([parts] if parts is not None else []), (None, None)):
        entries = sum(draw.size for draw in runs[0].draws)
        if free is None and (entries > DEEPEST or entries in execution.uncountable):
            continue
        try:
            trees = [tree(execution, each, free, runs[0] if free is not None else None) for each in (first, second)]
        except TooMany:
            if free is None:
                execution.uncountable.add(entries)
            continue
        if all(agrees(execution, each, node, places) for each, node in zip((first, second), trees, strict=True)):
            found, event = counted_loss((trees[0], trees[1]), places, measure)
            events = (event,) if event is not None else ()
            return PairLoss(found.lower, found.upper, runs[0].draws, events=events, flow=flow)
    return None


def _independent(
    execution: Execution, first: Dataset, second: Dataset, runs: list[Run], others: list[Run]
) -> tuple[list[int], list[int]] | None:
    """Entries of draws that alone decide on those outputs that differ, and on no others; and these outputs.

    What everybody else gets is then independent of them, so that it tells nothing of the change.
    """
    every = (*runs, *others)
    if not all(run.same_draws(runs[0]) and run.symbols == runs[0].symbols for run in every) or not runs[0].numbers.size:
        return None
    mine, its = (np.array([run.numbers for run in each]) for each in (runs, others))
    differing = (mine != its).any(axis=0)
    entries = sum(draw.size for draw in runs[0].draws)
    if not differing.any() or differing.all() or entries > MOST_ENTRIES:
        return None
    influence = _moving(execution, ((first, runs[:LOOKED_AT]), (second, others[:LOOKED_AT])), entries)
    if influence is None:
        return None
    free = influence[differing].any(axis=0)
    if (influence[~differing] & free).any():
        return None
    return [int(each) for each in np.flatnonzero(free)], [int(each) for each in np.flatnonzero(differing)]


def _moving(
    execution: Execution, looked_at: tuple[tuple[Dataset, list[Run]], ...], entries: int
) -> NDArray[np.bool_] | None:
    """Which output (row) changes with which entry (column); None where the draws themselves change."""
    found = np.zeros((looked_at[0][1][0].numbers.size, entries), dtype=np.bool_)
    for dataset, runs in looked_at:
        for run in runs:
            for number, tape in _changed(run):
                other = execution.run(dataset, tape)
                if not other.same_draws(run) or other.symbols != run.symbols:
                    return None
                found[:, number] |= other.numbers != run.numbers
    return found


def _changed(run: Run) -> Iterator[tuple[int, list[Floats]]]:
    """The tape with one entry elsewhere, entry by entry."""
    number = 0
    for place, draw in enumerate(run.draws):
        values = (-EDGE, -0.499, -0.2, 0.1, 0.499, EDGE) if draw.options is None else range(min(len(draw.options), 4))
        for entry in range(draw.size):
            for value in values:
                changed = draw.u.copy().ravel()
                changed[entry] = value
                tape = list(run.tape)
                tape[place] = changed.reshape(draw.shape)
                yield number, tape
            number += 1
