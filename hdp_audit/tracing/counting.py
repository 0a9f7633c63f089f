"""The whole law of a mechanism whose draws have few outcomes: every branch is taken once, with its probability.

A uniform draw counts as one where it only decides between branches (`random() < p`): where they meet is found by halving.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hdp_audit.model.dataset import Dataset
from hdp_audit.tracing.draws import Draw, Floats
from hdp_audit.tracing.execution import CLOSE, Execution, Run
from hdp_audit.tracing.generator import Tape
from hdp_audit.tracing.laws import UNIFORM

MOST_BRANCHES = 4096
MOST_CALLS = 30_000
MOST_PARTS = 12  # of a uniform draw's range; a draw with more is used as a number
NEVER = 1e-13  # rounding may leave this much probability where there is none
CONTINUATIONS = (0.137, 0.771)  # of a branch that is looked into
_EDGE = (0.0, 1e-13, 1e-9, 1e-6, 1e-4, 1e-3, 0.005, 0.015, 0.03, 0.06, 0.1, 0.15)
PLACES = np.unique(np.concatenate([_EDGE, np.linspace(0.2, 0.8, 17), 1.0 - np.array(_EDGE[1:])])) - 0.5


class TooMany(Exception):
    """More branches than can be counted, or draws that are no branches."""


class Prefix(Tape):
    """The first draws are given one by one, whatever their shapes; all others have one value."""

    def __init__(self, values: list[float], otherwise: float) -> None:
        super().__init__([], 0)
        self._values, self._otherwise, self._used = values, otherwise, 0

    def next(self, shape: tuple[int, ...], _fresh: Callable[[np.random.Generator], Any]) -> Floats:
        """From the list, as far as it goes."""
        count = int(np.prod(shape))
        taken = self._values[self._used : self._used + count]
        self._used += count
        return np.array([*taken, *[self._otherwise - 0.5] * (count - len(taken))]).reshape(shape)


@dataclass(frozen=True, eq=False)
class Outcome:
    """One branch to its end."""

    probability: float
    run: Run


def outcomes(execution: Execution, dataset: Dataset) -> list[Outcome]:
    """Every branch; `TooMany` where they cannot be counted."""
    found: list[Outcome] = []
    for outcome in _Tree(execution, dataset, execution.calls + MOST_CALLS).below([], 1.0):
        found.append(outcome)
        if len(found) > MOST_BRANCHES:
            raise TooMany("more than 4096 outcomes")
    return found


def counted_loss(first: list[Outcome], second: list[Outcome]) -> float:
    """The largest ratio of probabilities of an output, either way."""
    names = _named([outcome.run for outcome in (*first, *second)])
    chances: list[dict[tuple[object, ...], float]] = [{}, {}]
    for number, (outcome, name) in enumerate(zip((*first, *second), names, strict=True)):
        law = chances[number >= len(first)]
        law[name] = law.get(name, 0.0) + outcome.probability
    largest = 0.0
    for name in dict.fromkeys(names):
        one, two = chances[0].get(name, 0.0), chances[1].get(name, 0.0)
        if max(one, two) <= NEVER:
            continue
        largest = max(largest, np.inf if min(one, two) <= NEVER else abs(float(np.log(one / two))))
    return largest


class _Tree:
    """The branches of one dataset; where a uniform draw was cut is tried first when its number comes again."""

    def __init__(self, execution: Execution, dataset: Dataset, limit: int) -> None:
        self._execution, self._dataset, self._limit = execution, dataset, limit
        self._cuts: dict[int, list[float]] = {}

    def below(self, values: list[float], chance: float) -> Iterator[Outcome]:
        """The branches that begin with these values."""
        run = self._play(values, CONTINUATIONS[0])
        draw = _at(run, len(values))
        if draw is None:
            yield Outcome(chance, run)
            return
        for value, part in self._parts(values, draw):
            yield from self.below([*values, value], chance * part)

    def _play(self, values: list[float], otherwise: float) -> Run:
        if self._execution.calls > self._limit:
            raise TooMany("more branches than can be counted")
        return self._execution.play(self._dataset, Prefix(values, otherwise))

    def _parts(self, values: list[float], draw: Draw) -> list[tuple[float, float]]:
        """Representatives of the outcomes of one entry, and their probabilities."""
        if draw.options is not None:
            return [(float(number), chance) for number, chance in enumerate(draw.options) if chance > 0]
        if draw.law is not UNIFORM:
            raise TooMany(f"{draw.words()} has no outcomes that can be counted")
        known = self._cuts.get(len(values))
        cuts = known if known is not None and self._still(values, known) else self._cut(values)
        self._cuts[len(values)] = cuts
        ends = [-0.5, *cuts, 0.5]
        return [((low + high) / 2, high - low) for low, high in zip(ends, ends[1:], strict=False) if high > low]

    def _look(self, values: list[float], u: float) -> tuple[object, ...]:
        runs = [self._play([*values, u], each) for each in CONTINUATIONS]
        return tuple(part for run in runs for part in _looks(run))

    def _still(self, values: list[float], cuts: list[float]) -> bool:
        """Whether these are the cuts here, too: nothing changes between them, something at each of them."""
        ends = [-0.5, *cuts, 0.5]
        seen = [
            {self._look(values, u) for u in (low, (low + high) / 2, np.nextafter(high, low))}
            for low, high in zip(ends, ends[1:], strict=False)
        ]
        differ = all(one != two for one, two in zip(seen, seen[1:], strict=False))
        return differ and all(len(each) == 1 for each in seen)

    def _cut(self, values: list[float]) -> list[float]:
        seen = [self._look(values, float(u)) for u in PLACES]
        if len(set(seen)) > MOST_PARTS:
            raise TooMany("a uniform draw is used as a number")
        return [
            self._meeting(values, float(low), float(high), one, two)
            for low, high, one, two in zip(PLACES, PLACES[1:], seen, seen[1:], strict=False)
            if one != two
        ]

    def _meeting(
        self, values: list[float], low: float, high: float, below: tuple[object, ...], above: tuple[object, ...]
    ) -> float:
        """Where one branch ends and the next begins; a third between them means that there are too many."""
        while True:
            middle = (low + high) / 2
            if not low < middle < high:
                return high
            seen = self._look(values, middle)
            if seen not in (below, above):
                raise TooMany("a uniform draw is used as a number")
            low, high = (middle, high) if seen == below else (low, middle)


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
        yield draw.method, draw.place, draw.shape, draw.options, np.asarray(draw.scale).tobytes(), np.asarray(draw.location).tobytes()


def _named(runs: list[Run]) -> list[tuple[object, ...]]:
    """Equal names for equal outputs: numbers that differ by rounding alone are one."""
    forms = [(run.symbols, run.numbers.size) for run in runs]
    names: list[tuple[object, ...]] = [()] * len(runs)
    for form in dict.fromkeys(forms):
        members = [number for number, other in enumerate(forms) if other == form]
        table = np.array([runs[number].numbers for number in members])
        codes = np.stack([_clusters(column) for column in table.T], axis=1) if table.size else np.zeros((len(members), 0))
        for number, code in zip(members, codes, strict=True):
            names[number] = (*form, *code.tolist())
    return names


def _clusters(values: Floats) -> Floats:
    """A number for each value; the same for values that rounding alone drives apart."""
    order = np.argsort(values, kind="stable")
    gaps = np.diff(values[order]) > CLOSE * max(float(np.nanmax(np.abs(values))), 1e-300)
    codes = np.zeros(values.size)
    codes[order] = np.concatenate([[0.0], np.cumsum(gaps)])
    return codes
