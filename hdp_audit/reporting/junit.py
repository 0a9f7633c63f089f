"""JUnit XML: one test case per finding, one suite per mechanism; no two cases share a name."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from hdp_audit.reporting.evidence import refutation_lines
from hdp_audit.reporting.identity import STATED, hash_lines, provenance_lines, stated_lines
from hdp_audit.reporting.parts import beside
from hdp_audit.reporting.verdicts import by_subject, label, lines_of, named, replay_line, replay_words, shown, waived

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding
    from hdp_audit.model.report import AuditReport
    from hdp_audit.reporting.format import Options

LONGEST = 500  # characters of a name


class JUnit:
    """For CI servers."""

    def file(self, name: str) -> str:
        """`report.junit.xml`."""
        return f"{name}.junit.xml"

    def render(self, report: AuditReport, options: Options) -> str:
        """The whole file."""
        return junit_xml(report, allow_inconclusive=options.allow_inconclusive, today=options.today)


def junit_xml(report: AuditReport, *, allow_inconclusive: bool = False, today: dt.date | None = None) -> str:
    """fail = failure, error = error, inconclusive = failure unless allowed, waived and in date = skipped."""
    times = _times(report)
    root = ET.Element("testsuites", name="hdp-audit", time=f"{report.seconds:.3f}")
    for subject, findings in by_subject(report).items():
        suite = ET.SubElement(root, "testsuite", name=named(subject, LONGEST))
        properties = ET.SubElement(suite, "properties")
        for key, value in _properties(report):
            ET.SubElement(properties, "property", name=key, value=shown(value))
        for finding in findings:
            _case(suite, report, finding, _outcome(finding, allow_inconclusive, today), times)
        _count(suite)
        suite.set("time", f"{sum(times.get(finding.id, 0.0) for finding in findings):.3f}")
    for key in ("tests", "failures", "errors", "skipped"):
        root.set(key, str(sum(int(suite.get(key, "0")) for suite in root)))
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _properties(report: AuditReport) -> list[tuple[str, str]]:
    """Whose report it is, and where it comes from."""
    stated = [(f"{name} ({STATED})", words) for name, words in stated_lines(report)]
    own = [("seed", str(report.seed)), ("confidence", str(report.confidence))]
    rest = [(name, words) for name, words in provenance_lines(report) if name not in ("seed", "confidence")]
    return [*own, *rest, *hash_lines(report), *stated]


def _outcome(finding: Finding, allow_inconclusive: bool, today: dt.date | None) -> str | None:
    """The element that a case carries; None for a pass."""
    if finding.verdict == "pass" or (finding.verdict == "inconclusive" and allow_inconclusive):
        return None
    if waived(finding, today):
        return "skipped"
    return "error" if finding.verdict == "error" else "failure"


def _times(report: AuditReport) -> dict[str, float]:
    """Seconds by finding: those of its check, shared evenly among the findings that it made."""
    made, took = report.environment.get("checks"), report.environment.get("seconds_by_check")
    if not isinstance(made, list) or not isinstance(took, dict):
        return {}
    listed = [(took.get(entry["check"], 0.0), entry["findings"]) for entry in made if isinstance(entry, dict)]
    return {name: seconds / len(names) for seconds, names in listed for name in names}


def _case(
    suite: ET.Element, report: AuditReport, finding: Finding, outcome: str | None, times: Mapping[str, float]
) -> None:
    name = f"{named(finding.subject, LONGEST)}.{finding.kind}"
    took = f"{times.get(finding.id, 0.0):.3f}"
    case = ET.SubElement(suite, "testcase", classname=name, name=label(finding, LONGEST), time=took)
    message = shown(finding.message)
    if outcome is None:
        ET.SubElement(case, "system-out").text = f"{finding.verdict}: {message}"
        return
    if outcome == "skipped" and finding.waiver is not None:
        message = shown(f"waived until {finding.waiver.until}: {finding.waiver.reason}; {finding.message}")
        ET.SubElement(case, outcome, message=message)
        return
    element = ET.SubElement(case, outcome, message=message, type=finding.verdict)
    element.text = "\n".join(_told(report, finding))


def _told(report: AuditReport, finding: Finding) -> list[str]:
    """Message, counterexample, and how to run it again."""
    lines = [*lines_of(finding.message), beside(report, finding)]
    lines += [f"{name}: {shown(words)}" for name, words in refutation_lines(finding)]
    return [line for line in [*lines, f"{replay_words(report, finding)}: {replay_line(report, finding)}"] if line]


def _count(suite: ET.Element) -> None:
    for key, tag in (("tests", "testcase"), ("failures", "testcase/failure"), ("errors", "testcase/error")):
        suite.set(key, str(len(suite.findall(tag))))
    suite.set("skipped", str(len(suite.findall("testcase/skipped"))))
