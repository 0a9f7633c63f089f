"""Ramps: the log-likelihood ratio of noise of Laplace's kind, straight between two points and constant beyond."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from hdp_audit.attacks.cells import Cells, gains
from hdp_audit.attacks.steps import COSTS, Score, centre_and_scale, step

Floats = NDArray[np.float64]
Fitted = Callable[[Floats, float], tuple[Floats, Floats]]  # half-widths, a height nearby: heights and gains

WIDTHS = 2.0 ** np.arange(-7.0, 2.0)  # half-widths of a ramp tried first, in spreads
KNOTS = np.linspace(0.04, 0.96, 13)  # quantiles at which a free ramp may bend
ZOOMS = 6
RIDGE = 0.05  # keeps ratios finite where one dataset never gives an output
STEEPEST = 25.0
JOINTLY = 1 << 13  # draws from which coordinates learn together
AS_LIKELY = 0.5  # nats: within a standard error of the likeliest width


def laplace_ramp(table: Cells, middle: float, scale: float) -> Score:
    """The ramp of Laplace noise of a known scale: a shift by 2d has height 2d/scale, so 1 number says it all."""
    halves, ratio = 0.5 * scale * 2.0 ** np.arange(-6.0, 4.0), 2.0
    falls = float(np.sign(step(table, middle).values[0])) or -1.0
    for _ in range(ZOOMS):
        tops = -falls * 2.0 * halves / scale
        scores = tops[:, None] * np.clip((table.centres - middle) / halves[:, None], -1.0, 1.0)
        gained = gains(scores, table.ones, table.zeros)
        best = int(np.argmax(gained))
        half, top, gain = halves[best], tops[best], float(gained[best])
        halves = half * ratio ** np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
        ratio = ratio**0.6
    return Score(np.array([middle - half, middle + half]), np.array([-top, top]), evidence=gain)


def symmetric_ramp(table: Cells, middle: float) -> Score:
    """A ramp about the centre from −h to h: the exact shape for symmetric Laplace noise, 2 numbers."""
    spread = table.spread

    def fitted(halves: Floats, near: float) -> tuple[Floats, Floats]:
        return heights(np.clip((table.centres - middle) / halves[:, None], -1.0, 1.0), table.ones, table.zeros, near)

    half, height, gain = widest(fitted, spread)
    return Score(
        np.array([middle - half, middle + half]),
        np.array([-height, height]),
        evidence=gain - COSTS["symmetric ramp"],
    )


def widest(fitted: Fitted, spread: float) -> tuple[float, float, float]:
    """(half-width, height, gain): the widest ramp that is about as likely as the likeliest.

    A ramp too wide costs some guesses; one too narrow guesses where the ratio is not yet full, which costs more.
    """
    halves, ratio, near = WIDTHS * spread, 2.0, 0.0
    tried, found, gained = [], [], []
    for _ in range(ZOOMS):
        height, gains = fitted(halves, near)
        tried.append(halves)
        found.append(height)
        gained.append(gains)
        best = np.argmax(gains)
        near = float(height[best])
        halves = halves[best] * ratio ** np.array([-1.0, -0.5, 0.5, 1.0])
        ratio = ratio**0.6
    wide, high, gain = (np.concatenate(parts) for parts in (tried, found, gained))
    likely = np.flatnonzero(gain >= gain.max() - AS_LIKELY)
    best = likely[np.argmax(wide[likely])]
    return float(wide[best]), float(high[best]), float(gain[best])


def heights(rises: Floats, ones: Floats, zeros: Floats, near: float) -> tuple[Floats, Floats]:
    """Most likely h of the scores h·rise, one a row, and what they gain: logistic regression by Newton's steps."""
    h = np.full(rises.shape[0], near)
    total = ones + zeros
    squares, seen = rises**2, rises @ ones
    for _ in range(3 if near else 6):  # fewer from a good start
        p = _expit(h[:, None] * rises)
        slope = seen - (rises * p) @ total - RIDGE * h
        bend = (squares * p * (1.0 - p)) @ total + RIDGE
        h = np.clip(h + np.clip(slope / bend, -2.0, 2.0), -STEEPEST, STEEPEST)
    return h, gains(h[:, None] * rises, ones, zeros)


