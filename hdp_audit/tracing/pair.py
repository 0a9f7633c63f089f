"""The loss of one pair of datasets: from above by an alignment of their draws, from below by an event."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from hdp_audit.model.dataset import Dataset
from hdp_audit.tracing.aligning import TAPES, Aligning
from hdp_audit.tracing.branches import EDGE, counted
from hdp_audit.tracing.execution import Execution, Given, Run
from hdp_audit.tracing.kinds import told_by_kind
from hdp_audit.tracing.laws import EXPONENTIAL, GUMBEL, UNIFORM, Geometric, Law
from hdp_audit.tracing.loss import PairLoss, untraced
from hdp_audit.tracing.measure import Measure, Pure
from hdp_audit.tracing.selecting import selected
from hdp_audit.tracing.steps import Event, least_part

AGAIN = 8  # seeds with which a real generator has to do the same
OTHERWISE = ("permutation", "shuffle")  # drawn in another way than numpy does
OURS = "rng"
MOST_EDGES = 6  # draws, and entries of each


def pair_loss(
    execution: Execution, first: Dataset, second: Dataset, measure: Measure | None = None, *, below: bool = True
) -> PairLoss:
    """Both directions, whichever loss is larger; without a look from `below` where there is an alignment."""
    measure = measure or Pure()
    runs = [execution.run(first, seed=number) for number in range(TAPES)]
    start = runs[0]
    refused = followable(execution, first, start)
    if refused:
        return untraced(refused, start.draws)
    runs += [execution.run(first, tape) for tape in edges(start)]
    others = [execution.run(second, run.tape, number) for number, run in enumerate(runs)]
    if all(run.failed and run.symbols == start.symbols for run in (*runs, *others)):
        return untraced(f"every call failed: {start.symbols[0]}", start.draws)
    if not start.draws:
        if all(run.same_output(other) for run, other in zip(runs, others, strict=True)):
            return PairLoss(0.0, 0.0)
        return PairLoss(
            np.inf,
            np.inf,
            events=(Event((0.0, -np.inf), among=(start,), always=True, seen=least_part(TAPES, TAPES)),),
            flow="nothing is drawn",
        )
    flow = _flow(runs, others)
    found = counted(execution, first, second, runs, others, flow, measure)
    if found is not None:
        return found
    if not all(start.same_laws(run) for run in (*runs, *others)):
        told = told_by_kind(runs, others, TAPES)
        if told is not None:
            return PairLoss(np.inf, np.inf, start.draws, events=(told,), flow=flow)
        found = untraced("which draws are made depends on the data or on other draws", start.draws, flow)
    else:
        found = Aligning(execution, first, second, runs, others, flow, measure).loss(below)
    if not np.isnan(found.upper) or found.lower == np.inf:
        return found
    upper = selected(execution, first, second, runs, others, measure)
    return found if np.isnan(upper) else replace(found, upper=upper, varies=True, why="")


def edges(run: Run) -> Iterator[Given]:
    """Tapes on which rare branches are taken: noise far out, and uniform draws at either end; one by one and all."""
    ends = [_ends(draw.law) if draw.law is not None else () for draw in run.draws]
    for which in range(max(map(len, ends), default=0)):
        far = [place for place, end in enumerate(ends) if which < len(end) and run.draws[place].size]
        yield [np.full_like(u, ends[place][which]) if place in far else u for place, u in enumerate(run.tape)]
        for place in far[:MOST_EDGES] if len(far) > 1 or run.draws[far[0]].size > 1 else ():
            for entry in range(min(run.draws[place].size, MOST_EDGES)):
                changed = run.tape[place].copy().ravel()
                changed[entry] = ends[place][which]
                yield [*run.tape[:place], changed.reshape(run.draws[place].shape), *run.tape[place + 1 :]]


def _ends(law: Law) -> tuple[float, ...]:
    """Noise that hardly ever comes."""
    if law is UNIFORM:
        return -EDGE, EDGE
    if isinstance(law, Geometric):
        return (400.0,)
    return (8.0, 40.0) if law is EXPONENTIAL else (-40.0, -8.0, 8.0, 40.0) if law is not GUMBEL else (-3.0, 8.0, 40.0)


def followable(execution: Execution, dataset: Dataset, run: Run) -> str:
    """Why its draws cannot be followed; empty where they can."""
    if run.refused:
        return run.refused
    unknown = next((draw for draw in run.draws if draw.law is None and not draw.discrete), None)
    if unknown is not None:
        return f"{unknown.words()} draws from a law that is not followed"
    again = execution.run(dataset, run.tape)
    if not run.same_draws(again):
        return "the same data were followed by other draws: it keeps something between calls"
    if not run.same_output(again):
        return "the same data and draws gave another output: it draws from elsewhere"
    return "" if _faithful(execution, dataset, run) else "it behaves otherwise when its draws are recorded"


def _faithful(execution: Execution, dataset: Dataset, run: Run) -> bool:
    """Whether a generator of numpy's own with the same seed makes the same outputs, where it has to."""
    if any(draw.method in OTHERWISE or draw.source != OURS for draw in run.draws):
        return True
    for seed in range(AGAIN):
        theirs = execution.real(dataset, np.random.default_rng(seed))
        mine = execution.run(dataset, seed=seed)
        if not theirs.same_output(mine, float(np.abs(mine.numbers).max(initial=0.0))):
            return False
    return True


def _flow(runs: list[Run], others: list[Run]) -> str:
    """The first draw that differs between the datasets at equal draws before it, with both parameters."""
    for run, other in zip(runs, others, strict=True):
        for mine, its in zip(run.draws, other.draws, strict=False):
            if not mine.alike(its):
                return f"{mine.words()} on one dataset, {its.words()} on the other"
            if not np.array_equal(np.asarray(mine.scale), np.asarray(its.scale)):
                return f"the scale depends on the data: {mine.words()} on one dataset, {its.words()} on the other"
        if len(run.draws) != len(other.draws):
            longer = max(run.draws, other.draws, key=len)
            return f"{longer[min(len(run.draws), len(other.draws))].words()} is made on one dataset alone"
    return ""
