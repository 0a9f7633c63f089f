"""Where a test refutes the very pair on which the draws allow less, nobody is accused; elsewhere the test stands."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from hdp_audit import PrivacyClaim, PrivacyDemands, audit
from hdp_audit.audits.case import Case
from hdp_audit.audits.contradiction import without_contradictions
from hdp_audit.audits.share import Outcome
from hdp_audit.model.bound import Bound
from hdp_audit.model.counterexample import Counterexample, Guesses
from hdp_audit.model.finding import Finding
from hdp_audit.model.task import Mean

UNRECORDED = np.random.laplace
CLAIM = PrivacyClaim(floating_point="off")


def changing(data: Any, epsilon: Any, rng: Any) -> float:
    """All of the noise while generators are recorded, and a quarter of it in every other call."""
    less = 1.0 if np.random.laplace is not UNRECORDED else 0.25
    return float(np.sum(data) + rng.laplace(0.0, less / np.min(epsilon)))


def pairs() -> Iterator[Any]:
    yield np.zeros(3), np.array([0.0, 0.0, 1.0]), [2]


@pytest.fixture(scope="module")
def alone() -> Any:
    """One pair, refuted by calls with a false alarm of 1e-3 at most; a quarter of the noise takes a few hundred."""
    return audit(changing, epsilon=[1.0] * 3, task="custom", pairs=pairs, budget=40_000, privacy=CLAIM)


def test_the_same_pair_is_left_open_with_both_numbers(alone: Any) -> None:
    private = [finding for finding in alone.findings if finding.kind == "privacy"]
    assert [finding.verdict for finding in private] == ["inconclusive"] * 2
    tested = next(finding for finding in private if finding.evidence == "tested")
    assert tested.lower is not None
    assert tested.lower.value > 1.0
    for finding in private:
        assert f"at least {tested.lower.value:.6g}" in finding.message
        assert "1 at most" in finding.message


def refuted(users: tuple[int, ...], base: str, lower: float) -> Finding:
    shown = Counterexample(base, users, 0.2 * len(users), "one", "the other", "output ≥ 1", Guesses(75, 75), 0.8)
    found = Bound.lower(lower, "bets", 0.999)
    return Finding.about(
        "m", "privacy", "tier/0.2", "fail", "refuted", lower=found, counterexample=shown, users=users, claimed=0.2
    )


@pytest.mark.parametrize(
    ("finding", "verdict"),
    [
        (refuted((3,), "everybody at 0", 0.4), "inconclusive"),
        (refuted((3,), "everybody at 0", 0.25), "fail"),  # the draws allow as much
        (refuted((4,), "everybody at 0", 0.4), "fail"),  # nothing is known of this user
        (refuted((3,), "your data", 0.4), "fail"),
        (refuted((0, 3), "everybody at 0", 0.4), "fail"),
    ],
    ids=["the same pair", "no contradiction", "not traced", "own data", "a group"],
)
def test_only_the_same_pair_is_left_open(finding: Finding, verdict: str) -> None:
    case = Case.of("m", lambda: changing, PrivacyDemands.from_values([0.2] * 5), Mean(), privacy=CLAIM)
    losses = np.array([0.2, 0.2, 0.2, 0.3, np.nan])
    assert [each.verdict for each in without_contradictions(case, [finding], [Outcome((), traced=losses)])] == [verdict]
