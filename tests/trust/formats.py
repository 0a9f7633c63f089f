"""A report in every format that a person reads, as plain text; and who was moved, as each of them says it."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from xml.etree import ElementTree as ET

from rich.console import Console

from hdp_audit.model import AuditReport
from hdp_audit.pytest_plugin import in_words
from hdp_audit.reporting.html import report_html
from hdp_audit.reporting.junit import junit_xml
from hdp_audit.reporting.markdown import report_markdown
from hdp_audit.reporting.sarif import sarif
from hdp_audit.reporting.text import report_text
from tests.reporting.sample_report import TODAY
from tests.reporting.test_render_html import Page


def terminal(report: AuditReport) -> str:
    return printed(report, terminal=True, width=100_000)


def pipe(report: AuditReport) -> str:
    return printed(report, terminal=False, width=80)


def printed(report: AuditReport, *, terminal: bool, width: int) -> str:
    console = Console(file=io.StringIO(), force_terminal=terminal, width=width, color_system=None)
    return report_text(report, console, today=TODAY)


def page(report: AuditReport) -> str:
    """What the page says in words; the data at its end have the names of report.json."""
    return Page(report_html(report, today=TODAY)).text.partition("As data")[0]


def markdown(report: AuditReport) -> str:
    return report_markdown(report, today=TODAY)


def junit(report: AuditReport) -> str:
    root = ET.fromstring(junit_xml(report, today=TODAY).encode())  # noqa: S314 (our own text)
    return "\n".join(root.itertext())


def code_scanning(report: AuditReport) -> str:
    results = json.loads(sarif(report, today=TODAY))["runs"][0]["results"]
    return "\n".join(result["message"]["text"] for result in results)


def failed_test(report: AuditReport) -> str:
    return in_words(report, [finding for finding in report.findings if finding.verdict != "pass"])


FORMATS: list[Callable[[AuditReport], str]] = [terminal, pipe, page, markdown, junit, code_scanning, failed_test]
BANNERS = [terminal, pipe, page, markdown, failed_test]  # formats that speak of the report as a whole


def moved(text: str) -> list[set[int]]:
    """The moved users of each counterexample, where a format lists them."""
    head = r"[Mm]oved users?:(?: the two datasets differ in nobody else)? *(?![\d,]+ users;)(?:[\d,]+ users: )?"
    return [expanded(runs) for runs in re.findall(head + r"(\d[\d, to]*)", text)]


def expanded(runs: str) -> set[int]:
    """`3, 7 to 9` as {3, 7, 8, 9}."""
    users: set[int] = set()
    for run in runs.strip().split(", "):
        low, _, high = run.partition(" to ")
        users |= set(range(int(low), int(high or low) + 1))
    return users
