"""One pair whose draws have a density: moves of noise that undo a change of the data, and events that show it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache, cached_property, partial

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.dataset import Dataset
from hdp_audit.tracing.below import from_below
from hdp_audit.tracing.coordinates import Coordinates
from hdp_audit.tracing.draws import Floats
from hdp_audit.tracing.execution import EPSILON, ULPS, Execution, Run, rounding
from hdp_audit.tracing.influence import influence
from hdp_audit.tracing.kinds import told_by_kind
from hdp_audit.tracing.loss import PairLoss, untraced
from hdp_audit.tracing.measure import Measure
from hdp_audit.tracing.reading import MOST, Straight, measured, straight
from hdp_audit.tracing.solving import solved
from hdp_audit.tracing.steps import Event, Steps, Symbols, grid, least_part, numbered, steps

LOOKED_AT = 3  # tapes on which it is seen what moves what
VARYING = 32  # tapes, where each may need a move of its own
TAPES = 64  # by lot, on which an alignment has to hold
OFTEN = 16  # tapes of 64 on which a combination of outputs without noise has to be seen
UNMOVED = "its outputs did not change on the tapes tried, but noise might make them jump"
NO_MOVE = "no move of its noise was found that undoes a change of the data"
CANCELLED = "noise cancels out: a combination of the outputs has none"


@dataclass(frozen=True, eq=False)
class Aligning:
    """One pair, with runs on tapes by lot for the first dataset, and on the same tapes for the second."""

    execution: Execution
    first: Dataset
    second: Dataset
    runs: list[Run]
    others: list[Run]
    flow: str
    measure: Measure

    @cached_property
    def where(self) -> Coordinates:
        """The coordinates of noise."""
        return Coordinates(self.runs[0].draws, self.measure)

    def loss(self, below: bool) -> PairLoss:
        """From above, then from below."""
        if all(run.same_output(other) for run, other in zip(self.runs, self.others, strict=True)):
            return self._unmoved()
        if (bare := self._noiseless()) is not None:
            return PairLoss(np.inf, np.inf, self.runs[0].draws, events=(bare,), flow=self.flow)
        moved, cancelled = self._straight_move()
        if cancelled is not None:
            return PairLoss(np.inf, np.inf, self.runs[0].draws, events=(cancelled,), flow=self.flow or CANCELLED)
        levels = self._levels() if below or moved is None else None
        if moved is None and levels is not None:
            moved = self._level_move(levels)
        upper = self._from_above(moved)
        varies = moved is None and not np.isnan(upper)
        lower, events = from_below(levels, self.measure)
        if np.isnan(upper) and np.isnan(lower):
            return untraced(NO_MOVE, self.runs[0].draws, self.flow)
        unknown = np.isnan(lower) or (not self.measure.ratio and lower < upper)
        if below and unknown and moved is not None and self._determined(moved):
            lower = upper * (1.0 - self._error)
        return PairLoss(
            lower, upper, self.runs[0].draws, moved, events, flow=self.flow, varies=varies, error=self._error
        )

    def _from_above(self, moved: Floats | None) -> float:
        """What a move costs, forth and back; where one move does not do it, the largest of those that tapes need."""
        there, back = (np.nan, np.nan) if moved is None else (self.where.cost(moved), self.where.cost(-moved))
        if moved is None:
            there = self._varying()
        if not np.isfinite(there + back):  # the way back may have a cheaper move of its own
            turned = replace(self, first=self.second, second=self.first, runs=self.others, others=self.runs)
            again = turned._straight_move()[0] if moved is not None else None
            back = turned.where.cost(again) if again is not None else back if moved is not None else turned._varying()
        return float(max(there, back)) if not np.isnan(there + back) else np.nan

    def _varying(self) -> float:
        """The largest cost of a move on the tapes, where other draws decide between few moves; NaN where one has none.

        A move may depend on draws that it leaves alone, and on these in steps: nearby noise has to need the same one.
        """
        costs = []
        for number, run in enumerate(self.runs if self._numeric() else []):
            noise = self.where.vector(run)
            if run.same_output(self.others[number]):
                costs.append(0.0)
                continue
            if number >= VARYING and any(costs):
                break  # where nothing changed before, those before tell nothing
            line = measured(self.execution, self.second, self.where, run.tape, noise)
            moved = None if line is None else solved(line, run.numbers - line.output, self.where)[0]
            if moved is None or not self._around(noise, moved, run):
                return np.nan
            costs.append(self.where.cost(moved))
        return max(costs, default=np.nan)

    def _around(self, noise: Floats, moved: Floats, run: Run) -> bool:
        """Whether the same move does it for this noise, for other values of what is moved, and close to the rest."""
        places = [
            noise,
            *(np.where(moved != 0, each, noise * (1.0 + 1e-3)) for each in (noise + 0.5, noise * 3.0, -noise)),
        ]
        for place in places:
            mine = self.execution.run(self.first, self.where.tape(place, run.tape))
            its = self.execution.run(self.second, self.where.tape(place + moved, run.tape))
            if not mine.same_output(its, self._change):
                return False
        return True

    def _unmoved(self) -> PairLoss:
        """Equal outputs are a loss of 0 where they follow the noise; where they only might jump, nobody knows."""
        line = straight(self.execution, self.first, self.where, self.runs[0].tape) if self._numeric() else None
        if line is None and not self._lively() and self._influence.any():
            return untraced(UNMOVED, self.runs[0].draws, self.flow)
        return PairLoss(0.0, 0.0, self.runs[0].draws, np.zeros(len(self.where)), flow=self.flow)

    def _lively(self) -> bool:
        """Whether every output takes many values on the tapes, so that noise alone moves it."""
        outputs = np.array([run.numbers for run in self.runs[:TAPES]]) if self._numeric() else np.zeros((1, 1))
        return all(np.unique(column).size >= OFTEN for column in outputs.T)

    def _noiseless(self) -> Event | None:
        """An output that is one number on every tape of the first dataset, and another one on the second's."""
        if (told := told_by_kind(self.runs, self.others, TAPES)) is not None or not self._numeric():
            return told
        mine, its = (np.array([run.numbers for run in runs]) for runs in (self.runs, self.others))
        fixed = (mine == mine[0]).all(axis=0) & (its == its[0]).all(axis=0) & (mine[0] != its[0])
        if not fixed.any():
            return None
        if self._influence[fixed].any():  # some draw moves it, if rarely
            return None
        place = int(np.flatnonzero(fixed)[0])
        one, two = float(mine[0, place]), float(its[0, place])
        return Event((0.0, -np.inf), place, one > two, (one + two) / 2, always=True, seen=least_part(TAPES, TAPES))

    def _numeric(self) -> bool:
        """Whether all outputs are numbers, arranged in the same way."""
        forms = {(run.symbols, run.numbers.size) for run in (*self.runs, *self.others)}
        finite = all(np.isfinite(run.numbers).all() for run in (*self.runs, *self.others))
        return len(forms) == 1 and self.runs[0].numbers.size > 0 and finite

    def _straight_move(self) -> tuple[Floats | None, Event | None]:
        """From straight lines, where it holds on every tape; and the event where noise cancels out."""
        if not self._numeric():
            return None, None
        rest = self.runs[0].tape
        line = straight(self.execution, self.second, self.where, rest)
        if line is None:
            return None, None
        here = self.execution.run(self.first, self.where.tape(line.noise, rest))
        if here.numbers.shape != line.output.shape:
            return None, None
        moved, left = solved(line, here.numbers - line.output, self.where)
        if moved is None:
            return None, None if left is None else self._cancels(left, here.numbers, line.output)
        return (moved, None) if self._holds(moved) else (None, None)

    def _cancels(self, left: Floats, mine: Floats, its: Floats) -> Event | None:
        """A combination of outputs that has no noise, and tells the datasets apart wherever nothing is clipped."""
        weights = left / np.abs(left).max()
        most = max(float(np.abs(mine).max()), float(np.abs(its).max()), _size(self.runs))
        close = ULPS * EPSILON * most + 1e-9 * float(np.abs(left).max())
        one, two = (
            Event(
                (np.nan, -np.inf), level=float(each @ weights), reached=(close, close), weights=tuple(weights.tolist())
            )
            for each in (mine, its)
        )
        hits = [sum(event.holds(run) for run in runs) for event in (one, two) for runs in (self.runs, self.others)]
        if hits[0] < OFTEN or hits[1] or hits[2] or hits[3] < OFTEN:
            return None
        by_lot = sum(one.holds(run) for run in self.runs[:TAPES])
        return replace(one, seen=least_part(by_lot, TAPES))

    def _holds(self, moved: Floats) -> bool:
        """Whether the second dataset with moved noise does what the first did, on every tape."""
        for number, run in enumerate(self.runs):
            tape = self.where.tape(self.where.vector(run) + moved, run.tape)
            other = self.execution.run(self.second, tape, number)
            if not run.same_output(other, self._change):
                return False
        return True

    def _levels(self) -> list[Steps] | None:
        """Each output that the data move, and the only draw that it follows; None where outputs and draws mix."""
        where = self.where
        if not 0 < len(where) <= MOST or any(draw.discrete for draw in where.draws):
            return None
        differing = self._differing()
        if _mixed(self._glance, differing):
            return None
        follows = self._influence
        found: list[Steps] = []
        for coordinate in np.flatnonzero(follows[differing].any(axis=0)):
            own = [place for place in np.flatnonzero(differing) if follows[place, coordinate]]
            place = own[0]
            if follows[place].sum() != 1:
                return None
            result = self._steps(int(place), int(coordinate))
            if result is None:
                return None
            found.append(result)
        return found or None

    def _steps(self, place: int, coordinate: int) -> Steps | None:
        rest, law = self.runs[0], self.where.laws[coordinate]
        symbols = None if rest.numbers.size else Symbols()
        noise = self.where.vector(rest)

        @cache  # places are asked for again and again
        def value(dataset: Dataset, u: float) -> float:
            changed = noise.copy()
            changed[coordinate] = u
            run = self.execution.run(dataset, self.where.tape(changed, rest.tape))
            if symbols is not None:
                return symbols.number(run)
            return numbered(run, place) if run.symbols == rest.symbols else np.nan

        for u in grid(law) if symbols is not None else ():
            value(self.first, float(u))
        functions = partial(value, self.first), partial(value, self.second)
        found = steps(place, law, *functions, symbols)
        if found is None or not (told := self.measure.places(law, found.move)):
            return found
        return steps(place, law, *functions, symbols, told)

    def _level_move(self, levels: list[Steps]) -> Floats | None:
        """One move for each draw, where all levels agree on it and it holds on every tape."""
        follows, moved = self._influence, np.zeros(len(self.where))
        for each in levels:
            if each.move is None:
                return None
            moved[np.flatnonzero(follows[each.output])[0]] = each.move
        return moved if self._holds(moved) else None

    def _differing(self) -> NDArray[np.bool_]:
        """Outputs that differ between the datasets on some tape; a single one where they are symbols."""
        if not self._numeric():
            return np.ones(1, dtype=np.bool_)
        mine, its = (np.array([run.numbers for run in runs]) for runs in (self.runs, self.others))
        return np.asarray((np.abs(mine - its) > rounding(mine, its)).any(axis=0))

    @property
    def _error(self) -> float:
        """Relative: the rounding of outputs against the change that the data make."""
        largest = max((float(np.abs(run.numbers).max()) for run in self.runs if run.numbers.size), default=0.0)
        return min(ULPS * EPSILON * largest / self._change, 1.0) if self._change > 0 else 0.0

    @cached_property
    def _change(self) -> float:
        """The largest that the data make on a tape."""
        if not self._numeric():
            return 0.0
        return max(
            float(np.abs(run.numbers - its.numbers).max()) for run, its in zip(self.runs, self.others, strict=True)
        )

    @cached_property
    def _influence(self) -> NDArray[np.bool_]:
        """Which output (row) follows which coordinate (column) at all, on some tape and some size of a move."""
        looked_at = ((self.first, self.runs[1:LOOKED_AT]), (self.second, self.others[:LOOKED_AT]))
        return self._glance | influence(self.execution, self.where, looked_at, self._numeric())

    @cached_property
    def _glance(self) -> NDArray[np.bool_]:
        """The same by a single tape: where outputs mix draws there, no more calls are spent on it."""
        return influence(self.execution, self.where, ((self.first, self.runs[:1]),), self._numeric())

    def _determined(self, moved: Floats) -> bool:
        """Whether outputs are a straight and invertible function of all draws that are moved, on every tape.

        Of normal noise any straight function will do: what is left of it is normal and independent of the rest.
        """
        laws = [self.where.laws[each] for each in np.flatnonzero(moved)]
        if not self._numeric() or any(draw.discrete for draw in self.where.draws) or not self.measure.attained(laws):
            return False
        line = straight(self.execution, self.first, self.where, self.runs[0].tape)
        if line is None:
            return False
        active = line.active
        free = np.linalg.matrix_rank(line.response[:, active]) < active.sum()
        shortest = self.measure.shortest([self.where.laws[each] for each in np.flatnonzero(active)])
        if (moved[~active] != 0).any() or (free and not shortest):
            return False
        # on both datasets: where one of them makes an output by two draws, its density there is larger
        back = straight(self.execution, self.second, self.where, self.runs[0].tape)
        return back is not None and self._follows(line, self.runs) and self._follows(back, self.others)

    def _follows(self, line: Straight, runs: list[Run]) -> bool:
        """Whether outputs are where the line says, on every tape."""
        noise = np.array([self.where.vector(run) for run in runs])
        expected = line.output + (noise - line.noise) @ line.response.T
        outputs = np.array([run.numbers for run in runs])
        return bool(np.allclose(outputs, expected, rtol=1e-7, atol=1e-9 * float(np.abs(outputs).max())))


def _size(runs: list[Run]) -> float:
    """How large outputs are."""
    return float(max((np.abs(run.numbers).max() for run in runs if run.numbers.size), default=0.0))


def _mixed(follows: NDArray[np.bool_], differing: NDArray[np.bool_]) -> bool:
    """Whether each output that the data move follows several draws: then none has an event of one draw alone."""
    moved = follows[differing].sum(axis=1)
    return bool(moved.size) and bool((moved > 1).all())
