"""Two laws with few outcomes, both known: what is lost between them, as each kind of promise counts it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp_audit.tracing.measure import Approximate, Concentrated, Gaussian, Measure, Pure

Floats = NDArray[np.float64]
Mask = NDArray[np.bool_]
NEVER = 1e-13  # rounding may leave this much probability where there is none
ORDERS = 1.0 + np.exp(np.linspace(np.log(0.1), np.log(1e4), 2_000))  # α of Rényi divergences


@dataclass(frozen=True, eq=False)
class Lost:
    """`lower` and `upper` in the promise's strength, and the outcomes that show most, likelier on one dataset."""

    lower: float
    upper: float
    event: Mask
    swapped: bool = False  # the second dataset is the one where the event is likelier


def lost(measure: Measure, first: Floats, second: Floats) -> Lost:
    """Probabilities of the same outcomes on both datasets; either way, whichever loses more."""
    one, two = (np.where(law > NEVER, law, 0.0) for law in (first, second))
    if isinstance(measure, Pure):
        return _ratio(one, two)
    there, back = _one_way(measure, one, two), _one_way(measure, two, one)
    most = max(there, back, key=lambda each: each.lower)
    return Lost(most.lower, max(there.upper, back.upper), most.event, most is back)


def _one_way(measure: Measure, p: Floats, q: Floats) -> Lost:
    if isinstance(measure, Approximate):
        return _leaking(p, q, float(measure.leaked.flat[0]))
    if isinstance(measure, Gaussian):
        return _likeliest(measure, p, q)
    return _concentrated(p, q)


def _logs(p: Floats, q: Floats) -> tuple[Floats, Floats]:
    with np.errstate(divide="ignore"):
        return np.log(p), np.log(q)


def _ratio(p: Floats, q: Floats) -> Lost:
    """The largest ratio of one outcome, either way."""
    (one, two), there = _logs(p, q), (p > 0) | (q > 0)
    ratios = np.abs(np.where(there, one, 0.0) - np.where(there, two, 0.0))
    best = int(np.argmax(ratios))
    return Lost(float(ratios[best]), float(ratios[best]), np.arange(p.size) == best, bool(q[best] > p[best]))


def _leaking(p: Floats, q: Floats, delta: float) -> Lost:
    """The ε at which Σ(p − e^ε·q)⁺ falls to δ: along the outcomes by falling ratio it is a line in e^ε."""
    never = float(p[q == 0].sum())
    if never > delta + NEVER:
        return Lost(np.inf, np.inf, q == 0)
    order = _falling(p, q)
    above, below = np.cumsum(p[order]), np.cumsum(q[order])
    with np.errstate(divide="ignore", invalid="ignore"):
        found = np.log(np.maximum(above - delta - NEVER, 0.0)) - np.log(below)
    best = int(np.argmax(np.nan_to_num(found, nan=-np.inf)))
    event = np.zeros(p.size, dtype=np.bool_)
    event[order[: best + 1]] = True
    largest = max(float(np.nan_to_num(found[best], nan=0.0)), 0.0)
    return Lost(largest, largest, event)


def _likeliest(measure: Measure, p: Floats, q: Floats) -> Lost:
    """All events that a trade-off needs: the outcomes by falling ratio, up to each of them."""
    order = _falling(p, q)
    shown = np.zeros(p.size)
    for number in range(p.size):
        part = order[: number + 1]
        rest = order[number + 1 :]
        shown[number] = measure.shown((_log_sum(p[part], p[rest]), _log_sum(q[part], q[rest])))
    best = int(np.argmax(shown))
    event = np.zeros(p.size, dtype=np.bool_)
    event[order[: best + 1]] = True
    return Lost(float(shown[best]), float(shown[best]), event)


def _concentrated(p: Floats, q: Floats) -> Lost:
    """Divergences of many orders from below; between two of them D_β/α bounds D_α/α, as D rises, and ρ ≤ ε²/2."""
    if (p[q == 0] > 0).any():
        return Lost(np.inf, np.inf, q == 0)
    there = p > 0
    one, two = _logs(p[there], q[there])
    orders = ORDERS[:, None]
    powers = orders * one + (1.0 - orders) * two
    largest = powers.max(axis=1, keepdims=True)
    divergences = (largest[:, 0] + np.log(np.exp(powers - largest).sum(axis=1))) / (ORDERS - 1.0)
    near = float((p[there] * (one - two)).sum())  # order 1
    lower = max(near - NEVER, float((divergences / ORDERS).max()) - NEVER, 0.0)
    pure = max(float((one - two).max(initial=0.0)), float((two - one).max(initial=0.0)))
    between = max(float((divergences[1:] / ORDERS[:-1]).max()), float(divergences[0]))
    upper = min(max(between, pure / ORDERS[-1]), pure**2 / 2)
    event = _likeliest(Concentrated(), p, q).event
    return Lost(float(np.sqrt(2 * lower)), float(np.sqrt(2 * max(upper, lower))), event)


def _falling(p: Floats, q: Floats) -> NDArray[np.int64]:
    one, two = _logs(p, q)
    ratios = np.where(p > 0, np.where(q > 0, one, 0.0) - np.where(q > 0, two, -np.inf), -np.inf)
    return np.argsort(-ratios, kind="stable")


def _log_sum(part: Floats, rest: Floats) -> float:
    """The logarithm of a probability, from the rest where that is smaller."""
    inside, outside = float(part.sum()), float(rest.sum())
    with np.errstate(divide="ignore"):
        return float(np.log(inside)) if inside <= outside else float(np.log1p(-min(outside, 1.0)))
