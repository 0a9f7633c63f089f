"""What a search over datasets makes large: the loss of a pair by one or two tapes, and where the output jumps."""

from __future__ import annotations

import numpy as np

from hdp_audit.model.dataset import Dataset, Keys
from hdp_audit.tracing.coordinates import Coordinates, inside
from hdp_audit.tracing.draws import Floats
from hdp_audit.tracing.everybody import Question
from hdp_audit.tracing.execution import Given, Run, rounding
from hdp_audit.tracing.places import Place
from hdp_audit.tracing.reading import GOLDEN, straight

APART = 1e9  # the loss where other draws are made, or an output of another kind comes


class Objective:
    """A few tapes, and how outputs respond to noise on the first of them."""

    def __init__(self, question: Question, start: Dataset) -> None:
        self._question = question
        run = question.execution.run(start)
        self._where = Coordinates(run.draws, question.measure)
        line = straight(question.execution, start, self._where, run.tape) if 0 < len(self._where) <= 64 else None
        quiet = line.noise if line is not None else self._quiet()
        self._tapes: list[Given] = [self._where.tape(quiet, run.tape), run.tape]
        self._inverse = None if line is None else np.linalg.pinv(line.response)
        self._runs: dict[bytes, tuple[Run, ...]] = {}
        self._keys = Keys()

    def _quiet(self) -> Floats:
        """Little noise, another one for each draw."""
        laws = enumerate(self._where.laws)
        return np.array([inside(law, 0.05 + 0.01 * (GOLDEN * number % 1.0)) for number, law in laws])

    def loss(self, place: Place) -> float:
        """Over the demand, by what undoes the change; only the order of such losses counts where noise is not seen."""
        pair = self._question.pair(place.base(self._question.domain, len(self._question.promise)), place.user)
        both = zip(self.runs(pair.first), self.runs(pair.second), strict=True)
        return max(self._lost(one, two, place.user) for one, two in both)

    def runs(self, dataset: Dataset) -> tuple[Run, ...]:
        """On every tape."""
        key = self._keys(dataset)
        if key not in self._runs:
            self._runs[key] = tuple(self._question.execution.run(dataset, tape) for tape in self._tapes)
        return self._runs[key]

    def at(self, place: Place) -> tuple[Run, ...]:
        """The runs on the first of its two datasets."""
        base = place.base(self._question.domain, len(self._question.promise))
        return self.runs(Dataset(base.data, self._question.promise))

    def _lost(self, one: Run, two: Run, user: int) -> float:
        change = changed(one, two)
        demand = float(self._question.promise.strengths[user])
        if change is None:
            return APART
        if not change.any():
            return 0.0
        if self._inverse is None or self._inverse.shape[1] != change.size:
            size = float(np.abs(change).max())
            return size / demand if demand > 0 else APART
        moved = self._inverse @ change
        costs = [self._question.measure.of(np.array([user])).cost(self._where.laws, sign * moved) for sign in (1, -1)]
        worst = max(each for each in costs if np.isfinite(each)) if np.isfinite(costs).any() else APART
        return worst / demand if demand > 0 else APART


def changed(one: Run, two: Run) -> Floats | None:
    """By how much outputs differ, rounding left out; None where other draws were made, or another kind of output."""
    same = one.symbols == two.symbols and one.numbers.shape == two.numbers.shape and one.same_draws(two)
    if not same or any(
        not np.array_equal(np.asarray(mine.scale), np.asarray(its.scale))
        for mine, its in zip(one.draws, two.draws, strict=True)
    ):
        return None
    change = one.numbers - two.numbers
    return np.where(np.abs(change) > rounding(one.numbers, two.numbers), change, 0.0)
