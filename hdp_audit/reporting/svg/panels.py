"""Panels: a box with a scale on either side, or one with a row per name."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from hdp_audit.reporting.svg.axes import bottom_axis, left_axis
from hdp_audit.reporting.svg.marks import bar, box, curve, dot, text
from hdp_audit.reporting.svg.scale import Scale


@dataclass(frozen=True)
class Panel:
    """Two scales; the upright one starts at the bottom."""

    x: Scale
    y: Scale

    @classmethod
    def log(
        cls, corner: tuple[float, float], size: tuple[float, float], x: tuple[float, float], y: tuple[float, float]
    ) -> Panel:
        """Both scales logarithmic, from the upper left corner, for the ranges `x` and `y`."""
        (left, top), (width, height) = corner, size
        return cls(Scale(*x, left, left + width), Scale(*y, top + height, top))

    def frame(self, title: str, x_words: str) -> str:
        """Border, axes and title."""
        left, right, bottom, top = self.x.start, self.x.end, self.y.start, self.y.end
        axes = bottom_axis(self.x, top, bottom, x_words) + left_axis(self.y, left, right)
        return axes + box(left, top, right - left, bottom - top, "frame") + text(left, top - 8, title, "title")

    def curve(self, points: Iterable[tuple[float, float]], style: str) -> str:
        """A line through points in values."""
        return curve(((self.x.at(x), self.y.at(y)) for x, y in points), style)

    def dot(self, x: float, y: float, style: str, tip: str, radius: float = 4.0) -> str:
        """A point in values."""
        return dot(self.x.at(x), self.y.at(y), style, tip, radius)

    def across(self, value: float, style: str) -> str:
        """A line over the whole width at a value."""
        return bar(self.x.start, self.x.end, self.y.at(value), style)


@dataclass(frozen=True)
class Rows:
    """`count` rows over one scale."""

    x: Scale
    top: float
    pitch: float
    count: int
    room: float = 0.0  # above the first and below the last

    @property
    def bottom(self) -> float:
        """The lower end of the last row."""
        return self.top + self.pitch * self.count + 2 * self.room

    def middle(self, place: int) -> float:
        """The height of a row's middle."""
        return self.top + self.room + self.pitch * (place + 0.5)

    def axis(self, words: str) -> str:
        """The scale below all rows."""
        return bottom_axis(self.x, self.top, self.bottom, words)

    def frame(self, title: str, names: Sequence[str], words: str) -> str:
        """Border, scale, title, and the rows' names."""
        left, right = self.x.start, self.x.end
        parts = [self.axis(words), box(left, self.top, right - left, self.bottom - self.top, "frame")]
        parts += [text(left - 7, self.middle(place) + 4, name, "axis", "end") for place, name in enumerate(names)]
        return "".join(parts) + text(left, self.top - 8, title, "title")
