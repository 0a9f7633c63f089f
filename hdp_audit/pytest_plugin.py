"""pytest: a fixture `hdp_audit` that audits a mechanism and fails the test with the witness, and a marker for options.

def test_release(hdp_audit):
    hdp_audit(private_mean, epsilon=eps, task="mean")

`@pytest.mark.hdp_audit(budget=50_000)` gives defaults to the fixture's calls in a test, a class or a module.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from hdp_audit.model import AuditReport, Finding

MARKER = "hdp_audit(**options): defaults for the fixture hdp_audit, such as budget, confidence, seed, detect and trace"
FRAMES = "--hdp-audit-traceback"
TOLD = "hdp_audit"  # the property of a test that holds what its audits found; pytest-xdist carries it to the summary
Auditing = Callable[..., "AuditReport"]


def pytest_addoption(parser: pytest.Parser) -> None:
    """What `pytest --help` lists."""
    group = parser.getgroup("hdp-audit", "audits of differential privacy")
    group.addoption("--hdp-audit-report", metavar="DIR", help="write the reports of all audits, a folder for each")
    group.addoption("--hdp-audit-budget", metavar="N", type=_calls, help="calls of each audit, whatever tests say")
    group.addoption(FRAMES, action="store_true", help="every frame of an exception of a mechanism")


def _calls(text: str) -> int:
    number = text.replace("_", "")
    if not (number.isascii() and number.isdecimal() and int(number) > 0):
        raise argparse.ArgumentTypeError(f"{text!r}; give a number of calls, at least 1")
    return int(number)


MOST = 6  # losses of a line


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
        from hdp_audit.reporting.verdicts import worst_first

        settings = {**marked, **options, **_overriding(request.config)}
        allowed = {"pass", "inconclusive"} if settings.pop("allow_inconclusive", allow_inconclusive) else {"pass"}
        try:
            report = audit(mechanism, **settings)
        except HdpAuditError as mistake:
            pytest.fail(f"hdp_audit: {mistake}", pytrace=False)
        _keep(request, report, inconclusive="inconclusive" in allowed)
        bad = [finding for finding in worst_first(report.findings) if finding.verdict not in allowed]
        if bad or not report.findings:
            pytest.fail(in_words(report, bad, all_frames=request.config.getoption(FRAMES)), pytrace=False)
        return report

    return audited


def _overriding(config: pytest.Config) -> dict[str, Any]:
    budget = config.getoption("--hdp-audit-budget")
    return {} if budget is None else {"budget": budget}


def _keep(request: pytest.FixtureRequest, report: AuditReport, *, inconclusive: bool) -> None:
    """For the summary; and as files, where a folder for them was named."""
    from hdp_audit.reporting.files import write_reports

    told = request.node.user_properties
    number = 1 + sum(name == TOLD for name, _ in told)
    told.append((TOLD, summary_line(report)))
    folder = request.config.getoption("--hdp-audit-report")
    if folder:
        plain = re.sub(r"[^\w.-]+", "-", request.node.nodeid)[-120:].strip("-.")
        apart = hashlib.sha256(request.node.nodeid.encode()).hexdigest()[:8]
        out = request.config.invocation_params.dir / folder / f"{plain}-{apart}-{number}"
        write_reports(report, out, allow_inconclusive=inconclusive)


def summary_line(report: AuditReport) -> str:
    """The verdict, and which losses would have been detected, per tier."""
    from hdp_audit.reporting.numbers import printable, short
    from hdp_audit.reporting.parts import warned
    from hdp_audit.reporting.verdicts import WARNED, WORDS

    names = ", ".join(subject.name for subject in report.subjects)
    seen = [
        f"{short(found.claimed)} ({short(found.detectable)})"
        for found in report.findings
        if found.kind == "privacy" and found.verdict == "pass"
        if found.detectable is not None and found.claimed is not None
    ]
    losses = f"; promised (detectable): {', '.join(seen[:MOST])}{', ...' * (len(seen) > MOST)}" if seen else ""
    warning = f"; {WORDS[WARNED]}" if warned(report) else ""
    return printable(f"{names}: {report.verdict}, {report.calls:,} calls{losses}{warning}")


def pytest_terminal_summary(terminalreporter: Any) -> None:
    """One section for all audits, with or without pytest-xdist."""
    reports = [one for found in terminalreporter.stats.values() for one in found if getattr(one, "when", "") == "call"]
    lines = [(one.nodeid, text) for one in reports for name, text in one.user_properties if name == TOLD]
    if lines:
        terminalreporter.section("hdp-audit")
        for nodeid, text in sorted(lines):
            terminalreporter.write_line(f"{nodeid}: {text}")


def in_words(report: AuditReport, bad: list[Finding], *, all_frames: bool = False) -> str:
    """Every finding that did not pass, its bound and what it rests on, and how to see it again."""
    from hdp_audit.reporting.meaning import headline
    from hdp_audit.reporting.verdicts import OTHER_NUMBERS, unrepeated

    names = ", ".join(subject.name for subject in report.subjects)
    lines = [f"{names}: {report.verdict} at confidence {report.confidence:g}", headline(report)]
    for finding in bad:
        lines.append(f"{finding.verdict}: {finding.id}: {finding.message}")
        lines += [f"  {line}" for line in (*_told(report, finding), *_frames(finding, all_frames=all_frames))]
    again = OTHER_NUMBERS if unrepeated(report) else "the same seed gives the same numbers"
    lines.append(f"seed {report.seed}, {report.calls:,} calls: {again}")
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


def _frames(finding: Finding, *, all_frames: bool) -> list[str]:
    """Of an exception of the mechanism, the last call last; the message itself has the last few."""
    from hdp_audit.targets.frames import LAST

    if all_frames and finding.traceback:
        return ["the calls, the last one last:", *(f"  {frame}" for frame in finding.traceback)]
    return [f"{FRAMES} shows all {len(finding.traceback)} frames"] if len(finding.traceback) > LAST else []


def _brief(text: str, longest: int = 200) -> str:
    return text if len(text) <= longest else text[: longest - 3] + "..."
