"""An interrupted run never reads as one that was done."""

from __future__ import annotations

import numpy as np

from hdp_audit import engine
from hdp_audit.audits.case import Case
from hdp_audit.audits.share import Outcome
from hdp_audit.config.spec import Run
from hdp_audit.model import PrivacyClaim, PrivacyDemands
from hdp_audit.model.task import Mean
from hdp_audit.runs.finish import finished
from hdp_audit.runs.job import Job


def noisy(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
    return float(data.mean() + rng.laplace(0.0, 1.0 / (data.size * epsilon.min())))


def test_an_interrupt_after_the_last_check_and_before_the_step_down_is_inconclusive() -> None:
    """Every check has its outcome, but a claim may still fall by the shares of others."""
    case = Case.of("m", lambda: noisy, PrivacyDemands.from_values([0.5] * 4), Mean(), privacy=PrivacyClaim())
    checks = engine.plan([case], confidence=0.999, budget=1000, seed=1)
    outcomes = {check.id: Outcome(()) for check in checks}
    job = Job((case,), Run(budget=1000), {})
    report = engine.assemble(checks, outcomes, 0.0)
    done = finished(report, job, checks, outcomes)
    stopped = finished(report, job, checks, outcomes, interrupted=True)
    assert "m/interrupted" not in {finding.id for finding in done.findings}
    (told,) = (finding for finding in stopped.findings if finding.id == "m/interrupted")
    assert (told.verdict, "--resume" in told.message) == ("inconclusive", True)
