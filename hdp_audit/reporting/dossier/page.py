"""The signed-off document as one HTML page: no script, nothing from outside, made to be printed."""

from __future__ import annotations

import datetime as dt
import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from hdp_audit.reporting.decision.badges import badges
from hdp_audit.reporting.decision.checklist import STATES, checklist
from hdp_audit.reporting.decision.paragraph import decision
from hdp_audit.reporting.decision.tiers import names_by_number, rows
from hdp_audit.reporting.dossier.entry import Entry, together, word
from hdp_audit.reporting.html.page import style, template
from hdp_audit.reporting.identity import hash_lines, provenance_lines, stated_lines
from hdp_audit.reporting.titles import subject_of, title
from hdp_audit.reporting.verdicts import SIGNS, WORDS, by_subject, export_line, named, shown, worst_first

if TYPE_CHECKING:
    from hdp_audit.model.report import AuditReport

MOST_SUBJECTS, MOST_ROWS, MOST_FINDINGS, MOST_HASHES = 40, 40, 40, 100


def dossier_page(entries: Sequence[Entry], today: dt.date) -> str:
    """The whole page, of the day on which waivers are judged."""
    from markupsafe import Markup

    return template("dossier.html.j2").render(
        style=Markup(style()),  # noqa: S704 (our own files)
        signs=SIGNS,
        words=WORDS,
        states=STATES,
        word=word(entries, today),
        verdict_word=worst_of(entries),
        today=today.isoformat(),
        together=f"{together(entries):.6g}",
        parts=[_part(entry, number, today) for number, entry in enumerate(entries, start=1)],
        marked=Markup,
    )


def worst_of(entries: Sequence[Entry]) -> str:
    """The worst verdict, for the colour of the page's banner."""
    found = {entry.report.verdict for entry in entries}
    return next((verdict for verdict in ("fail", "error", "inconclusive") if verdict in found), "pass")


def _part(entry: Entry, number: int, today: dt.date) -> dict[str, Any]:
    report = entry.report
    bad = [finding for finding in worst_first(report.findings) if finding.verdict != "pass"]
    hashes = hash_lines(report)
    return {
        "anchor": f"report-{number}",
        "name": report.identity.title or ", ".join(named(subject.name, 80) for subject in report.subjects[:3]),
        "verdict": report.verdict,
        "decision": decision(report, today),
        "badges": badges(report),
        "stated": [(name, shown(words)) for name, words in stated_lines(report)],
        "subjects": _subjects(report),
        "bad": [_found(report, finding) for finding in bad[:MOST_FINDINGS]],
        "bad_rest": max(len(bad) - MOST_FINDINGS, 0),
        "checklist": checklist(report),
        "provenance": [
            *provenance_lines(report),
            ("this report in the dossier", entry.file),
            ("its SHA-256", hashlib.sha256(entry.content).hexdigest()),
        ],
        "hashes": hashes[:MOST_HASHES],
        "hashes_rest": max(len(hashes) - MOST_HASHES, 0),
    }


def _subjects(report: AuditReport) -> list[dict[str, Any]]:
    groups = by_subject(report)
    found = []
    for subject in report.subjects[:MOST_SUBJECTS]:
        lines = rows(subject, groups[subject.name], {})
        rest = max(len(lines) - MOST_ROWS, 0)
        told = {"name": named(subject.name, 200), "tiers": lines[:MOST_ROWS], "tiers_rest": rest}
        found.append(told | {"numbered": names_by_number(groups[subject.name])})
    return [one for one in found if one["tiers"]]


def _found(report: AuditReport, finding: Any) -> dict[str, str]:
    waiver = ""
    if finding.waiver is not None:
        waiver = f"Waived until {finding.waiver.until.isoformat()}: {shown(finding.waiver.reason, 500)}"
    name = title(finding, subject_of(report, finding))
    called = f"{named(finding.subject, 80)} · {name}" if len(report.subjects) > 1 else name
    export = export_line(report, finding) if finding.verdict == "fail" else ""
    return {
        "verdict": finding.verdict,
        "title": called,
        "message": shown(finding.message, 1000),
        "waiver": waiver,
        "export": export,
    }
