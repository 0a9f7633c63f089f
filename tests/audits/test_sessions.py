"""Sessions under audit: the promise is on all answers together, and what is asked may depend on what was answered."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from hdp_audit import AuditReport, GaussianDP, Remove, audit, trace
from hdp_audit.errors import InvalidInput
from hdp_audit.model.claim import AccuracyClaim, PrivacyClaim
from hdp_audit.model.promise import Promise

EPSILON = [1.0] * 4
PLAIN = PrivacyClaim(floating_point="off", trace="off")
SURE = 1.0 - 1e-6  # of audits that must not refute: a false alarm has probability at most 10⁻⁶


class Spent(Exception):
    """No budget is left."""


class Sums:
    """Answers two sums, each at half of what everybody demands."""

    answers = 2

    def __init__(self, data: Any, epsilon: Any, rng: Any) -> None:
        self.exact, self.rng, self.left = float(epsilon @ data) / 2, rng, self.answers

    def total(self) -> float:
        if not self.left:
            raise Spent
        self.left -= 1
        return round(self.exact + self.rng.laplace(), 2)


class Loose(Sums):
    """Two more than it may."""

    answers = 4


class Threefold(Sums):
    """One more than it may."""

    answers = 3


def four(service: Sums) -> list[Any]:
    """As many questions as the loose one answers; refusals are symbols."""
    told: list[Any] = []
    for _ in range(4):
        try:
            told.append(service.total())
        except Spent:
            told.append("spent")
    return told


def verdicts(report: AuditReport) -> dict[str, str]:
    return {finding.id.partition("/")[2]: finding.verdict for finding in report.findings}


def asked(service: Any, session: Any = four, **more: Any) -> AuditReport:
    settings = {"epsilon": EPSILON, "task": "mean", "budget": 3000, "privacy": PLAIN, **more}
    return audit(service, session=session, **settings)


@pytest.fixture(scope="module")
def loose() -> AuditReport:
    """Read by several tests."""
    return asked(Loose)


def test_the_promise_is_on_all_answers_together(loose: AuditReport) -> None:
    kept = asked(Sums, confidence=SURE, privacy=PrivacyClaim(detect=3, floating_point="off", trace="off"))
    assert verdicts(kept) == {"privacy/tier/1": "pass"}
    assert verdicts(loose)["privacy/tier/1"] == "fail"
    one = asked(Loose, lambda service: service.total(), confidence=SURE, budget=1000)
    assert one.verdict != "fail"  # a single answer of the loose one keeps the promise


def test_the_report_speaks_of_a_custom_task_and_names_symbols_and_places(loose: AuditReport) -> None:
    assert [subject.task for subject in loose.subjects] == ["custom"]
    event = loose.findings[0].counterexample
    assert event is not None
    assert "output 3" in event.event
    assert "'spent'" not in event.event  # which never came


def test_power_is_that_of_outputs_like_those_seen() -> None:
    """Sixteen answers that lose ε together hardly tell anything: they must not pass as one answer would."""

    def many(service: Sums) -> list[float]:
        return [round(service.exact / 8 + service.rng.laplace(), 2) for _ in range(16)]

    report = asked(Sums, many, confidence=SURE, budget=2000)
    assert {finding.verdict for finding in report.findings} == {"inconclusive"}
    assert all("far less than promised" in finding.message for finding in report.findings)


def test_of_one_user_alone_in_a_session_no_power_is_claimed() -> None:
    privacy = PrivacyClaim(detect_single=1000.0, floating_point="off", trace="off")
    report = asked(Sums, confidence=SURE, budget=1000, privacy=privacy)
    (single,) = [finding for finding in report.findings if finding.id == "Sums/privacy/single"]
    assert single.verdict == "inconclusive"
    assert "cannot be said" in single.message


def test_texts_that_nobody_could_read_do_not_pass() -> None:
    def wordy(service: Sums) -> list[Any]:
        return [service.total(), f"at {service.rng.random()} o'clock"]

    report = asked(Sums, wordy, confidence=SURE, budget=1000)
    tiers = [finding for finding in report.findings if finding.scope == "tier"]
    assert len(tiers) == 1
    assert all(finding.verdict == "inconclusive" and finding.facts["unread"] == ["output 1"] for finding in tiers)


def test_transcripts_on_own_data_are_not_shown() -> None:
    """A counterexample on other data lists the outputs that were seen, but none of a session with the user's own."""

    def blunt(service: Sums) -> str:
        tenths = round(20 * service.exact, 6)
        own = tenths.is_integer() and tenths % 10 > 0  # of which no other dataset has a sum
        return "my secret" if own else "high" if service.exact > 1 else "low"

    told = [json.dumps(asked(Sums, blunt, budget=1000, data=data).to_json()) for data in (None, [0.1] * 4)]
    assert all('"fail"' in text for text in told)
    assert "my secret" not in told[1]
    assert "the output is 'high'" in told[0]


