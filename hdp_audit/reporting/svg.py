"""A few SVG shapes: enough for plots that need no script, no font and no library, in light and dark."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STYLE = """
:root { color-scheme: light dark; }
text { font: 11px system-ui, sans-serif; fill: #24292f; }
.title { font-weight: 600; font-size: 12px; }
.page { fill: #ffffff; }
.frame { fill: none; stroke: #8c959f; stroke-width: 1; }
.grid { stroke: #d0d7de; stroke-width: 0.6; }
.curve { fill: none; stroke-width: 1.8; }
.one { stroke: #0969da; } .two { stroke: #bc4c00; } .three { stroke: #1a7f37; }
.limit { stroke: #cf222e; stroke-dasharray: 5 3; fill: none; stroke-width: 1.4; }
.dot-one { fill: #0969da; } .dot-two { fill: #bc4c00; } .dot-three { fill: #1a7f37; } .dot-paper { fill: #8250df; }
@media (prefers-color-scheme: dark) {
  text { fill: #e6edf3; } .page { fill: #0d1117; } .grid { stroke: #30363d; } .frame { stroke: #6e7681; }
  .one { stroke: #58a6ff; } .two { stroke: #f0883e; } .three { stroke: #3fb950; } .limit { stroke: #ff7b72; }
  .dot-one { fill: #58a6ff; } .dot-two { fill: #f0883e; } .dot-three { fill: #3fb950; } .dot-paper { fill: #bc8cff; }
}
"""


@dataclass(frozen=True)
class LogPanel:
    """A panel with two logarithmic axes, in pixels from (left, top)."""

    left: float
    top: float
    width: float
    height: float
    x_range: tuple[float, float]
    y_range: tuple[float, float]

    def x(self, value: float) -> float:
        """Pixels of a value, kept inside the panel."""
        return self.left + self.width * _share(value, *self.x_range)

    def y(self, value: float) -> float:
        """Pixels of a value, kept inside the panel."""
        return self.top + self.height * (1.0 - _share(value, *self.y_range))

    def curve(self, xs: Floats, ys: Floats, style: str) -> str:
        """A line through the finite positive points."""
        good = np.isfinite(ys) & (ys > 0)
        points = " ".join(f"{self.x(a):.1f},{self.y(b):.1f}" for a, b in zip(xs[good], ys[good], strict=True))
        return f'<polyline class="curve {style}" points="{points}"/>'

    def level_line(self, value: float, style: str) -> str:
        """A line across the panel."""
        at = self.y(value)
        return f'<line class="{style}" x1="{self.left}" x2="{self.left + self.width}" y1="{at:.1f}" y2="{at:.1f}"/>'

    def dot(self, x: float, y: float, style: str, label: str) -> str:
        """A marked point; the label is its tooltip."""
        tip = f"<title>{escape(label)}</title>"
        return f'<circle class="{style}" cx="{self.x(x):.1f}" cy="{self.y(y):.1f}" r="4">{tip}</circle>'

    def frame(self, title: str, x_label: str) -> str:
        """Border, decades, title and the name of the x axis."""
        parts = [f'<rect class="frame" x="{self.left}" y="{self.top}" width="{self.width}" height="{self.height}"/>']
        for tick in decades(*self.x_range):
            at = self.x(tick)
            parts.append(
                f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{self.top}" y2="{self.top + self.height}"/>'
            )
            parts.append(f'<text x="{at:.1f}" y="{self.top + self.height + 14}" text-anchor="middle">{tick:g}</text>')
        for tick in decades(*self.y_range):
            at = self.y(tick)
            parts.append(
                f'<line class="grid" y1="{at:.1f}" y2="{at:.1f}" x1="{self.left}" x2="{self.left + self.width}"/>'
            )
            parts.append(f'<text x="{self.left - 5}" y="{at + 4:.1f}" text-anchor="end">{tick:g}</text>')
        parts.append(text(self.left, self.top - 8, title, "title"))
        parts.append(text(self.left + self.width / 2, self.top + self.height + 29, x_label, anchor="middle"))
        return "".join(parts)


def text(x: float, y: float, words: str, style: str = "", anchor: str = "start") -> str:
    """Words at a place."""
    return f'<text class="{style}" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(words)}</text>'


def page(width: int, height: int, title: str, parts: list[str]) -> str:
    """A whole SVG file."""
    size = f'viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">'
    return (
        "\n".join(
            [
                head,
                f"<title>{escape(title)}</title>",
                f"<style>{STYLE}</style>",
                f'<rect class="page" width="{width}" height="{height}"/>',
                *parts,
                "</svg>",
            ]
        )
        + "\n"
    )


def decades(low: float, high: float) -> list[float]:
    """At most five powers of ten within a range; where it holds fewer than two, also their doubles and quintuples."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    if last - first >= 1:
        step = -(-(last - first + 1) // 5)
        return [10.0**power for power in range(first, last + 1, step)]
    finer = [digit * 10.0**power for power in range(first - 1, last + 1) for digit in (1.0, 2.0, 5.0)]
    return [tick for tick in finer if low <= tick <= high]


def _share(value: float, low: float, high: float) -> float:
    if not value > 0:
        return 0.0
    return min(max((math.log(value) - math.log(low)) / (math.log(high) - math.log(low)), 0.0), 1.0)
