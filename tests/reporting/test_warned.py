"""A leak of which the spec asks for a warning only is a pass to programs; no person may read it as `passed`."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, replace

from rich.console import Console

from hdp_audit.audits.share import Outcome
from hdp_audit.events import Began, Finished
from hdp_audit.model import AuditReport, Finding
from hdp_audit.pytest_plugin import summary_line
from hdp_audit.reporting.markdown import report_markdown
from hdp_audit.reporting.report_json import report_json
from hdp_audit.reporting.text import report_text
from hdp_audit.reporting.verdicts import tally, worst_first
from hdp_audit.watching.progress import Lines
from tests.reporting.sample_report import every_kind, passing

WORDS = "leak warned of"


@dataclass(frozen=True)
class Named:
    id: str


def warned() -> Finding:
    """As an audit makes it with `floating_point = "warn"`."""
    leak = next(finding for finding in every_kind("hpm-cp").findings if finding.kind == "float")
    return replace(leak, verdict="pass", waiver=None)


def report(mechanisms: int = 1) -> AuditReport:
    whole = passing()
    more = tuple(replace(whole.subjects[0], name=f"other-{number}") for number in range(mechanisms - 1))
    return replace(whole, subjects=(*whole.subjects, *more), findings=(*whole.findings, warned()))


def shown(told: AuditReport, width: int, *, terminal: bool) -> str:
    console = Console(file=io.StringIO(), force_terminal=terminal, width=width, color_system=None)
    return report_text(told, console)


def line_of_bits(text: str) -> str:
    return next(line for line in text.splitlines() if "float/bits" in line)


def test_the_verdict_of_programs_stays_a_pass() -> None:
    assert report().verdict == "pass"
    assert {entry["verdict"] for entry in json.loads(report_json(report()))["findings"]} == {"pass"}


def test_a_warned_leak_has_a_word_of_its_own_on_a_terminal_in_a_pipe_and_on_a_screen() -> None:
    texts = [shown(report(), width, terminal=True) for width in (72, 120)]
    for text in (*texts, shown(report(), 120, terminal=False), str(report())):
        assert WORDS in line_of_bits(text)
        assert "passed" not in line_of_bits(text)


def test_tables_of_several_mechanisms_and_markdown_have_the_word_too() -> None:
    texts = [shown(report(2), width, terminal=True) for width in (72, 120)]
    for text in (*texts, report_markdown(report()), report(2).to_html()):
        assert f"! {WORDS}" in text.replace("</span> ", " ")


def test_counts_and_order_tell_it_from_the_passes() -> None:
    assert tally(report().findings) == f"1 {WORDS}, 4 passed"
    assert worst_first(report().findings)[0].label == "float/bits"


def test_progress_says_it_too() -> None:
    console = Console(file=io.StringIO(), width=200)
    lines = Lines(console)
    lines(Began(("hpm-cp/privacy/float",), titles={"hpm-cp/privacy/float": "hpm-cp/float/bits"}))
    lines(Finished(Named("hpm-cp/privacy/float"), Outcome((warned(),), calls=10)))
    assert console.file.getvalue().startswith(f"[1/1] hpm-cp/float/bits: {WORDS}, 10 calls")  # type: ignore[attr-defined]


def test_the_summary_of_a_test_session_says_it_too() -> None:
    assert summary_line(report()).endswith(f"; {WORDS}")
    assert WORDS not in summary_line(passing())


def test_what_was_not_examined_is_told_in_the_same_words_in_a_pipe() -> None:
    whole = passing()
    bare = replace(whole, findings=(*whole.findings[1:], replace(whole.findings[0], examined=False)))
    assert "\nnot examined\t" in shown(bare, 120, terminal=False)
    assert "– not examined" in shown(bare, 120, terminal=True)


def test_a_calculated_loss_is_told_before_those_of_calls() -> None:
    found = every_kind().findings
    calls = [finding for finding in found if finding.verdict == "fail"]
    traced = replace(calls[0], id="m/privacy/trace", evidence="traced")
    assert worst_first([*found, traced])[: 1 + len(calls)] == [traced, *calls]


def test_losses_that_were_not_calculated_have_a_row_that_says_why() -> None:
    whole = passing()
    untold = replace(whole.subjects[0], details={"not_traced": "a budget of 5,000 calls leaves too few for it"})
    told = replace(whole, subjects=(untold,))
    texts = [shown(told, width, terminal=terminal) for width in (72, 120) for terminal in (True, False)]
    for text in (*texts, str(told)):
        row = next(line for line in text.splitlines() if "privacy/trace" in line)
        assert "not examined" in row
    assert "privacy/trace: a budget of 5,000 calls leaves too few for it" in report_markdown(told)
    found = replace(whole.findings[0], id="hpm-cp/privacy/trace", label="privacy/trace")
    assert "leaves too few" not in str(replace(told, findings=(*told.findings, found)))
