"""The privacy auditor catches planted mistakes and acquits the innocent: a small, seeded selection."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

from hdp_audit.api import audit
from hdp_audit.errors import InvalidInput
from hdp_audit.model import AuditReport, Finding, PrivacyClaim
from hdp_audit.model.claim import FloatingPoint
from hdp_audit.model.report import Refuted
from hdp_audit.targets.reference import Audited
from mechanisms.broken import FAULTS
from tests.subjects import audited_fault

GLARING = ["half-noise", "missing-factor-two", "reused-noise", "fixed-seed", "no-noise"]
ACQUITTED = ["too-much-noise", "unclipped", "heavy-tails", "float-noise"]


@cache  # several tests read the report of one audit
def audited(name: str, budget: int = 6_000, seed: int = 1, floating_point: FloatingPoint = "off") -> AuditReport:
    return audited_fault(FAULTS[name], budget, seed, floating_point)


@pytest.mark.many(2)
@pytest.mark.parametrize("name", [*GLARING, "mean-not-max", "mean-demand", "sorted-demands", "crash-on-zero"])
def test_a_planted_mistake_is_refuted(name: str) -> None:
    report = audited(name)
    assert report.verdict == "fail"
    with pytest.raises(Refuted, match="privacy"):
        report.raise_for_verdict()


@pytest.mark.many(2)
@pytest.mark.parametrize("name", ACQUITTED)
def test_a_mistake_that_breaks_no_privacy_is_acquitted(name: str) -> None:
    """False-alarm probability 10⁻³ by the plan, far less as measured; the seed is fixed."""
    report = audited(name, budget=30_000)
    assert report.verdict == "pass", [f.message for f in report.findings]
    assert all(f.detectable is not None for f in report.findings if f.evidence == "tested")


def test_the_one_guilty_user_is_named() -> None:
    report = audited("one-user-twenty-times")
    assert [f.users for f in report.findings if f.verdict == "fail"] == [(417,)]


def test_a_loss_that_only_calm_calls_show_is_refuted() -> None:
    """SM with the noise of the sample at hand: no output by itself tells enough."""
    (found,) = (f for f in audited("sm-realised", budget=75_000).findings if f.verdict == "fail")
    assert found.users == (0,)
    assert found.lower is not None
    assert found.claimed == 0.5 < found.lower.value < FAULTS["sm-realised"].loss(np.array([0.5, 1.0]))[0]
    assert "abstain unless what outputs count sums to at most" in found.witness["event"]
    assert "measurement" not in found.witness


def test_shared_noise_is_an_error_and_not_an_accusation() -> None:
    report = audited("noise-drawn-once")
    assert report.verdict == "error"
    assert not [f for f in report.findings if f.verdict == "fail"]


def test_an_exception_is_a_finding_with_its_message() -> None:
    report = audited("crash-on-zero")
    assert any(f.kind == "behaviour" and "ZeroDivisionError" in f.message for f in report.findings)


def test_lower_bounds_stay_below_the_exact_losses() -> None:
    control = FAULTS["half-noise"]
    exact = control.loss(control.epsilon)
    for finding in audited("half-noise").findings:
        if finding.verdict == "fail" and finding.lower is not None:
            assert finding.lower.value <= exact[list(finding.users)].max()


def test_the_same_seed_gives_the_same_report() -> None:
    first, again = (audited.__wrapped__("half-noise").to_json() for _ in range(2))
    assert first["findings"] == again["findings"]
    assert first["totals"]["calls"] == again["totals"]["calls"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"task": "frequency"}, "categories"),
        ({"task": "mean", "confidence": 1.5}, "confidence"),
        ({"task": "mean", "budget": 0}, "budget"),
    ],
)
def test_a_wrong_option_is_refused_in_words(options: dict[str, object], told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        audit(FAULTS["half-noise"], epsilon=np.full(10, 0.5), **options)


def test_what_was_not_tried_does_not_pass() -> None:
    """A demand of 40 is beyond any count of calls; public users were promised nothing."""

    def release(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
        return float(np.clip(data.mean() + rng.laplace(0.0, 1.0), 0.0, 1.0))

    claim = PrivacyClaim(beyond="inconclusive", floating_point="off")
    report = audit(release, epsilon=[40.0, 40.0, np.inf], task="mean", budget=2_000, privacy=claim)
    verdicts = {finding.id.split("/", 1)[1]: finding.verdict for finding in report.findings}
    assert verdicts == {
        "privacy/tier/40": "inconclusive",
        "privacy/public": "pass",
        "behaviour/nothing-audited": "error",
    }


class Undeclared:
    """A reference mechanism as a stranger: nothing is known of its losses."""

    name = "stranger"

    def __init__(self, mechanism: Audited) -> None:
        self.batch, self.many, self._one = mechanism.batch, mechanism.many, mechanism

    def __call__(self, data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
        return self._one(data, epsilon, rng)


def float_finding(report: AuditReport) -> Finding:
    return next(finding for finding in report.findings if finding.kind == "float")


@pytest.mark.parametrize("seed", range(2))
def test_noise_in_doubles_leaks_through_its_bits_and_through_nothing_else(seed: int) -> None:
    report = audited("float-noise", budget=60_000, seed=seed, floating_point="fail")
    assert float_finding(report).verdict == "fail"
    assert "arithmetic" in float_finding(report).message
    assert "warning" not in float_finding(report).message
    assert 'floating_point = "warn"' in float_finding(report).message
    assert {finding.verdict for finding in report.findings if finding.kind == "privacy"} == {"pass"}


def test_a_warning_about_bits_is_no_failure() -> None:
    found = float_finding(audited("float-noise", budget=60_000, floating_point="warn"))
    assert found.verdict == "pass"
    assert found.message.startswith("only a warning, as the claim asks: ")
    assert "leaks" in found.message
    assert "accept it" not in found.message


@pytest.mark.many(2)
@pytest.mark.parametrize("factor", [1.3, 2.0])
def test_a_formula_that_leaks_in_exact_arithmetic_is_not_blamed_on_the_bits(factor: float) -> None:
    """A mechanism made for larger demands than it is audited for."""
    epsilon = np.repeat([0.1, 0.5], [100, 100])
    made_for_more = Audited("prop", factor * epsilon, task="mean", categories=None)
    report = audit(Undeclared(made_for_more), epsilon=epsilon, task="mean", budget=15_000)
    assert report.verdict == "fail"
    assert float_finding(report).verdict in ("pass", "inconclusive")


@pytest.mark.many(2)
@pytest.mark.parametrize("name", ["hpm-cp", "hpm-cp-centred", "sm", "ldp"])
def test_exact_noise_is_acquitted_bits_and_all(name: str) -> None:
    """At confidence 0.999; lower ≤ exact ≤ demand is shown as a sandwich."""
    epsilon = np.repeat([0.0, 0.05, 0.5, 2.0, np.inf], [3, 40, 100, 40, 2])
    mechanism = Audited(name, epsilon, task="mean", categories=None)
    report = audit(mechanism, epsilon=epsilon, task="mean", budget=30_000)
    assert report.verdict == "pass", [f.message for f in report.findings]
    for finding in report.findings:
        if "/tier/" in finding.id:
            assert finding.upper is not None
            assert finding.lower is None or finding.lower.value <= finding.upper.value + 1e-12
            assert finding.upper.value <= finding.claimed


def test_a_demand_beyond_all_calls_is_proved_where_the_loss_is_known() -> None:
    mechanism = Audited("hpm-cp", np.array([40.0, 40.0, 50.0]), task="mean", categories=None)
    report = audit(mechanism, epsilon=[40.0, 40.0, 50.0], task="mean", budget=5_000)
    assert {f.evidence for f in report.findings if "/tier/" in f.id} == {"proved"}


def test_the_event_is_told_in_words_that_can_be_checked_by_hand() -> None:
    witness = next(f for f in audited("half-noise").findings if f.verdict == "fail").witness
    assert {"base", "first", "second", "event", "right", "guesses", "confirmation"} <= set(witness)
    assert witness["base"] in witness["first"]
    assert witness["event"].startswith("guess the second dataset")
    assert "output" in witness["event"]
    assert witness["right"] <= witness["guesses"]
    assert witness["confirmation"]["refuted"]


def test_one_user_alone_can_be_made_binding() -> None:
    claim = PrivacyClaim(detect_single=1.01, floating_point="off")
    control = FAULTS["too-much-noise"]
    report = audit(control, epsilon=control.epsilon, task=control.task, budget=20_000, privacy=claim)
    assert report.verdict == "inconclusive"
    assert any(f.id.endswith("/privacy/single") for f in report.findings)
