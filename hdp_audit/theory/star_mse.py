"""Lower bounds on mean squared errors of frequencies from stars, with a certificate for each (ours)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy  # its parts are loaded when they are asked for: these are slow
from numpy.typing import NDArray

from hdp_audit.theory.star import Star, lay_star

Floats = NDArray[np.float64]
_SLACKS = (1e-8, 1e-7, 1e-6, 1e-5)
_FARTHEST = 14.0  # arms of one source farther apart than this in log-distance are not compared
_WORTH = 1.5  # a star was never seen to gain more over its best radius alone


@dataclass(frozen=True, eq=False)
class StarCertificate:
    """Σ_x λ_x·E_x‖Y − θ_x‖∞² ≥ Σ_x ν_x − Σλ·τ²/4 over the nodes x of a star, for every mechanism.

    For each output of the grid, ν − λL is written as flows along the cone's inequalities e^s·g_a − g_b ≥ 0 (Farkas);
    τ is the widest gap of the grid.

    Proof that the grid suffices. For fixed g the sum Σ(λL − ν)g is, as a function of x, convex and, between
    neighbouring θ and θ/2, quadratic with curvature at most 2Λ, Λ = Σλg. If it is least between two outputs of the
    grid, the nearer one is at most τ/2 away and larger by at most Λτ²/4.
    """

    star: Star
    prior: Floats
    nu: Floats
    flows: Floats

    @property
    def risk(self) -> float:
        """A lower bound on the average risk, hence on the worst."""
        gap = float(np.diff(self.star.outputs()).max())
        copies = self.star.copies
        return max(float(copies @ self.nu) - float(copies @ self.prior) * gap**2 / 4, 0.0)

    def proves(self) -> bool:
        """Every row of ν − λL + flows is at most 0; λ and flows ≥ 0, and Σλ ≤ 1."""
        scale = float(self.star.theta[-1]) ** 2
        rows = farkas_rows(self.star) @ np.concatenate([self.prior, self.nu / scale, self.flows])
        total = float(self.star.copies @ self.prior)
        signs = bool((self.prior >= 0).all() and (self.flows >= 0).all())
        return signs and total <= 1 + 1e-12 and float(rows.max()) <= 0.0


def star_risk(ascending: Floats, categories: int, start: float) -> float:
    """The largest certified risk with one source and with two fifths of the categories; at least `start`."""
    best = start
    for sources in sorted({1, max(2 * categories // 5, 1)}):
        star = lay_star(ascending, sources, categories)
        if star is not None and _WORTH * _single(star) > best:
            found = star_certificate(star)
            best = best if found is None else max(best, found.risk)
    return best


def _single(star: Star) -> float:
    """About what the best radius alone gives; it only says whether the star is worth trying."""
    place = np.cumsum(star.steps)
    excess = np.maximum(place - np.log(star.arms), 0.0) / 2
    return float(((star.theta[1:] / 2 / np.cosh(np.minimum(excess, 300.0))) ** 2).max())


def star_certificate(star: Star) -> StarCertificate | None:
    """The largest Σν over λ and ν by linear programming, lowered a little until it is proved; or None."""
    size, copies = star.theta.size, star.copies
    rows = farkas_rows(star)
    columns = rows.shape[1]
    goal = np.zeros(columns)
    goal[size : 2 * size] = -copies
    total = scipy.sparse.csr_matrix((copies, (np.zeros(size, dtype=int), np.arange(size))), shape=(1, columns))
    bounds = [(0, None)] * size + [(None, None)] * size + [(0, None)] * (columns - 2 * size)
    answer = scipy.optimize.linprog(
        goal, A_ub=rows, b_ub=np.zeros(rows.shape[0]), A_eq=total, b_eq=[1.0], bounds=bounds, method="highs"
    )
    if answer.x is None:
        return None
    prior = np.maximum(answer.x[:size], 0.0)
    prior, flows = prior / float(copies @ prior), np.maximum(answer.x[2 * size :], 0.0)
    scale = float(star.theta[-1]) ** 2
    for slack in _SLACKS:
        found = StarCertificate(star, prior, (answer.x[size : 2 * size] - slack) * scale, flows)
        if found.proves():
            return found
    return None


def farkas_rows(star: Star) -> scipy.sparse.csr_matrix:
    """Rows ν − λL + flows, one a node: for each output the base, then one arm of each kind, in units of θ_N².

    Columns λ, ν, then for each output and kind two flows an edge, and two between a and its source's other arms.
    """
    builder = _Rows(star, [part / float(star.theta[-1]) ** 2 for part in star.losses(star.outputs())])
    for at in range(star.outputs().size):
        builder.add_output(at)
    where, columns, entries = (np.concatenate(part) for part in zip(*builder.triples, strict=True))
    return scipy.sparse.csr_matrix((entries, (where, columns)), shape=(builder.row, builder.column))


class _Rows:
    """Collects the entries (row, column, value)."""

    def __init__(self, star: Star, losses: list[Floats]) -> None:
        self.star, self.losses = star, losses
        self.triples: list[tuple[NDArray[np.int64], NDArray[np.int64], Floats]] = []
        self.nodes = np.arange(1, star.theta.size)
        self.row, self.column = 0, 2 * star.theta.size

    def add_output(self, at: int) -> None:
        size, centre = self.star.theta.size, np.array([self.row])
        self.triples += [
            (centre, np.array([0]), -self.losses[0][at, :1]),
            (centre, np.array([size]), np.ones(1)),
        ]
        first = self.row + 1
        self.row = first
        for count, loss in zip(self.star.kinds, self.losses, strict=True):
            if count > 0:
                self._add_arm(int(centre[0]), count, loss[at, 1:])
        if self.star.kinds[1] > 0:
            self._add_siblings(first)

    def _add_arm(self, centre: int, count: float, loss: Floats) -> None:
        """One arm's nodes; the base's row is shared by `count` equal arms."""
        nodes, grow, one = self.nodes, np.exp(self.star.steps), np.ones(self.nodes.size)
        outer, flow = self.row + nodes - 1, self.column + 2 * (nodes - 1)
        inner, share = np.where(nodes == 1, centre, outer - 1), np.where(nodes == 1, count, 1.0)
        self.triples += [(outer, nodes, -loss), (outer, self.star.theta.size + nodes, one)]
        self.triples += [(inner, flow, grow * share), (outer, flow, -one)]
        self.triples += [(outer, flow + 1, grow), (inner, flow + 1, -share)]
        self.row, self.column = self.row + nodes.size, self.column + 2 * nodes.size

    def _add_siblings(self, first: int) -> None:
        """g_a ≤ e^{S_r}·(mean of the others of its source), and the other way round; both divided by e^{S_r}."""
        shrink = np.exp(-np.cumsum(self.star.steps))
        kept = self.nodes[shrink > np.exp(-_FARTHEST)]
        own, other = first + kept - 1, first + self.nodes.size + kept - 1
        share, shrink = np.full(kept.size, 1 / self.star.kinds[1]), shrink[kept - 1]
        flow = self.column + 2 * np.arange(kept.size)
        self.triples += [(other, flow, share), (own, flow, -shrink)]
        self.triples += [(own, flow + 1, np.ones(kept.size)), (other, flow + 1, -share * shrink)]
        self.column += 2 * kept.size
