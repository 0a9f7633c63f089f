"""Axes and frames of the page's pictures; colours come from the page's style sheet, for light, dark and paper."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape

from hdp_audit.reporting.numbers import short
from hdp_audit.reporting.svg import decades, text

WIDTH = 460


@dataclass(frozen=True)
class Axis:
    """Values to pixels, kept within the ends; a logarithmic axis puts 0 and below at its start."""

    low: float
    high: float
    start: float
    end: float
    log: bool = True

    def at(self, value: float) -> float:
        """Pixels of a value."""
        return self.start + (self.end - self.start) * min(max(self._share(value), 0.0), 1.0)

    def holds(self, value: float | None) -> bool:
        """True where the value lies on the axis, not beyond its ends."""
        return value is not None and self.low <= value <= self.high

    def ticks(self) -> list[float]:
        """A few round values."""
        if self.log:
            return decades(self.low, self.high)
        step = _round_step((self.high - self.low) / 4.0)
        first = math.ceil(self.low / step - 1e-9)
        return [number * step for number in range(first, math.floor(self.high / step + 1e-9) + 1)]

    def _share(self, value: float) -> float:
        if not self.log:
            return (value - self.low) / (self.high - self.low)
        if not value > 0:
            return 0.0
        if math.isinf(value):
            return 1.0
        return (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))


def log_range(values: list[float], wider: float = 1.6) -> tuple[float, float]:
    """Around the finite positive values, with room at both ends."""
    good = [value for value in values if 1e-12 < value < 1e12]
    low, high = min(good, default=0.1) / wider, max(good, default=1.0) * wider
    return (low, high) if high / low > 4 else (low / 2, high * 2)


def bottom_axis(axis: Axis, top: float, bottom: float, words: str) -> str:
    """Grid lines upwards, labels and the name below."""
    parts = []
    for tick in axis.ticks():
        at = axis.at(tick)
        parts.append(
            f'<path class="grid" d="M{at:.1f} {top}V{bottom}"/>' + text(at, bottom + 15, _tick(tick), "", "middle")
        )
    middle = (axis.start + axis.end) / 2
    return "".join(parts) + text(middle, bottom + 32, words, "axis", "middle")


def left_axis(axis: Axis, left: float, right: float, words: str) -> str:
    """Grid lines to the right, labels beside, the name on top."""
    parts = []
    for tick in axis.ticks():
        at = axis.at(tick)
        parts.append(
            f'<path class="grid" d="M{left} {at:.1f}H{right}"/>' + text(left - 7, at + 4, _tick(tick), "", "end")
        )
    return "".join(parts) + text(left - 7, min(axis.start, axis.end) - 9, words, "axis", "start")


def picture(height: float, title: str, parts: list[str]) -> str:
    """An inline SVG with its name for those who do not see it."""
    head = f'<svg viewBox="0 0 {WIDTH} {height:.0f}" role="img" aria-label="{escape(title)}">'
    return head + "".join(parts) + "</svg>"


def dot(x: float, y: float, style: str, tip: str, radius: float = 3.5) -> str:
    """A point; the tip is shown when it is pointed at."""
    return f'<circle class="{style}" cx="{x:.1f}" cy="{y:.1f}" r="{radius}"><title>{escape(tip)}</title></circle>'


def bar(x1: float, x2: float, y: float, style: str) -> str:
    """A horizontal line."""
    return f'<path class="{style}" d="M{x1:.1f} {y:.1f}H{x2:.1f}"/>'


def pole(x: float, y1: float, y2: float, style: str) -> str:
    """A vertical line."""
    return f'<path class="{style}" d="M{x:.1f} {y1:.1f}V{y2:.1f}"/>'


def _tick(value: float) -> str:
    if 1e3 <= abs(value) < 1e9:
        return f"{value / 1e6:g} M" if abs(value) >= 1e6 else f"{value:,.0f}"
    return short(value) if abs(value) >= 1e-3 or value == 0 else f"{value:.0e}".replace("e-0", "e−").replace("e-", "e−")


def _round_step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough)) if rough > 0 else 1.0
    return next((power * factor for factor in (1.0, 2.0, 5.0) if power * factor >= rough), power * 10.0)
