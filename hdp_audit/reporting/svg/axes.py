"""Axes: grid lines at round values, the values beside them, and a name."""

from __future__ import annotations

from hdp_audit.reporting.svg.marks import bar, pole, text
from hdp_audit.reporting.svg.scale import Scale, tick_words


def bottom_axis(scale: Scale, top: float, bottom: float, words: str) -> str:
    """Grid lines upwards, labels and the name below."""
    parts = []
    for tick in scale.ticks():
        at = scale.at(tick)
        parts += [pole(at, top, bottom, "grid"), text(at, bottom + 15, tick_words(tick), anchor="middle")]
    parts.append(text((scale.start + scale.end) / 2, bottom + 32, words, "axis", "middle"))
    return "".join(parts)


def left_axis(scale: Scale, left: float, right: float, words: str = "") -> str:
    """Grid lines to the right, labels beside, the name on top."""
    parts = []
    for tick in scale.ticks():
        at = scale.at(tick)
        parts += [bar(left, right, at, "grid"), text(left - 7, at + 4, tick_words(tick), anchor="end")]
    if words:
        parts.append(text(left - 7, min(scale.start, scale.end) - 9, words, "axis"))
    return "".join(parts)
