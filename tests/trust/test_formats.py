"""A report format is one class; a report shows itself; pictures come from one kit that escapes what it is given."""

from __future__ import annotations

import html
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree as ET

import pytest
from rich.cells import cell_len

from hdp_audit.errors import InvalidInput
from hdp_audit.model import AuditReport
from hdp_audit.reporting import formats, svg
from hdp_audit.reporting.files import write_reports
from hdp_audit.reporting.format import Options
from hdp_audit.reporting.html import report_html
from hdp_audit.reporting.svg import colours
from tests.reporting.sample_report import HOSTILE, TODAY, every_kind, hostile, many_mechanisms, passing, suite

PACKAGE = Path(formats.__file__).parents[1]


class Tally:
    """A format of a third party."""

    def file(self, name: str) -> str:
        return f"{name}.tally.txt"

    def render(self, report: AuditReport, options: Options) -> str:
        return f"{len(report.findings)} findings, open ones allowed: {options.allow_inconclusive}"


class Raw:
    """A format that is no text."""

    def file(self, name: str) -> str:
        return f"{name}.bin"

    def render(self, report: AuditReport, options: Options) -> bytes:
        return bytes([255, len(report.findings)])


@pytest.fixture
def added() -> Iterator[Tally]:
    own = Tally()
    formats.register(own)
    yield own
    formats.unregister(own)


def test_a_format_that_is_registered_is_written_with_the_options_and_gone_after(tmp_path: Path, added: Tally) -> None:
    paths = write_reports(every_kind(), tmp_path / "with", today=TODAY, allow_inconclusive=True)
    assert paths[-1] == tmp_path / "with" / "report.tally.txt"
    assert paths[-1].read_text(encoding="utf-8") == "11 findings, open ones allowed: True"
    formats.unregister(added)
    assert len(write_reports(every_kind(), tmp_path / "without", today=TODAY)) == len(paths) - 1
    formats.register(added)


def test_a_format_may_give_bytes(tmp_path: Path) -> None:
    own = Raw()
    formats.register(own)
    try:
        assert write_reports(passing(), tmp_path, today=TODAY)[-1].read_bytes() == b"\xff\x04"
    finally:
        formats.unregister(own)


def test_two_formats_for_one_file_are_refused(added: Tally) -> None:
    with pytest.raises(InvalidInput, match=r"writes report\.tally\.txt is registered already"):
        formats.register(Tally())
    assert formats.registered().count(added) == 1


@pytest.mark.parametrize(("allowed", "failures"), [(False, 4), (True, 3)])
def test_junit_counts_open_claims_as_failures_unless_they_are_allowed(
    tmp_path: Path, allowed: bool, failures: int
) -> None:
    write_reports(every_kind(), tmp_path, today=TODAY, allow_inconclusive=allowed)
    root = ET.parse(tmp_path / "report.junit.xml").getroot()  # noqa: S314 (our own text)
    assert root.get("failures") == str(failures)


@pytest.mark.parametrize("make", [every_kind, passing, suite, hostile, lambda: many_mechanisms(60, users=200)])
def test_a_printed_report_is_a_screen(make: object) -> None:
    """72 columns, no control sequence, no more lines than a tall terminal has."""
    text = str(make())  # type: ignore[operator]
    lines = text.split("\n")
    assert max(cell_len(line) for line in lines) <= 72
    assert len(lines) < 60
    assert all(line.isprintable() for line in lines)
    assert text == text.strip("\n")


def test_a_printed_report_says_what_is_wrong_and_how_sure_that_is() -> None:
    text = " ".join(str(every_kind()).split())
    for words in (
        "✗ refuted: the formula, the arithmetic, accuracy.",
        "user 17 demands ε = 0.5 and loses at least 0.93",
        "... and 3 more that did not pass",
        "probability at most 0.001",
        "seed 1 · confidence 0.999 · 1,234,567 calls",
    ):
        assert words in text


def test_the_worst_mechanisms_are_on_the_screen_where_not_all_have_room() -> None:
    text = str(suite())
    assert "half-noise" in text  # the last of 21
    assert "... 5 more" in text


