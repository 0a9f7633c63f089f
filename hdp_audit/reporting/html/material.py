"""What every level of detail draws from: computed once, however often the page is tried."""

from __future__ import annotations

import datetime as dt
from functools import cached_property
from html import escape
from typing import TYPE_CHECKING, Any

from hdp_audit.reporting.html.figures import Figure, figures_of
from hdp_audit.reporting.report_json import line, plain
from hdp_audit.reporting.verdicts import by_subject, rank, worst_first

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding
    from hdp_audit.model.report import AuditReport
    from hdp_audit.model.subject import SubjectSummary


MOST_ENTRIES = 1000


def escaped_size(text: str) -> int:
    """Bytes of a text as it stands in a page."""
    return len(escape(text, quote=False).encode("utf-8", errors="replace"))


class Material:
    """A report, its findings by subject, its plain values and its pictures."""

    def __init__(self, report: AuditReport, today: dt.date | None) -> None:
        self.report, self.today = report, today
        self._figures: dict[str, tuple[Figure, ...]] = {}

    @cached_property
    def groups(self) -> dict[str, list[Finding]]:
        """Findings by the name of their subject."""
        return by_subject(self.report)

    @cached_property
    def sections(self) -> list[tuple[str, SubjectSummary | None]]:
        """Every subject, and every name that findings bear without one (the ledger of proofs)."""
        known = {subject.name: subject for subject in self.report.subjects}
        return [(name, known.get(name)) for name in self.groups]

    @cached_property
    def bad(self) -> list[Finding]:
        """Findings that did not pass, the worst first."""
        return [finding for finding in worst_first(self.report.findings) if finding.verdict != "pass"]

    @cached_property
    def worst_names(self) -> list[str]:
        """Subjects' names, the worst first."""
        return sorted(self.groups, key=lambda name: rank(self.groups[name]))

    @cached_property
    def plain(self) -> dict[str, Any]:
        """The report as plain values, without its passes and without subjects' details."""
        whole: dict[str, Any] = plain(self.report.to_json())
        keys = ("name", "task", "source", "demands")
        subjects = [{key: subject[key] for key in keys} for subject in whole["subjects"]]
        bad = [entry for entry in whole["findings"] if entry["verdict"] != "pass"]
        environment = {key: value for key, value in whole["environment"].items() if not isinstance(value, list)}
        return {**whole, "subjects": subjects, "findings": bad, "environment": environment}

    @cached_property
    def sizes(self) -> dict[str, list[int]]:
        """Bytes of the first entries of `plain`, escaped."""
        lists = {key: self.plain[key][:MOST_ENTRIES] for key in ("subjects", "findings")}
        return {key: [escaped_size(line(entry)) + 4 for entry in entries] for key, entries in lists.items()}

    def figures(self, subject: SubjectSummary) -> tuple[Figure, ...]:
        """The pictures of a subject."""
        if subject.name not in self._figures:
            self._figures[subject.name] = tuple(figures_of(subject, self.groups[subject.name]))
        return self._figures[subject.name]
