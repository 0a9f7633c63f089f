"""SARIF 2.1.0: what code-scanning viewers read. A rule is a kind of finding; its place is the mechanism."""

from __future__ import annotations

import datetime as dt
import hashlib
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from hdp_audit.reporting.evidence import refutation_lines
from hdp_audit.reporting.identity import STATED, hash_lines, provenance_lines, stated_lines
from hdp_audit.reporting.parts import beside
from hdp_audit.reporting.report_json import dumps
from hdp_audit.reporting.verdicts import KINDS, named, shown, waived

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding
    from hdp_audit.model.report import AuditReport
    from hdp_audit.reporting.format import Options

SCHEMA = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
RULES = {
    "privacy": ("EveryUsersLossIsAtMostTheirDemand", "Every user's privacy loss is at most what they were promised."),
    "float": ("TheBitsOfTheOutputDoNotLeak", "The lowest bits of the outputs reveal no more than was promised."),
    "accuracy": ("TheErrorIsWithinItsBound", "The error on every dataset tried is at most the claimed bound."),
    "optimality": ("TheErrorIsNotBelowTheLowerBound", "An error below it would mean that promises are broken."),
    "behaviour": ("EveryOutputIsValid", "Every call returns a finite output of the right shape with new noise."),
    "proof": ("TheStatementWasChecked", "A statement behind a claim was checked by machine."),
}


class Sarif:
    """For code scanning."""

    def file(self, name: str) -> str:
        """`report.sarif`."""
        return f"{name}.sarif"

    def render(self, report: AuditReport, options: Options) -> str:
        """The whole file."""
        return sarif(report, allow_inconclusive=options.allow_inconclusive, today=options.today)


def sarif(report: AuditReport, *, allow_inconclusive: bool = False, today: dt.date | None = None) -> str:
    """The report as a SARIF log with one run."""
    run = {
        "tool": {"driver": _driver(report)},
        "invocations": [{"executionSuccessful": report.verdict != "error"}],
        "results": [_result(report, finding, allow_inconclusive, today) for finding in report.findings],
        "columnKind": "unicodeCodePoints",
        "properties": _properties(report),
    }
    return dumps({"$schema": SCHEMA, "version": "2.1.0", "runs": [run]}) + "\n"


def _properties(report: AuditReport) -> dict[str, Any]:
    """The verdict, whose report it is, and where it comes from."""
    stated = {name: shown(words) for name, words in stated_lines(report)}
    return {
        "verdict": report.verdict,
        "confidence": report.confidence,
        "seed": report.seed,
        "provenance": {name: shown(words) for name, words in [*provenance_lines(report), *hash_lines(report)]},
        STATED: stated,
    }


def _driver(report: AuditReport) -> dict[str, Any]:
    rules = [
        {
            "id": kind,
            "name": RULES[kind][0],
            "shortDescription": {"text": RULES[kind][1]},
            "defaultConfiguration": {"level": "error"},
        }
        for kind in KINDS
    ]
    version = shown(str(report.environment.get("hdp_audit") or "unknown"), 60)
    return {"name": "hdp-audit", "version": version, "rules": rules}


def _result(report: AuditReport, finding: Finding, allow_inconclusive: bool, today: dt.date | None) -> dict[str, Any]:
    kind, level = _kind_and_level(finding, allow_inconclusive)
    result: dict[str, Any] = {
        "ruleId": finding.kind,
        "ruleIndex": KINDS.index(finding.kind),
        "kind": kind,
        "level": level,
        "message": {"text": _message(report, finding)},
        "locations": [_location(report, finding.subject) | _draw(finding)],
        "partialFingerprints": {"findingId/v1": hashlib.sha256(finding.id.encode(errors="replace")).hexdigest()},
        "properties": {"finding": named(finding.id, 500), "verdict": finding.verdict},
    }
    if finding.verdict == "fail" and waived(finding, today) and finding.waiver is not None:
        reason = shown(f"{finding.waiver.reason} (until {finding.waiver.until})")
        result["suppressions"] = [{"kind": "external", "status": "accepted", "justification": reason}]
    return result


def _message(report: AuditReport, finding: Finding) -> str:
    """The message; of a refutation also the counterexample, and beside a refuted arithmetic the formula's verdict."""
    lines = [shown(finding.message) or finding.verdict, beside(report, finding)]
    lines += [f"{name}: {shown(words)}" for name, words in refutation_lines(finding)]
    return "\n".join(line for line in lines if line)


def _kind_and_level(finding: Finding, allow_inconclusive: bool) -> tuple[str, str]:
    """The standard wants level "none" for every kind but "fail"."""
    if finding.verdict == "pass":
        return "pass", "none"
    if finding.verdict == "inconclusive":
        return ("open", "none") if allow_inconclusive else ("fail", "warning")
    return "fail", "error"


def _location(report: AuditReport, subject: str) -> dict[str, Any]:
    """The mechanism by name, and its file (or the spec's), which some viewers want."""
    name = named(subject, 500)
    place: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": name, "kind": "function"}]}
    file = next((one.file for one in report.subjects if one.name == subject), None)
    path = file or str(report.environment.get("spec") or "")
    if path:
        place["physicalLocation"] = {"artifactLocation": {"uri": quote(shown(path, 500))}}
    return place


def _draw(finding: Finding) -> dict[str, Any]:
    """The line of the draw that a trace blames."""
    if finding.traced is None or not finding.traced.draws:
        return {}
    draw = finding.traced.draws[0]
    file = {"uri": quote(shown(draw.file, 500))}
    return {"physicalLocation": {"artifactLocation": file, "region": {"startLine": max(draw.line, 1)}}}
