"""Guaranteed error against the saturation level, a panel a cell.

Where the paper's choice lies, and where the best one does.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hdp_audit.reporting.numbers import short
from hdp_audit.reporting.svg import LogPanel, page, text

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


LINES = (
    ("curve one", "weights on the simplex"),
    ("curve two", "weights around ½"),
    ("curve three", "hull noise"),
    ("limit", "impossible below"),
)
DOTS = (("dot-one", "best levels"), ("dot-paper", "the paper’s level"))


def _legend(x: float, y: float) -> str:
    shapes = []
    for style, words in LINES:
        shapes.append(f'<line class="{style}" x1="{x}" x2="{x + 22}" y1="{y - 4}" y2="{y - 4}"/>')
        shapes.append(text(x + 28, y, words))
        x += 50 + 6.5 * len(words)
    for style, words in DOTS:
        shapes.append(f'<circle class="{style}" cx="{x}" cy="{y - 4}" r="4"/>' + text(x + 9, y, words))
        x += 35 + 6.5 * len(words)
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
    style = {"centred": "two", "hull": "three"}.get(curve.rule, "one")
    label = f"{curve.mechanism}: level {short(curve.best.level)}, error {short(curve.best.error)}"
    return panel.curve(one.levels, curve.errors, style) + panel.dot(
        curve.best.level, curve.best.error, f"dot-{style}", label
    )
