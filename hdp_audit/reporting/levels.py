"""Guaranteed error against the saturation level, one panel per cell.

Where the paper's choice lies, and where the best one does.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hdp_audit.reporting.numbers import short
from hdp_audit.reporting.svg import Panel, Sign, legend, page, text

if TYPE_CHECKING:
    from hdp_audit.theory.cells import Cell
    from hdp_audit.theory.minimise import Rule
    from hdp_audit.theory.sweep import Curve, Sweep

WIDTH, HEIGHT, COLUMNS = 250, 190, 4
SIGNS = (
    Sign("line", "curve c1", "weights on the simplex"),
    Sign("line", "curve c2", "weights around ½"),
    Sign("line", "curve c3", "hull noise"),
    Sign("line", "limit", "lower bound"),
    Sign("dot", "dot c1", "best levels"),
    Sign("dot", "dot c4", "the paper’s level"),
)

STYLES: dict[Rule, str] = {"paper": "c1", "sharp": "c1", "centred": "c2", "hull": "c3"}


def levels_svg(found: list[Cell], sweeps: list[Sweep], title: str) -> str:
    """All eight panels on one page, with a legend."""
    parts = [text(30, 24, title, "title"), legend(30, 46, SIGNS)]
    for place, (cell, one) in enumerate(zip(found, sweeps, strict=True)):
        row, column = divmod(place, COLUMNS)
        parts.append(_panel(cell, one, (70 + column * (WIDTH + 80), 90 + row * (HEIGHT + 85))))
    rows = -(-len(found) // COLUMNS)
    return page(COLUMNS * (WIDTH + 80) + 30, rows * (HEIGHT + 85) + 75, title, parts)


def _panel(cell: Cell, one: Sweep, corner: tuple[float, float]) -> str:
    values = np.concatenate([curve.errors for curve in one.curves] + [[cell.upper.value]])
    shown = values[np.isfinite(values) & (values > 0)]
    floor = cell.lower.value if cell.lower.value > 0 else shown.min()
    low, high = 0.8 * min(floor, shown.min()), min(1.25 * shown.max(), 2.0)
    ends = (float(one.levels[0]), float(one.levels[-1]))
    panel = Panel.log(corner, (WIDTH, HEIGHT), ends, (low, max(high, low * 1.5)))
    parts = [panel.frame(f"{cell.task}, {cell.setting}, {cell.metric.upper()}", "saturation level ρ")]
    if cell.lower.value > 0:
        parts.append(panel.across(cell.lower.value, "limit"))
    parts += [_curve(panel, one, curve) for curve in one.curves]
    if np.isfinite(one.paper.error):
        label = f"{one.paper.name}: level {short(one.paper.level)}, error {short(one.paper.error)}"
        parts.append(panel.dot(one.paper.level, one.paper.error, "dot c4", label))
    return "".join(parts)


def _curve(panel: Panel, one: Sweep, curve: Curve) -> str:
    style = STYLES[curve.rule]
    label = f"{curve.mechanism}: level {short(curve.best.level)}, error {short(curve.best.error)}"
    points = [(x, y) for x, y in zip(one.levels, curve.errors, strict=True) if math.isfinite(y) and y > 0]
    return panel.curve(points, style) + panel.dot(curve.best.level, curve.best.error, f"dot {style}", label)
