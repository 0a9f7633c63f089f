"""Ramps: the log-likelihood ratio of noise of Laplace's kind, straight between two points and constant beyond."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hdp_audit.distinguishers.cells import Cells, gains
from hdp_audit.distinguishers.steps import COSTS, Score, centre_and_scale, step

Floats = NDArray[np.float64]
Fitted = Callable[[Floats, float], tuple[Floats, Floats]]  # half-widths, a height nearby: heights and gains

WIDTHS = 2.0 ** np.arange(-7.0, 1.01, 0.5)  # half-widths of a ramp tried first, in spreads
NEARBY = 2.0 ** np.arange(-3.0, 1.01, 0.5)  # where several coordinates agree already
BOWLS = 2.0 ** np.arange(-3.0, 1.01)  # the same of a bowl
ROUNDING = 1e-9
FINER = 2.0 ** (np.arange(-4.0, 5.0) / 16.0)  # tried next, about the best of them
KNOTS = np.linspace(0.04, 0.96, 13)  # quantiles at which a free ramp may bend
SHIFTS = np.linspace(-1.0, 1.0, 7)  # of either end of a free ramp, in each of its zooms
ZOOMS = 3
RIDGE = 0.05  # keeps ratios finite where one dataset never gives an output
STEEPEST = 25.0
JOINTLY = 1 << 15  # draws from which coordinates learn together
NARROWEST = 1e-200  # of a ramp: outputs of -0 count as the double below 0, and no width may vanish beside that
AS_LIKELY = 0.5  # nats: within a standard error of the likeliest width


def laplace_ramp(table: Cells, middle: float, scale: float) -> Score:
    """The ramp of Laplace noise of a known scale: a shift by 2d has height 2d/scale, so 1 number says it all."""
    falls = float(np.sign(step(table, middle).values[0])) or -1.0
    scale = max(scale, NARROWEST)

    def gained(halves: Floats) -> Floats:
        rises = np.clip((table.centres - middle) / halves[:, None], -1.0, 1.0)
        return gains((-falls * 2.0 / scale) * halves[:, None] * rises, table.ones, table.zeros)

    first = 2.0 * scale * WIDTHS
    halves = FINER * first[np.argmax(gained(first))]
    gain = gained(halves)
    half = float(halves[np.argmax(gain)])
    top = -falls * 2.0 * half / scale
    return Score(np.array([middle - half, middle + half]), np.array([-top, top]), evidence=float(gain.max()))


def symmetric_ramp(table: Cells, middle: float) -> Score:
    """A ramp about the centre from −h to h: the exact shape for symmetric Laplace noise, 2 numbers."""

    def fitted(halves: Floats, near: float) -> tuple[Floats, Floats]:
        return heights(np.clip((table.centres - middle) / halves[:, None], -1.0, 1.0), table.ones, table.zeros, near)

    half, height, gain = widest(fitted, WIDTHS * max(table.spread, NARROWEST))
    return Score(
        np.array([middle - half, middle + half]),
        np.array([-height, height]),
        evidence=gain - COSTS["symmetric ramp"],
    )


def widest(fitted: Fitted, halves: Floats, near: float = 0.0) -> tuple[float, float, float]:
    """(half-width, height, gain): the widest ramp that is about as likely as the likeliest.

    A ramp too wide costs some guesses; one too narrow guesses where the ratio is not yet full, which costs more.
    """
    high, gain = fitted(halves, near)
    least = gain.max() - AS_LIKELY
    half, near, _ = _widest(halves, high, gain, least)
    finer = FINER * half
    return _widest(finer, *fitted(finer, near), least)


def _widest(halves: Floats, high: Floats, gain: Floats, least: float) -> tuple[float, float, float]:
    likely = np.flatnonzero(gain >= min(least, gain.max()))
    best = likely[np.argmax(halves[likely])]
    return float(halves[best]), float(high[best]), float(gain[best])


def heights(rises: Floats, ones: Floats, zeros: Floats, near: float) -> tuple[Floats, Floats]:
    """Most likely h of the scores h·rise, one a row, and what they gain: logistic regression by Newton's steps."""
    h = np.full(rises.shape[0], near)
    total = ones + zeros
    squares, seen = rises**2, rises @ ones
    for _ in range(3 if near else 6):  # fewer from a good start
        p = _expit(h[:, None] * rises)
        slope = seen - (rises * p) @ total - RIDGE * h
        bend = (squares * p * (1.0 - p)) @ total + RIDGE
        h = _moved(h, slope / bend)
    return h, gains(h[:, None] * rises, ones, zeros)


def ramp(coarse: Cells, fine: Cells) -> Score:
    """Constant, straight, constant, anywhere: Laplace noise with clipping, 4 numbers."""
    places = np.unique(fine.quantile(KNOTS))
    first, second = np.triu_indices(places.size, 1)
    starts, stops = places[first], places[second]
    if not starts.size:
        return Score(np.zeros(1), np.zeros(2), True, -COSTS["ramp"])
    lows, highs, gained = _ends(coarse, starts, stops)
    reach = float(np.diff(places).max())
    for _ in range(ZOOMS):
        best = int(np.argmax(gained))
        start, stop, low, high = starts[best], stops[best], lows[best], highs[best]
        starts = np.repeat(start + reach * SHIFTS, SHIFTS.size)
        narrowest = np.maximum(1e-3 * reach, np.spacing(np.abs(starts)))  # far from 0 doubles lie far apart
        stops = np.maximum(np.tile(stop + reach * SHIFTS, SHIFTS.size), starts + narrowest)
        lows, highs, gained = _ends(fine, starts, stops, (low, high))
        reach /= 3.0
    best = int(np.argmax(gained))
    points, values = np.array([starts[best], stops[best]]), np.array([lows[best], highs[best]])
    return Score(points, values, evidence=float(gained[best]) - COSTS["ramp"])


