"""Several pairs of datasets: each has its own claim, and calls flow to what pays; names are told in messages."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from hdp_audit import Labels, PureDP, audit
from hdp_audit.audits.pairs import FLOOR, raced
from hdp_audit.audits.share import Share
from hdp_audit.errors import InvalidInput
from hdp_audit.model.given_pairs import given_pair
from hdp_audit.model.task import Custom
from hdp_audit.targets.custom import Encoded
from hdp_audit.targets.subject import Subject

PROMISE = PureDP([0.7] * 4)
QUIET = 7  # pairs whose users lose what they may, beside one that loses more


def answer(losses):
    """Everybody's randomised response, at a loss of their own."""

    def answered(data, epsilon, rng):
        keep = rng.random(len(data)) < 1.0 / (1.0 + np.exp(-np.asarray(losses)))
        return [int(bit if kept else 1 - bit) for bit, kept in zip(data, keep, strict=True)]

    return answered


def alone(users: int):
    """A pair for each user."""

    def pairs():
        for user in range(users):
            yield [0] * users, [int(i == user) for i in range(users)], [user], f"only user {user}"

    return pairs


def found(report) -> list:
    return [finding for finding in report.findings if finding.kind == "privacy"]


def test_calls_flow_to_the_pair_that_pays() -> None:
    """The faulty user's loss of 0.8, where 0.4 was promised, takes more than an equal share of 1,000 calls.

    The others lose exactly 0.4; at confidence 0.999999 none of them falls.
    """
    users = QUIET + 1
    given = {"task": "custom", "pairs": alone(users), "confidence": 0.999999, "detect": 6.0, "trace": "off"}
    report = audit(answer([0.4] * QUIET + [0.8]), epsilon=[0.4] * users, budget=8_000, **given)
    *quiet, loud = found(report)
    assert {finding.verdict for finding in quiet} <= {"pass", "inconclusive"}
    assert all(finding.calls >= FLOOR * 1_000 for finding in quiet)
    assert loud.verdict == "fail"
    assert next(calls for calls, log in loud.witness["wealth"] if log >= loud.witness["limit"]) > 1_000


def test_a_pair_that_fell_leaves_its_calls_to_the_others() -> None:
    report = audit(answer([5.0, 0.5]), epsilon=[0.5] * 2, task="custom", pairs=alone(2), budget=8_000)
    first, second = found(report)
    assert first.verdict == "fail"
    assert second.calls > 5_000


def test_all_pairs_together_make_no_more_calls_than_the_budget() -> None:
    calls: Counter[int] = Counter()
    tight = answer([0.5] * 5)

    def counted(data, epsilon, rng):
        calls[sum(data)] += 1
        return tight(data, epsilon, rng)

    report = audit(counted, epsilon=[0.5] * 5, task="custom", pairs=alone(5), budget=5_000, confidence=0.999999)
    assert report.verdict != "fail"
    assert sum(finding.calls for finding in found(report)) <= 5_000


def test_names_of_pairs_and_of_outputs_are_in_messages() -> None:
    def told(data, epsilon, rng):
        return {"count": float(sum(data) + rng.laplace(0.0, 0.1)), "users": float(rng.normal())}

    report = audit(told, epsilon=[0.5] * 2, task="custom", pairs=alone(2), budget=3_000)
    first, second = found(report)
    assert first.message.startswith("pair 0 (only user 0) may lose 0.5 and loses at least")
    assert second.label == "privacy/pair/1"
    assert "output 'count'" in first.witness["event"]


def test_categories_by_name_are_told_by_name() -> None:
    def told(data, epsilon, rng):
        return [np.mean(data == city) + rng.laplace(0.0, 0.001) for city in ("Berlin", "Rome")]

    report = audit(told, epsilon=[0.5] * 9, task="frequency", domain=Labels(["Berlin", "Rome"]), budget=3_000)
    assert any("the number for 'Berlin'" in str(finding.witness) for finding in found(report))


@pytest.mark.parametrize(
    ("pair", "told"),
    [
        (([0], [1], [0], 3), "the fourth 3"),
        (([0], [1], [0], "a", "b"), "5 entries"),
        (([0], [1], [0], " "), "1 to 60 letters"),
        (([0], [1], [0], "a\nb"), "one line"),
        (([0], [1], [9], "far"), r"pair 0 \(far\): users"),
    ],
)
def test_bad_names_are_refused_in_words(pair, told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        audit(answer([1.0]), epsilon=[1.0], task="custom", pairs=lambda: [pair], budget=2_000)


@pytest.mark.full
def test_the_claims_of_a_race_keep_their_false_alarms() -> None:
    """Four pairs, each as different as it may be, 100 races at significance 1/8 a claim.

    Of 400 claims more than 90 fall with probability below 1e-6 (binomial: 50 are expected at most).
    """
    share = Share(300, 1 / 8, 0.5, 0)
    fell = 0
    for seed in range(100):
        given = [given_pair(number, pair, PROMISE) for number, pair in enumerate(alone(4)())]
        mechanism = Encoded(answer([0.7] * 4), [given[0].first, given[0].second], np.random.default_rng(seed))
        subject = Subject(mechanism, PROMISE, Custom(), "tight")
        subject.width = mechanism.width
        games = raced(subject, given, replace(share, seed=seed), lambda _game: True)
        fell += sum(game.largest >= game.wealth.goal for game in games)
    assert fell <= 90
