"""Certificates on lattices of datasets by linear programming; the solver proposes, `proves` decides (ours)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy  # its parts are loaded when they are asked for: these are slow
from numpy.typing import NDArray

from hdp_audit.theory.simplex import Lattice, Output

Floats = NDArray[np.float64]
Loss = Callable[[Floats], Floats]  # of D² = max|w − 2x|²
_ROUNDING = 1e-11  # far above what sums of some dozen terms lose, as a part of their sizes


def squares(farness: Floats) -> Floats:
    """The squared error, in units of a block."""
    return farness / 4


def misses(farness: Floats) -> Floats:
    """1 where the error is a block or more."""
    return np.asarray(farness > 1.5, dtype=np.float64)


@dataclass(frozen=True, eq=False)
class Surroundings:
    """Outputs as `Lattice.around` saw them, what each loses at its nodes, and the rows that certificates obey."""

    lattice: Lattice
    outputs: Sequence[Output]
    loss: Loss

    def rows(self, step: float) -> scipy.sparse.csr_matrix:
        """Columns λ, ν, flows e^h·g_far − g_near; ν − loss·λ + flows ≤ 0 at each node, by its number of datasets."""
        parts: list[tuple[NDArray[np.int64], NDArray[np.int64], Floats]] = []
        size = self.lattice.copies.size
        flows = 2 * size + np.arange(sum(output.near.size for output in self.outputs))
        row, used = 0, 0
        for output in self.outputs:
            at = row + np.arange(output.kind.size)
            own = flows[used : used + output.near.size]
            parts += [
                (at, output.kind, -output.count * self.loss(output.farness)),
                (at, size + output.kind, output.count),
                (row + output.far, own, np.full(own.size, np.exp(step))),
                (row + output.near, own, -np.ones(own.size)),
            ]
            row, used = row + output.kind.size, used + own.size
        where, columns, entries = (np.concatenate(part) for part in zip(*parts, strict=True))
        return scipy.sparse.csr_matrix((entries, (where, columns)), shape=(row, 2 * size + flows.size))


@dataclass(frozen=True, eq=False)
class LatticeCertificate:
    """Σλ_x·E_x loss(Y, x) ≥ Σν_x over the datasets of a lattice, for every mechanism and the outputs considered.

    Proof. For one output and densities g averaged over the names that it leaves alone, each node of `rows` says
    (ν − loss·λ + flows) ≤ 0. Times g ≥ 0 and added up: Σ(loss·λ − ν)g ≥ Σ flow·(e^h·g_far − g_near) ≥ 0, as one block
    is moved between near and far. Integrate over outputs.
    """

    around: Surroundings
    step: float
    prior: Floats
    nu: Floats
    flows: Floats

    @property
    def risk(self) -> float:
        """A lower bound on the average loss, hence on the worst."""
        return float(self.around.lattice.copies @ self.nu)

    @cached_property
    def proved(self) -> bool:
        """Every row is at most 0; λ and flows ≥ 0, and Σλ ≤ 1."""
        rows = self.around.rows(self.step) @ np.concatenate([self.prior, self.nu, self.flows])
        signs = bool((self.prior >= 0).all() and (self.flows >= 0).all())
        return signs and float(self.around.lattice.copies @ self.prior) <= 1 + 1e-12 and float(rows.max()) <= 0.0


def lattice_certificate(around: Surroundings, step: float) -> LatticeCertificate | None:
    """The largest Σν over λ and ν, lowered a little so that it is proved; or None."""
    rows, copies = around.rows(step), around.lattice.copies
    size, columns = copies.size, rows.shape[1]
    goal = np.zeros(columns)
    goal[size : 2 * size] = -1.0
    # In the programme λ and ν are those of all datasets of a kind together: numbers of about the same size.
    scale = np.concatenate([1 / copies, 1 / copies, np.ones(columns - 2 * size)])
    total = scipy.sparse.csr_matrix((np.ones(size), (np.zeros(size, dtype=int), np.arange(size))), shape=(1, columns))
    bounds = [(0, None)] * size + [(None, None)] * size + [(0, None)] * (columns - 2 * size)
    answer = scipy.optimize.linprog(
        goal,
        A_ub=rows @ scipy.sparse.diags(scale),
        b_ub=np.zeros(rows.shape[0]),
        A_eq=total,
        b_eq=[1.0],
        bounds=bounds,
        method="highs",
    )
    return None if answer.x is None else _lowered(around, step, answer.x * scale)


def _lowered(around: Surroundings, step: float, found: Floats) -> LatticeCertificate | None:
    """The solver is right to about 1e-7: at each kind of dataset ν is lowered by what its rows have too much."""
    copies = around.lattice.copies
    size, rows = copies.size, around.rows(step)
    prior, flows = np.maximum(found[:size], 0.0), np.maximum(found[2 * size :], 0.0)
    prior = prior / float(copies @ prior)
    values = np.concatenate([prior, found[size : 2 * size], flows])
    excess = np.maximum(rows @ values + _ROUNDING * (abs(rows) @ np.abs(values)), 0.0)
    at, kinds = rows[:, size : 2 * size].nonzero()
    lower = np.zeros(size)
    np.maximum.at(lower, kinds, excess[at] / rows[at, size + kinds].A1)
    lowered = LatticeCertificate(around, step, prior, values[size : 2 * size] - lower, flows)
    return lowered if lowered.proved else None
