"""Many mechanisms side by side: everything relative to what was claimed, so that 1 is the promise."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from hdp_audit.reporting.html.accuracy import number
from hdp_audit.reporting.html.canvas import RIGHT, canvas
from hdp_audit.reporting.html.figures import Figure
from hdp_audit.reporting.meaning import DETECTED
from hdp_audit.reporting.svg import Rows, Scale, Sign, bar, diamond, dot, group, log_range, pole, text
from hdp_audit.reporting.verdicts import SIGNS, detected, shown, worst

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding
    from hdp_audit.reporting.html.material import Material

LEFT, TOP, PITCH = 150.0, 10.0, 18.0
MOST_SUBJECTS = 80

Groups = list[tuple[str, list["Finding"]]]


def overview(material: Material) -> list[Figure]:
    """Nothing for one mechanism: its own pictures say it better."""
    if len(material.sections) < 2:
        return []
    found = []
    for title, kind, draw, key, caption in PANELS:
        groups = [(name, [f for f in own if f.kind == kind and _claimed(f)]) for name, own in material.groups.items()]
        rows = [(name, own) for name, own in groups if own][:MOST_SUBJECTS]
        if rows:
            found.append(Figure(title, draw(rows), key, caption))
    return found


PRIVACY_KEY = (
    Sign("line", "claim", "the promise"),
    Sign("line", "shown", "at least, as shown by the audit"),
    Sign("line", "shown-broken", "refuted"),
    Sign("line", "seen", DETECTED),
)
ACCURACY_KEY = (
    Sign("line", "claim", "the claimed bound"),
    Sign("dot on a line", "measured", "measured, with interval"),
    Sign("diamond", "exact", "exact law"),
)


def _claimed(finding: Finding) -> bool:
    return finding.claimed is not None and 0 < finding.claimed < math.inf


def _privacy(rows: Groups) -> str:
    lines = []
    for name, own in rows:
        lower = max((f.lower.value / (f.claimed or 1.0) for f in own if f.lower is not None), default=0.0)
        seen = max((power / (f.claimed or 1.0) for f in own if (power := detected(f)) is not None), default=0.0)
        lines.append((name, own, lower, seen))
    drawn = _rows([1.0, 0.3, *(v for _, _, low, seen in lines for v in (low, seen) if v > 0.1)], len(rows))
    scale, parts = drawn.x, [drawn.axis("loss ÷ demand"), pole(drawn.x.at(1.0), TOP, drawn.bottom, "claim")]
    for place, (name, own, lower, seen) in enumerate(lines):
        y = drawn.middle(place)
        parts.append(_name(name, own, y))
        if seen > 1:
            parts.append(bar(scale.at(1.0), scale.at(seen), y, "unseen"))
            parts.append(pole(scale.at(seen), y - 4, y + 4, "seen") if scale.holds(seen) else "")
        if lower > scale.low:
            broken = any(finding.verdict == "fail" for finding in own)
            parts.append(bar(LEFT, scale.at(lower), y, "shown-broken" if broken else "shown"))
    return canvas(drawn.bottom, "Loss over demand of every mechanism", parts)


def _accuracy(rows: Groups) -> str:
    values = [1.0, 0.5]
    for _, own in rows:
        values += [bound.value / (f.claimed or 1.0) for f in own for bound in (f.lower, f.upper) if bound is not None]
    drawn = _rows([value for value in values if value > 1e-3], len(rows))
    parts = [drawn.axis("error ÷ bound"), pole(drawn.x.at(1.0), TOP, drawn.bottom, "claim")]
    for place, (name, own) in enumerate(rows):
        y = drawn.middle(place)
        parts.append(_name(name, own, y))
        parts += [_interval(drawn.x, finding, y) for finding in own]
    return canvas(drawn.bottom, "Error over bound of every mechanism", parts)


def _interval(scale: Scale, finding: Finding, y: float) -> str:
    claimed, parts = finding.claimed or 1.0, []
    if finding.lower is not None and finding.upper is not None:
        low, high = finding.lower.value / claimed, finding.upper.value / claimed
        parts.append(bar(scale.at(low), scale.at(high), y, "interval"))
    measured, exact = number(finding.facts.get("measured")), number(finding.facts.get("exact"))
    if measured is not None:
        parts.append(dot(scale.at(measured / claimed), y, "measured", shown(finding.message, 160)))
    if exact is not None:
        parts.append(diamond(scale.at(exact / claimed), y, "exact", half=4))
    return "".join(parts)


def _name(name: str, own: list[Finding], y: float) -> str:
    verdict = worst(own) or "pass"
    words = text(LEFT - 10, y + 4, f"{shown(name, 22)} {SIGNS[verdict]}", f"sign-{verdict}", "end")
    return group([words], shown(name, 200))


def _rows(values: list[float], count: int) -> Rows:
    return Rows(Scale(*log_range(values, 1.3), LEFT, RIGHT), TOP, PITCH, count)


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
