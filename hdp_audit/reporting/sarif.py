"""SARIF 2.1.0: what code-scanning viewers read. A rule is a kind of finding; its place is the mechanism."""

from __future__ import annotations

import datetime as dt
import hashlib
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from hdp_audit.reporting.evidence import refutation_lines
from hdp_audit.reporting.identity import STATED, hash_lines, provenance_lines, stated_lines
from hdp_audit.reporting.parts import beside
from hdp_audit.reporting.places import spot_of
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

HELP = {
    "privacy": (
        "The counterexample in the message has two datasets that differ in the moved users alone, and an event that "
        "tells them apart more often than their demands allow. Look for noise whose scale is too small, a missing "
        "clip, or a weight that is larger than the demand. `hdp-audit replay --export DIR` writes it as files."
    ),
    "float": (
        "Noise that is drawn in doubles leaves traces in the lowest bits. Add noise on a grid in exact integers, or "
        "round every output to a fixed grid that is coarser than the leak."
    ),
    "accuracy": (
        "The error on the worst data found is larger than what is claimed. Claim a larger bound, or mend the estimator."
    ),
    "optimality": (
        "The error is below what the demands allow anybody, so some promise is broken: look at the privacy findings."
    ),
    "behaviour": (
        "A call failed, its output had the wrong form, or calls know of each other. The message has the input and the "
        "output; draw new noise in every call and keep no state."
    ),
    "proof": "A statement behind a claim was not checked; install `hdp-audit[prove]` and run the audit again.",
}
ROOT, ROOT_WORDS = "SRCROOT", "The top of the repository; the folder of the spec where there is none."


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
        "originalUriBaseIds": {ROOT: {"description": {"text": ROOT_WORDS}}},
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
            "fullDescription": {"text": RULES[kind][1]},
            "help": {"text": HELP[kind], "markdown": HELP[kind]},
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
        "locations": [_location(report, finding)],
        "partialFingerprints": {"findingId/v1": hashlib.sha256(finding.id.encode(errors="replace")).hexdigest()},
        "properties": {"finding": named(finding.id, 500), "verdict": finding.verdict},
    }
    if waived(finding, today) and finding.waiver is not None:
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


def _location(report: AuditReport, finding: Finding) -> dict[str, Any]:
    """The mechanism by name, and the place in the repository, which some viewers want."""
    name = named(finding.subject, 500)
    place: dict[str, Any] = {"logicalLocations": [{"fullyQualifiedName": name, "kind": "function"}]}
    spot = spot_of(report, finding)
    if spot is not None:
        where: dict[str, Any] = {"artifactLocation": {"uri": quote(shown(spot.path, 500)), "uriBaseId": ROOT}}
        line = {} if spot.line is None else {"region": {"startLine": spot.line}}
        place["physicalLocation"] = where | line
    return place
