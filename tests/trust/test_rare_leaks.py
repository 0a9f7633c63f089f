"""What a report says about rare leaks is what it would have refuted, not what it might have met."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hdp_audit.api import audit
from hdp_audit.model import AuditReport, Finding, PrivacyClaim
from hdp_audit.reporting.evidence import rarest_words
from hdp_audit.reporting.meaning import rare
from tests.reporting.sample_report import CONFIDENCE, demands, subject, tier
from tests.trust.formats import markdown, page, pipe, terminal

WHOLE = [terminal, pipe, page, markdown]


def report(*findings: Finding) -> AuditReport:
    return AuditReport((subject("m", demands()),), findings, CONFIDENCE, 1, 9)


def rarest(demand: float, value: float, verdict: str = "pass") -> Finding:
    return tier("m", demand, verdict, calls=10**9, facts={"rarest_refutable": value})


@pytest.mark.parametrize("written", WHOLE)
def test_the_least_favourable_tier_speaks_for_the_report(written: Callable[[AuditReport], str]) -> None:
    text = written(report(rarest(0.02, 1e-5), rarest(0.5, 1 / 250.5), rarest(2.0, 1e-4)))
    assert (
        "whatever the others' data are, in one call of 250, or more often, would have been refuted with probability "
        "0.8 in every tier tested" in text
    )


def test_tiers_that_did_not_pass_say_nothing() -> None:
    words = rare(report(rarest(0.02, 1e-3), rarest(0.5, 0.5, "inconclusive"), rarest(2.0, 0.4, "fail")))
    assert "one call of 1,000, or more often" in words
    assert "in every tier that passed" in words


def test_where_no_rare_leak_would_be_refuted_that_is_said() -> None:
    for value in (1.0, 0.7):
        words = rare(report(rarest(0.02, 1e-5), rarest(0.5, value)))
        assert words.startswith("No leak that happens only in some calls would have been refuted")
        assert "one call of" not in words


def test_without_a_tested_pass_nothing_follows() -> None:
    for findings in ([], [rarest(0.5, 1e-3, "fail")], [tier("m", 9.0, detectable=float("inf"), facts={})]):
        assert "nothing follows" in rare(report(*findings))


def test_a_share_is_never_rounded_in_favour_of_the_audit() -> None:
    for count in (2, 3, 7, 10, 49, 1000, 12_345):
        for share in (1 / count, 1 / (count + 0.999)):
            said = int(rarest_words(share).rpartition(" ")[2].replace(",", ""))
            assert 1 / said >= share * (1 - 1e-12)
    for odd in (0.0, 0.51, 1.0, float("nan"), float("inf"), 5e-324, -1.0):
        assert "none" in rarest_words(odd)


def test_calls_alone_are_no_power() -> None:
    """As many calls as one likes: what counts is what the finding says that they would have refuted."""
    assert "nothing follows" in rare(report(tier("m", 0.5, calls=10**9, facts={})))


def raw_release_in_a_thousand(data: Any, epsilon: Any, rng: np.random.Generator) -> float:
    return float(batch(data, epsilon, rng, 1)[0])


def batch(data: Any, epsilon: Any, rng: np.random.Generator, size: int) -> Any:
    noisy = (epsilon @ data + rng.laplace(scale=1.0, size=size)) / epsilon.sum()
    return np.where(rng.random(size) < 1e-3, 7.0 + data.mean(), noisy)


raw_release_in_a_thousand.batch = batch  # type: ignore[attr-defined]


def test_a_pass_that_misses_a_raw_release_in_a_thousand_calls_does_not_claim_to_have_excluded_it() -> None:
    claim = PrivacyClaim(detect=5.0, floating_point="off")
    found = audit(raw_release_in_a_thousand, epsilon=[0.5] * 20, task="mean", budget=8_000, seed=1, privacy=claim)
    assert found.verdict == "pass"  # a miss, and with these calls it must be
    for written in WHOLE:
        said = [int(number.replace(",", "")) for number in re.findall(r"one call of ([\d,]*\d)", written(found))]
        assert said
        assert max(said) < 1000
        assert "once in" not in written(found)