def bowl(table: Cells, middle: float) -> Score:
    """Straight from the centre to either side, as high on both: noise that is wider under one coin, 3 numbers."""
    if table.spread <= ROUNDING * abs(middle):  # centres of cells are sums, and a little off
        return Score(np.zeros(1), np.zeros(2), True, -np.inf)
    mirrored = replace(table, centres=np.abs(table.centres - middle))
    halves = BOWLS * max(table.spread, NARROWEST)
    lows, highs, gained = _ends(mirrored, np.zeros(halves.size), halves)
    best = int(np.argmax(gained))
    half, low, high = float(halves[best]), float(lows[best]), float(highs[best])
    points = np.array([middle - half, middle, middle + half])
    return Score(points, np.array([high, low, high]), evidence=float(gained[best]) - COSTS["bowl"])


def clipped_ramp(coarse: Cells, fine: Cells) -> Score:
    """A ramp, and ratios of their own for what was clipped at either end, 6 numbers."""
    inner = fine.inner
    if inner is None or coarse.inner is None:
        return Score(np.zeros(1), np.zeros(2), True, -COSTS["clipped ramp"])
    between = ramp(coarse.within(coarse.inner), fine.within(inner))
    ratios = np.log((fine.ones + 0.5) / (fine.zeros + 0.5))
    ends = np.flatnonzero(fine.ones + fine.zeros)[[0, -1]]
    atoms = [(float(fine.centres[cell]), float(ratios[cell])) for cell in ends if not inner.start <= cell < inner.stop]
    points, values = [], []
    for at, ratio in atoms:
        beside = np.nextafter(at, between.points[0])
        points += [at, beside]
        values += [ratio, float(between(np.array([beside]))[0])]
    order = np.argsort([*points, *between.points], kind="stable")
    score = Score(np.array([*points, *between.points])[order], np.array([*values, *between.values])[order])
    return replace(score, evidence=fine.gain(score(fine.centres)) - COSTS["clipped ramp"])


def _ends(
    table: Cells, starts: Floats, stops: Floats, near: tuple[float, float] | None = None
) -> tuple[Floats, Floats, Floats]:
    """Most likely (low, high) of the ramps between given knots, and what they gain."""
    widths = np.maximum(stops - starts, NARROWEST)
    u = np.clip((table.centres - starts[:, None]) / widths[:, None], 0.0, 1.0)
    v = 1.0 - u
    low, high = (np.full(starts.size, value) for value in near or (0.0, 0.0))
    total = table.ones + table.zeros
    for _ in range(3 if near else 6):  # fewer from a good start
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
        low = _moved(low, (c * slope_low - b * slope_high) / det)
        high = _moved(high, (a * slope_high - b * slope_low) / det)
    return low, high, gains(low[:, None] * v + high[:, None] * u, table.ones, table.zeros)


def _moved(heights: Floats, by: Floats) -> Floats:
    """A step of Newton's, none too far; np.clip would cost more than the step."""
    return np.minimum(np.maximum(heights + np.minimum(np.maximum(by, -2.0), 2.0), -STEEPEST), STEEPEST)


def _expit(x: Floats) -> Floats:
    return 1.0 / (1.0 + np.exp(-x))


def shared_ramp(outputs: Floats, coins: NDArray[np.bool_], parts: tuple[tuple[int, Score], ...]) -> Score | None:
    """One width and height for symmetric ramps in several coordinates, as equal noise has them; None where they differ.

    The score that is returned belongs to a rising coordinate with its middle at 0.
    """
    if len(parts) < 2 or any(score.steps or not score.is_symmetric for _, score in parts):
        return None
    seen, tossed = outputs[-JOINTLY:], coins[-JOINTLY:].astype(np.float64)
    shifted = np.stack([np.sign(score.values[1]) * (seen[:, column] - score.points.mean()) for column, score in parts])

    scale = float(np.mean([centre_and_scale(seen[:, column], coins[-JOINTLY:])[1] for column, _ in parts]))

    @lru_cache
    def clipped(halves: tuple[float, ...]) -> Floats:
        return np.asarray(np.clip(shifted / np.array(halves)[:, None, None], -1.0, 1.0).sum(axis=1))

    def risen(halves: Floats) -> Floats:
        return clipped(tuple(halves.tolist()))

    def free_height(halves: Floats, near: float) -> tuple[Floats, Floats]:
        return heights(risen(halves), tossed, 1.0 - tossed, near)

    def laplace_height(halves: Floats, _near: float) -> tuple[Floats, Floats]:
        tops = 2.0 * halves / scale
        return tops, gains(tops[:, None] * risen(halves), tossed, 1.0 - tossed)

    halves = NEARBY * float(np.mean([np.ptp(score.points) for _, score in parts]))
    half, height, gain = widest(free_height, halves, float(np.mean([np.abs(score.values).max() for _, score in parts])))
    if scale > NARROWEST:
        tied = widest(laplace_height, halves)
        if tied[2] > gain - COSTS["symmetric ramp"]:
            half, height, gain = tied
    apart = np.sum([score(seen[:, column]) for column, score in parts], axis=0)
    if gain < gains(apart[None, :], tossed, 1.0 - tossed)[0] - len(parts):
        return None
    return Score(np.array([-half, half]), np.array([-height, height]), evidence=gain)
