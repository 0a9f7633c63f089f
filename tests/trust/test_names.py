"""No two findings share a name in any format, whatever mechanisms are called; and no name is mistaken for another."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from xml.etree import ElementTree as ET

import pytest

from hdp_audit.errors import InvalidInput
from hdp_audit.model import AuditReport, Finding
from hdp_audit.regressions import compare
from hdp_audit.reporting.junit import junit_xml
from hdp_audit.reporting.report_json import report_json
from hdp_audit.reporting.sarif import sarif
from hdp_audit.reporting.verdicts import is_named, label, named
from tests.reporting.sample_report import CONFIDENCE, TODAY, counterexample, demands, finding, subject, tier
from tests.trust.formats import pipe, printed

ODD = "a/privacy/user/b"
LONG = "x" * 700


def report(*findings: Finding) -> AuditReport:
    names = dict.fromkeys(f.subject for f in findings)
    return AuditReport(tuple(subject(name, demands(20)) for name in names), findings, CONFIDENCE, 1, 9)


def cases(whole: AuditReport) -> list[tuple[str | None, str | None]]:
    root = ET.fromstring(junit_xml(whole, today=TODAY).encode())  # noqa: S314 (our own text)
    return [(case.get("classname"), case.get("name")) for case in root.iter("testcase")]


ALIKE = [
    ["behaviour/" + "y" * 130 + end for end in ("1", "2")],
    ["behaviour/" + "y" * 900 + end for end in ("1", "2")],
    ["behaviour/a b", "behaviour/a  b", "behaviour/a\tb"],
    ["behaviour/\x1b", "behaviour/\x1c", "behaviour/\ufffd"],
    ["behaviour/\ud800", "behaviour/\ud801", "behaviour/?"],
]


@pytest.mark.parametrize("ids", ALIKE)
def test_cases_of_a_ci_server_never_share_a_name(ids: list[str]) -> None:
    found = cases(report(*(finding("m", what, "error", "broke") for what in ids)))
    assert len(set(found)) == len(ids)
    assert all(len(name or "") <= 500 for _, name in found)


@pytest.mark.parametrize("names", [[LONG + "1", LONG + "2"], ["a b", "a  b"], ["\x1b", "\x1c"]])
def test_mechanisms_with_like_names_stay_apart(names: list[str]) -> None:
    whole = report(*(tier(name, 0.5) for name in names))
    assert len(set(cases(whole))) == len(names)
    rows = [line.split("\t")[1] for line in pipe(whole).splitlines()[1 : 1 + len(names)]]
    assert len(set(rows)) == len(names)
    results = json.loads(sarif(whole, today=TODAY))["runs"][0]["results"]
    assert len({r["locations"][0]["logicalLocations"][0]["fullyQualifiedName"] for r in results}) == len(names)


def test_a_name_that_needs_no_change_is_kept() -> None:
    assert named("acme/release.py:private_mean") == "acme/release.py:private_mean"
    assert len(named(LONG, 120)) <= 120


@pytest.mark.parametrize("name", ["m", ODD, "a/privacy/b", "privacy/user/3", "/privacy/", "float/bits"])
def test_a_label_is_what_is_claimed_whatever_the_mechanism_is_called(name: str) -> None:
    assert label(tier(name, 0.5)) == "privacy/tier/0.5"
    assert label(finding(name, "privacy/user/17", "fail", "", users=(17,))) == "privacy/user/17"
    assert label(finding(name, "behaviour/died/privacy/tier/0", "error", "")) == "behaviour/died/privacy/tier/0"


def test_a_label_does_not_need_the_long_name_of_the_subject() -> None:
    short = Finding.about(ODD, "privacy", "tier/0.5", "error", "")
    assert label(replace(short, subject=f"release.py:{ODD}")) == "privacy/tier/0.5"


def test_only_a_user_whom_an_attack_named_is_a_named_user() -> None:
    assert not is_named(tier(ODD, 0.5, users=(17,)))
    assert not is_named(finding(ODD, "privacy/pair/17", "fail", "", users=(17,)))
    assert not is_named(finding("m", "behaviour/privacy/user/17", "error", "", users=(17,)))
    assert is_named(finding(ODD, "privacy/user/17", "fail", "", users=(17,)))
    assert is_named(finding("m", "privacy/user/17", "fail", "", users=(17,)))


def as_read(*findings: Finding) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(report_json(report(*findings)))
    return document


def test_a_tier_that_is_no_longer_audited_is_a_regression_whatever_the_mechanism_is_called() -> None:
    lost = tier(ODD, 0.5, "fail", users=(17,))
    compared = compare(as_read(lost, tier(ODD, 2.0)), as_read(tier(ODD, 2.0)), today=TODAY)
    assert compared.improvements == ()
    assert len(compared.regressions) == 1


def test_a_named_user_who_is_no_longer_accused_is_good_news_whatever_the_mechanism_is_called() -> None:
    gone = finding(ODD, "privacy/user/17", "fail", "", users=(17,), counterexample=counterexample(0.5, (17,)))
    compared = compare(as_read(gone, tier(ODD, 2.0)), as_read(tier(ODD, 2.0)), today=TODAY)
    assert compared.regressions == ()
    assert len(compared.improvements) == 1


@pytest.mark.parametrize(
    "twice", [lambda d: d["findings"].append(d["findings"][0]), lambda d: d["subjects"].append(d["subjects"][0])]
)
@pytest.mark.parametrize("swap", [False, True])
def test_two_findings_under_one_id_are_refused_not_lost(twice: Callable[[dict[str, Any]], None], swap: bool) -> None:
    good = as_read(tier("m", 0.5))
    bad = copy.deepcopy(good)
    twice(bad)
    with pytest.raises(InvalidInput, match="more than once"):
        compare(*((bad, good) if swap else (good, bad)), today=TODAY)


def test_a_pass_that_would_refute_only_more_frequent_leaks_than_before_is_noted() -> None:
    old, new = (as_read(tier("m", 0.5, facts={"rarest_refutable": share})) for share in (1 / 1000, 1 / 100))
    compared = compare(old, new, today=TODAY)
    assert compared.regressions == ()
    assert compared.notes == (
        "m/privacy/tier/0.5: rarest leak refuted with 80% power: one call of 1,000 before, one call of 100 now",
    )
    assert compare(new, old, today=TODAY).notes == ()


@pytest.mark.parametrize("odd", [None, [], "x", {"rarest_refutable": "often"}, {"rarest_refutable": 5e-324}])
def test_an_odd_witness_breaks_no_comparison(odd: Any) -> None:
    old, new = as_read(tier("m", 0.5)), as_read(tier("m", 0.5))
    old["findings"][0]["witness"] = odd
    assert compare(old, new, today=TODAY).regressions == ()


@pytest.mark.parametrize("width", [72, 80, 95, 96, 120])
def test_a_claim_has_its_name_beside_its_figures_on_any_terminal(width: int) -> None:
    found = [tier("m", 0.5), tier("m", 0.02, "inconclusive"), tier("m", 2.0, "fail")]
    for whole in (report(*found), report(*found, tier("other", 0.5))):
        lines = printed(whole, terminal=True, width=width).splitlines()
        assert all(len(line) <= width for line in lines if "replay:" not in line)
    table = printed(report(*found), terminal=True, width=width).partition("└")[0]
    text = "".join(line.split("│")[2].strip() for line in table.splitlines() if line.startswith("│"))
    assert text == "privacy/tier/2privacy/tier/0.02privacy/tier/0.5"


def test_on_a_narrow_terminal_a_mechanism_still_says_what_was_refuted() -> None:
    bits = finding("other", "float/bits", "fail", "bits", claimed=1.0)
    text = printed(report(tier("m", 0.5), tier("other", 0.5), bits), terminal=True, width=72)
    assert "│ other        │ ✗ refuted: the arithmetic │" in text
