"""pytest: a fixture `hdp_audit` that audits a mechanism and fails the test with the witness, and a marker for options.

def test_release(hdp_audit):
    hdp_audit(private_mean, epsilon=eps, task="mean")

`@pytest.mark.hdp_audit(budget=50_000)` gives defaults to the fixture's calls in a test, a class or a module.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from hdp_audit.model import AuditReport, Finding

MARKER = "hdp_audit(**options): defaults for the fixture hdp_audit, such as budget, confidence, seed and detect"
Auditing = Callable[..., "AuditReport"]


def pytest_configure(config: pytest.Config) -> None:
    """Make the marker known."""
    config.addinivalue_line("markers", MARKER)


@pytest.fixture(name="hdp_audit")
def hdp_audit_fixture(request: pytest.FixtureRequest) -> Auditing:
    """Call it as `hdp_audit(mechanism, epsilon=..., task=...)`; what does not pass fails the test.

    `allow_inconclusive=True` lets a budget without enough power pass. Returns the report.
    """
    marked: dict[str, Any] = {}
    for marker in reversed(list(request.node.iter_markers("hdp_audit"))):
        marked.update(marker.kwargs)

    def audited(mechanism: Callable[..., Any], *, allow_inconclusive: bool = False, **options: Any) -> AuditReport:
        __tracebackhide__ = True
        from hdp_audit.api import audit
        from hdp_audit.errors import HdpAuditError

        settings = {**marked, **options}
        allowed = {"pass", "inconclusive"} if settings.pop("allow_inconclusive", allow_inconclusive) else {"pass"}
        try:
            report = audit(mechanism, **settings)
        except HdpAuditError as mistake:
            pytest.fail(f"hdp_audit: {mistake}", pytrace=False)
        bad = [finding for finding in report.findings if finding.verdict not in allowed]
        if bad or not report.findings:
            pytest.fail(in_words(report, bad), pytrace=False)
        return report

    return audited


def in_words(report: AuditReport, bad: list[Finding]) -> str:
    """Every finding that did not pass, its bound and what it rests on, and how to see it again."""
    from hdp_audit.reporting.meaning import headline

    names = ", ".join(subject.name for subject in report.subjects)
    lines = [f"{names}: {report.verdict} at confidence {report.confidence:g}", headline(report)]
    for finding in bad:
        lines.append(f"{finding.verdict}: {finding.id}: {finding.message}")
        lines += [f"  {line}" for line in _told(report, finding)]
    lines.append(f"seed {report.seed}, {report.calls:,} calls: the same seed gives the same numbers")
    return "\n".join("".join(letter if letter.isprintable() else "�" for letter in line) for line in lines)


def _told(report: AuditReport, finding: Finding) -> list[str]:
    from hdp_audit.reporting.evidence import facts_told, refutation_lines
    from hdp_audit.reporting.parts import beside

    lines = [beside(report, finding)]
    if finding.lower is not None and finding.claimed is not None:
        lines.append(f"claimed {finding.claimed:g}, at least {finding.lower.value:.4g} ({finding.lower.method})")
    lines += [f"{name}: {_brief(words, 1500)}" for name, words in refutation_lines(finding)]
    lines += [f"{name}: {_brief(json.dumps(value, default=str))}" for name, value in facts_told(finding).items()]
    return [line for line in lines if line]


def _brief(text: str, longest: int = 200) -> str:
    return text if len(text) <= longest else text[: longest - 3] + "..."
