"""One mechanism's part of the page."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hdp_audit.reporting.decision.tiers import Row, names_by_number
from hdp_audit.reporting.decision.tiers import rows as decision_rows
from hdp_audit.reporting.evidence import fact_name
from hdp_audit.reporting.html.failures import waiver_words
from hdp_audit.reporting.html.tables import Grid, grids, pairs
from hdp_audit.reporting.numbers import short
from hdp_audit.reporting.titles import title
from hdp_audit.reporting.verdicts import figures, named, shown, state, tally, worst, worst_first

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding, Verdict
    from hdp_audit.model.subject import SubjectSummary
    from hdp_audit.reporting.html.detail import Detail
    from hdp_audit.reporting.html.figures import Figure
    from hdp_audit.reporting.html.material import Material

MESSAGE = 400


@dataclass(frozen=True)
class RowView:
    """One line of the claims table."""

    verdict: str  # or that nothing was examined
    label: str
    evidence: str
    figures: tuple[str, ...]
    message: str
    waiver: str
    anchor: str


@dataclass(frozen=True)
class SubjectView:
    """A mechanism: its claims, pictures, tables and facts."""

    anchor: str
    name: str
    about: str
    verdict: Verdict | None
    rows: tuple[RowView, ...]
    rest: str
    figures: tuple[Figure, ...]
    grids: tuple[Grid, ...]
    facts: tuple[tuple[str, str], ...]
    tiers: tuple[Row, ...]
    tiers_rest: int
    numbered: bool  # whether users are named by numbers somewhere


def subject_view(
    material: Material, name: str, subject: SubjectSummary | None, anchors: dict[str, str], detail: Detail, anchor: str
) -> SubjectView:
    """Everything that the page says about a mechanism, or about findings without one."""
    findings = material.groups[name]
    ordered = worst_first(findings)
    pictured = name in material.worst_names[: detail.pictures]
    details = subject.details if subject is not None else {}
    told = [] if subject is None else decision_rows(subject, findings, anchors)
    return SubjectView(
        anchor=anchor,
        name=named(name, 200),
        about=about(subject),
        verdict=worst(findings),
        rows=tuple(_row(finding, subject, anchors, material.today) for finding in ordered[: detail.rows]),
        rest=tally(ordered[detail.rows :]),
        figures=material.figures(subject) if subject is not None and pictured else (),
        grids=tuple(grids(details, min(detail.rows, 40))),
        facts=tuple((fact_name(key), told) for key, told in pairs(details, (), min(detail.rows, 40))),
        tiers=tuple(told[: detail.rows]),
        tiers_rest=max(len(told) - detail.rows, 0),
        numbered=names_by_number(findings),
    )


def about(subject: SubjectSummary | None) -> str:
    """Task, source and demands in a line."""
    if subject is None:
        return "statements behind the claims, not a mechanism"
    demands = subject.demands
    task = subject.task if subject.categories is None else f"{subject.task}, {subject.categories} categories"
    low, high = short(demands.smallest), short(demands.largest)
    reach = f"demand {low}" if low == high else f"demands {low} to {high}"
    users = "1 user" if demands.users == 1 else f"{demands.users:,} users"
    words = f"{task} · {subject.source} · {users} · {reach}"
    extra = [f"{demands.public:,} public"] * bool(demands.public) + [f"{demands.zero:,} never used"] * bool(
        demands.zero
    )
    return words + (f" ({', '.join(extra)})" if extra else "")


def _row(finding: Finding, subject: SubjectSummary | None, anchors: dict[str, str], today: dt.date | None) -> RowView:
    return RowView(
        verdict=state(finding),
        label=title(finding, subject),
        evidence=finding.evidence,
        figures=(*figures(finding), f"{finding.calls:,}"),
        message=shown(finding.message, MESSAGE),
        waiver=waiver_words(finding, today),
        anchor=anchors.get(finding.id, ""),
    )
