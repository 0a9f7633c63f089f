"""A search over datasets for the pair that loses most: interior values, thresholds, counts at a boundary, ties.

One number of a place after the other is moved along its line. Where outputs jump between two datasets of a line the
jump is found by halving, and whoever crosses it is moved there; elsewhere the loss itself is climbed. The search is
bounded in calls, leaves nothing to chance, and only proposes: each pair is then traced as any other.
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from hdp_audit.tracing.draws import Floats
from hdp_audit.tracing.everybody import Question
from hdp_audit.tracing.execution import Run
from hdp_audit.tracing.objective import APART, Objective, changed
from hdp_audit.tracing.places import Place

FEWEST = 3  # users
MOST_CALLS = 4_000
PART = 0.25  # of the calls that are left
SEVERAL = 24  # counts, all of which are looked at
COUNTS = (0, 1, 2, 3, 4, 5, 9, 10, 19, 20)
VALUES = (0.0, 1e-3, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.999, 1.0)
LEVELS = (0.0, 0.05, 0.15, 0.3, 0.5, 0.7, 0.85, 0.95, 1.0)
FINE = 65  # values of one datum
MOST_OUTPUTS = 16  # looked at for it
HALVINGS = 40
STEPS = 8  # of climbing within a line
ROUNDS = 2  # of climbing along all lines
CLIMBED = 3  # places from which it is climbed
SHRINKS = 0.45  # a move that falls below this part of what it was is no jump
TINY = 1e-9
DIGITS = 5  # of the logarithm of a loss


def hunt(question: Question, *, summed: bool = False) -> list[tuple[float, Place]]:
    """Places by falling loss over demand; nothing where there is nothing to search, little where answers are sums."""
    strengths = question.promise.strengths
    low, high = question.domain.ends()
    if strengths.size < FEWEST or not np.isfinite(strengths).any() or np.array_equal(low, high):
        return []
    return _Hunt(question, summed).found()


class _Enough(Exception):
    """As many calls as the search may make."""


class _Hunt:
    def __init__(self, question: Question, summed: bool) -> None:
        self._question, self._users, self._summed = question, len(question.promise), summed
        execution = question.execution
        self._last = execution.calls + min(MOST_CALLS, int(PART * execution.left))
        self._known: dict[Place, float] = {}
        start = self._starts()[0]
        self._objective = Objective(question, question.pair(start.base(question.domain, self._users), 0).first)

    def found(self) -> list[tuple[float, Place]]:
        """After a look at all lines through the starts, and a climb from the best of them."""
        try:
            self._values(self._starts()[0])
            for start in self._starts()[:: 2 if self._summed else 1]:
                for name in ("count", "rest", "second"):
                    self._along(start, name)
            for _ in range(0 if self._summed else ROUNDS):
                for place in [each for _, each in self._ranked()[:CLIMBED]]:
                    for name in ("count", "rest", "there", "first", "second"):
                        self._along(place, name)
        except _Enough:
            pass
        return self._ranked()

    def _ranked(self) -> list[tuple[float, Place]]:
        known = [(loss, place) for place, loss in self._known.items() if loss > 0]
        return sorted(known, key=lambda each: -round(float(np.log(each[0])), DIGITS))  # equal ones as they were found

    def _starts(self) -> list[Place]:
        """Of the user with the smallest demand, then of the one with the largest."""
        strengths = self._question.promise.strengths
        private = np.flatnonzero(np.isfinite(strengths))
        users = [int(private[np.argmin(strengths[private])]), int(private[np.argmax(strengths[private])])]
        half = self._users // 2
        kinds = ((0, 0.0, 1.0), (half, 0.0, 1.0), (0, 1.0, 0.0), (0, 0.5, 1.0), (0, None, 1.0))
        return [
            Place(user, count, rest, there, 0.0 if rest is None else rest, 1.0 if rest != 1.0 else 0.0)
            for user in dict.fromkeys(users)
            for count, rest, there in kinds
        ]

    def _loss(self, place: Place) -> float:
        if place not in self._known:
            if self._question.execution.calls >= self._last:
                raise _Enough
            self._known[place] = self._objective.loss(place)
        return self._known[place]

    def _along(self, place: Place, name: str) -> None:
        """One line: a look at some of it, the jump, and the climb."""
        if (name == "rest" and place.rest is None) or (name == "there" and not place.count):
            return
        at = self._grid(name)
        losses = [self._loss(_moved(place, name, each)) for each in at]
        if name != "second":
            for found in self._jumps(place, name, at):
                self._loss(found)
        best = int(np.argmax(losses))
        if losses[best] < APART and not self._summed:
            self._climb(place, name, at[max(best - 1, 0)], at[min(best + 1, len(at) - 1)])

    def _values(self, place: Place) -> None:
        """Of one datum: those two at which an output is smallest and largest, and all that make another kind of it."""
        values = np.linspace(0.0, 1.0, FINE).tolist()
        runs = [self._runs(replace(place, first=value)) for value in values]
        for tape in zip(*runs, strict=True):
            odd = [number for number, run in enumerate(tape) if changed(run, tape[0]) is None]
            ends = {(0, number) for number in odd[:1]}
            if not odd:
                outputs = np.array([run.numbers for run in tape])[:, :MOST_OUTPUTS]
                ends |= set(zip(outputs.argmin(axis=0).tolist(), outputs.argmax(axis=0).tolist(), strict=True))
            for low, high in ends:
                self._loss(replace(place, first=values[low], second=values[high]))

    def _grid(self, name: str) -> list[float]:
        if name != "count":
            return list(VALUES if name in ("first", "second") else LEVELS)
        most = self._users - 1
        some = range(most + 1) if most < SEVERAL else (*COUNTS, *np.linspace(0, most, 9).astype(int).tolist(), most - 1)
        return [float(each) for each in sorted({min(each, most) for each in some})]

    def _climb(self, place: Place, name: str, low: float, high: float) -> None:
        """Towards the larger loss, between two neighbours of the best."""
        for _ in range(STEPS):
            third = (high - low) / 3
            if third <= 0 or (name == "count" and high - low < 3):
                return
            one, two = (self._loss(_moved(place, name, each)) for each in (low + third, high - third))
            low, high = (low, high - third) if one >= two else (low + third, high)

    def _jumps(self, place: Place, name: str, at: list[float]) -> Iterator[Place]:
        """Those who cross the largest jump of the line."""
        moves = [self._move(place, name, one, two) for one, two in itertools.pairwise(at)]
        usual = _usual([each for each in moves if each is not None])
        odd = [
            self._odd(move, usual) * (two - one) for move, (one, two) in zip(moves, itertools.pairwise(at), strict=True)
        ]
        most = int(np.argmax(odd))
        if odd[most] <= TINY * max(self._size(place), 1e-300):
            return
        low, high, size = at[most], at[most + 1], odd[most]
        for _ in range(HALVINGS):
            middle = float((int(low) + int(high)) // 2) if name == "count" else (low + high) / 2
            if not low < middle < high:
                break
            parts = [
                self._odd(self._move(place, name, *each), usual) * (each[1] - each[0])
                for each in ((low, middle), (middle, high))
            ]
            low, high = (low, middle) if parts[0] >= parts[1] else (middle, high)
            if max(parts) < SHRINKS * size:
                return
        yield from _crossing(place, name, low, high)

    def _move(self, place: Place, name: str, one: float, two: float) -> tuple[Floats, ...] | None:
        """The move of the output by tape, for a step of one; None where other draws are made."""
        runs = [self._runs(_moved(place, name, each)) for each in (one, two)]
        moves = [move for mine, its in zip(*runs, strict=True) if (move := changed(mine, its)) is not None]
        return tuple(move / (two - one) for move in moves) if len(moves) == len(runs[0]) else None

    def _runs(self, place: Place) -> tuple[Run, ...]:
        if self._question.execution.calls >= self._last:
            raise _Enough
        return self._objective.at(place)

    def _odd(self, move: tuple[Floats, ...] | None, usual: list[Floats] | None) -> float:
        if move is None or usual is None:
            return np.inf
        return max(
            float(np.abs(each - most).max(initial=0.0)) if each.shape == most.shape else np.inf
            for each, most in zip(move, usual, strict=True)
        )

    def _size(self, place: Place) -> float:
        return max(float(np.abs(run.numbers).max(initial=0.0)) for run in self._runs(place))


def _usual(moves: list[tuple[Floats, ...]]) -> list[Floats] | None:
    """The move that most steps make, by tape; of outputs of the kind that comes most often."""
    kinds = Counter(tuple(each.shape for each in move) for move in moves)
    if not kinds:
        return None
    kind = kinds.most_common(1)[0][0]
    alike = [move for move in moves if tuple(each.shape for each in move) == kind]
    return [np.median(np.array(each), axis=0) for each in zip(*alike, strict=True)]


def _moved(place: Place, name: str, to: float) -> Place:
    """The place with one number changed; who is one of the rest goes with them."""
    if name == "count":
        return replace(place, count=int(to))
    if name == "rest":
        second = place.second if place.second != to else (1.0 if to < 0.5 else 0.0)
        return replace(place, rest=to, first=to if place.first == place.rest else place.first, second=second)
    if name == "there":
        return replace(place, there=to)
    return replace(place, first=to) if name == "first" else replace(place, second=to)


def _crossing(place: Place, name: str, low: float, high: float) -> Iterator[Place]:
    """Pairs whose user crosses from one side of a jump to the other."""
    if name == "first":
        yield replace(place, first=low, second=high)
        return
    for at in (low, high):
        one = _moved(place, name, at)
        rest = one.first if one.rest is None else one.rest
        ends = ((rest, one.there),) if name == "count" else ((at, 0.0), (at, 1.0))
        for first, second in ends:
            if first != second:
                yield replace(one, first=first, second=second)
