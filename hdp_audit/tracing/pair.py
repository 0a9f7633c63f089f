"""The loss of one pair of datasets: from above by an alignment of their draws, from below by an event."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.dataset import Dataset
from hdp_audit.tracing.coordinates import Coordinates
from hdp_audit.tracing.counting import TooMany, agrees, counted_loss, tree
from hdp_audit.tracing.draws import Draw, Floats
from hdp_audit.tracing.execution import Execution, Run
from hdp_audit.tracing.laws import UNIFORM, Law
from hdp_audit.tracing.reading import MOST, Straight, measured, straight
from hdp_audit.tracing.steps import Event, Steps, Symbols, grid, numbered, steps

TAPES = 64  # on which an alignment has to hold
DEEPEST = 24  # entries that may decide one after another
MOST_ENTRIES = 1_000
LOOKED_AT = 3  # tapes on which it is seen what moves what
VARYING = 32  # tapes, where each may need a move of its own
OFTEN = 4  # tapes of 64 on which a combination of outputs without noise has to be seen
CANCELLED = "noise cancels out: a combination of the outputs has none"
FEW = 1e-9  # relative; losses nearer than this are equal


@dataclass(frozen=True, eq=False)
class PairLoss:
    """`lower` is the loss of a known event, `upper` that of an alignment; NaN where there is none.

    `moved`: how far each coordinate of standard noise has to move. `why`: what could not be followed.
    """

    lower: float
    upper: float
    draws: tuple[Draw, ...] = ()
    moved: Floats | None = None
    events: tuple[Event, ...] = ()
    why: str = ""
    varies: bool = False  # the move depends on the draws: `upper` is the largest on the tapes
    flow: str = ""  # what differs between the two datasets before any output: parameters, number of draws

    @property
    def traced(self) -> bool:
        """Whether anything is known."""
        return not (np.isnan(self.lower) and np.isnan(self.upper))

    @property
    def exact(self) -> bool:
        """Whether both sides meet."""
        if self.lower == self.upper:
            return True
        return bool(abs(self.upper - self.lower) <= FEW * max(abs(self.upper), abs(self.lower)))

    @property
    def loss(self) -> float:
        """The loss where it is known exactly, else what bounds it from above, else from below."""
        return self.lower if self.exact or np.isnan(self.upper) else self.upper


def untraced(why: str, draws: tuple[Draw, ...] = (), flow: str = "") -> PairLoss:
    """Nothing is known, and why."""
    return PairLoss(np.nan, np.nan, draws, why=why, flow=flow)


def pair_loss(execution: Execution, first: Dataset, second: Dataset, *, below: bool = True) -> PairLoss:
    """Both directions, whichever loss is larger; without a look from `below` where there is an alignment."""
    runs = [execution.run(first, seed=number) for number in range(TAPES)]
    start = runs[0]
    refused = followable(execution, first, start)
    if refused:
        return untraced(refused, start.draws)
    others = [execution.run(second, run.tape, number) for number, run in enumerate(runs)]
    if not start.draws:
        if all(run.same_output(other) for run, other in zip(runs, others, strict=True)):
            return PairLoss(0.0, 0.0)
        return PairLoss(np.inf, np.inf, events=(Event((0.0, -np.inf), like=start),), flow="nothing is drawn")
    flow = _flow(runs, others)
    counted = _counted(execution, first, second, runs, others, flow)
    if counted is not None:
        return counted
    if not all(start.same_draws(run) for run in (*runs, *others)):
        return untraced("which draws are made depends on the data or on other draws", start.draws, flow)
    return Aligning(execution, first, second, runs, others, flow).loss(below)


def _counted(
    execution: Execution, first: Dataset, second: Dataset, runs: list[Run], others: list[Run], flow: str
) -> PairLoss | None:
    """Exact, where every branch can be taken; None where there are too many, or draws that are no branches."""
    laws = {draw.law for run in (*runs, *others) for draw in run.draws}
    if not laws <= {None, UNIFORM}:
        return None
    parts = _independent(execution, first, second, runs, others)
    for free, places in (*([parts] if parts is not None else []), (None, None)):
        if free is None and sum(draw.size for draw in runs[0].draws) > DEEPEST:
            continue
        try:
            trees = [tree(execution, each, free, runs[0] if free is not None else None) for each in (first, second)]
        except TooMany:
            continue
        if all(agrees(execution, each, node, places) for each, node in zip((first, second), trees, strict=True)):
            loss, event = counted_loss((trees[0], trees[1]), places)
            shown = (event,) if event is not None and places is None else ()
            return PairLoss(loss, loss, runs[0].draws, events=shown, flow=flow)
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
    influence = _moving(execution, ((first, runs[: 2 * LOOKED_AT]), (second, others[: 2 * LOOKED_AT])), entries)
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
        values = (-0.499, -0.2, 0.1, 0.499) if draw.options is None else range(min(len(draw.options), 4))
        for entry in range(draw.size):
            for value in values:
                changed = draw.u.copy().ravel()
                changed[entry] = value
                tape = list(run.tape)
                tape[place] = changed.reshape(draw.shape)
                yield number, tape
            number += 1


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
    return "" if run.same_output(again) else "the same data and draws gave another output: it draws from elsewhere"


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


@dataclass(frozen=True, eq=False)
class Aligning:
    """One pair, with runs on tapes by lot for the first dataset, and on the same tapes for the second."""

    execution: Execution
    first: Dataset
    second: Dataset
    runs: list[Run]
    others: list[Run]
    flow: str

    @property
    def where(self) -> Coordinates:
        """The coordinates of noise."""
        return Coordinates(self.runs[0].draws)

    def loss(self, below: bool) -> PairLoss:
        """From above, then from below."""
        where = self.where
        if all(run.same_output(other) for run, other in zip(self.runs, self.others, strict=True)):
            return PairLoss(0.0, 0.0, self.runs[0].draws, np.zeros(len(where)), flow=self.flow)
        bare = self._noiseless()
        if bare is not None:
            return PairLoss(np.inf, np.inf, self.runs[0].draws, events=(bare,), flow=self.flow)
        moved, cancelled = self._straight_move()
        if cancelled:
            return PairLoss(np.inf, np.inf, self.runs[0].draws, flow=self.flow or CANCELLED)
        levels = self._levels() if below or moved is None else None
        if moved is None and levels is not None:
            moved = self._level_move(levels)
        upper = self._from_above(moved)
        varies = moved is None and not np.isnan(upper)
        lower, events = _from_below(levels)
        if np.isnan(upper) and np.isnan(lower):
            return untraced("no move of its noise was found that undoes a change of the data", self.runs[0].draws, self.flow)
        if below and np.isnan(lower) and moved is not None and self._determined(moved):
            lower = upper
        return PairLoss(lower, upper, self.runs[0].draws, moved, events, flow=self.flow, varies=varies)

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
        for number, run in enumerate(self.runs[:VARYING] if self._numeric() else []):
            noise = self.where.vector(run)
            if run.same_output(self.others[number]):
                costs.append(0.0)
                continue
            line = measured(self.execution, self.second, self.where, run.tape, noise)
            moved = solved(line, run.numbers - line.output, self.where)[0] if line is not None else None
            if moved is None or not self._around(noise, moved, run):
                return np.nan
            costs.append(self.where.cost(moved))
        return max(costs, default=np.nan)

    def _around(self, noise: Floats, moved: Floats, run: Run) -> bool:
        """Whether the same move does it for this noise, for other values of what is moved, and close to the rest."""
        places = [noise, *(np.where(moved != 0, each, noise * (1.0 + 1e-3)) for each in (noise + 0.5, noise * 3.0, -noise))]
        for place in places:
            mine = self.execution.run(self.first, self.where.tape(place, run.tape))
            its = self.execution.run(self.second, self.where.tape(place + moved, run.tape))
            if not mine.same_output(its, _size(self.runs)):
                return False
        return True

    def _noiseless(self) -> Event | None:
        """An output that is one number on every tape of the first dataset, and another one on the second's."""
        forms = [{run.symbols for run in runs} for runs in (self.runs, self.others)]
        if len(forms[0]) == len(forms[1]) == 1 and forms[0] != forms[1]:
            alike = all(run.same_output(self.runs[0]) for run in self.runs)
            return Event((0.0, -np.inf), like=self.runs[0] if alike else None)
        if not self._numeric():
            return None
        mine, its = (np.array([run.numbers for run in runs]) for runs in (self.runs, self.others))
        fixed = (mine == mine[0]).all(axis=0) & (its == its[0]).all(axis=0) & (mine[0] != its[0])
        if not fixed.any():
            return None
        place = int(np.flatnonzero(fixed)[0])
        one, two = float(mine[0, place]), float(its[0, place])
        return Event((0.0, -np.inf), place, one > two, (one + two) / 2)

    def _numeric(self) -> bool:
        """Whether all outputs are numbers, arranged in the same way."""
        forms = {(run.symbols, run.numbers.size) for run in (*self.runs, *self.others)}
        finite = all(np.isfinite(run.numbers).all() for run in (*self.runs, *self.others))
        return len(forms) == 1 and self.runs[0].numbers.size > 0 and finite

    def _straight_move(self) -> tuple[Floats | None, bool]:
        """From responses that are straight lines, where it holds on every tape; and whether noise cancels out."""
        if not self._numeric():
            return None, False
        rest = self.runs[0].tape
        line = straight(self.execution, self.second, self.where, rest)
        if line is None:
            return None, False
        here = self.execution.run(self.first, self.where.tape(line.noise, rest))
        if here.numbers.shape != line.output.shape:
            return None, False
        moved, left = solved(line, here.numbers - line.output, self.where)
        if moved is None:
            return None, left is not None and self._cancels(left, here.numbers, line.output)
        return (moved, False) if self._holds(moved) else (None, False)

    def _cancels(self, left: Floats, mine: Floats, its: Floats) -> bool:
        """Whether a combination of outputs has no noise, and tells the datasets apart wherever nothing is clipped."""
        weights = left / np.abs(left).max()
        close = 1e-9 * max(float(np.abs(mine).max()), float(np.abs(its).max()), _size(self.runs))
        hits = []
        for number in (mine @ weights, its @ weights):
            for runs in (self.runs, self.others):
                hits.append(sum(abs(float(run.numbers @ weights) - number) <= close for run in runs))
        return hits[0] >= OFTEN and hits[1] == hits[2] == 0 and hits[3] >= OFTEN

    def _holds(self, moved: Floats) -> bool:
        """Whether the second dataset with moved noise does what the first did, on every tape."""
        for number, run in enumerate(self.runs):
            tape = self.where.tape(self.where.vector(run) + moved, run.tape)
            other = self.execution.run(self.second, tape, number)
            if not run.same_output(other, _size(self.runs)):
                return False
        return True

    def _levels(self) -> list[Steps] | None:
        """Each output that the data move, and the only draw that it follows; None where outputs and draws mix."""
        where = self.where
        if not 0 < len(where) <= MOST or any(draw.discrete for draw in where.draws):
            return None
        influence = self._influence()
        differing = self._differing()
        found: list[Steps] = []
        for coordinate in np.flatnonzero(influence[differing].any(axis=0)):
            own = [place for place in np.flatnonzero(differing) if influence[place, coordinate]]
            place = own[0]
            if influence[place].sum() != 1:
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

        def value(dataset: Dataset, u: float) -> float:
            changed = noise.copy()
            changed[coordinate] = u
            run = self.execution.run(dataset, self.where.tape(changed, rest.tape))
            if symbols is not None:
                return symbols.number(run)
            return numbered(run, place) if run.symbols == rest.symbols else np.nan

        for u in grid(law) if symbols is not None else ():
            value(self.first, float(u))
        return steps(place, law, partial(value, self.first), partial(value, self.second), symbols)

    def _level_move(self, levels: list[Steps]) -> Floats | None:
        """One move for each draw, where all levels agree on it and it holds on every tape."""
        influence, moved = self._influence(), np.zeros(len(self.where))
        for each in levels:
            if each.move is None:
                return None
            moved[np.flatnonzero(influence[each.output])[0]] = each.move
        return moved if self._holds(moved) else None

    def _differing(self) -> NDArray[np.bool_]:
        """Outputs that differ between the datasets on some tape; a single one where they are symbols."""
        if not self._numeric():
            return np.ones(1, dtype=np.bool_)
        mine, its = (np.array([run.numbers for run in runs]) for runs in (self.runs, self.others))
        close = 1e-9 * np.maximum(np.abs(mine), np.abs(its)).max(axis=0)
        return np.asarray((np.abs(mine - its) > close).any(axis=0))

    def _influence(self) -> NDArray[np.bool_]:
        """Which output (row) follows which coordinate (column) at all, on some tape and some size of a move."""
        where, numeric = self.where, self._numeric()
        outputs = self.runs[0].numbers.size if numeric else 1
        found = np.zeros((outputs, len(where)), dtype=np.bool_)
        for dataset, runs in ((self.first, self.runs), (self.second, self.others)):
            for run in runs[:LOOKED_AT]:
                noise = where.vector(run)
                for column, law in enumerate(where.laws):
                    for u in (_wide(law)):
                        changed = noise.copy()
                        changed[column] = u
                        other = self.execution.run(dataset, where.tape(changed, run.tape))
                        if not numeric or other.numbers.shape != run.numbers.shape:
                            found[:, column] |= not run.same_output(other)
                        else:
                            found[:, column] |= run.numbers != other.numbers
        return found

    def _determined(self, moved: Floats) -> bool:
        """Whether outputs are a straight and invertible function of all draws that are moved, on every tape."""
        if not self._numeric() or any(draw.discrete for draw in self.where.draws):
            return False
        line = straight(self.execution, self.first, self.where, self.runs[0].tape)
        if line is None:
            return False
        active = line.active
        if (moved[~active] != 0).any() or np.linalg.matrix_rank(line.response[:, active]) < active.sum():
            return False
        noise = np.array([self.where.vector(run) for run in self.runs])
        expected = line.output + (noise - line.noise) @ line.response.T
        outputs = np.array([run.numbers for run in self.runs])
        return bool(np.allclose(outputs, expected, rtol=1e-7, atol=1e-9 * float(np.abs(outputs).max())))


