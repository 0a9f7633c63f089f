"""From a mechanism and its claim to a report."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from hdp_audit.auditors.privacy import Plan, audit_privacy
from hdp_audit.errors import InvalidInput
from hdp_audit.model import PrivacyDemands
from hdp_audit.model.report import AuditReport
from hdp_audit.sampling.subject import Subject


def audit(
    mechanism: Callable[..., Any],
    *,
    epsilon: ArrayLike,
    task: Literal["mean", "frequency"],
    categories: int | None = None,
    confidence: float = 0.999,
    budget: int = 1_000_000,
    seed: int = 1,
    detect: float = 2.0,
) -> AuditReport:
    """Audit the privacy of a callable `(data, epsilon, rng)`.

    A report with one finding a demand tier and one a named user.
    """
    demands = PrivacyDemands.from_values(np.asarray(epsilon, dtype=np.float64))
    if (task == "frequency") != (categories is not None):
        raise InvalidInput(
            f"task = {task!r} with categories = {categories!r}; frequencies need categories, a mean has none"
        )
    if not 0.5 <= confidence < 1:
        raise InvalidInput(f"confidence = {confidence}; give a number from 0.5 to below 1")
    if budget < 1000:
        raise InvalidInput(f"budget = {budget}; give at least 1000 calls")
    subject = Subject(mechanism, demands.values, categories)
    plan = Plan(confidence, budget, seed, detect)
    findings = audit_privacy(subject, plan)
    return AuditReport(subject.name, tuple(findings), confidence, seed, subject.calls)
