"""How much δ was promised at each ε, and how much was shown at least: where a promise is a curve."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hdp_audit.reporting.html.canvas import RIGHT, canvas
from hdp_audit.reporting.svg import Panel, Scale, bottom_axis, left_axis
from hdp_audit.reporting.verdicts import label, worst_first

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding

LEFT, TOP, BOTTOM = 56.0, 26.0, 236.0


def curve_picture(findings: list[Finding]) -> tuple[str, str] | None:
    """The picture and whom it is about: the worst claim; None where no promise is a curve.

    Of those who are promised a loss of 0 the curve is empty, so they come last where nothing failed.
    """
    known = [(finding, rows) for finding in worst_first(findings) if len(rows := _rows(finding)) > 1]
    known.sort(key=lambda each: each[0].verdict != "fail" and not each[0].claimed)
    return (_drawn(known[0][1]), label(known[0][0])) if known else None


def _drawn(rows: list[tuple[float, float, float]]) -> str:
    x = Scale(0.0, rows[-1][0], LEFT, RIGHT, log=False)
    y = Scale(0.0, 1.06 * max(max(promised, shown) for _, promised, shown in rows) or 1.0, BOTTOM, TOP, log=False)
    panel = Panel(x, y)
    parts = [
        bottom_axis(x, TOP, BOTTOM, "ε"),
        left_axis(y, LEFT, RIGHT, "δ"),
        panel.curve([(epsilon, promised) for epsilon, promised, _ in rows], "c1"),
        panel.curve([(epsilon, shown) for epsilon, _, shown in rows], "c2"),
    ]
    return canvas(BOTTOM, "Promised δ and δ shown at least", parts)


def _rows(finding: Finding) -> list[tuple[float, float, float]]:
    raw = finding.facts.get("curve")
    rows = raw if isinstance(raw, (list, tuple)) else []
    whole = [row for row in rows if isinstance(row, (list, tuple)) and len(row) == 3]
    return [(float(e), float(p), float(s)) for e, p, s in whole if all(_number(each) for each in (e, p, s))]


def _number(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0.0 <= value < float("inf")
