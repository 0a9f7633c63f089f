"""One row per claim: shown at least, exact, claimed, and the smallest violation detected with 80% power."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hdp_audit.reporting.html.canvas import RIGHT, canvas
from hdp_audit.reporting.numbers import short
from hdp_audit.reporting.svg import Rows, Scale, bar, diamond, group, log_range, pole, text
from hdp_audit.reporting.verdicts import SIGNS, is_alone, is_named, shown, worst_first

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding
    from hdp_audit.model.subject import SubjectSummary

LEFT, TOP = 104.0, 12.0
MOST_TIERS, MOST_NAMED = 32, 8


def sandwich_picture(subject: SubjectSummary, findings: list[Finding]) -> str | None:
    """None where no privacy claim with a finite demand was tried."""
    rows = [f for f in findings if f.kind == "privacy" and f.claimed is not None and f.claimed < math.inf]
    named = [finding for finding in worst_first(rows) if is_named(finding)][:MOST_NAMED]
    tiers = [finding for finding in worst_first(rows) if not is_named(finding)][:MOST_TIERS]
    rows = sorted([*tiers, *named], key=lambda f: (f.claimed or 0.0, f.users))
    if not rows:
        return None
    values = [f.claimed or 0.0 for f in rows] + [f.detectable or 0.0 for f in rows]
    values += [f.lower.value for f in rows if f.lower is not None and f.lower.value > (f.claimed or 0.0) / 20]
    values += [exact for f in rows if (exact := _exact(subject, f)) is not None]
    scale = Scale(*log_range(values), LEFT, RIGHT)
    drawn = Rows(scale, TOP, min(max(290.0 / len(rows), 19.0), 44.0), len(rows))
    parts = [drawn.axis("loss")]
    for place, finding in enumerate(rows):
        parts.append(_row(scale, finding, _exact(subject, finding), drawn.middle(place), subject.promise.symbol))
    return canvas(drawn.bottom, "Lower bound, exact loss and claim", parts)


def _exact(subject: SubjectSummary, finding: Finding) -> float | None:
    """The largest exact loss of the finding's users, where it is known."""
    if subject.figures is None or not finding.users:
        return None
    users = [user for user in finding.users if user < subject.figures.exact.size]
    known = subject.figures.exact[users]
    known = known[np.isfinite(known)]
    return float(known.max()) if known.size else None


def _row(scale: Scale, finding: Finding, exact: float | None, y: float, symbol: str) -> str:
    demand = finding.claimed or 0.0
    who = f"user {finding.users[0]}" if is_alone(finding) else f"{symbol} = {short(demand)}"
    parts = [text(LEFT - 10, y + 4, f"{shown(who, 14)} {SIGNS[finding.verdict]}", f"sign-{finding.verdict}", "end")]
    if finding.detectable is not None and finding.detectable > demand and finding.verdict != "fail":
        parts.append(bar(scale.at(demand), scale.at(finding.detectable), y, "unseen"))
        if scale.holds(finding.detectable):
            parts.append(pole(scale.at(finding.detectable), y - 4, y + 4, "seen"))
    if finding.lower is not None and finding.lower.value > scale.low:
        style = "shown-broken" if finding.lower.value > demand else "shown"
        parts.append(bar(LEFT, scale.at(finding.lower.value), y, style))
    if exact is not None:
        parts.append(diamond(scale.at(exact), y, "exact"))
    if demand > 0:
        parts.append(pole(scale.at(demand), y - 8, y + 8, "claim"))
    return group(parts, shown(finding.message, 120))
