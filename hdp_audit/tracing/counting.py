"""The whole law of a mechanism whose draws have few outcomes: every branch is taken once, with its probability.

A uniform draw counts as one where it only decides between branches (`random() < p`): where they meet is found by
halving.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hdp_audit.model.dataset import Dataset
from hdp_audit.tracing.draws import Draw, Floats
from hdp_audit.tracing.execution import CLOSE, Execution, Run, rounding
from hdp_audit.tracing.laws import UNIFORM
from hdp_audit.tracing.measure import Measure
from hdp_audit.tracing.steps import Event
from hdp_audit.tracing.tables import NEVER, Lost, lost
from hdp_audit.tracing.tape import Tape

MOST_BRANCHES = 1024
MOST_CALLS = 6_000
MOST_PARTS = 12  # of a uniform draw's range; a draw with more is used as a number
CONTINUATIONS = (0.137, 0.771, 0.493)  # of a branch that is looked into
_EDGE = (0.0, 1e-13, 1e-9, 1e-6, 1e-4, 1e-3, 0.005, 0.015, 0.03, 0.06, 0.1, 0.15)
PLACES = np.unique(np.concatenate([_EDGE, np.linspace(0.2, 0.8, 17), 1.0 - np.array(_EDGE[1:])])) - 0.5


GOLDEN = 0.6180339887498949
TRIED = 128  # calls by lot that have to end where the tree says
Looked = tuple[float, tuple[object, ...]]


class TooMany(Exception):
    """More branches than can be counted, or draws that are no branches."""


class Prefix(Tape):
    """Entries one by one, whatever their shapes: those that are chosen, and a sequence that spreads for all others."""

    def __init__(self, chosen: Mapping[int, float], otherwise: float) -> None:
        super().__init__([], 0)
        self._chosen, self._otherwise, self._used = chosen, otherwise, 0

    def next(self, shape: tuple[int, ...], _fresh: Callable[[np.random.Generator], Any], options: int = 0) -> Floats:
        """The next entries."""
        count = int(np.prod(shape))
        numbers = range(self._used, self._used + count)
        self._used += count
        return np.array([self._entry(number, options) for number in numbers], dtype=np.float64).reshape(shape)

    def _entry(self, number: int, options: int) -> float:
        if number in self._chosen:
            return self._chosen[number]
        spread = (self._otherwise + GOLDEN * number) % 1.0
        return float(int(spread * options)) if options else spread - 0.5


@dataclass(frozen=True, eq=False)
class Outcome:
    """One branch to its end."""

    probability: float
    run: Run


@dataclass(frozen=True, eq=False)
class Node:
    """A decision on one entry: which parts it has and what follows each; or an end."""

    run: Run | None = None
    entry: int = -1
    ends: tuple[float, ...] = ()  # of the parts of a uniform draw; empty where options are numbered
    chances: tuple[float, ...] = ()
    below: tuple[Node, ...] = ()

    def outcomes(self, chance: float = 1.0) -> Iterator[Outcome]:
        """Every branch below."""
        if self.run is not None:
            yield Outcome(chance, self.run)
        for part, node in zip(self.chances, self.below, strict=True):
            yield from node.outcomes(chance * part)

    def end(self, values: Mapping[int, float]) -> Run | None:
        """Where a call with these entries ends."""
        if self.run is not None:
            return self.run
        value = values.get(self.entry)
        if value is None:
            return None
        if not self.ends:
            return self.below[int(value)].end(values) if int(value) < len(self.below) else None
        part = int(np.searchsorted(np.array(self.ends[1:-1]), value, side="right"))
        return self.below[part].end(values)


def tree(execution: Execution, dataset: Dataset, free: list[int] | None = None, rest: Run | None = None) -> Node:
    """Every branch; `TooMany` where they cannot be counted. Only `free` entries decide, where they are given."""
    fixed = dict(enumerate(_entries(rest))) if rest is not None else {}
    return _Growing(execution, dataset, free, fixed).grown()


def agrees(execution: Execution, dataset: Dataset, node: Node, places: list[int] | None = None) -> bool:
    """Whether calls with draws by lot end where the tree says; only these places of the output, where given."""
    for number in range(TRIED):
        run = execution.run(dataset, seed=10_000 + number)
        end = node.end(dict(enumerate(_entries(run))))
        if end is None or not _part(end, places).same_output(_part(run, places)):
            return False
    return True


def _part(run: Run, places: list[int] | None) -> Run:
    return run if places is None else Run(run.numbers[places], (), ())


def _entries(run: Run) -> list[float]:
    return [float(u) for draw in run.draws for u in draw.u.ravel()]


def counted_loss(trees: tuple[Node, Node], places: list[int] | None, measure: Measure) -> tuple[Lost, Event | None]:
    """What both laws lose between them, and the outputs that show most of it."""
    first, second = (list(each.outcomes()) for each in trees)
    names = _named([_part(outcome.run, places) for outcome in (*first, *second)])
    chances: list[dict[tuple[object, ...], float]] = [{}, {}]
    for number, (outcome, name) in enumerate(zip((*first, *second), names, strict=True)):
        law = chances[number >= len(first)]
        law[name] = law.get(name, 0.0) + outcome.probability
    runs = {name: _part(outcome.run, places) for outcome, name in zip((*first, *second), names, strict=True)}
    one, two = (np.array([law.get(name, 0.0) for name in runs]) for law in chances)
    found = lost(measure, one, two)
    among = tuple(run for run, inside in zip(runs.values(), found.event, strict=True) if inside)
    if not among or not found.lower > 0:
        return found, None
    sums = [float(np.where(law > NEVER, law, 0.0)[found.event].sum()) for law in (one, two)]
    with np.errstate(divide="ignore"):
        logs = (float(np.log(sums[0])), float(np.log(sums[1])))
    # that something never comes rests on the branches that were found
    seen = max(sums) if min(sums) == 0 else 0.0
    return found, Event(logs, among=among, places=tuple(places or ()), swapped=found.swapped, seen=seen)


class _Growing:
    """The branches of one dataset; where a uniform draw was cut is tried first when its number comes again."""

    def __init__(self, execution: Execution, dataset: Dataset, free: list[int] | None, fixed: dict[int, float]) -> None:
        self._execution, self._dataset, self._free, self._fixed = execution, dataset, free, fixed
        self._limit = execution.calls + MOST_CALLS
        self._cuts: dict[int, list[float]] = {}
        self._leaves = 0

    def grown(self) -> Node:
        """The whole tree."""
        return self._node({}, 0)

    def _node(self, chosen: dict[int, float], depth: int) -> Node:
        run = self._play(chosen, CONTINUATIONS[0])
        entry = depth if self._free is None else self._free[depth] if depth < len(self._free) else -1
        draw = _at(run, entry) if entry >= 0 else None
        if draw is None:
            self._leaves += 1
            if self._leaves > MOST_BRANCHES:
                raise TooMany(f"more than {MOST_BRANCHES} outcomes")
            return Node(run)
        ends, parts = self._parts(chosen, entry, draw)
        below = tuple(self._node({**chosen, entry: value}, depth + 1) for value, _ in parts)
        return Node(None, entry, ends, tuple(chance for _, chance in parts), below)

    def _play(self, chosen: dict[int, float], otherwise: float) -> Run:
        if self._execution.calls > self._limit:
            raise TooMany("more branches than can be counted")
        return self._execution.play(self._dataset, Prefix({**self._fixed, **chosen}, otherwise))

    def _parts(
        self, chosen: dict[int, float], entry: int, draw: Draw
    ) -> tuple[tuple[float, ...], list[tuple[float, float]]]:
        """Where a uniform draw is cut; representatives of the outcomes of one entry, and their probabilities."""
        if draw.options is not None:
            return (), [(float(number), chance) for number, chance in enumerate(draw.options)]
        if draw.law is not UNIFORM:
            raise TooMany(f"{draw.words()} has no outcomes that can be counted")
        known = self._cuts.get(entry)
        cuts = known if known is not None and self._still(chosen, entry, known) else self._cut(chosen, entry)
        self._cuts[entry] = cuts
        ends = [-0.5, *cuts, 0.5]
        parts = [((low + high) / 2, high - low) for low, high in itertools.pairwise(ends)]
        return tuple(ends), parts

    def _look(self, chosen: dict[int, float], entry: int, u: float) -> tuple[object, ...]:
        runs = [self._play({**chosen, entry: u}, each) for each in CONTINUATIONS]
        return tuple(part for run in runs for part in _looks(run))

    def _still(self, chosen: dict[int, float], entry: int, cuts: list[float]) -> bool:
        """Whether these are the cuts here, too: nothing changes between them, something at each of them."""
        ends = [-0.5, *cuts, 0.5]
        seen = [
            {self._look(chosen, entry, u) for u in (low, (low + high) / 2, float(np.nextafter(high, low)))}
            for low, high in itertools.pairwise(ends)
        ]
        differ = all(one != two for one, two in itertools.pairwise(seen))
        return differ and all(len(each) == 1 for each in seen)

    def _cut(self, chosen: dict[int, float], entry: int) -> list[float]:
        seen = [self._look(chosen, entry, float(u)) for u in PLACES]
        if len(set(seen)) > MOST_PARTS:
            raise TooMany("a uniform draw is used as a number")
        return [
            self._meeting(chosen, entry, (float(low), one), (float(high), two))
            for low, high, one, two in zip(PLACES, PLACES[1:], seen, seen[1:], strict=False)
            if one != two
        ]

    def _meeting(self, chosen: dict[int, float], entry: int, below: Looked, above: Looked) -> float:
        """Where one branch ends and the next begins; a third between them means that there are too many."""
        low, high = below[0], above[0]
        while True:
            middle = (low + high) / 2
            if not low < middle < high:
                return high
            seen = self._look(chosen, entry, middle)
            if seen not in (below[1], above[1]):
                raise TooMany("a uniform draw is used as a number")
            low, high = (middle, high) if seen == below[1] else (low, middle)


def _at(run: Run, number: int) -> Draw | None:
    """The draw of the entry with this number; None where there are not so many."""
    for draw in run.draws:
        if number < draw.size:
            return draw
        number -= draw.size
    return None


def _looks(run: Run) -> Iterator[object]:
    """What tells branches apart: the output, and which draws were made with which parameters."""
    yield run.symbols
    yield tuple(run.numbers.tolist())
    for draw in run.draws:
        yield (
            draw.method,
            draw.place,
            draw.shape,
            draw.options,
            np.asarray(draw.scale).tobytes(),
            np.asarray(draw.location).tobytes(),
        )


def _named(runs: list[Run]) -> list[tuple[object, ...]]:
    """Equal names for equal outputs: numbers that differ by rounding alone are one."""
    forms = [(run.symbols, run.numbers.size) for run in runs]
    names: list[tuple[object, ...]] = [()] * len(runs)
    for form in dict.fromkeys(forms):
        members = [number for number, other in enumerate(forms) if other == form]
        table = np.array([runs[number].numbers for number in members])
        codes = (
            np.stack([_clusters(column) for column in table.T], axis=1) if table.size else np.zeros((len(members), 0))
        )
        for number, code in zip(members, codes, strict=True):
            names[number] = (*form, *code.tolist())
    return names


def _clusters(values: Floats) -> Floats:
    """A number for each value; the same for values that rounding alone drives apart."""
    order = np.argsort(values, kind="stable")
    gaps = np.diff(values[order]) > CLOSE * max(float(np.ptp(values)), 0.0) + rounding(
        values[order][1:], values[order][:-1]
    )
    codes = np.zeros(values.size)
    codes[order] = np.concatenate([[0.0], np.cumsum(gaps)])
    return codes
