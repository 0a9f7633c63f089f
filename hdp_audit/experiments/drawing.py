"""Panels of named lines over one axis: dots, intervals, ranges and marks, in light and dark."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape

from hdp_audit.reporting.svg import decades, text

STYLE = """<style>
.bar { stroke: #0969da; stroke-width: 2.4; } .bar-two { stroke: #bc4c00; stroke-width: 2.4; }
.bar-leak { stroke: #cf222e; stroke-width: 2.4; } .dot-leak { fill: #cf222e; }
.fill-one { fill: #0969da; fill-opacity: .55; } .fill-two { fill: #bc4c00; fill-opacity: .65; }
.mark { stroke: #1a7f37; stroke-width: 2; } .diamond { fill: none; stroke: #8250df; stroke-width: 1.8; }
.better { fill: #0969da; } .worse { fill: #bc4c00; } .cell { stroke: #d0d7de; stroke-width: .6; fill: none; }
.small { font-size: 9.5px; } .faint { fill-opacity: .7; }
@media (prefers-color-scheme: dark) {
  .bar { stroke: #58a6ff; } .bar-two { stroke: #f0883e; } .bar-leak { stroke: #ff7b72; } .dot-leak { fill: #ff7b72; }
  .fill-one { fill: #58a6ff; } .fill-two { fill: #f0883e; }
  .mark { stroke: #3fb950; } .diamond { stroke: #bc8cff; } .better { fill: #388bfd; } .worse { fill: #db6d28; }
  .cell { stroke: #30363d; }
}
</style>"""
LINE = 17


@dataclass(frozen=True)
class Lines:
    """A panel with one line a name; x is logarithmic, or linear where asked."""

    left: float
    top: float
    width: float
    names: tuple[str, ...]
    range: tuple[float, float]
    logarithmic: bool = True

    @property
    def height(self) -> float:
        """All lines."""
        return LINE * len(self.names) + 8

    def x(self, value: float) -> float:
        """Pixels of a value, kept inside."""
        low, high = self.range
        if self.logarithmic:
            value, low, high = math.log(max(value, low * 1e-9)), math.log(low), math.log(high)
        return self.left + self.width * min(max((value - low) / (high - low), 0.0), 1.0)

    def y(self, name: str) -> float:
        """The middle of a name's line."""
        return self.top + 4 + LINE * (self.names.index(name) + 0.5)

    def frame(self, title: str, labels: dict[str, str], axis: str) -> str:
        """Border, ticks, title and names."""
        bottom = self.top + self.height
        parts = [f'<rect class="frame" x="{self.left}" y="{self.top}" width="{self.width}" height="{self.height}"/>']
        for tick in self._ticks():
            at = self.x(tick)
            parts.append(f'<line class="grid" x1="{at:.1f}" x2="{at:.1f}" y1="{self.top}" y2="{bottom}"/>')
            parts.append(text(at, bottom + 13, f"{tick:g}", "small", "middle"))
        parts += [text(self.left - 6, self.y(name) + 4, labels.get(name, name), "", "end") for name in self.names]
        parts.append(text(self.left, self.top - 7, title, "title"))
        parts.append(text(self.left + self.width, bottom + 26, axis, "small faint", "end"))
        return "".join(parts)

    def _ticks(self) -> list[float]:
        low, high = self.range
        if self.logarithmic:
            return decades(low, high)
        step = 10 ** math.floor(math.log10(max((high - low) / 2, 1e-9)))
        step *= 2 if (high - low) / step > 6 else 1
        return [step * i for i in range(math.ceil(low / step), math.floor(high / step) + 1)]

    def interval(self, name: str, low: float, high: float, style: str) -> str:
        """A line from low to high, at least two pixels wide."""
        a, b = self.x(low), max(self.x(high), self.x(low) + 2)
        return f'<line class="{style}" x1="{a:.1f}" x2="{b:.1f}" y1="{self.y(name):.1f}" y2="{self.y(name):.1f}"/>'

    def box(self, name: str, low: float, high: float, style: str, half: float = 5.0) -> str:
        """A filled bar."""
        a, b = self.x(low), self.x(high)
        top = self.y(name) - half
        return (
            f'<rect class="{style}" x="{a:.1f}" y="{top:.1f}" width="{max(b - a, 1):.1f}" height="{2 * half}" rx="2"/>'
        )

    def dot(self, name: str, value: float, style: str, tip: str) -> str:
        """A filled dot with a tooltip."""
        title = f"<title>{escape(tip)}</title>"
        return f'<circle class="{style}" cx="{self.x(value):.1f}" cy="{self.y(name):.1f}" r="3.6">{title}</circle>'

    def diamond(self, name: str, value: float, tip: str) -> str:
        """The paper's figure."""
        return diamond(self.x(value), self.y(name), tip)

    def tick(self, name: str, value: float, tip: str) -> str:
        """A short upright mark: a guarantee."""
        at, middle = self.x(value), self.y(name)
        title = f"<title>{escape(tip)}</title>"
        return (
            f'<line class="mark" x1="{at:.1f}" x2="{at:.1f}" y1="{middle - 6:.1f}" y2="{middle + 6:.1f}">{title}</line>'
        )


def diamond(x: float, y: float, tip: str) -> str:
    """A hollow diamond."""
    points = f"{x:.1f},{y - 5:.1f} {x + 5:.1f},{y:.1f} {x:.1f},{y + 5:.1f} {x - 5:.1f},{y:.1f}"
    return f'<polygon class="diamond" points="{points}"><title>{escape(tip)}</title></polygon>'
