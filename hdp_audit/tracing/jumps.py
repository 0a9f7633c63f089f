"""Where one more user at the other end changes most: thresholds and branches that no base dataset lies at.

Users go to the other end one after another, on one tape. The output moves from dataset to dataset; the interval in
which it moves otherwise than in most is halved until one user is left, who makes it jump. That user's two datasets are
then followed.
"""

from __future__ import annotations

import itertools

import numpy as np

from hdp_audit.model.dataset import Dataset
from hdp_audit.model.domain import Base
from hdp_audit.tracing.draws import Floats
from hdp_audit.tracing.everybody import Question
from hdp_audit.tracing.execution import Run

PARTS = 8  # of all users, looked at before the halving begins
FEWEST = 3  # users


def jump(question: Question) -> tuple[Base, int] | None:
    """A base dataset and the user whose move makes the largest jump there; None where there is nothing to search."""
    users = len(question.promise)
    private = np.flatnonzero(np.isfinite(question.promise.strengths))
    low, high = question.domain.ends()
    if users < FEWEST or not private.size or np.array_equal(low, high):
        return None
    order = np.concatenate([private, np.setdiff1d(np.arange(users), private)])
    search = _Search(question, order, (low, high))
    places = np.unique(np.linspace(0, private.size, PARTS + 1).round().astype(np.int64)).tolist()
    usual = search.usual(places)
    while len(places) > 2:
        moves = [search.unusual(one, two, usual) for one, two in itertools.pairwise(places)]
        start = int(np.argmax(moves))
        first, last = places[start : start + 2]
        places = sorted({first, (first + last) // 2, last})
    name = f"{places[0]} users at {question.domain.shown(high)}, the others at {question.domain.shown(low)}"
    return Base(name, search.data(places[0]), low, high), int(order[places[0]])


class _Search:
    def __init__(self, question: Question, order: np.ndarray, ends: tuple[object, object]) -> None:
        self._question, self._order, self._ends = question, order, ends
        self._runs: dict[int, Run] = {}

    def data(self, count: int) -> np.ndarray:
        """So many users at the other end."""
        data = self._question.domain.everybody(self._order.size, self._ends[0]).copy()
        data[self._order[:count]] = self._ends[1]
        return data

    def usual(self, places: list[int]) -> Floats | None:
        """By how much one user moves the output in most intervals; None where other draws or other symbols come."""
        moves = [self._moved(one, two) for one, two in itertools.pairwise(places)]
        known = [each for each in moves if each is not None]
        return np.median(np.array(known), axis=0) if len(known) == len(moves) else None

    def unusual(self, first: int, last: int, usual: Floats | None) -> float:
        """How far the output moves between two counts beyond what is usual; inf where other draws are made."""
        moved = self._moved(first, last)
        if moved is None:
            return np.inf
        return float(np.abs(moved - (0.0 if usual is None else usual)).max(initial=0.0)) * (last - first)

    def _moved(self, first: int, last: int) -> Floats | None:
        """The average move of one user."""
        one, two = self._run(first), self._run(last)
        same = one.symbols == two.symbols and one.same_draws(two) and one.numbers.shape == two.numbers.shape
        scales = ([np.asarray(draw.scale).tolist() for draw in run.draws] for run in (one, two))
        return (two.numbers - one.numbers) / (last - first) if same and next(scales) == next(scales) else None

    def _run(self, count: int) -> Run:
        if count not in self._runs:
            dataset = Dataset(self.data(count), self._question.promise)
            self._runs[count] = self._question.execution.run(dataset)
        return self._runs[count]
