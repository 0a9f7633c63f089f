"""The evidence over the calls, as the logarithm of an e-process (a wealth): past the limit, the claim is refuted."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hdp_audit.reporting.html.canvas import RIGHT, canvas
from hdp_audit.reporting.svg import Panel, Scale, bottom_axis, left_axis, text
from hdp_audit.reporting.verdicts import label

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding

LEFT, TOP, BOTTOM = 46.0, 26.0, 236.0
MOST_CURVES, MOST_POINTS = 6, 120

Points = list[tuple[float, float]]


def wealth_picture(findings: list[Finding]) -> tuple[str, list[str]] | None:
    """The picture and the names of its curves; None where no finding tells its wealth."""
    told = [(finding, points) for finding in findings if len(points := _points(finding)) > 1]
    if not told:
        return None
    told = sorted(told, key=lambda pair: -pair[1][-1][1])[:MOST_CURVES]
    limits = [float(f.facts["limit"]) for f, _ in told if _finite(f.facts.get("limit"))]
    heights = [height for _, points in told for _, height in points] + limits
    x = Scale(0.0, max(points[-1][0] for _, points in told) or 1.0, LEFT, RIGHT, log=False)
    low, high = min(0.0, *heights), max(1.0, *heights)
    room = 0.06 * (high - low)
    y = Scale(low - room, high + room, BOTTOM, TOP, log=False)
    parts = [bottom_axis(x, TOP, BOTTOM, "calls"), left_axis(y, LEFT, RIGHT, "log wealth")]
    panel = Panel(x, y)
    parts += [panel.curve(_thinned(points), f"c{place + 1}") for place, (_, points) in enumerate(told)]
    for limit in sorted(set(limits))[:1]:
        parts.append(panel.across(limit, "claim") + text(LEFT + 6, y.at(limit) - 6, "limit"))
    return canvas(BOTTOM, "Wealth over calls", parts), [label(finding) for finding, _ in told]


def _points(finding: Finding) -> Points:
    raw = finding.facts.get("wealth")
    if not isinstance(raw, (list, tuple)):
        return []
    pairs = [pair for pair in raw if isinstance(pair, (list, tuple)) and len(pair) == 2]
    return [(float(calls), float(log)) for calls, log in pairs if _finite(calls) and _finite(log)]


def _thinned(points: Points) -> Points:
    step = max(1, -(-len(points) // MOST_POINTS))
    return [*points[:-1:step], points[-1]]


def _finite(value: object) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
