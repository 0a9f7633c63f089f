"""Where a score of one column passes a threshold, in words and numbers that a person can check by hand."""

from __future__ import annotations

import sys

import numpy as np
from numpy.typing import NDArray

from hdp_audit.distinguishers.steps import Score

Floats = NDArray[np.float64]


def between_words(made: str, again: str, score: Score, low: float, high: float) -> tuple[str, str]:
    """Both conditions about something made of outputs, which has a shorter name when it is named again."""
    second = region_words(made, score, high, above=True)
    return second, region_words(made if second == "never" else again, score, low, above=False)


def cell_words(score: Score) -> str:
    """What each cell counts."""
    *values, last = score.values.tolist()
    shown = [f"{value:.3g} {_upto(edge)}" for value, edge in zip(values, score.points.tolist(), strict=True)]
    return f"{', '.join(shown)}, else {last:.3g}"


def curve_words(score: Score) -> str:
    """The score as a curve."""
    if score.steps:
        return f"steps from {score.values[0]:.3g} to {score.values[-1]:.3g} over {score.points.size} places"
    first, *later = zip(score.points, score.values, strict=True)
    bends = [f"{value:.3g} {_at(float(at))}" for at, value in later]
    return f"{first[1]:.3g} up to {first[0]:.6g}, then straight to {', to '.join(bends)}"


def _at(place: float) -> str:
    for toward, word in ((-np.inf, "above"), (np.inf, "below")):
        beside = float(np.nextafter(place, toward))
        if _is_short(beside) and not _is_short(place):
            return f"just {word} {beside:.6g}"
    return f"at {place:.6g}"


def region_words(name: str, score: Score, threshold: float, *, above: bool) -> str:
    """Where the score is at least (or at most) the threshold, as intervals of the column."""
    if not np.isfinite(threshold):
        return "never"
    if score.steps:
        starts = np.concatenate([[-np.inf], score.points])
        stops = np.concatenate([score.points, [np.inf]])
        values = np.round(score.values, 9)
        inside = values >= threshold if above else values <= threshold
        return _joined(name, starts, stops, inside)
    if score.values.size > 2:
        return _joined(name, *_crossings(score, threshold, above=above))
    low, high = float(score.values[0]), float(score.values[-1])
    if low == high:
        return f"{name} is anything"
    span = float(np.clip((threshold - low) / (high - low), 0.0, 1.0))
    place = float(score.points[0] + span * (score.points[-1] - score.points[0]))
    return f"{name} is {'at least' if (high > low) == above else 'at most'} {place:.6g}"


def _crossings(score: Score, threshold: float, *, above: bool) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """(starts, stops, inside) of the intervals between bends and places where the score passes the threshold."""
    rise = np.diff(score.values)
    span = (threshold - score.values[:-1]) / np.where(rise == 0, np.inf, rise)
    passed = (score.points[:-1] + span * np.diff(score.points))[(span > 0) & (span < 1)]
    cuts = np.unique(np.concatenate([score.points, passed]))
    middles = cuts[:-1] + 0.5 * np.diff(cuts)
    middles = np.where(cuts[1:] == np.nextafter(cuts[:-1], np.inf), cuts[:-1], middles)
    values = np.round(score(np.concatenate([[cuts[0] - 1.0], middles, [cuts[-1] + 1.0]])), 9)
    inside = values >= threshold if above else values <= threshold
    return np.append(-np.inf, cuts), np.append(cuts, np.inf), inside


def _joined(name: str, starts: np.ndarray, stops: np.ndarray, inside: np.ndarray, most: int = 6) -> str:
    """Neighbouring intervals as one; at most `most` of them, the rest counted."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], inside, [False]]).astype(int)))
    found = []
    for begin, end in zip(edges[::2], edges[1::2], strict=True):
        low, high = starts[begin], stops[end - 1]
        if np.isinf(low) and np.isinf(high):
            return f"{name} is anything"
        if np.isinf(low):
            found.append(_upto(float(high)))
        elif np.isinf(high):
            found.append(f"at least {low + 0.0:.6g}")
        elif high == np.nextafter(low, np.inf):
            found.append(f"exactly {low:.17g}")
        else:
            found.append(f"{_from(float(low))} {_upto(float(high))}")
    if not found:
        return "never"
    rest = f" (and {len(found) - most} more intervals)" if len(found) > most else ""
    return f"{name} is {', or '.join(found[:most])}{rest}"


def _upto(high: float) -> str:
    """Below a number, or at most the one before it, where only that one is short to write."""
    before = float(np.nextafter(high, -np.inf))
    return f"at most {before:.6g}" if _is_short(before) and not _is_short(high) else f"below {high + 0.0:.6g}"


def _from(low: float) -> str:
    before = float(np.nextafter(low, -np.inf))
    return f"above {before:.6g} and" if _is_short(before) and not _is_short(low) else f"from {low + 0.0:.6g} to"


def _is_short(number: float) -> bool:
    return number == 0 or (abs(number) > sys.float_info.min and float(f"{number:.6g}") == number)
