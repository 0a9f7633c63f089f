"""The report on a terminal and in a pipe."""

from __future__ import annotations

import io
import re

import pytest
from rich.console import Console

from hdp_audit.model import AuditReport
from hdp_audit.reporting.text import report_text
from tests.reporting.sample_report import TODAY, every_kind, hostile, many_mechanisms, passing


def shown(report: AuditReport, *, terminal: bool, width: int = 120, color: str | None = None) -> str:
    console = Console(
        file=io.StringIO(),
        force_terminal=terminal,
        width=width,
        color_system=color,  # type: ignore[arg-type]
        highlight=False,
        legacy_windows=False,
    )
    return report_text(report, console, today=TODAY)


@pytest.mark.parametrize("terminal", [True, False])
def test_a_failure_is_shown_with_its_evidence_and_how_to_repeat_it(terminal: bool) -> None:
    text = shown(every_kind(), terminal=terminal)
    for words in (
        "✗ refuted  acme/release.py:private_mean/privacy/tier/0.5",
        "each lose at least 1.05 on average",
        "second: users 0 to 99 have 1",
        "event: the output is at least 0.1312",
        "hdp-audit replay report.json --finding acme/release.py:private_mean/privacy/user/17 --spec hdp-audit.toml",
        "waived until 2027-03-31",
        "4 claims refuted",
        "Not tested: timing",
        "seed 1",
    ):
        assert words in text


def test_a_pass_says_what_it_is_worth() -> None:
    text = shown(passing(), terminal=True)
    assert "detected from" in text
    assert "0.028" in text
    assert "A test is no proof" in text


def test_a_pipe_gets_one_line_a_finding_with_tabs_and_no_colour() -> None:
    lines = shown(every_kind(), terminal=False, color=None).splitlines()
    assert lines[0].split("\t")[0] == "verdict"
    assert [line.split("\t")[0] for line in lines[1:12]].count("refuted") == 4
    assert all(len(line.split("\t")) == 8 for line in lines[:12])
    assert "\x1b" not in "".join(lines)
    assert not set("┃│┏") & set("".join(lines))


def test_a_replay_line_on_a_narrow_terminal_is_one_command_for_a_shell() -> None:
    text = re.sub(r" \\\n +", " ", shown(every_kind(), terminal=True, width=50))
    assert "--finding acme/release.py:private_mean/privacy/tier/0.5 --spec hdp-audit.toml\n" in text


@pytest.mark.parametrize("terminal", [True, False])
def test_text_from_outside_steers_neither_terminal_nor_markup(terminal: bool) -> None:
    text = shown(hostile(), terminal=terminal)
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e\ud800-\udfff]", text)
    assert "[red]" in text
    assert "<script>alert(1)</script>" in text


def test_many_mechanisms_are_one_line_each() -> None:
    text = shown(many_mechanisms(100, users=100, named=5), terminal=True)
    assert "mechanism-099" in text
    assert "more that did not pass" in text
    assert len(text.splitlines()) < 400
