"""What a pair of laws loses, by sums over fine cells, and how fast the best bet that knows the pair refutes a promise.

A law is the probabilities of cells of an output. Cells can only hide something, never add: what is lost on them is at
most the loss of the outputs, and less by a part in a thousand at most for cells as fine as these.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import log_ndtr, ndtr, ndtri

from hdp_audit import ZCDP, ApproximateDP, GaussianDP, Promise, PureDP

Floats = NDArray[np.float64]
Law = tuple[Floats, Floats]  # under one dataset and under the other, cell by cell
Curve = Callable[[float], float]

EDGES = np.concatenate([[-np.inf], np.linspace(-16.0, 24.0, 16_001), [np.inf]])
ORDERS = 1.0 + np.geomspace(1e-3, 60.0, 60)
SIGNIFICANCE = 0.001


def normal_cells(mean: float = 0.0, scale: float = 1.0) -> Floats:
    """Of a normal law, by the tail that is nearer, so that small cells keep their digits."""
    standard = (EDGES - mean) / scale
    return np.where(standard[:-1] > 0.0, -np.diff(ndtr(-standard)), np.diff(ndtr(standard)))


def laplace_cells(mean: float, scale: float) -> Floats:
    standard = (EDGES - mean) / scale
    below, above = 0.5 * np.exp(np.minimum(standard, 0.0)), 0.5 * np.exp(-np.maximum(standard, 0.0))
    rising = np.where(standard < 0.0, below, 1.0 - above)
    return np.where(standard[:-1] > 0.0, -np.diff(above), np.diff(rising))


def shift(mu: float) -> Law:
    """Normal noise of scale 1 around 0 and around μ."""
    return normal_cells(mu), normal_cells()


def hockey_stick(law: Law, epsilon: float) -> float:
    """δ at ε, in the worse direction."""
    p, q = law
    return float(max(np.maximum(a - np.exp(epsilon) * b, 0.0).sum() for a, b in ((p, q), (q, p))))


def gaussian_loss(law: Law) -> float:
    """The smallest μ whose curve covers the law: the largest distance of its two normal quantiles over best events."""
    p, q = (part[(law[0] > 0.0) | (law[1] > 0.0)] for part in law)
    if _certain(p, q):
        return np.inf
    with np.errstate(divide="ignore"):
        order = np.argsort(np.log(q) - np.log(p), kind="stable")
    return float((_quantiles(p[order]) - _quantiles(q[order])).max())


def _quantiles(cells: Floats) -> Floats:
    """Normal quantiles of the sums up to each cell, by the smaller tail; those beyond 1e-9 are left out (0 twice)."""
    below, above = np.cumsum(cells)[:-1], np.cumsum(cells[::-1])[::-1][1:]
    return np.where(below < above, ndtri(np.clip(below, 1e-9, 0.5)), -ndtri(np.clip(above, 1e-9, 0.5)))


def _certain(p: Floats, q: Floats) -> bool:
    """An event that has a chance on one side and none on the other, which no μ covers."""
    return bool(p[q == 0.0].sum() > 1e-6 or q[p == 0.0].sum() > 1e-6)


def concentrated_loss(law: Law) -> float:
    """ρ: the largest of D_α/α over orders, in the worse direction."""
    p, q = (part[(law[0] > 0.0) & (law[1] > 0.0)] for part in law)
    if p.sum() < 1.0 - 1e-9 or q.sum() < 1.0 - 1e-9:
        return np.inf
    return max(_renyi(a, b, order) / order for order in ORDERS for a, b in ((p, q), (q, p)))


def _renyi(p: Floats, q: Floats, order: float) -> float:
    exponents = order * np.log(p) + (1.0 - order) * np.log(q)
    top = exponents.max()
    return float((top + np.log(np.exp(exponents - top).sum())) / (order - 1.0))


def lost(promise: Promise, user: int, law: Law) -> float:
    """What the law loses in the promise's own parameter: δ at the promised ε, μ, ρ, or the pure ε."""
    if isinstance(promise, GaussianDP):
        return gaussian_loss(law)
    if isinstance(promise, ZCDP):
        return concentrated_loss(law)
    if isinstance(promise, ApproximateDP):
        return hockey_stick(law, float(promise.columns["epsilon"][user]))
    assert isinstance(promise, PureDP)
    return pure_loss(law)


