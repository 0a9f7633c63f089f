"""The true minimax error of a handful of users, by linear programming over all mechanisms; from the definitions alone.

A mechanism is a law over outputs for each of the k^n datasets, within e^{±ε_i} of each other where user i alone
differs. Correlated: the worst dataset counts; weak: the worst histogram, its owners permuted at random. A mean has data
0 and 1, which is all that a lower bound uses and what every upper bound must stand.

PAC needs no grid: an output serves, within α, the frequencies that lie in an interval of width 2α in each coordinate,
so outputs are windows of w + 1 consecutive counts and the rate is one of w/2n. For squares outputs lie on a grid of
spacing τ over [0, 1]^k (clipping there helps): the best output may be τ/2 away in each coordinate, so the truth is at
least (√LP − τ/2)², for a mean at least LP − τ²/4 (the best answer to a posterior is its centre).

The programme is convex and keeps its form when categories change their names (for a mean, 0 and 1), so that one number
stands for all pairs (dataset, output) that names alone tell apart.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import permutations, product
from typing import Any

import numpy as np
import scipy.optimize
import scipy.sparse
from numpy.typing import NDArray

from hdp_audit.model.vocabulary import Setting, Task

Floats = NDArray[np.float64]
SOLVER = 1e-6  # what the solver's answer may be off by


@dataclass(frozen=True)
class Bracket:
    """The truth lies between the two."""

    low: float
    high: float


@dataclass(frozen=True)
class Game:
    """Users' demands, the number of categories (2 for a mean), and what counts as the worst."""

    epsilon: tuple[float, ...]
    categories: int
    task: Task
    setting: Setting

    @property
    def users(self) -> int:
        return len(self.epsilon)

    @cached_property
    def datasets(self) -> list[tuple[int, ...]]:
        return list(product(range(self.categories), repeat=self.users))

    @property
    def coordinates(self) -> int:
        return self.categories if self.task is Task.FREQUENCY else 1

    @cached_property
    def counts(self) -> NDArray[np.int64]:
        """How many users are in each category, a row for each dataset; of a mean the ones alone."""
        found = np.array([[data.count(j) for j in range(self.categories)] for data in self.datasets])
        return found if self.task is Task.FREQUENCY else found[:, 1:]

    def failure(self, width: int) -> float:
        """The least worst probability of an error above width/2n."""
        outputs = list(product(range(self.users - width + 1), repeat=self.coordinates))
        first = np.array(outputs)
        inside = (self.counts[:, None] >= first) & (self.counts[:, None] <= first + width)
        return self._solve(outputs, 1.0 - inside.all(axis=2), self.users - width)

    def rate(self, failures: list[float], beta: float) -> Bracket:
        """The smallest w/2n that fails with probability at most β, from `failure` at all widths."""
        ends = [min(w for w, failed in enumerate(failures) if failed <= beta + off) for off in (SOLVER, -SOLVER)]
        return Bracket(ends[0] / (2 * self.users), ends[1] / (2 * self.users))

    def square(self, steps: int) -> Bracket:
        """The least worst mean squared error, outputs being multiples of 1/steps."""
        outputs = list(product(range(steps + 1), repeat=self.coordinates))
        away = np.abs(self.counts[:, None] / self.users - np.array(outputs) / steps).max(axis=2)
        high = self._solve(outputs, away**2, steps)
        if self.coordinates == 1:
            return Bracket(high - 1 / (4 * steps**2) - SOLVER, high + SOLVER)
        return Bracket(max(np.sqrt(high) - 1 / (2 * steps), 0.0) ** 2 - SOLVER, high + SOLVER)

    def _solve(self, outputs: list[tuple[int, ...]], loss: Floats, last: int) -> float:
        kinds, where = np.unique(self._names(outputs, last), return_inverse=True)
        variable = where.reshape(len(self.datasets), len(outputs))
        ratios = self._ratios(variable, kinds.size)
        risks = self._risks(variable, loss, kinds.size)
        limits = scipy.sparse.vstack([ratios, risks]).tocsr()
        masses = scipy.sparse.vstack([_row(variable[x], np.ones(len(outputs)), kinds.size) for x in self._first])
        goal = np.zeros(kinds.size + 1)
        goal[-1] = 1.0
        found = scipy.optimize.linprog(
            goal,
            A_ub=limits,
            b_ub=np.zeros(limits.shape[0]),
            A_eq=masses.tocsr(),
            b_eq=np.ones(masses.shape[0]),
            method="highs",
        )
        assert found.x is not None, found.message
        return float(found.fun)

    def _names(self, outputs: list[tuple[int, ...]], last: int) -> NDArray[np.int64]:
        """For each (dataset, output) the smallest number of those that differ by names only."""
        place = {data: at for at, data in enumerate(self.datasets)}
        spot = {output: at for at, output in enumerate(outputs)}
        codes = []
        for names in permutations(range(self.categories)):
            data = np.array([place[tuple(names[value] for value in data)] for data in self.datasets])
            moved = np.array([spot[self._renamed(output, names, last)] for output in outputs])
            codes.append(data[:, None] * len(outputs) + moved)
        return np.asarray(np.min(codes, axis=0))

    def _renamed(self, output: tuple[int, ...], names: tuple[int, ...], last: int) -> tuple[int, ...]:
        if self.task is Task.MEAN:
            return output if names == (0, 1) else (last - output[0],)
        moved = [0] * self.categories
        for j, name in enumerate(names):
            moved[name] = output[j]
        return tuple(moved)

    @cached_property
    def _first(self) -> list[int]:
        """One dataset of each kind: categories appear in the order of their names."""
        kept = []
        for at, data in enumerate(self.datasets):
            seen = list(dict.fromkeys(data))
            if seen == sorted(seen) and seen == list(range(len(seen))):
                kept.append(at)
        return kept

    def _ratios(self, variable: NDArray[np.int64], size: int) -> Any:
        """P(y | x) − e^{ε_i}·P(y | x′) ≤ 0, each once."""
        pairs = []
        for x in self._first:
            for user, demand in enumerate(self.epsilon):
                if np.isinf(demand):
                    continue
                stride = self.categories ** (self.users - 1 - user)
                value = self.datasets[x][user]
                others = [x + (other - value) * stride for other in range(self.categories) if other != value]
                for other in others:
                    there = np.stack([variable[x], variable[other]], axis=1)
                    back = there[:, ::-1]
                    both = np.concatenate([there, back])
                    pairs.append(np.column_stack([both, np.full(len(both), user)]))
        if not pairs:
            return scipy.sparse.csr_matrix((0, size + 1))
        found = np.unique(np.concatenate(pairs), axis=0)
        found = found[found[:, 0] != found[:, 1]]
        rows = np.arange(len(found))
        grow = np.exp(np.array(self.epsilon))[found[:, 2]]
        entries = np.concatenate([np.ones(len(found)), -grow])
        columns = np.concatenate([found[:, 0], found[:, 1]])
        return scipy.sparse.csr_matrix((entries, (np.tile(rows, 2), columns)), shape=(len(found), size + 1))

    def _risks(self, variable: NDArray[np.int64], loss: Floats, size: int) -> Any:
        """One row for each adversary: what the mechanism loses there, less the worst."""
        rows = []
        for x in self._first:
            alike = [x]
            if self.setting is Setting.WEAK:
                ordered = sorted(self.datasets[x])
                if list(self.datasets[x]) != ordered:
                    continue
                alike = [at for at, data in enumerate(self.datasets) if sorted(data) == ordered]
            row = _row(variable[alike].ravel(), loss[alike].ravel() / len(alike), size).tolil()
            row[0, size] = -1.0
            rows.append(row.tocsr())
        return scipy.sparse.vstack(rows)


def _row(columns: NDArray[np.int64], entries: Floats, size: int) -> Any:
    return scipy.sparse.csr_matrix((entries, (np.zeros(columns.size, dtype=int), columns)), shape=(1, size + 1))
