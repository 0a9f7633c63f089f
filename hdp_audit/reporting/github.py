"""Annotations of a GitHub workflow: one line for each finding that did not pass, shown beside the code."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import TYPE_CHECKING

from hdp_audit.reporting.places import spot_of
from hdp_audit.reporting.verdicts import shown, waived, worst_first

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding
    from hdp_audit.model.report import AuditReport

MOST = 10  # GitHub shows no more of a kind per step


def github_lines(report: AuditReport, *, allow_inconclusive: bool = False, today: dt.date | None = None) -> list[str]:
    """`::error file=release.py,line=7,title=...::message`, the worst first."""
    return list(_lines(report, allow_inconclusive, today))


def _lines(report: AuditReport, allow_inconclusive: bool, today: dt.date | None) -> Iterator[str]:
    found = [one for one in worst_first(report.findings) if one.verdict != "pass"]
    for finding in found[:MOST]:
        accepted = waived(finding, today) or (allow_inconclusive and finding.verdict == "inconclusive")
        kind = "notice" if accepted else "warning" if finding.verdict == "inconclusive" else "error"
        places = {**_place(report, finding), "title": f"hdp-audit: {finding.verdict}: {shown(finding.id, 200)}"}
        told = ",".join(f"{name}={_property(value)}" for name, value in places.items())
        yield f"::{kind} {told}::{_data(shown(finding.message))}"


def _place(report: AuditReport, finding: Finding) -> dict[str, str]:
    """The draw that a trace blames, else the mechanism's file, else the spec; from the repository's top of several."""
    if report.origin(finding) is not report.environment and (spot := spot_of(report, finding)) is not None:
        return {"file": shown(spot.path, 500), **({} if spot.line is None else {"line": str(spot.line)})}
    if finding.traced is not None and finding.traced.draws:
        draw = finding.traced.draws[0]
        return {"file": shown(draw.file, 500), "line": str(max(draw.line, 1))}
    file = next((one.file for one in report.subjects if one.name == finding.subject), None)
    return {"file": shown(file or str(report.environment.get("spec") or "hdp-audit.toml"), 500)}


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
