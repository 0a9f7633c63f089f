"""Choices among few outcomes, as by a noisy maximum or a sparse vector: for each outcome a move of noise that keeps it.

If every noise u that gives an outcome on one dataset gives it on the other at u + s, with an s that depends on the
outcome alone, the outcome is at most e^cost(s) times as likely (ledger: trace-outcomes). For a noisy maximum the
winner's noise rises; for a sparse vector the threshold's noise rises, and that of the answer that came above it. Which
draws these are is found by driving them far out; how far they have to rise from where the outcome begins, by halving.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from hdp_audit.model.dataset import Dataset
from hdp_audit.tracing.coordinates import Coordinates
from hdp_audit.tracing.draws import Floats
from hdp_audit.tracing.execution import Execution, Run
from hdp_audit.tracing.laws import UNIFORM, Geometric, OneSided
from hdp_audit.tracing.measure import Measure

MOST_OUTCOMES = 12
MOST_COORDINATES = 12
LOOKED_AT = 8  # tapes by lot; the edges come on top
FAR = 100.0  # scales: a draw so far out decides
FARTHER = 100.0  # times as far decides against one that is far out
HALVINGS = 50
PART = 0.5  # of the calls that are left, at most
CALLS = 30_000
Outcome = tuple[tuple[str, ...], bytes]
Push = tuple[int, float]  # a coordinate, and the direction in which it brings an outcome about


def selected(
    execution: Execution, first: Dataset, second: Dataset, runs: list[Run], others: list[Run], measure: Measure
) -> float:
    """What moves that keep each outcome cost at most, forth and back; NaN where there are none."""
    longest = max((*runs, *others), key=lambda run: len(run.draws))
    laws = [draw.law for draw in longest.draws]
    followed = all(law is not None and law is not UNIFORM and not isinstance(law, Geometric) for law in laws)
    where = Coordinates(longest.draws, measure)
    known = {_outcome(run) for run in (*runs, *others)}
    if not measure.ratio or not followed or not 0 < len(where) <= MOST_COORDINATES or len(known) > MOST_OUTCOMES:
        return np.nan
    if not all(longest.begins_with(run) for run in (*runs, *others)) or any(run.failed for run in (*runs, *others)):
        return np.nan
    try:
        ways = ((first, second, runs), (second, first, others))
        return max(_Selecting(execution, one, two, where, own).cost() for one, two, own in ways)
    except _Open:
        return np.nan


class _Open(Exception):
    """No move was found that keeps an outcome."""


def _outcome(run: Run) -> Outcome:
    return run.symbols, run.numbers.tobytes()


@dataclass(eq=False)
class _Selecting:
    execution: Execution
    one: Dataset
    two: Dataset
    where: Coordinates
    runs: list[Run]
    noises: list[Floats] = field(init=False)

    def __post_init__(self) -> None:
        """Draws that a run did not make are added by lot: it did not look at them."""
        rng = np.random.default_rng(0)
        laws = self.where.laws
        self._last = self.execution.calls + min(CALLS, int(PART * self.execution.left))
        self._rest = [np.zeros(0)] * len(self.where.draws)
        self.noises = []
        for run in self.runs:
            drawn = self.where.vector(run)
            rest = [float(law.standard(rng, ())) for law in laws[drawn.size :]]
            self.noises.append(np.concatenate([drawn, rest]))

    def cost(self) -> float:
        """Over all outcomes that were seen."""
        return max(self._of(outcome) for outcome in {_outcome(run): None for run in self.runs})

    def _of(self, outcome: Outcome) -> float:
        costs = [self.where.cost(moved) for moved in self._moves(outcome)]
        if not costs:
            raise _Open
        return min(costs)

    def _moves(self, outcome: Outcome) -> Iterator[Floats]:
        """Of one draw; where none brings the outcome about alone, of two."""
        pushes = [(place, sign) for place, law in enumerate(self.where.laws) for sign in _signs(law)]
        alone = [push for push in pushes if self._decide(outcome, push)]
        for push in alone:
            moved = np.zeros(len(self.where))
            if self._raised(outcome, push, moved) and self._holds(outcome, moved):
                yield moved
        for one, two in itertools.permutations(pushes, 2) if not alone else ():
            if one[0] == two[0] or not self._decide(outcome, one, two):
                continue
            moved = np.zeros(len(self.where))
            raised = self._raised(outcome, one, moved, two) and self._raised(outcome, two, moved)
            if raised and self._holds(outcome, moved):
                yield moved
                return

    def _tapes(self) -> list[Floats]:
        """Some by lot, and those at the edges."""
        return [*self.noises[:LOOKED_AT], *self.noises[64:]]

    def _decide(self, outcome: Outcome, *pushes: Push) -> bool:
        """Whether draws far out bring the outcome about on both datasets, whatever the others are."""
        for noise in self._tapes()[::3]:
            far = self._far(noise, *pushes)
            if not (self._gives(self.one, far, outcome) and self._gives(self.two, far, outcome)):
                return False
        return True

    def _raised(self, outcome: Outcome, push: Push, moved: Floats, far: Push | None = None) -> bool:
        """Adds to `moved` how far the draw has to rise on the second dataset from where the first has the outcome.

        `far`: a draw that is out of the way meanwhile.
        """
        place, sign = push
        most = 0.0
        for noise in self._tapes():
            start = noise if far is None else self._far(noise, far)
            begins = self._begins(self.one, start, push, outcome)
            if begins is None:  # another draw forbids it here, or it comes anyhow
                if not self._comes_anyhow(start, moved, push, outcome):
                    return False
                continue
            if self._gives(self.two, _at(start + moved, place, begins + sign * most), outcome):
                continue
            needed = self._begins(self.two, start + moved, push, outcome)
            if needed is None:
                return False
            most = max(most, sign * (needed - begins))
        moved[place] += sign * most
        return True

    def _begins(self, dataset: Dataset, noise: Floats, push: Push, outcome: Outcome) -> float | None:
        """Where a rising draw brings the outcome about; None where it always does, or never."""
        place, sign = push
        low, high = -sign * FAR, sign * FAR
        gives = [self._gives(dataset, _at(noise, place, each), outcome) for each in (low, high)]
        if gives[0] or not gives[1]:
            return None
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            if not min(low, high) < middle < max(low, high):
                break
            low, high = (low, middle) if self._gives(dataset, _at(noise, place, middle), outcome) else (middle, high)
        return high

    def _comes_anyhow(self, noise: Floats, moved: Floats, push: Push, outcome: Outcome) -> bool:
        """Where the outcome does not begin on the first dataset: never there, or always on both."""
        place, sign = push
        low, high = -sign * FAR, sign * FAR
        if not self._gives(self.one, _at(noise, place, high), outcome):
            return True
        return self._gives(self.two, _at(noise + moved, place, low), outcome)

    def _holds(self, outcome: Outcome, moved: Floats) -> bool:
        """Whether the move keeps the outcome on every tape that gives it."""
        tapes = [noise for noise, run in zip(self.noises, self.runs, strict=True) if _outcome(run) == outcome]
        return all(self._gives(self.two, noise + moved * (1 + 1e-12), outcome) for noise in tapes)

    def _far(self, noise: Floats, *pushes: Push) -> Floats:
        """The last one farther than those before."""
        for place, sign in pushes[:-1]:
            noise = _at(noise, place, sign * FAR)
        place, sign = pushes[-1]
        return _at(noise, place, sign * FAR * FARTHER)

    def _gives(self, dataset: Dataset, noise: Floats, outcome: Outcome) -> bool:
        if self.execution.calls >= self._last:
            raise _Open
        return _outcome(self.execution.run(dataset, self.where.tape(noise, self._rest))) == outcome


def _signs(law: object) -> tuple[float, ...]:
    """Laws with one tail are moved into it alone."""
    return (1.0,) if isinstance(law, OneSided) else (1.0, -1.0)


def _at(noise: Floats, place: int, value: float) -> Floats:
    changed = noise.copy()
    changed[place] = value
    return changed
