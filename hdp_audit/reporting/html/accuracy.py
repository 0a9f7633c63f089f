"""One row per accuracy claim: the measured interval between what is impossible and what is claimed."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from hdp_audit.reporting.html.canvas import RIGHT, canvas
from hdp_audit.reporting.numbers import short
from hdp_audit.reporting.svg import Rows, Scale, bar, diamond, dot, group, log_range, pole, text
from hdp_audit.reporting.verdicts import SIGNS, label, shown

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding

LEFT, TOP, PITCH = 14.0, 8.0, 44.0
MOST_ROWS = 16


def accuracy_picture(findings: list[Finding], *, squared: bool) -> str | None:
    """Mean squared errors, or quantiles of the error; None where none was measured."""
    measured = [f for f in findings if f.kind in ("accuracy", "optimality") and _values(f)]
    rows = [finding for finding in measured if (finding.metric == "mse") == squared][:MOST_ROWS]
    if not rows:
        return None
    scale = Scale(*log_range([value for finding in rows for value in _values(finding)]), LEFT, RIGHT)
    drawn = Rows(scale, TOP, PITCH, len(rows))
    parts = [drawn.axis("mean squared error" if squared else "error quantile")]
    parts += [_row(scale, finding, drawn.middle(place)) for place, finding in enumerate(rows)]
    return canvas(drawn.bottom, "Measured error against its bounds", parts)


def number(value: Any) -> float | None:
    """A finite number, or nothing."""
    good = isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
    return float(value) if good else None


def _values(finding: Finding) -> list[float]:
    ends = [bound.value for bound in (finding.lower, finding.upper) if bound is not None and finding.kind == "accuracy"]
    told = [number(finding.facts.get(key)) for key in ("measured", "exact", "lower_bound")]
    return [value for value in (finding.claimed, *ends, *told) if value is not None and 0 < value < math.inf]


def _row(scale: Scale, finding: Finding, middle: float) -> str:
    """The name above, the marks below."""
    y, facts = middle + 8.0, finding.facts
    name = f"{SIGNS[finding.verdict]} {shown(label(finding), 60)}"
    parts = [text(LEFT, middle - 8.0, name, f"sign-{finding.verdict}")]
    lower, upper, measured = finding.lower, finding.upper, number(facts.get("measured"))
    # On packing data, where optimality is judged, the interval is of another error than the worst one measured.
    if finding.kind == "accuracy" and (lower is not None or upper is not None):
        start, end = (lower.value if lower else scale.low), (upper.value if upper else scale.high)
        parts.append(bar(scale.at(start), scale.at(end), y, "interval"))
        ends = [scale.at(bound.value) for bound in (lower, upper) if bound is not None]
        parts += [pole(end, y - 4, y + 4, "interval") for end in ends]
    if measured is not None:
        parts.append(dot(scale.at(measured), y, "measured", f"measured {short(measured)}"))
    exact = number(facts.get("exact"))
    if exact is not None:
        parts.append(diamond(scale.at(exact), y, "exact"))
    limit = number(facts.get("lower_bound"))
    if limit is not None and finding.kind == "accuracy":
        parts.append(pole(scale.at(limit), y - 9, y + 9, "limit"))
    if finding.claimed is not None:
        style = "claim" if finding.kind == "accuracy" else "limit"
        parts.append(pole(scale.at(finding.claimed), y - 9, y + 9, style))
    return group(parts, shown(finding.message, 300))