def test_a_report_in_a_debugger_is_one_line() -> None:
    assert repr(every_kind()) == "<AuditReport 'fail': 'acme/release.py:private_mean', 11 findings, seed 1>"
    assert len(repr(many_mechanisms(60, users=200))) < 200


def test_a_report_gives_its_page_and_a_notebook_shows_it_in_a_frame() -> None:
    report = hostile()
    assert report.to_html() == report_html(report)
    frame = ET.fromstring(report._repr_html_())  # noqa: S314 (our own text)
    assert frame.tag == "iframe"
    assert frame.get("sandbox") == ""
    assert html.unescape(re.findall(r'srcdoc="([^"]*)"', report._repr_html_())[0]) == report.to_html()


@pytest.mark.parametrize(
    ("start", "absent"),
    [("import hdp_audit", "numpy rich jinja2 click"), ("from hdp_audit import audit", "rich jinja2 click")],
)
def test_renderers_are_loaded_when_they_are_needed(start: str, absent: str) -> None:
    code = f"import sys; {start}; print([name for name in {absent.split()} if name in sys.modules])"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)  # noqa: S603
    assert told.stdout.strip() == "[]"


def test_marks_escape_what_they_are_given() -> None:
    parts = [
        svg.text(1, 2, HOSTILE),
        svg.dot(1, 2, "dot", HOSTILE),
        svg.group([svg.diamond(1, 2, "exact", HOSTILE)], HOSTILE),
        svg.turned(1, 2, HOSTILE),
        svg.Sign("box", "area", HOSTILE).icon,
        svg.legend(0, 0, [svg.Sign("line", "curve", HOSTILE)]),
    ]
    whole = svg.page(10, 10, HOSTILE, [*parts, svg.picture(5, 5, f'"{HOSTILE}', [])])
    root = ET.fromstring(whole)  # noqa: S314 (our own text)
    assert not [element for element in root.iter() if element.tag.endswith("script")]
    assert sum(element.text == HOSTILE for element in root.iter()) == 7


def test_a_file_has_no_colour_that_only_a_browser_knows() -> None:
    """Viewers outside of browsers know no variables: every colour is filled in, and used by some mark or page."""
    assert "var(" not in colours.sheet_of_a_file()
    marks = colours.MARKS.read_text(encoding="utf-8") + (PACKAGE / "reporting/html/style.css").read_text()
    used = set(re.findall(r"var\(--([\w-]+)\)", marks)) - {"tone", "tint"}
    assert used == set(colours.COLOURS)


def test_there_is_one_kit() -> None:
    """No other file writes SVG by hand, or names a colour."""
    kit = PACKAGE / "reporting" / "svg"
    for file in sorted([*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.j2"), *PACKAGE.rglob("*.css")]):
        if kit not in file.parents:
            found = re.findall(r"<(?:svg|circle|path|rect|polyline|line|text)\b|#[0-9a-f]{6}\b", file.read_text())
            assert not found, f"{file.relative_to(PACKAGE)}: {found[:3]}"


@pytest.mark.parametrize(
    ("low", "high", "log", "words"),
    [
        (0.02, 30.0, True, ["0.1", "1", "10"]),
        (2e-6, 0.5, True, ["1e−5", "1e−4", "0.001", "0.01", "0.1"]),
        (0.0, 20_000.0, False, ["0", "5,000", "10,000", "15,000", "20,000"]),
        (0.0, 4e6, False, ["0", "1 M", "2 M", "3 M", "4 M"]),
    ],
)
def test_axes_name_a_few_round_values(low: float, high: float, log: bool, words: list[str]) -> None:
    scale = svg.Scale(low, high, 0.0, 100.0, log)
    drawn = ET.fromstring(f"<g>{svg.bottom_axis(scale, 0, 10, 'loss')}</g>")  # noqa: S314 (our own text)
    assert [text.text for text in drawn.iter("text")] == [*words, "loss"]
    assert all(0 <= float(text.get("x") or "") <= 100 for text in drawn.iter("text"))
