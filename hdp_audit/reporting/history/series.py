"""Each claim over time, and which of them drifted.

All intervals of a report hold together at its confidence. So all intervals of all reports hold together but with
probability Σ(1 − confidence), whatever the reports have in common (the union bound). Where nothing changed and all of
them hold, every two intervals of a claim share a point. Two that share none are therefore a statement that the claim's
figure changed, and over all claims and all pairs of reports any such statement is wrong with at most that probability.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hdp_audit.reporting.numbers import short
from hdp_audit.reporting.titles import subject_of, title
from hdp_audit.reporting.verdicts import named

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding, Verdict
    from hdp_audit.model.report import AuditReport


@dataclass(frozen=True)
class Point:
    """A claim in one report: `place` is the report's among all; ends are infinite where nothing is known."""

    place: int
    verdict: Verdict
    claimed: float | None
    lower: float
    upper: float
    detectable: float | None


@dataclass(frozen=True)
class Series:
    """One claim over time."""

    id: str
    subject: str
    name: str
    points: tuple[Point, ...]

    @property
    def drift(self) -> tuple[Point, Point] | None:
        """The two reports whose intervals are farthest apart, in their order; None where any two meet."""
        low, high = min(self.points, key=lambda p: p.upper), max(self.points, key=lambda p: p.lower)
        if not high.lower > low.upper:
            return None
        return (low, high) if low.place < high.place else (high, low)

    @property
    def worse(self) -> bool:
        """Whether what drifted grew, or the verdict is worse than it was at first."""
        found = self.drift
        return found is not None and found[1].lower > found[0].upper

    @property
    def turned(self) -> tuple[Point, Point] | None:
        """The last two reports between which the verdict changed."""
        pairs = [(a, b) for a, b in zip(self.points, self.points[1:], strict=False) if a.verdict != b.verdict]
        return pairs[-1] if pairs else None


@dataclass(frozen=True)
class History:
    """Reports in the order of their dates; `error` bounds the chance that any drift that is stated is none."""

    dates: tuple[str, ...]
    series: tuple[Series, ...]
    error: float

    @property
    def drifting(self) -> tuple[Series, ...]:
        """Claims that changed for certain, the worse first."""
        found = [one for one in self.series if one.drift is not None]
        return tuple(sorted(found, key=lambda one: (not one.worse, one.id)))


def history(reports: Sequence[tuple[str, AuditReport]]) -> History:
    """Of dated reports, in their order; claims are the same where their ids are."""
    points: dict[str, list[Point]] = {}
    last: dict[str, tuple[AuditReport, Finding]] = {}
    for place, (_, report) in enumerate(reports):
        for finding in report.findings:
            points.setdefault(finding.id, []).append(_point(place, finding))
            last[finding.id] = report, finding
    series = [_series(id_, found, last) for id_, found in points.items()]
    error = min(math.fsum(1.0 - report.confidence for _, report in reports), 1.0)
    return History(tuple(date for date, _ in reports), tuple(series), error)


def _series(id_: str, points: list[Point], last: Mapping[str, tuple[AuditReport, Finding]]) -> Series:
    report, finding = last[id_]
    return Series(id_, named(finding.subject, 120), title(finding, subject_of(report, finding)), tuple(points))


def _point(place: int, finding: Finding) -> Point:
    lower = -math.inf if finding.lower is None else finding.lower.value
    upper = math.inf if finding.upper is None else finding.upper.value
    return Point(place, finding.verdict, finding.claimed, lower, upper, finding.detectable)


def drift_words(one: Series, dates: Sequence[str]) -> str:
    """What was shown before, and what after."""
    if one.drift is None:
        return ""
    before, after = one.drift
    grew = after.lower > before.upper
    first = f"at most {short(before.upper)}" if grew else f"at least {short(before.lower)}"
    second = f"at least {short(after.lower)}" if grew else f"at most {short(after.upper)}"
    return f"{first} on {dates[before.place]}, {second} on {dates[after.place]}: it {'grew' if grew else 'fell'}"


def summary(found: History) -> str:
    """One paragraph: how many claims drifted, and how sure that is."""
    many = len(found.drifting)
    told = "No claim drifted" if not many else f"{many} claim{'' if many == 1 else 's'} drifted"
    return (
        f"{told}, of {len(found.series):,} in {len(found.dates):,} reports. A drift is stated where two intervals of a "
        f"claim share no point. All intervals of all reports hold together except with probability {found.error:.3g} "
        "(the union bound), so any statement of drift on this page is wrong with at most that probability. That no "
        "drift is stated does not show that nothing changed: intervals may be wide, or have one end only."
    )
