"""What a report says beside its verdicts: whose loss it is, what was not tried, whether numbers come again."""

from __future__ import annotations

import numpy as np

from hdp_audit import PrivacyClaim, PureDP, audit
from hdp_audit.audits.share import Outcome
from hdp_audit.audits.verdicts_bits import _group
from hdp_audit.cli.check import fitted
from hdp_audit.model.finding import Finding
from hdp_audit.model.subject import NOT_TRACED
from hdp_audit.reporting.verdicts import OTHER_NUMBERS, worst_first
from hdp_audit.watching.progress import _told, worst
from tests.trust import formats

Rng = np.random.Generator


def unseeded(data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
    """No noise to speak of, and not from the generator that it is given."""
    return float(data.mean() + np.random.default_rng().laplace(0.0, 1e-3))


def test_a_group_s_loss_names_the_group_and_a_user_s_the_user() -> None:
    promise = PureDP([0.2, 0.2, 0.6])
    together = "3 users together, who were promised ε = 1 together"
    assert _group(promise, np.arange(3), 1.0) == together
    assert _group(promise, np.array([2]), 0.6) == "user 2, who was promised ε = 0.6"


def test_outputs_that_do_not_repeat_are_told_in_every_format_and_no_same_numbers_are_promised() -> None:
    """Nothing here rests on chance: the two outputs of the same seed are doubles."""
    claim = PrivacyClaim(floating_point="off")
    report = audit(unseeded, epsilon=[0.5, 0.5, 1.0], task="mean", budget=2_000, privacy=claim)
    assert report.verdict == "fail"
    assert OTHER_NUMBERS in formats.markdown(report)
    assert "its numbers will differ" in formats.page(report)
    for told in (formats.terminal(report), formats.pipe(report), formats.junit(report)):
        assert "replay (its numbers will differ)" in " ".join(told.split())
    assert OTHER_NUMBERS in formats.failed_test(report)


def test_what_was_not_traced_is_told_with_its_reason_and_not_as_nothing_found() -> None:
    assert _told(Outcome((), details={NOT_TRACED: "too few calls"})) == "not traced: too few calls"
    assert _told(Outcome(())) == worst(Outcome(()))


def test_of_all_failures_calculated_ones_come_first() -> None:
    def finding(name: str, subject: str, verdict: str, evidence: str) -> Finding:
        return Finding(name, subject, "privacy", verdict, evidence, "")  # type: ignore[arg-type]

    found = [
        finding("a", "one", "pass", "traced"),
        finding("b", "one", "fail", "tested"),
        finding("c", "one", "fail", "traced"),
        finding("d", "two", "fail", "tested"),
        finding("e", "two", "fail", "traced"),
    ]
    assert [each.id for each in worst_first(found)] == ["c", "e", "b", "d", "a"]


def test_a_line_of_check_is_wrapped_for_a_terminal_alone() -> None:
    line = "smallest violation detected with 80% power, in times the promise, per tier (20,000 calls, confidence 0.99):"
    assert fitted(line, None) == [line]
    assert max(map(len, fitted(line, 72))) <= 72
    assert " ".join(part.strip() for part in fitted(line, 72)) == line