LAST = [0.0]


class Chatty(Sums):
    """Adds what the session before it was about: a global of its module."""

    def __init__(self, data: Any, epsilon: Any, rng: Any) -> None:
        super().__init__(data, epsilon, rng)
        self.exact, LAST[0] = self.exact + LAST[0], 3 * float(epsilon @ data)


class Shared(Sums):
    """All objects have one budget, in an attribute of the class."""

    spent = [0]  # noqa: RUF012 - the mistake

    def total(self) -> float:
        self.spent[0] += 1
        if self.spent[0] > 40:
            raise Spent
        return super().total()


def test_state_in_a_global_is_found() -> None:
    found = [finding for finding in asked(Chatty, budget=1000).findings if finding.id == "Chatty/privacy/state"]
    assert [finding.verdict for finding in found] == ["fail"]


def test_state_in_an_attribute_of_the_class_does_not_pass() -> None:
    report = asked(Shared, budget=1000)
    assert report.verdict != "pass"
    assert verdicts(report)["behaviour/inert"] == "inconclusive"


def test_an_exception_that_nobody_catches_is_an_error_and_so_is_an_analyst_without_a_transcript() -> None:
    def careless(service: Sums) -> list[float]:
        return [service.total() for _ in range(3)]

    def silent(service: Sums) -> None:
        service.total()

    for analyst, name, words in ((careless, "raised", "Spent"), (silent, "wrong-type", "returns all that it was told")):
        report = asked(Sums, analyst, budget=1000)
        assert report.verdict == "error"
        found = [finding for finding in report.findings if finding.id == f"Sums/behaviour/call/{name}"]
        assert [words in finding.message for finding in found] == [True]


def test_losses_of_a_session_are_traced_through_all_its_draws() -> None:
    found = trace(Threefold, session=four, epsilon=[0.5], task="mean")
    assert found.breaks
    np.testing.assert_allclose(found.losses, [0.75], rtol=1e-9)  # three answers of a quarter each


def test_a_session_whose_draws_depend_on_answers_says_that_it_is_not_traced() -> None:
    def curious(service: Sums) -> list[float]:
        first = service.total()
        return [first, service.total()] if first > 1 else [first]

    found = trace(Sums, session=curious, epsilon=EPSILON, task="mean")
    assert not found.traceable
    assert "depends on the data or on other draws" in found.why


class Normal:
    """Every answer has half of μ² that everybody was promised, or half of ε."""

    def __init__(self, data: Any, rng: Any, mu: Any) -> None:
        self.exact, self.rng = float(mu @ data), rng

    def total(self) -> float:
        return round(self.exact + self.rng.normal(0.0, 2**0.5), 2)


@pytest.mark.parametrize(("questions", "verdict"), [(2, "pass"), (10, "fail")])
def test_normal_noise_under_removal_is_judged_over_the_whole_session(questions: int, verdict: str) -> None:
    def patient(service: Normal) -> list[float]:
        return [service.total() for _ in range(questions)]

    promise: Promise = GaussianDP([1.0] * 4)
    report = audit(
        Normal,
        session=patient,
        promise=promise,
        neighbours=Remove(),
        task="mean",
        budget=2000,
        confidence=SURE if verdict == "pass" else 0.999,
        privacy=PLAIN,
    )
    assert verdicts(report)["privacy/tier/1"] == verdict


def test_pairs_and_categories_have_sessions_too() -> None:
    def pairs() -> Iterator[tuple[Any, Any, list[int]]]:
        yield np.zeros(4), np.array([1.0, 1.0, 0.0, 0.0]), [0, 1]

    assert verdicts(asked(Loose, task="custom", pairs=pairs, budget=1000)) == {"privacy/pair/0": "fail"}
    counted = asked(Sums, task="frequency", categories=2, budget=1000, confidence=SURE)
    assert counted.subjects[0].categories is None  # an output is a transcript, not a table
    assert verdicts(counted)["privacy/tier/1"] in ("pass", "inconclusive")


def test_errors_of_a_session_cannot_be_audited() -> None:
    with pytest.raises(InvalidInput, match="of a session only privacy can be audited"):
        asked(Sums, accuracy=AccuracyClaim(bound=0.1))
