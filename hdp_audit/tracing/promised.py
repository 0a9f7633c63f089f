"""How the losses of a promise are measured; None of a kind whose losses cannot be traced."""

from __future__ import annotations

import numpy as np

from hdp_audit.model.approximate import ApproximateDP, ApproximateLimit
from hdp_audit.model.gaussian import GaussianLimit
from hdp_audit.model.promise import Limit, Promise, PureLimit
from hdp_audit.model.zcdp import ConcentratedLimit
from hdp_audit.tracing.measure import Approximate, Concentrated, Gaussian, Measure, Pure


def measure_of(limit: Limit) -> Measure | None:
    """Of what some users may lose together."""
    if isinstance(limit, PureLimit) or limit.ratio:
        return Pure()
    if isinstance(limit, ApproximateLimit):
        return Approximate(np.array([limit.leaked]))
    if isinstance(limit, GaussianLimit):
        return Gaussian()
    return Concentrated() if isinstance(limit, ConcentratedLimit) else None


def measure_for(promise: Promise) -> Measure | None:
    """Of what each user may lose alone."""
    if not isinstance(promise, ApproximateDP):
        return measure_of(promise.group(np.arange(1)))
    delta = np.asarray(promise.columns["delta"])
    return Approximate(delta) if delta.any() else Pure()