def solved(line: Straight, difference: Floats, where: Coordinates) -> tuple[Floats | None, Floats | None]:
    """The least costly move of noise with this response; where there is none, what is left of the difference."""
    active = line.active
    moved = np.zeros(line.noise.size)
    response = line.response[:, active]
    if not active.any() or not np.isfinite(difference).all():
        return None, None
    found, *_ = np.linalg.lstsq(response, difference, rcond=None)
    left = difference - response @ found
    if (np.abs(left) > 1e-9 * np.abs(difference).max() + 1e-13 * np.abs(line.output).max()).any():
        return None, left
    if response.shape[1] > np.linalg.matrix_rank(response):
        found = _cheapest(response, difference, [where.laws[each] for each in np.flatnonzero(active)], found)
    moved[active] = found
    return moved, None


def _cheapest(response: Floats, difference: Floats, laws: list[Law], otherwise: Floats) -> Floats:
    """Among the moves that do it, the one that costs least: a linear program."""
    from scipy.optimize import linprog

    size = float(np.abs(difference).max()) or 1.0
    prices = np.array([[float(law.cost(np.asarray(sign))) for sign in (1.0, -1.0)] for law in laws]).T.ravel()
    bounds = [(0, 0 if np.isinf(price) else None) for price in prices]
    both = np.hstack([response, -response])
    priced = np.where(np.isinf(prices), 0.0, prices)
    found = linprog(priced, A_eq=both, b_eq=difference / size, bounds=bounds, method="highs")
    if not found.success:
        return otherwise
    return np.asarray((found.x[: len(laws)] - found.x[len(laws) :]) * size)


def _from_below(levels: list[Steps] | None) -> tuple[float, tuple[Event, ...]]:
    """Independent draws: the best event of each, all in the same direction."""
    if not levels:
        return np.nan, ()
    ways = []
    for forwards in (True, False):
        events = tuple(event for each in levels if (event := each.best(forwards)) is not None)
        ways.append((abs(sum(event.ratio for event in events)), events))
    return max(ways, key=lambda way: way[0])


def _wide(law: object) -> tuple[float, ...]:
    if law is UNIFORM:
        return (-0.499, -0.25, 0.001, 0.25, 0.499)
    return tuple(float(u) for u in grid(law)[1::5]) + (float(grid(law)[-1]),)  # type: ignore[arg-type]


def _size(runs: list[Run]) -> float:
    """How large outputs are."""
    return float(max((np.abs(run.numbers).max() for run in runs if run.numbers.size), default=0.0))
