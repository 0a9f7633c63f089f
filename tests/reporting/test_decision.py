"""The page for people who decide: everything on it comes from the run, or is marked as the owner's words."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace

import pytest

from hdp_audit.model import AuditReport, Finding
from hdp_audit.model.bound import Bound
from hdp_audit.model.identity import Identity
from hdp_audit.model.promise import PureLimit
from hdp_audit.model.statements import QUESTIONS
from hdp_audit.model.telling import TierSummary, guessed_right, true_positives
from hdp_audit.model.waiver import Waiver
from hdp_audit.reporting.decision.accuracy import accuracy_words, amount
from hdp_audit.reporting.decision.badges import badges
from hdp_audit.reporting.decision.checklist import checklist
from hdp_audit.reporting.decision.paragraph import decided, decision
from hdp_audit.reporting.decision.tiers import rows
from hdp_audit.reporting.decision.words import at_most, promise_words
from hdp_audit.reporting.evidence import allowing
from hdp_audit.reporting.html import report_html
from hdp_audit.reporting.meaning import means
from hdp_audit.reporting.titles import tier_title
from tests.reporting.sample_report import (
    CONFIDENCE,
    TODAY,
    counterexample,
    demands,
    every_kind,
    finding,
    hostile,
    passing,
    subject,
    suite,
    tier,
)


def of(*findings: Finding, **more: object) -> AuditReport:
    return AuditReport((replace(subject("m", demands()), **more),), findings, CONFIDENCE, 1, 9000)  # type: ignore[arg-type]


def states(report: AuditReport) -> dict[str, str]:
    return {line.topic: line.state for part in checklist(report) for line in part.lines}


def test_go_is_said_only_where_everything_passed() -> None:
    assert decided(passing(), TODAY).startswith("Go")
    assert decided(every_kind(), TODAY) == "No-go"
    assert decided(of(tier("m", 0.5), tier("m", 2.0, "inconclusive")), TODAY) == "No decision"
    assert decided(of(tier("m", 0.5), finding("m", "behaviour/call", "error", "raised")), TODAY) == "No decision"
    assert decided(of(tier("m", 0.5), audited=False), TODAY) == "No decision"
    assert decided(AuditReport((), (), CONFIDENCE, 1, 0), TODAY) == "No decision"


def test_a_waiver_makes_no_go_a_decision_of_somebody_until_its_day() -> None:
    bad = replace(tier("m", 0.5, "fail"), waiver=Waiver("x", "known", TODAY))
    assert "accept the waivers" in decided(of(bad), TODAY)
    assert "(waived)" in decision(of(bad), TODAY).paragraph
    assert decided(of(bad), TODAY + dt.timedelta(days=1)) == "No-go"


def test_the_paragraph_says_what_was_promised_found_and_on_what_it_rests() -> None:
    told = decision(passing(), TODAY).paragraph
    assert "1,000 users" in told
    assert "more than 88.1% of cases" in told  # 1/(1 + e^-2), rounded up
    assert "relaxed" in told
    assert "a test, no proof" in told
    assert "80,000 calls" in told
    assert "1.4 times the promise" in told
    bad = decision(every_kind(), TODAY).paragraph
    assert "4 claims are broken, which may have one cause: " in bad
    assert "(1 of them waived by the owner)" in bad
    assert "Next: before it publishes anything" in bad
    assert "Next: the owner answers" in told


def test_a_leak_of_which_the_spec_only_warns_is_not_shown_as_a_check_that_passed() -> None:
    leak = finding("m", "float/bits", "pass", "leaks", claimed=0.5, counterexample=counterexample(0.5))
    report = of(tier("m", 0.5), leak)
    assert states(report)["Lowest bits of the outputs"] == "broken"
    assert states(of(tier("m", 0.5), replace(leak, counterexample=None)))["Lowest bits of the outputs"] == "tested"
    told = decision(report, TODAY)
    assert told.word.endswith("with a warning")
    assert "No claim was found broken but one: the last digits" in told.paragraph
    assert told.paragraph.endswith("decides whether the leak that the warning is about may stay.")


def test_a_tier_broken_by_one_user_alone_speaks_of_no_average() -> None:
    alone = replace(tier("m", 0.5, "fail"), counterexample=counterexample(0.5, (7,)))
    line = next(row for row in rows(of(alone).subjects[0], [alone], {}) if row.verdict == "fail")
    assert "one user, who was tried alone, loses at least" in line.found


def test_users_who_were_moved_together_are_compared_with_what_their_promises_allow_together() -> None:
    assert allowing(counterexample(0.5)) == "the promises to these 100 users together allow"
    assert allowing(counterexample(0.5, (7,))) == "the promise allows"


def test_what_is_marked_is_there() -> None:
    assert "marked “proved”" not in means(of(tier("m", 0.5)))
    traced = finding("m", "privacy/trace", "pass", "x", evidence="traced", claimed=0.5)
    page = report_html(of(tier("m", 0.5), traced), today=TODAY)
    assert '<span class="tag">traced</span>' in page
    assert "Privacy: trace" not in page


def test_a_delta_is_part_of_what_a_tier_is_called() -> None:
    told = TierSummary("x", 3, 0.5, 0.5, 0.623, 0.018, 1e-3)
    assert tier_title(told, "ε") == "ε = 0.5, δ = 0.001"


@pytest.mark.parametrize(("share", "words"), [(0.5, "50%"), (0.5025, "50.3%"), (0.7310585, "73.2%"), (1.0, "100%")])
def test_a_limit_is_rounded_up(share: float, words: str) -> None:
    assert at_most(share) == words


def test_what_zero_and_infinity_promise() -> None:
    zero, public = (TierSummary("x", 3, end, end, share, share) for end, share in ((0.0, 0.5), (float("inf"), 1.0)))
    assert "not used at all" in promise_words(zero)
    assert promise_words(public).startswith("Nothing")
    limit = PureLimit(1.0)
    told = promise_words(TierSummary("x", 3, 1.0, 1.0, guessed_right(limit), true_positives(limit)))
    assert "73.2% of cases" in told
    assert "at most 2.8% of users" in told  # e/100


def test_each_tier_has_its_own_line_with_what_was_found() -> None:
    report = every_kind()
    own = [each for each in report.findings if each.subject == report.subjects[0].name]
    lines = {row.name: row for row in rows(report.subjects[0], own, {})}
    assert set(lines) == {"ε = 0", "careful (ε = 0.02)", "ε = 0.5", "relaxed (ε = 2)", "ε = ∞", "user number 17"}
    assert lines["careful (ε = 0.02)"].would.startswith("A loss from ε = 0.028")
    assert lines["ε = 0.5"].found.startswith("Broken: on average, 100 users who were tried together lose at least")
    assert lines["relaxed (ε = 2)"].found == "Undecided."
    assert lines["ε = ∞"].found == "Not examined: nothing was promised."
    assert (lines["ε = 0"].verdict, lines["ε = 0"].found) == (None, "Not examined.")


def test_users_who_were_moved_together_are_not_called_one_user() -> None:
    together = replace(tier("m", 0.5, "fail"), id="m/privacy/search", label="privacy/search", scope="user")
    report = of(together)
    row = rows(report.subjects[0], [together], {})[-1]
    assert "moved together" in row.name
    assert row.users == "100"
    assert "on average" in row.found
    alone = rows(report.subjects[0], [replace(together, users=(7,))], {})[-1]
    assert (alone.name, alone.users) == ("user number 7", "1")
    assert "this user loses" in alone.found


def test_a_tier_that_no_finding_is_about_is_not_called_kept() -> None:
    lines = rows(subject("m", demands()), [], {})
    assert {line.verdict for line in lines} == {None}
    assert all("Not examined" in line.found for line in lines)


def test_every_line_is_filled_by_the_run_or_asks_the_owner() -> None:
    report = every_kind()
    asked = states(report)
    assert asked[QUESTIONS["composition"].title] == "stated"
    assert asked[QUESTIONS["unit_of_privacy"].title] == "stated"
    assert asked[QUESTIONS["tuning"].title] == "asked"
    assert asked["Lowest bits of the outputs"] == "broken"
    assert asked["Loss calculated from the program's draws"] == "uncovered"
    assert all(line.words for part in checklist(report) for line in part.lines)


def test_a_report_without_findings_claims_nothing() -> None:
    bare = AuditReport((replace(subject("m", demands()), tiers=(), looked_at=()),), (), CONFIDENCE, 1, 0)
    found = states(bare)
    assert not {"tested", "traced", "proved"} & set(found.values())
    assert [badge.words for badge in badges(bare)] == ["not examined", "not examined"]


def test_nobody_stood_out_is_said_only_where_everybody_was_looked_at_and_calls_worked() -> None:
    topic = "Single users who lose more than others"
    assert states(passing())[topic] == "tested"
    assert states(of(tier("m", 0.5), looked_at=("tiers",)))[topic] == "uncovered"
    assert states(of(tier("m", 0.5), finding("m", "behaviour/call", "error", "x")))[topic] == "uncovered"


def test_formula_and_arithmetic_have_a_badge_each() -> None:
    formula, arithmetic = badges(passing())
    assert (formula.words, arithmetic.words) == ("not refuted", "not examined")
    leak = finding("m", "float/bits", "fail", "leaks", lower=Bound.lower(3.0, "bits", CONFIDENCE), claimed=0.5)
    formula, arithmetic = badges(of(tier("m", 0.5), leak))
    assert (formula.verdict, arithmetic.verdict) == ("pass", "fail")
    traced = finding("m", "privacy/trace", "pass", "x", evidence="traced")
    assert badges(of(traced))[0].words == "kept, by calculation"
    assert badges(of(traced, tier("m", 0.5)))[0].words == "not refuted"


def test_the_page_begins_with_the_decision_and_statistics_come_last() -> None:
    page = report_html(every_kind(), today=TODAY)
    places = [
        page.index(words) for words in ("No-go", 'id="promises"', 'id="checklist"', 'id="appendix"', "Wealth over")
    ]
    assert places == sorted(places)


@pytest.mark.parametrize("make", [every_kind, passing, hostile, suite])
def test_no_internal_name_stands_on_the_page_but_in_commands(make: object) -> None:
    page = report_html(make(), today=TODAY)  # type: ignore[operator]
    before = page[: page.index('id="data"')]
    for name in (
        "rarest_refutable",
        "free_privacy",
        "looked_at",
        "_sha256",
        "unit_of_privacy",
        "contribution_bounding",
    ):
        assert name not in before


def test_statements_are_marked_and_questions_ask() -> None:
    page = report_html(every_kind(), today=TODAY)
    assert "“The only release from these data.”" in page
    assert "The owner is asked to state:" in page
    own = replace(passing(), identity=Identity(statements={"tuning": "</dd><script>alert(1)</script>"}))
    assert "<script" not in report_html(own, today=TODAY)


def test_errors_are_told_in_the_units_of_the_user() -> None:
    own = replace(subject("m", demands()), reach=(0.0, 200_000.0))
    error = finding(
        "m", "accuracy/correlated/pac", "pass", "x", metric="pac", claimed=1500.0, facts={"beta": 0.05},
        lower=Bound.lower(1300.0, "b", CONFIDENCE), upper=Bound.upper(1399.2, "b", CONFIDENCE),
    )  # fmt: skip
    assert accuracy_words(own, error) == (
        "A published mean is within ±1,400 of the true one in 19 of 20 releases, on the worst data found: "
        "if 100,000 is published, the truth is 98,600 to 101,400; ±1,500 was claimed."
    )
    broken = accuracy_words(own, replace(error, verdict="fail", lower=Bound.lower(1612.0, "b", CONFIDENCE)))
    assert "not within ±1,610 of the true one in 19 of 20 releases" in broken
    square = accuracy_words(own, replace(error, metric="mse"))
    assert "±36.1 to ±37.5 (root of the mean square)" in square
    assert "1 passed. A published mean is within ±1,400" in str(checklist(replace(of(error), subjects=(own,))))


@pytest.mark.parametrize(
    ("value", "up", "words"),
    [
        (1399.2, True, "1,400"),
        (1612.0, False, "1,610"),
        (0.01234, True, "0.0124"),
        (0.05, True, "0.05"),
        (5e6, True, "5,000,000"),
        (5e-324, True, "4.94066e-324"),
    ],
)
def test_limits_are_rounded_away_from_what_they_limit(value: float, up: bool, words: str) -> None:
    assert amount(value, up=up) == words


def test_the_words_of_a_promise_follow_the_neighbour_relation() -> None:
    gone = replace(passing().subjects[0], neighbours="remove")
    report = replace(passing(), subjects=(gone,))
    told = decision(report, TODAY).paragraph
    assert "asked whether a user is among the data at all" in told
    lines = rows(gone, list(report.findings), {})
    assert "guesses whether a user is among the data at all is right" in lines[1].promise
    assert "which of two data" not in " ".join(line.promise for line in lines)


def test_a_custom_task_says_that_only_its_pairs_were_examined() -> None:
    pair = finding("m", "privacy/pair/0", "pass", "x", claimed=0.5, detectable=0.9)
    lines = rows(subject("m", demands()), [pair], {})
    assert {line.found for line in lines if line.name == "ε = 0.5"} == {"Only the pairs of data below were examined."}
    assert {line.verdict for line in lines if line.name == "ε = 0.5"} == {None}