def pure_loss(law: Law) -> float:
    p, q = (part[(law[0] > 1e-15) | (law[1] > 1e-15)] for part in law)
    if _certain(p, q):
        return np.inf
    return float(np.abs(np.log(p) - np.log(q)).max())


def curve_of(promise: Promise, user: int) -> tuple[Curve, float]:
    """The promised δ(ε), written here anew, and from which ε on it says anything."""
    own = {name: float(column[user]) for name, column in promise.columns.items()}
    if isinstance(promise, GaussianDP):
        return partial(gaussian_curve, own["mu"]), 0.0
    if isinstance(promise, ZCDP):
        return partial(concentrated_curve, own["rho"]), 0.0
    return (lambda _: own.get("delta", 0.0)), own["epsilon"]


def gaussian_curve(mu: float, epsilon: float) -> float:
    return float(ndtr(0.5 * mu - epsilon / mu) - np.exp(epsilon + log_ndtr(-0.5 * mu - epsilon / mu)))


def concentrated_curve(rho: float, epsilon: float) -> float:
    """The smallest over orders of e^((α−1)(αρ−ε))·(1−1/α)^α/(α−1)."""
    above = np.geomspace(1e-4, 1e4, 4001)
    order = 1.0 + above
    logs = above * (order * rho - epsilon) + order * np.log(above / order) - np.log(above)
    return float(min(np.exp(logs.min()), 1.0))


def best_bet_calls(promise: Promise, user: int, law: Law) -> float:
    """log(1/significance) over the largest growth of a wealth, over lines, events and stakes; inf if nothing grows."""
    curve, least = curve_of(promise, user)
    lines = least + np.concatenate([[0.0], np.geomspace(0.02, 12.0, 40)])
    growth = max(_growth(law, epsilon, curve(epsilon), sides) for epsilon in lines for sides in (1, 2))
    return float(np.log(1.0 / SIGNIFICANCE) / growth) if growth > 1e-12 else np.inf


def _growth(law: Law, epsilon: float, delta: float, sides: int) -> float:
    """Of the best event above the line: where one law is at least e^(ε + something) times the other."""
    return max(
        _staked(*_guesses(a, b, epsilon + more, sides), epsilon, delta * sides / 2.0)
        for more in (0.0, 0.1, 0.3, 1.0)
        for a, b in (law, law[::-1])[: 3 - sides]
    )


def _guesses(p: Floats, q: Floats, epsilon: float, sides: int) -> tuple[float, float]:
    """How often a guess is right, and wrong, per call of a fair coin."""
    first, second = p >= np.exp(epsilon) * q, q >= np.exp(epsilon) * p
    first &= p > 0.0
    second &= q > 0.0
    right, wrong = p[first].sum(), q[first].sum()
    if sides == 2:
        right, wrong = right + q[second].sum(), wrong + p[second].sum()
    return 0.5 * float(right), 0.5 * float(wrong)


def _staked(right: float, wrong: float, epsilon: float, free: float) -> float:
    if right - np.exp(epsilon) * wrong <= free:
        return 0.0
    most = 1.0 / (np.exp(epsilon) + free)

    def negative(stake: float) -> float:
        wealth = right * np.log1p(stake * (1.0 - free)) + (1.0 - right - wrong) * np.log1p(-stake * free)
        return -float(wealth + (wrong * np.log1p(-stake * (np.exp(epsilon) + free)) if wrong > 0.0 else 0.0))

    return -float(minimize_scalar(negative, bounds=(0.0, most * (1.0 - 1e-9)), method="bounded").fun)
