"""One row per accuracy claim: the measured interval between what is impossible and what is claimed."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING, Any

from hdp_audit.reporting.html.axis import WIDTH, Axis, bar, bottom_axis, dot, log_range, picture, pole
from hdp_audit.reporting.numbers import short
from hdp_audit.reporting.svg import text
from hdp_audit.reporting.verdicts import SIGNS, label, shown

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding

LEFT, RIGHT, TOP, ROW = 14.0, WIDTH - 14.0, 8.0, 44.0
MOST = 16


def accuracy_picture(findings: list[Finding], *, squared: bool) -> str | None:
    """Mean squared errors, or quantiles of the error; None where none was measured."""
    measured = [f for f in findings if f.kind in ("accuracy", "optimality") and _values(f)]
    rows = [finding for finding in measured if (finding.id.rpartition("/")[2] == "mse") == squared][:MOST]
    if not rows:
        return None
    bottom = TOP + ROW * len(rows)
    axis = Axis(*log_range([value for finding in rows for value in _values(finding)]), LEFT, RIGHT)
    parts = [bottom_axis(axis, TOP, bottom, "mean squared error" if squared else "error quantile")]
    parts += [_row(axis, finding, TOP + ROW * place) for place, finding in enumerate(rows)]
    return picture(bottom + 40, "Measured error against its bounds", parts)


def number(value: Any) -> float | None:
    """A finite number, or nothing."""
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if good else None


def _values(finding: Finding) -> list[float]:
    ends = [bound.value for bound in (finding.lower, finding.upper) if bound is not None and finding.kind == "accuracy"]
    told = [number(finding.facts.get(key)) for key in ("measured", "exact", "lower_bound")]
    return [value for value in (finding.claimed, *ends, *told) if value is not None and 0 < value < math.inf]


def _row(axis: Axis, finding: Finding, top: float) -> str:
    y, facts, parts = top + 30.0, finding.facts, []
    name = f"{SIGNS[finding.verdict]} {shown(label(finding), 60)}"
    parts.append(f"<title>{escape(shown(finding.message, 300))}</title>")
    parts.append(text(LEFT, top + 14, name, f"sign-{finding.verdict}"))
    lower, upper, measured = finding.lower, finding.upper, number(facts.get("measured"))
    # On packing data, where optimality is judged, the interval is of another error than the worst one measured.
    if finding.kind == "accuracy" and (lower is not None or upper is not None):
        start, end = (lower.value if lower else axis.low), (upper.value if upper else axis.high)
        parts.append(bar(axis.at(start), axis.at(end), y, "interval"))
        parts += [pole(axis.at(bound.value), y - 4, y + 4, "interval") for bound in (lower, upper) if bound is not None]
    if measured is not None:
        parts.append(dot(axis.at(measured), y, "measured", f"measured {short(measured)}"))
    exact = number(facts.get("exact"))
    if exact is not None:
        parts.append(f'<path class="exact" d="M{axis.at(exact):.1f} {y - 5:.1f}l5 5l-5 5l-5 -5z"/>')
    floor = number(facts.get("lower_bound"))
    if floor is not None and finding.kind == "accuracy":
        parts.append(pole(axis.at(floor), y - 9, y + 9, "floor"))
    if finding.claimed is not None:
        style = "claim" if finding.kind == "accuracy" else "floor"
        parts.append(pole(axis.at(finding.claimed), y - 9, y + 9, style))
    return "<g>" + "".join(parts) + "</g>"
