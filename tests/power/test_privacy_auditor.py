"""The privacy auditor catches planted mistakes and acquits the innocent: a small, seeded selection."""

from __future__ import annotations

import numpy as np
import pytest

from hdp_audit.engine import audit
from hdp_audit.errors import InvalidInput
from hdp_audit.model.report import Refuted
from mechanisms.broken import CONTROLS

GLARING = ["half-noise", "missing-factor-two", "reused-noise", "fixed-seed", "no-noise"]
ACQUITTED = ["too-much-noise", "unclipped", "heavy-tails", "float-noise"]


def audited(name: str, budget: int = 30_000, seed: int = 1) -> object:
    control = CONTROLS[name]
    return audit(
        control,
        epsilon=control.epsilon,
        task=control.task,
        categories=control.categories,
        budget=budget,
        seed=seed,
    )


@pytest.mark.parametrize("name", [*GLARING, "mean-not-max", "mean-demand", "sorted-demands", "crash-on-zero"])
def test_a_planted_mistake_is_refuted(name: str) -> None:
    report = audited(name)
    assert report.verdict == "fail"
    with pytest.raises(Refuted, match="privacy"):
        report.raise_for_verdict()


@pytest.mark.parametrize("name", ACQUITTED)
def test_a_mistake_that_breaks_no_privacy_is_acquitted(name: str) -> None:
    """False-alarm probability 10⁻³ by the plan, far less as measured; the seed is fixed."""
    report = audited(name)
    assert report.verdict == "pass", [f.message for f in report.findings]
    assert all(f.detectable is not None for f in report.findings if f.evidence == "tested")


def test_the_one_guilty_user_is_named() -> None:
    report = audited("one-user-twenty-times")
    assert [f.users for f in report.findings if f.verdict == "fail"] == [(417,)]


def test_shared_noise_is_an_error_and_not_an_accusation() -> None:
    report = audited("noise-drawn-once")
    assert report.verdict == "error"
    assert not [f for f in report.findings if f.verdict == "fail"]


def test_an_exception_is_a_finding_with_its_message() -> None:
    report = audited("crash-on-zero")
    assert any(f.kind == "behaviour" and "ZeroDivisionError" in f.message for f in report.findings)


def test_lower_bounds_stay_below_the_exact_losses() -> None:
    control = CONTROLS["half-noise"]
    exact = control.loss(control.epsilon)
    for finding in audited("half-noise").findings:
        if finding.verdict == "fail" and finding.lower is not None:
            assert finding.lower.value <= exact[list(finding.users)].max()


def test_the_same_seed_gives_the_same_report() -> None:
    first, again = (audited("half-noise", budget=20_000).to_json() for _ in range(2))
    assert first["findings"] == again["findings"]
    assert first["totals"]["calls"] == again["totals"]["calls"]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"task": "frequency"}, "categories"),
        ({"task": "mean", "confidence": 1.5}, "confidence"),
        ({"task": "mean", "budget": 10}, "budget"),
    ],
)
def test_a_wrong_option_is_refused_in_words(options: dict[str, object], told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        audit(CONTROLS["half-noise"], epsilon=np.full(10, 0.5), **options)


def test_what_was_not_tried_does_not_pass() -> None:
    """A demand of 40 is beyond any count of calls; public users were promised nothing."""

    def release(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
        return float(np.clip(data.mean() + rng.laplace(0.0, 1.0), 0.0, 1.0))

    report = audit(release, epsilon=[40.0, 40.0, np.inf], task="mean", budget=2_000)
    verdicts = {finding.id.split("/", 1)[1]: finding.verdict for finding in report.findings}
    assert verdicts == {"privacy/tier/40": "inconclusive", "privacy/public": "pass"}