def ramp(coarse: Cells, fine: Cells) -> Score:
    """Constant, straight, constant, anywhere: Laplace noise with clipping, 4 numbers."""
    places = np.unique(fine.quantile(KNOTS))
    first, second = np.triu_indices(places.size, 1)
    starts, stops = places[first], places[second]
    if not starts.size:
        return Score(np.zeros(1), np.zeros(2), True, -COSTS["ramp"])
    reach = float(np.diff(places).max())
    for table in (coarse, *[fine] * (ZOOMS - 1)):
        lows, highs, gained = _ends(table, starts, stops)
        best = int(np.argmax(gained))
        start, stop, low, high, gain = starts[best], stops[best], lows[best], highs[best], gained[best]
        reach /= 2.0
        shifts = reach * np.array([-1.0, -0.5, 0.0, 0.5, 1.0])
        starts = np.repeat(start + shifts, shifts.size)
        stops = np.maximum(np.tile(stop + shifts, shifts.size), starts + 1e-3 * reach)
    return Score(np.array([start, stop]), np.array([low, high]), evidence=float(gain) - COSTS["ramp"])


def _ends(table: Cells, starts: Floats, stops: Floats) -> tuple[Floats, Floats, Floats]:
    """Most likely (low, high) of the ramps between given knots, and what they gain."""
    u = np.clip((table.centres - starts[:, None]) / (stops - starts)[:, None], 0.0, 1.0)
    v = 1.0 - u
    low, high = np.zeros(starts.size), np.zeros(starts.size)
    total = table.ones + table.zeros
    for _ in range(6):
        p = _expit(low[:, None] * v + high[:, None] * u)
        miss = table.ones - total * p
        q = total * p * (1.0 - p)
        slope_low = np.einsum("ij,ij->i", v, miss) - RIDGE * low
        slope_high = np.einsum("ij,ij->i", u, miss) - RIDGE * high
        uq = u * q
        b = np.einsum("ij,ij->i", uq, v)
        c = np.einsum("ij,ij->i", uq, u) + RIDGE
        a = np.einsum("ij,ij->i", v * q, v) + RIDGE
        det = a * c - b * b
        low = np.clip(low + np.clip((c * slope_low - b * slope_high) / det, -2.0, 2.0), -STEEPEST, STEEPEST)
        high = np.clip(high + np.clip((a * slope_high - b * slope_low) / det, -2.0, 2.0), -STEEPEST, STEEPEST)
    return low, high, gains(low[:, None] * v + high[:, None] * u, table.ones, table.zeros)


def _expit(x: Floats) -> Floats:
    return 1.0 / (1.0 + np.exp(-x))


def shared_ramp(outputs: Floats, coins: NDArray[np.bool_], parts: tuple[tuple[int, Score], ...]) -> Score | None:
    """One width and height for symmetric ramps in several coordinates, as equal noise has them; None where they differ.

    The score that is returned belongs to a rising coordinate with its middle at 0.
    """
    if len(parts) < 2 or any(score.steps or not score.is_symmetric for _, score in parts):
        return None
    seen, tossed = outputs[-JOINTLY:], coins[-JOINTLY:].astype(np.float64)
    shifted = [np.sign(score.values[1]) * (seen[:, column] - score.points.mean()) for column, score in parts]

    scale = float(np.mean([centre_and_scale(seen[:, column], coins[-JOINTLY:])[1] for column, _ in parts]))

    def risen(halves: Floats) -> Floats:
        return np.stack([sum(np.clip(y / half, -1.0, 1.0) for y in shifted) for half in halves])

    def free_height(halves: Floats, near: float) -> tuple[Floats, Floats]:
        return heights(risen(halves), tossed, 1.0 - tossed, near)

    def laplace_height(halves: Floats, _near: float) -> tuple[Floats, Floats]:
        tops = 2.0 * halves / scale
        return tops, gains(tops[:, None] * risen(halves), tossed, 1.0 - tossed)

    spread = float(np.mean([np.ptp(score.points) for _, score in parts]))
    half, height, gain = widest(free_height, spread)
    if scale > 0:
        tied = widest(laplace_height, spread)
        if tied[2] > gain - COSTS["symmetric ramp"]:
            half, height, gain = tied
    apart = np.sum([score(seen[:, column]) for column, score in parts], axis=0)
    if gain < gains(apart[None, :], tossed, 1.0 - tossed)[0] - len(parts):
        return None
    return Score(np.array([-half, half]), np.array([-height, height]), evidence=gain)
