"""The end of a run on the terminal."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hdp_audit.cli.here import OUT
from hdp_audit.cli.writing import echo_text
from hdp_audit.reporting.folded import command_lines
from hdp_audit.reporting.numbers import printable
from hdp_audit.reporting.verdicts import typed, unrepeated, waived, waived_words, worst_first

if TYPE_CHECKING:
    from rich.console import Console

    from hdp_audit.model import AuditReport, Finding

MOST_FINDINGS = 20
EACH_ITS_OWN = "a duration gave each spec calls of its own: `hdp-audit replay` repeats each finding"


def show(report: AuditReport, console: Console, files: Sequence[Path], specs: Sequence[Path], *, quiet: bool) -> None:
    """The report, where it lies, and how to get the same numbers again."""
    from hdp_audit.reporting.text import report_text

    if quiet:
        _brief(report, console)
    else:
        echo_text(report_text(report, console, replay=lambda finding: replay_command(report, finding, files, specs)))
    if files:
        told = printable(f"reports in {files[0].parent}: {', '.join(file.name for file in files)}")
        console.print(told, markup=False, highlight=False, soft_wrap=not console.is_terminal)
    again = run_command(report, specs, files[0].parent if files else OUT)
    if len(specs) > 1 and _is_timed(report):
        _say(console, f"seed {report.seed}; {EACH_ITS_OWN}")
    else:
        same = "again, but with other numbers" if unrepeated(report) else "the same numbers again"
        _say_command(console, f"seed {report.seed}; {same}:", again)
    bad = next((finding for finding in worst_first(report.findings) if finding.verdict == "fail"), None)
    if bad is not None:
        other = ", with other numbers" if unrepeated(report, bad.subject) else ""
        _say_command(console, f"one finding again{other}:", replay_command(report, bad, files, specs))


def show_traceback(report: AuditReport, console: Console) -> None:
    """Every frame of the exceptions that calls raised."""
    for finding in report.findings:
        if finding.traceback:
            _say(console, f"{finding.id}, the last call last:")
            for frame in finding.traceback:
                _say(console, f"  {frame}")


def show_annotations(report: AuditReport, *, allow_inconclusive: bool) -> None:
    """One line for each finding that did not pass, which GitHub shows beside the code."""
    from hdp_audit.reporting.github import github_lines

    for line in github_lines(report, allow_inconclusive=allow_inconclusive):
        click.echo(line)


def run_command(report: AuditReport, specs: Sequence[Path], out: Path = OUT) -> str:
    """To copy and paste: the same run into the same folder; of several specs with budgets of their own, without one."""
    words = ["hdp-audit", "run", *(map(str, specs) if specs else ["--suite"]), "--seed", str(report.seed)]
    known = report.environment
    budget = known.get("budget", "") if len(specs) < 2 else known["budget"] or known.get("budget_asked")
    last = [] if budget is None else ["--budget", str(budget)]
    where = [] if out == OUT else ["--out", str(out)]
    return shlex.join([*words, "--confidence", repr(report.confidence), *last, *where])


def _is_timed(report: AuditReport) -> bool:
    """Whether a duration gave one of several specs its calls."""
    return any("budget_asked" in entry for entry in report.environment["specs"])


def replay_command(report: AuditReport, finding: Finding, files: Sequence[Path], specs: Sequence[Path]) -> str:
    """To copy and paste: one finding of it."""
    file = next((file for file in files if file.name == "report.json"), Path("report.json"))
    words = ["hdp-audit", "replay", str(file), "--finding", typed(finding.id)]
    spec = _spec_of(report, finding, specs)
    return shlex.join([*words, *(["--spec", str(spec)] if spec else [])])


def _spec_of(report: AuditReport, finding: Finding, specs: Sequence[Path]) -> Path | None:
    """The spec that the finding comes from, as it was given."""
    if len(specs) < 2:
        return next(iter(specs), None)
    entries = report.environment["specs"]
    return specs[entries.index(report.origin(finding))]


def _brief(report: AuditReport, console: Console) -> None:
    """One line, and one for each finding that did not pass."""
    state = f"{report.verdict}{_all_waived(report)}"
    _say(console, f"{state}: {len(report.findings)} findings, {report.calls:,} calls, {report.seconds:.1f} s")
    bad = [finding for finding in report.findings if finding.verdict != "pass"]
    for finding in bad[:MOST_FINDINGS]:
        _say(console, f"{finding.verdict}{waived_words(finding)}: {finding.id}: {finding.message}")
    if len(bad) > MOST_FINDINGS:
        _say(console, f"... and {len(bad) - MOST_FINDINGS} more; see the report")


def _all_waived(report: AuditReport) -> str:
    """Where every failure is waived, that; the exit code is 0 then, and a person must see why."""
    fails = [finding for finding in report.findings if finding.verdict in ("fail", "error")]
    held = sum(waived(finding) for finding in fails)
    return "" if not held else " (all waived)" if held == len(fails) else f" ({held} of {len(fails)} waived)"


def _say_command(console: Console, words: str, command: str) -> None:
    """On one line; a terminal that is too narrow for it gets lines that can still be copied into a shell."""
    for line in command_lines(words, printable(command), console.width if console.is_terminal else None):
        _say(console, line)


def _say(console: Console, line: str) -> None:
    console.print(printable(line), markup=False, highlight=False, soft_wrap=True)
