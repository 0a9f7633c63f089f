"""A correct mean, audited with a small budget, and what the audit says of its behaviour."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from hdp_audit import audit
from hdp_audit.model import AuditReport, Finding, PrivacyClaim

FORMULA = PrivacyClaim(floating_point="off")
EPSILON = [0.5] * 10
Rng = np.random.Generator


def released(data: np.ndarray, epsilon: np.ndarray, rng: Rng, size: int) -> np.ndarray:
    """A correct mechanism that spends every demand; its noise has scale 0.2."""
    return (epsilon @ data + rng.laplace(size=size)) / epsilon.sum()


def audited(mechanism: Callable[..., Any], **options: Any) -> AuditReport:
    return audit(mechanism, **{"epsilon": EPSILON, "task": "mean", "budget": 6000, "privacy": FORMULA, **options})


def behaviour(report: AuditReport) -> dict[str, Finding]:
    return {f.id.partition("/behaviour/")[2]: f for f in report.findings if f.kind == "behaviour"}


def verdicts(report: AuditReport, kind: str = "privacy") -> set[str]:
    return {finding.verdict for finding in report.findings if finding.kind == kind}


def single(data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
    return float(released(data, epsilon, rng, 1)[0])


def with_batch(batch: Callable[..., np.ndarray]) -> Callable[..., float]:
    def release(data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
        return single(data, epsilon, rng)

    release.batch = batch  # type: ignore[attr-defined]
    return release
