"""Many mechanisms side by side: everything relative to what was claimed, so that 1 is the promise."""

from __future__ import annotations

import math
from html import escape
from typing import TYPE_CHECKING

from hdp_audit.reporting.html.accuracy import number
from hdp_audit.reporting.html.axis import WIDTH, Axis, bar, bottom_axis, dot, log_range, picture, pole
from hdp_audit.reporting.html.figures import Figure
from hdp_audit.reporting.meaning import DETECTED
from hdp_audit.reporting.svg import text
from hdp_audit.reporting.verdicts import SIGNS, detected, shown, worst

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding
    from hdp_audit.reporting.html.material import Material

LEFT, RIGHT, TOP, ROW = 150.0, WIDTH - 14.0, 10.0, 18.0
MOST = 80

Groups = list[tuple[str, list["Finding"]]]


def overview(material: Material) -> list[Figure]:
    """Nothing for one mechanism: its own pictures say it better."""
    if len(material.sections) < 2:
        return []
    found = []
    for title, kind, draw, key, caption in PANELS:
        groups = [(name, [f for f in own if f.kind == kind and _claimed(f)]) for name, own in material.groups.items()]
        rows = [(name, own) for name, own in groups if own][:MOST]
        if rows:
            found.append(Figure(title, draw(rows), key, caption))
    return found


PRIVACY_KEY = (
    ("line claim", "the promise"),
    ("line shown", "at least, as shown by the audit"),
    ("line shown-broken", "refuted"),
    ("line seen", DETECTED),
)
ACCURACY_KEY = (
    ("line claim", "the claimed bound"),
    ("dot measured", "measured, with interval"),
    ("diamond exact", "exact law"),
)


def _claimed(finding: Finding) -> bool:
    return finding.claimed is not None and 0 < finding.claimed < math.inf


def _privacy(rows: Groups) -> str:
    lines = []
    for name, own in rows:
        lower = max((f.lower.value / (f.claimed or 1.0) for f in own if f.lower is not None), default=0.0)
        seen = max((power / (f.claimed or 1.0) for f in own if (power := detected(f)) is not None), default=0.0)
        lines.append((name, own, lower, seen))
    axis = Axis(
        *log_range([1.0, 0.3, *(v for _, _, low, seen in lines for v in (low, seen) if v > 0.1)], 1.3), LEFT, RIGHT
    )
    parts = [bottom_axis(axis, TOP, _bottom(rows), "loss ÷ demand"), pole(axis.at(1.0), TOP, _bottom(rows), "claim")]
    for place, (name, own, lower, seen) in enumerate(lines):
        y = _height(place)
        parts.append(_name(name, own, y))
        if seen > 1:
            parts.append(bar(axis.at(1.0), axis.at(seen), y, "unseen"))
            parts.append(pole(axis.at(seen), y - 4, y + 4, "seen") if axis.holds(seen) else "")
        if lower > axis.low:
            broken = any(finding.verdict == "fail" for finding in own)
            parts.append(bar(LEFT, axis.at(lower), y, "shown-broken" if broken else "shown"))
    return picture(_bottom(rows) + 40, "Loss over demand of every mechanism", parts)


def _accuracy(rows: Groups) -> str:
    values = [1.0, 0.5]
    for _, own in rows:
        values += [bound.value / (f.claimed or 1.0) for f in own for bound in (f.lower, f.upper) if bound is not None]
    axis = Axis(*log_range([value for value in values if value > 1e-3], 1.3), LEFT, RIGHT)
    parts = [bottom_axis(axis, TOP, _bottom(rows), "error ÷ bound"), pole(axis.at(1.0), TOP, _bottom(rows), "claim")]
    for place, (name, own) in enumerate(rows):
        y = _height(place)
        parts.append(_name(name, own, y))
        parts += [_interval(axis, finding, y) for finding in own]
    return picture(_bottom(rows) + 40, "Error over bound of every mechanism", parts)


def _interval(axis: Axis, finding: Finding, y: float) -> str:
    claimed, parts = finding.claimed or 1.0, []
    if finding.lower is not None and finding.upper is not None:
        low, high = finding.lower.value / claimed, finding.upper.value / claimed
        parts.append(bar(axis.at(low), axis.at(high), y, "interval"))
    measured, exact = number(finding.facts.get("measured")), number(finding.facts.get("exact"))
    if measured is not None:
        parts.append(dot(axis.at(measured / claimed), y, "measured", shown(finding.message, 160)))
    if exact is not None:
        parts.append(f'<path class="exact" d="M{axis.at(exact / claimed):.1f} {y - 4:.1f}l4 4l-4 4l-4 -4z"/>')
    return "".join(parts)


def _name(name: str, own: list[Finding], y: float) -> str:
    verdict = worst(own) or "pass"
    tip = f"<title>{escape(shown(name, 200))}</title>"
    return (
        f"<g>{tip}" + text(LEFT - 10, y + 4, f"{shown(name, 22)} {SIGNS[verdict]}", f"sign-{verdict}", "end") + "</g>"
    )


def _height(place: int) -> float:
    return TOP + ROW * (place + 0.5)


def _bottom(rows: Groups) -> float:
    return TOP + ROW * len(rows)


PANELS = (
    ("Privacy: loss over demand", "privacy", _privacy, PRIVACY_KEY, "One row per mechanism; its worst tier counts."),
    (
        "Accuracy: error over bound",
        "accuracy",
        _accuracy,
        ACCURACY_KEY,
        "One row per mechanism, on the worst dataset found.",
    ),
)
