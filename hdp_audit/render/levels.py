"""Guaranteed error against the saturation level, a panel a cell.

Where the paper's choice lies, and where the best one does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hdp_audit.render.numbers import short
from hdp_audit.render.svg import LogPanel, page, text

if TYPE_CHECKING:
    from hdp_audit.theory.cells import Cell
    from hdp_audit.theory.sweep import Curve, Sweep

WIDTH, HEIGHT, COLUMNS = 250, 190, 4


def levels_svg(found: list[Cell], sweeps: list[Sweep], title: str) -> str:
    """All eight panels on one page, with a legend."""
    parts = [text(30, 24, title, "title"), _legend(30, 44)]
    for place, (cell, one) in enumerate(zip(found, sweeps, strict=True)):
        row, column = divmod(place, COLUMNS)
        parts.append(_panel(cell, one, 70 + column * (WIDTH + 80), 90 + row * (HEIGHT + 85)))
    rows = -(-len(found) // COLUMNS)
    return page(COLUMNS * (WIDTH + 80) + 30, rows * (HEIGHT + 85) + 75, title, parts)


def _legend(x: float, y: float) -> str:
    entries = (("one", "weights on the simplex"), ("two", "weights around ½"))
    shapes = []
    for step, (style, words) in enumerate(entries):
        at = x + 170 * step
        shapes.append(
            f'<line class="curve {style}" x1="{at}" x2="{at + 22}" y1="{y - 4}" y2="{y - 4}"/>{text(at + 28, y, words)}'
        )
    at = x + 340
    shapes.append(
        f'<line class="limit" x1="{at}" x2="{at + 22}" y1="{y - 4}" y2="{y - 4}"/>'
        + text(at + 28, y, "impossible below")
    )
    at = x + 490
    shapes.append(f'<circle class="dot-one" cx="{at}" cy="{y - 4}" r="4"/>{text(at + 9, y, "best level")}')
    at = x + 590
    shapes.append(f'<circle class="dot-paper" cx="{at}" cy="{y - 4}" r="4"/>{text(at + 9, y, "the paper’s level")}')
    return "".join(shapes)


def _panel(cell: Cell, one: Sweep, left: float, top: float) -> str:
    values = np.concatenate([curve.errors for curve in one.curves] + [[cell.upper.value]])
    shown = values[np.isfinite(values) & (values > 0)]
    floor = cell.lower.value if cell.lower.value > 0 else shown.min()
    low, high = 0.8 * min(floor, shown.min()), min(1.25 * shown.max(), 2.0)
    panel = LogPanel(left, top, WIDTH, HEIGHT, (one.levels[0], one.levels[-1]), (low, max(high, low * 1.5)))
    parts = [panel.frame(f"{cell.task}, {cell.setting}, {cell.metric.upper()}", "saturation level ρ")]
    if cell.lower.value > 0:
        parts.append(panel.level_line(cell.lower.value, "limit"))
    for curve in one.curves:
        parts.append(_curve(panel, one, curve))
    if np.isfinite(one.paper.error):
        label = f"{one.paper.name}: level {short(one.paper.level)}, error {short(one.paper.error)}"
        parts.append(panel.dot(one.paper.level, one.paper.error, "dot-paper", label))
    return "".join(parts)


def _curve(panel: LogPanel, one: Sweep, curve: Curve) -> str:
    style = "two" if "centred" in curve.mechanism else "one"
    label = f"{curve.mechanism}: level {short(curve.best.level)}, error {short(curve.best.error)}"
    return panel.curve(one.levels, curve.errors, style) + panel.dot(
        curve.best.level, curve.best.error, f"dot-{style}", label
    )
