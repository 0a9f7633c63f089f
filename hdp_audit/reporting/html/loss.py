"""Loss against demand for all users: what was measured, what is exact, and the diagonal that nobody may cross."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hdp_audit.reporting.html.bins import Column, columns
from hdp_audit.reporting.html.canvas import RIGHT, canvas
from hdp_audit.reporting.numbers import short
from hdp_audit.reporting.svg import Scale, bottom_axis, diamond, dot, left_axis, log_range, path, triangle
from hdp_audit.reporting.verdicts import is_named

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding
    from hdp_audit.model.subject import SubjectSummary

LEFT, TOP, BOTTOM = 46.0, 26.0, 306.0
MOST_NAMED = 60


def loss_picture(subject: SubjectSummary, findings: list[Finding]) -> str | None:
    """None where no user with a finite demand above 0 was looked at."""
    found = columns(subject.figures) if subject.figures is not None else []
    tried = [f for f in findings if f.kind == "privacy" and f.claimed is not None and 0 < f.claimed < math.inf]
    if not found and not tried:
        return None
    refuted = [finding.claimed or 0.0 for finding in tried if finding.verdict == "fail"]
    x_low, x_high = log_range([column.demand for column in found] + [f.claimed or 0.0 for f in tried], 1.5)
    y_low, y_high = log_range([*_heights(found, refuted), *_finding_heights(tried)], 1.7)
    x, y = Scale(x_low, x_high, LEFT, RIGHT), Scale(y_low, y_high, BOTTOM, TOP)
    parts = [
        _forbidden(x, y),
        bottom_axis(x, TOP, BOTTOM, f"demand {subject.promise.symbol}"),
        left_axis(y, LEFT, RIGHT, "loss"),
        *_strokes(x, y, found, refuted),
        *(_points(x, y, column, refuted) for column in found),
        *(_finding(x, y, finding) for finding in _shown(tried)),
        _diagonal(x, y),
    ]
    return canvas(BOTTOM, "Loss against demand", parts)


def _heights(found: list[Column], refuted: list[float]) -> list[float]:
    heights = [column.demand for column in found]
    for column in found:
        for pair in (column.exact, column.drawn(refuted)):
            heights += [value for value in pair or () if value > column.demand / 20]
    allowed = [(column.allowed(refuted) or 0.0, column.demand) for column in found]
    return heights + [value for value, demand in allowed if value > demand / 20]


def _finding_heights(tried: list[Finding]) -> list[float]:
    values = [f.claimed or 0.0 for f in tried] + [f.detectable or 0.0 for f in tried]
    return values + [f.lower.value for f in tried if f.lower is not None and f.lower.value > (f.claimed or 0.0) / 20]


def _shown(tried: list[Finding]) -> list[Finding]:
    named = [finding for finding in tried if is_named(finding)][:MOST_NAMED]
    return [finding for finding in tried if not is_named(finding)] + named


def _forbidden(x: Scale, y: Scale) -> str:
    """Everything above the diagonal: a broken promise."""
    low, high = max(x.low, y.low), min(x.high, y.high)
    if high <= low:
        return ""
    corner = f"L{x.at(high):.1f} {TOP}" if high == y.high else f"L{RIGHT} {y.at(high):.1f}L{RIGHT} {TOP}"
    start = f"M{LEFT} {y.at(low):.1f}" if low == x.low else f"M{LEFT} {BOTTOM}L{x.at(low):.1f} {BOTTOM}"
    return path("forbidden", f"{start}L{x.at(high):.1f} {y.at(high):.1f}{corner}L{LEFT} {TOP}Z")


def _diagonal(x: Scale, y: Scale) -> str:
    low, high = max(x.low, y.low), min(x.high, y.high)
    return path("claim", f"M{x.at(low):.1f} {y.at(low):.1f}L{x.at(high):.1f} {y.at(high):.1f}")


def _strokes(x: Scale, y: Scale, found: list[Column], refuted: list[float]) -> Iterator[str]:
    """What many columns share is one path each: ranges of exact losses, lower limits, and where one would stand out."""
    ranges = [(x.at(c.demand), y.at(c.exact[0]) + 1.5, y.at(c.exact[1])) for c in found if c.exact is not None]
    drawn = [(x.at(column.demand), column.drawn(refuted)) for column in found]
    sure = [(at, y.at(shown[0]), y.at(shown[1])) for at, shown in drawn if shown is not None]
    for style, poles in (("exact-range", ranges), ("interval", sure)):
        yield path(style, "".join(f"M{at:.1f} {a:.1f}V{b:.1f}" for at, a, b in poles))
    alone = [(x.at(c.demand), y.at(c.alone)) for c in found if c.alone is not None and y.holds(c.alone)]
    yield path("alone", "".join(f"M{at - 4:.1f} {height:.1f}h8" for at, height in alone))


def _points(x: Scale, y: Scale, column: Column, refuted: list[float]) -> str:
    at, parts = x.at(column.demand), []
    tip = f"{column.users:,} users, demand {short(column.demand)}"
    drawn = column.drawn(refuted)
    if drawn is not None:
        words = f"{tip}: {short(drawn[1])} on average, at least {short(max(drawn[0], 0.0))}"
        parts.append(dot(at, y.at(drawn[1]), "measured", words))
    if column.exact is not None:
        parts.append(diamond(at, y.at(column.exact[1]), "exact", f"{tip}: exact loss at most {short(column.exact[1])}"))
    if (allowed := column.allowed(refuted)) is not None:
        words = f"{tip}: the draws allow {short(allowed)} at most on the pairs tried"
        parts.append(diamond(at, y.at(allowed), "traced", words, half=3.5))
    return "".join(parts)


def _finding(x: Scale, y: Scale, finding: Finding) -> str:
    """Shown at least (a triangle), and what would have been seen (a cap)."""
    at, parts = x.at(finding.claimed or 0.0), []
    if finding.detectable is not None and y.holds(finding.detectable) and finding.verdict != "fail":
        height = y.at(finding.detectable)
        parts.append(path("seen", f"M{at - 6:.1f} {height + 4:.1f}V{height:.1f}H{at + 6:.1f}V{height + 4:.1f}"))
    if finding.lower is not None and finding.verdict == "fail":
        tip = f"demand {short(finding.claimed or 0.0)}: loses at least {short(finding.lower.value)}"
        parts.append(triangle(at, y.at(finding.lower.value), "broken", tip))
    return "".join(parts)
