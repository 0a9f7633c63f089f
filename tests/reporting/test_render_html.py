"""The HTML report: offline, without script, escaped, small, and complete."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser
from xml.etree import ElementTree as ET

import pytest

from hdp_audit.model import AuditReport
from hdp_audit.reporting.html import report_html
from tests.reporting.sample_report import (
    CONFIDENCE,
    HOSTILE,
    TODAY,
    counterexample,
    every_kind,
    hostile,
    many_mechanisms,
    passing,
    spread,
    subject,
    suite,
    tier,
)

VOID = {"meta", "link", "br", "hr", "img", "input"}
MEGABYTE = 1_000_000


class Page(HTMLParser):
    """Tags, attributes and text, and whether every tag is closed in order."""

    def __init__(self, source: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str, str]] = []
        self.words: list[str] = []
        self.open: list[str] = []
        self.feed(source)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += [(tag, name, value or "") for name, value in attrs]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag: str) -> None:
        assert self.open, f"</{tag}> closes nothing"
        assert self.open.pop() == tag, f"</{tag}> out of order"

    def handle_data(self, data: str) -> None:
        self.words.append(data)

    @property
    def text(self) -> str:
        return " ".join(" ".join(self.words).split())


REPORTS = {"every kind": every_kind, "passing": passing, "hostile": hostile, "suite": suite}


@pytest.fixture(params=REPORTS)
def source(request: pytest.FixtureRequest) -> str:
    return report_html(REPORTS[request.param](), today=TODAY)


def test_every_tag_is_closed_in_order(source: str) -> None:
    assert Page(source).open == []


def test_there_is_no_script_and_no_handler(source: str) -> None:
    page = Page(source)
    assert not {"script", "iframe", "object", "embed", "form", "base", "img"} & set(page.tags)
    assert not [name for _, name, _ in page.attributes if name.startswith("on")]
    assert not [value for _, _, value in page.attributes if "javascript:" in value.lower()]


def test_nothing_outside_is_referred_to(source: str) -> None:
    page = Page(source)
    links = [value for _, name, value in page.attributes if name in ("href", "src", "srcset", "action", "xlink:href")]
    assert all(link.startswith("#") or link == "data:," for link in links)
    style = source[source.index("<style>") : source.index("</style>")]
    assert "url(" not in style
    assert "@import" not in style


def test_the_content_policy_forbids_everything_but_inline_style(source: str) -> None:
    policies = [value for tag, name, value in Page(source).attributes if tag == "meta" and "default-src" in value]
    assert len(policies) == 1
    assert policies[0].startswith("default-src 'none'; style-src 'unsafe-inline'; img-src data:")
    assert "script-src" not in policies[0]
    # The policy comes before anything that it governs.
    assert source.index("Content-Security-Policy") < source.index("<style>")


def test_links_within_the_page_arrive(source: str) -> None:
    page = Page(source)
    anchors = [value for _, name, value in page.attributes if name == "id"]
    assert len(anchors) == len(set(anchors))
    assert {value[1:] for _, name, value in page.attributes if name == "href" and value[0] == "#"} <= set(anchors)


def test_pictures_are_well_formed_and_named(source: str) -> None:
    pictures = re.findall(r"<svg.*?</svg>", source, flags=re.DOTALL)
    assert len(pictures) >= 3
    for picture in pictures:
        ET.fromstring(picture)  # noqa: S314 (our own text)
        assert "role=" in picture or "aria-hidden=" in picture
        assert "NaN" not in picture
        assert "nan" not in re.findall(r'd="([^"]*)"', picture)


def test_it_works_in_dark_on_paper_and_on_a_phone(source: str) -> None:
    assert "prefers-color-scheme: dark" in source
    assert "@media print" in source
    assert 'name="viewport"' in source


@pytest.mark.parametrize(
    "words",
    [
        "Refuted",
        "4 claims refuted",
        "What this means",
        "What it does not mean",
        "What was not tested",
        "Timing",
        "Many releases",
        "The demands themselves",
        "Rare events",
        "Public users",
        "Loss against demand",
        "Wealth over calls",
        "Error against its bounds",
        "Demands",
        "Free privacy",
        "Bias of the weighting",
        "users 0 to 99 have 1, everybody else has 0",
        "the output is at least 0.1312",
        "12,345 of 16,000 guesses",
        "where the promise allows 62.25%",
        "hdp-audit replay report.json --finding acme/release.py:private_mean/privacy/tier/0.5 --spec hdp-audit.toml",
        "waived until 2027-03-31: numpy noise until the rewrite",
        "Method and error budget",
        "at most 0.001",
        "demands (SHA-256)",
        "0a0a0a",
        "game/wealth",
        "seed",
    ],
)
def test_the_page_says(words: str) -> None:
    assert words in Page(report_html(every_kind(), today=TODAY)).text


def test_no_line_ends_between_a_symbol_and_its_number(source: str) -> None:
    written = re.sub(r"<(svg|pre)\b.*?</\1>", "", source, flags=re.DOTALL)
    words = " ".join(re.findall(r"<(?:p|h3|td|dd|li)\b[^>]*>([^<]*)", written))
    assert not re.search(r"ε = \d", words)
    assert "ε\u00a0=\u00a0" in words


def test_a_pass_says_what_it_is_worth_and_is_no_proof() -> None:
    text = Page(report_html(passing(), today=TODAY)).text
    assert "Passed" in text
    assert "A test is no proof" in text
    assert "smallest violation detected (80% power)" in text
    assert "Counterexamples" not in text


def test_a_waiver_that_has_expired_says_so() -> None:
    late = TODAY.replace(year=2028)
    assert "waiver expired on 2027-03-31" in Page(report_html(every_kind(), today=late)).text


def test_markup_in_names_stays_text() -> None:
    source = report_html(hostile(), today=TODAY)
    assert "<script" not in source
    assert "<img" not in source
    assert HOSTILE in Page(source).text
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", source)
    source.encode("utf-8")


def test_a_hundred_thousand_users_make_a_small_page() -> None:
    epsilon = spread(100_000)
    findings = tuple(tier("m", demand) for demand in (0.01, 0.1, 1.0, 10.0))
    report = AuditReport((subject("m", epsilon),), findings, CONFIDENCE, 1, 10**6)
    source = report_html(report, today=TODAY)
    assert len(source.encode()) < 120_000
    assert "Loss against demand" in source


@pytest.mark.full
def test_a_hundred_mechanisms_with_many_findings_stay_below_a_megabyte() -> None:
    report = many_mechanisms(100, users=2_000)
    source = report_html(report, today=TODAY)
    assert 100_000 < len(source.encode()) < MEGABYTE
    page = Page(source)
    assert page.open == []
    assert all(f"mechanism-{number:03}" in page.text for number in range(100))
    assert "Loss against demand" in page.text
    assert "in report.json" in page.text


def test_findings_of_no_mechanism_are_shown_too() -> None:
    from hdp_audit.model import Finding

    report = passing()
    proof = Finding("theory/bias", "theory", "proof", "pass", "proved", "the bias is convex")
    more = AuditReport(report.subjects, (*report.findings, proof), CONFIDENCE, 1, 9)
    assert "the bias is convex" in Page(report_html(more, today=TODAY)).text


def test_many_mechanisms_are_compared_in_two_pictures() -> None:
    source = report_html(suite(), today=TODAY)
    text = Page(source).text
    assert "Privacy: loss over demand" in text
    assert "Accuracy: error over bound" in text
    assert 'aria-label="Loss over demand of every mechanism"' in source
    assert "Privacy: loss over demand" not in Page(report_html(passing(), today=TODAY)).text


def test_the_built_in_suite_is_replayed_without_a_spec() -> None:
    text = Page(report_html(suite(), today=TODAY)).text
    assert "hdp-audit replay report.json --finding half-noise/privacy/tier/0.5" in text
    assert "--spec" not in text


def test_nothing_audited_is_an_error_page() -> None:
    text = Page(report_html(AuditReport((), (), CONFIDENCE, 1, 0), today=TODAY)).text
    assert "Nothing was audited." in text


def test_endless_messages_and_witnesses_do_not_make_an_endless_page() -> None:
    bad = tier("m", 0.5, "fail", message="x" * 3_000_000)
    found = replace(counterexample(0.5, tuple(range(0, 600_000, 3))), event="y" * 3_000_000)
    facts = {"list": list(range(100_000)), "deep": {str(i): i for i in range(9999)}}
    bad = replace(bad, counterexample=found, facts=facts)
    report = AuditReport((subject("m", spread(50), {"k" * 10_000: "v" * 3_000_000}),), (bad,), CONFIDENCE, 1, 9)
    assert len(report_html(report, today=TODAY).encode()) < MEGABYTE
