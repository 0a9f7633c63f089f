"""Formula and arithmetic are told apart in every format: which was refuted, and what is known of the other."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from hdp_audit.api import audit
from hdp_audit.model import AuditReport, Finding, PrivacyClaim
from hdp_audit.model.waiver import Waiver
from hdp_audit.reporting.junit import junit_xml
from hdp_audit.reporting.meaning import headline, verdict_words
from hdp_audit.reporting.sarif import sarif
from mechanisms.broken import FAULTS
from tests.reporting.sample_report import CONFIDENCE, TODAY, counterexample, demands, finding, grown, subject, tier
from tests.trust.formats import BANNERS, FORMATS

LEAKS = "the lowest bits of the doubles leak"
FORMULA = (
    "The formula itself was not refuted (3 passed); smallest violation detected with 80% power in those tested: "
    "up to 1.4 × the demand."
)
KEPT = "The arithmetic was not refuted"


def bits(verdict: str, *, confirmed: bool = False, name: str = "m") -> Finding:
    found = replace(counterexample(0.5, (3, 5)), confirmed=confirmed)
    return finding(
        name, "float/bits", verdict, "bits", users=(3, 5), claimed=1.0, counterexample=found, facts=grown(), calls=9
    )


def report(*findings: Finding) -> AuditReport:
    return AuditReport((subject("m", demands()),), findings, CONFIDENCE, 1, 9)


def tiers(*verdicts: str) -> list[Finding]:
    return [tier("m", demand, verdict) for demand, verdict in zip((0.02, 0.5, 2.0), verdicts, strict=True)]


@pytest.mark.parametrize("written", BANNERS)
def test_where_the_arithmetic_alone_leaks_that_is_said_and_what_the_formula_is_worth(
    written: Callable[[AuditReport], str],
) -> None:
    text = written(report(*tiers("pass", "pass", "pass"), bits("fail", confirmed=True)))
    assert "about the arithmetic alone" in text
    assert LEAKS in text
    assert FORMULA in text
    assert "about the formula" not in text


def test_the_word_of_the_verdict_names_the_part() -> None:
    right = tiers("pass", "pass", "pass")
    wrong = tiers("pass", "fail", "pass")
    assert verdict_words(report(*right, bits("fail"))) == "refuted: the arithmetic"
    assert verdict_words(report(*wrong, bits("pass"))) == "refuted: the formula"
    assert verdict_words(report(*wrong, bits("fail"))) == "refuted: the formula, the arithmetic"
    assert verdict_words(report(*right, bits("pass"))) == "passed"


@pytest.mark.parametrize("written", BANNERS)
def test_where_both_are_wrong_both_are_said_separately(written: Callable[[AuditReport], str]) -> None:
    text = written(report(*tiers("pass", "fail", "pass"), bits("fail", confirmed=True)))
    assert "2 claims refuted: 1 about the formula, 1 about the arithmetic." in text
    assert f"The arithmetic is refuted separately: {LEAKS}." in text
    assert "The formula itself is refuted as well (1 of 3 claims)." in text


@pytest.mark.parametrize("written", BANNERS)
def test_where_the_formula_alone_is_wrong_the_arithmetic_is_cleared(written: Callable[[AuditReport], str]) -> None:
    text = written(report(*tiers("pass", "fail", "pass"), bits("pass")))
    assert "1 claim refuted, about the formula." in text
    assert KEPT in text
    assert LEAKS not in text


@pytest.mark.parametrize(
    ("found", "said"),
    [
        ((), "Whether the lowest bits of doubles leak was not tested."),
        ((bits("inconclusive"),), "Whether the arithmetic leaks as well is undecided."),
        ((bits("pass", confirmed=True),), "The spec asks only for a warning about the arithmetic"),
    ],
)
def test_of_the_arithmetic_nothing_is_said_that_was_not_tested(found: tuple[Finding, ...], said: str) -> None:
    words = headline(report(*tiers("pass", "fail", "pass"), *found), TODAY)
    assert said in words
    assert KEPT not in words


@pytest.mark.parametrize("written", BANNERS)
def test_a_leak_of_which_the_spec_only_warns_is_in_the_banner_of_a_pass(written: Callable[[AuditReport], str]) -> None:
    passed = tiers("pass", "pass", "pass")
    assert f"Warning (the spec asks for no more than that): {LEAKS}." in written(
        report(*passed, bits("pass", confirmed=True))
    )
    assert LEAKS not in written(report(*passed, bits("pass")))


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        (("inconclusive", "inconclusive", "inconclusive"), "not tested with enough power either (3 inconclusive)"),
        (("pass", "inconclusive", "pass"), "was not refuted (1 inconclusive, 2 passed); smallest violation detected"),
    ],
)
def test_a_formula_without_power_is_not_cleared_by_a_leak_beside_it(verdicts: tuple[str, ...], said: str) -> None:
    assert said in headline(report(*tiers(*verdicts), bits("fail")), TODAY)


def test_a_demand_beyond_the_budget_clears_no_formula() -> None:
    beyond = tier("m", 9.0, detectable=float("inf"), lower=None, facts={"beyond": True, "largest": 7.0})
    assert "not tested with enough power either (1 passed)" in headline(report(beyond, bits("fail")), TODAY)


def test_a_formula_of_another_mechanism_says_nothing_about_this_one() -> None:
    other = [replace(f, id=f"o{f.id[1:]}", subject="o") for f in tiers("pass", "pass", "pass")]
    whole = AuditReport((subject("m", demands()), subject("o", demands())), (*other, bits("fail")), CONFIDENCE, 1, 9)
    assert "The formula itself was not tested." in headline(whole, TODAY)


@pytest.mark.parametrize("written", FORMATS)
def test_beside_a_refuted_arithmetic_every_format_has_the_verdict_of_the_formula(
    written: Callable[[AuditReport], str],
) -> None:
    assert FORMULA in written(report(*tiers("pass", "pass", "pass"), bits("fail", confirmed=True)))


def test_formula_and_arithmetic_are_separate_cases_for_a_ci_server() -> None:
    whole = report(*tiers("pass", "pass", "pass"), bits("fail", confirmed=True))
    root = ET.fromstring(junit_xml(whole, today=TODAY).encode())  # noqa: S314 (our own text)
    failed = {case.get("classname"): case.find("failure") is not None for case in root.iter("testcase")}
    assert failed == {"m.privacy": False, "m.float": True}
    results = json.loads(sarif(whole, today=TODAY))["runs"][0]["results"]
    assert {r["ruleId"]: r["kind"] for r in results} == {"privacy": "pass", "float": "fail"}


def test_a_waived_leak_is_still_called_the_arithmetic() -> None:
    leak = replace(bits("fail"), waiver=Waiver("m/float/bits", "known", dt.date(2027, 1, 1)))
    words = headline(report(*tiers("pass", "pass", "pass"), leak), TODAY)
    assert "1 claim refuted, all of them waived at present, about the arithmetic alone" in words
    assert FORMULA in words


def test_an_audit_of_a_right_formula_in_doubles_blames_the_arithmetic_alone() -> None:
    """P(a formula that keeps its promise is blamed) ≤ 10⁻⁶, by the confidence; the seed is fixed."""
    control, epsilon = FAULTS["float-noise"], np.array([0.5] * 8 + [1.0] * 4)
    claim = PrivacyClaim(detect=4.0, floating_point="fail")
    found = audit(control, epsilon=epsilon, task="mean", budget=60_000, seed=1, confidence=1 - 1e-6, privacy=claim)
    assert verdict_words(found) == "refuted: the arithmetic"
    assert "The formula itself was not refuted (2 passed)" in headline(found, TODAY)
