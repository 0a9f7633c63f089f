"""Two ways to read off a dataset how far its noise is from another's: outputs on a straight line, or levels reached."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.dataset import Dataset
from hdp_audit.tracing.coordinates import Coordinates
from hdp_audit.tracing.draws import Floats
from hdp_audit.tracing.execution import Execution, Given, Run
from hdp_audit.tracing.laws import UNIFORM, Geometric
from hdp_audit.tracing.measure import Measure
from hdp_audit.tracing.reading import MOST, Straight, straight
from hdp_audit.tracing.solving import solved
from hdp_audit.tracing.steps import grid

WHERE = (0.9, -0.9, 0.2, -0.2, 4.0, -4.0, 0.03, -0.03, 0.003, -0.003)  # noise around which an output may be alive
WIDEST = 1e7
HALVINGS = 80


class Reader(ABC):
    """`read` gives numbers that change with the data; `losses` says what changes cost."""

    width: int
    size: float  # of what is read: rounding is a part of it
    calls: int  # of the mechanism, for one reading

    @abstractmethod
    def read(self, dataset: Dataset) -> Floats:
        """One reading; NaN where it fails."""

    @abstractmethod
    def elsewhere(self) -> list[Reader]:
        """Readers at other noise, which have to read the same changes."""

    @abstractmethod
    def losses(self, changes: Floats, measure: Measure) -> Floats:
        """What each row costs; inf where no move of noise undoes it, NaN where it is unknown."""


def reader_of(execution: Execution, dataset: Dataset, where: Coordinates, run: Run) -> Reader | None:
    """Straight lines where there are any, else levels; None where outputs follow their noise in no simple way."""
    line = straight(execution, dataset, where, run.tape)
    if line is not None and (line.response != 0).any(axis=1).all():
        return Line(execution, line, where)
    levels = Level.found(execution, dataset, where, run)
    if levels is not None:
        return levels
    return Line(execution, line, where) if line is not None else None


class Line(Reader):
    """Outputs at one tape, around which they are straight lines in the noise."""

    calls = 1

    def __init__(self, execution: Execution, line: Straight, where: Coordinates, noise: Floats | None = None) -> None:
        self._execution, self._line, self._where = execution, line, where
        self._tape: Given = where.tape(line.noise if noise is None else noise, line.rest)
        self.width = line.output.size
        self.size = float(np.abs(line.output).max() + np.abs(line.response @ line.noise).max())

    def read(self, dataset: Dataset) -> Floats:
        """The outputs."""
        run = self._execution.run(dataset, self._tape)
        if run.symbols != self._line.symbols or run.numbers.shape != self._line.output.shape:
            return np.full_like(self._line.output, np.nan)
        return run.numbers

    def elsewhere(self) -> list[Reader]:
        """With less noise, and with more."""
        return [Line(self._execution, self._line, self._where, self._line.noise * part) for part in (0.45, 1.35)]

    def losses(self, changes: Floats, measure: Measure) -> Floats:
        """By the response."""
        return _losses(changes, self._line, self._where, measure)


class Level(Reader):
    """The noise at which each output reaches a level, whatever rounds or clips it; all outputs at once by halving."""

    calls = HALVINGS

    def __init__(
        self,
        execution: Execution,
        where: Coordinates,
        run: Run,
        columns: NDArray[np.int64],
        places: NDArray[np.int64],
        around: Floats,
    ) -> None:
        self._execution, self._where, self._run = execution, where, run
        self._columns, self._places, self._around = columns, places, around
        self._noise = where.vector(run)
        self._dataset: Dataset | None = None
        self._levels, self._rising = np.zeros(columns.size), np.ones(columns.size)
        self.width, self.size = int(columns.size), 1.0

    @classmethod
    def found(cls, execution: Execution, dataset: Dataset, where: Coordinates, run: Run) -> Level | None:
        """Where each output follows one draw alone, and no two the same."""
        if len(where) > MOST or not run.numbers.size or any(isinstance(law, Geometric) for law in where.laws):
            return None
        influence = np.zeros((run.numbers.size, len(where)), dtype=np.bool_)
        noise = where.vector(run)
        for column, law in enumerate(where.laws):
            for u in grid(law)[1::4]:
                changed = noise.copy()
                changed[column] = u
                other = execution.run(dataset, where.tape(changed, run.tape))
                if other.symbols != run.symbols or other.numbers.size != run.numbers.size:
                    return None
                influence[:, column] |= other.numbers != run.numbers
        own = influence.sum(axis=1) == 1
        columns = np.flatnonzero(influence.any(axis=0))
        if not columns.size or not own.all() or (influence.sum(axis=0) > 1).any():
            return None
        places = np.array([int(np.flatnonzero(influence[:, column])[0]) for column in columns])
        reader = cls(execution, where, run, columns, places, np.zeros(columns.size))
        return reader if reader._settled(dataset) else None

    def _settled(self, dataset: Dataset) -> bool:
        """Choose levels in the midst of what outputs do."""
        self._dataset = dataset
        waiting = np.ones(self.width, dtype=np.bool_)
        for u in WHERE:
            if not waiting.any():
                break
            around = np.array([u * (0.5 if self._where.laws[c] is UNIFORM else 1.0) for c in self._columns])
            low, here, high = (self._outputs(dataset, around + step * np.abs(around)) for step in (-0.5, 0.0, 0.5))
            alive = waiting & (low != here) & (here != high) & ((low < here) == (here < high))
            self._levels = np.where(alive, here, self._levels)
            self._around = np.where(alive, around, self._around)
            self._rising = np.where(alive, np.where(high > low, 1.0, -1.0), self._rising)
            slope = np.abs(high - low) / np.abs(around)
            size = np.where(alive, np.abs(here) / np.where(slope > 0, slope, 1.0) + np.abs(around), 0.0)
            self.size = max(self.size, float(size.max()))
            waiting &= ~alive
        return not waiting.any()

    def _outputs(self, dataset: Dataset | None, noise: Floats) -> Floats:
        assert dataset is not None  # noqa: S101 (settled)
        changed = self._noise.copy()
        changed[self._columns] = noise
        run = self._execution.run(dataset, self._where.tape(changed, self._run.tape))
        if run.symbols != self._run.symbols or run.numbers.size != self._run.numbers.size:
            return np.full(self.width, np.nan)
        return run.numbers[self._places]

    def read(self, dataset: Dataset) -> Floats:
        """Halving between noise that reaches the level and noise that does not."""
        low, high, width = self._around.copy(), self._around.copy(), np.abs(self._around)
        while float(width.max()) < WIDEST:
            below, above = self._reaches(dataset, low), ~self._reaches(dataset, high)
            if not below.any() and not above.any():
                break
            low, high, width = np.where(below, low - width, low), np.where(above, high + width, high), 2 * width
        else:
            return np.full(self.width, np.nan)
        for _ in range(HALVINGS):
            middle = (low + high) / 2
            if not ((low < middle) & (middle < high)).any():
                break
            reached = self._reaches(dataset, middle)
            low, high = np.where(reached, low, middle), np.where(reached, middle, high)
        return -high  # so that a change is what moves the noise of the first dataset to that of the second

    def _reaches(self, dataset: Dataset, noise: Floats) -> NDArray[np.bool_]:
        outputs = self._outputs(dataset, noise)
        return np.asarray(self._rising * outputs >= self._rising * self._levels)

    def elsewhere(self) -> list[Reader]:
        """At other levels."""
        others = []
        for part in (0.4, 2.2):
            other = Level(self._execution, self._where, self._run, self._columns, self._places, self._around * part)
            other._levels = self._outputs(self._dataset, other._around)
            other._rising, other.size, other._dataset = self._rising, self.size, self._dataset
            others.append(other)
        return list(others)

    def losses(self, changes: Floats, measure: Measure) -> Floats:
        """A change is the move itself."""
        known = np.isfinite(changes).all(axis=1)
        moved = np.zeros((changes.shape[0], len(self._where)))
        moved[:, self._columns] = np.where(np.abs(changes) > 1e-12 * self.size, changes, 0.0)
        with np.errstate(invalid="ignore"):
            both = np.maximum(*(measure.costs(self._where.laws, sign * moved) for sign in (1.0, -1.0)))
        return np.where(known, both, np.nan)


def _losses(changes: Floats, line: Straight, where: Coordinates, measure: Measure) -> Floats:
    """The cost of the move that undoes each change; inf where none does, NaN where the change is unknown."""
    known = np.asarray(np.isfinite(changes).all(axis=1))
    losses = np.full(changes.shape[0], np.nan)
    if not known.any():
        return losses
    active = line.active
    response = line.response[:, active]
    free = response.shape[1] > np.linalg.matrix_rank(response)
    if free and not measure.shortest([where.laws[each] for each in np.flatnonzero(active)]):
        places = [replace(where, measure=measure.of(np.array([row]))) for row in range(changes.shape[0])]
        return np.array(
            [_slowly(one, at, line) if ok else np.nan for one, at, ok in zip(changes, places, known, strict=True)]
        )
    inverse = np.linalg.pinv(response)
    moved = np.zeros((changes.shape[0], len(where)))
    moved[:, active] = changes @ inverse.T
    left = np.abs(changes - moved[:, active] @ response.T)
    undone = (left <= 1e-9 * np.abs(changes).max(axis=1, keepdims=True) + 1e-13 * np.abs(line.output).max()).all(axis=1)
    moved[np.abs(moved) < 1e-300] = 0.0
    with np.errstate(invalid="ignore"):
        own = measure.of(np.flatnonzero(known))
        both = np.maximum(*(own.costs(where.laws, sign * moved[known]) for sign in (1.0, -1.0)))
    losses[known] = np.where(undone[known], both, np.inf)
    return losses


def _slowly(change: Floats, where: Coordinates, line: Straight) -> float:
    found = [solved(line, sign * change, where)[0] for sign in (1.0, -1.0)]
    return max(np.inf if moved is None else where.cost(moved) for moved in found)
