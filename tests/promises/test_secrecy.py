"""Secret demands: outputs that tell what a user demands are refuted, others are not."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hdp_audit import PrivacyClaim, audit

Floats = NDArray[np.float64]

DEMANDS = [0.1] * 3 + [1.0] * 3
SECRET = PrivacyClaim(demands="secret", floating_point="off", trace="off")


def counted(data: Floats, epsilon: Floats, rng: np.random.Generator) -> float:
    """Noise for the least demand that there may be: it depends on nobody's."""
    return round(float(data.sum() + rng.laplace(0.0, 10.0)), 3)


def tells(data: Floats, epsilon: Floats, rng: np.random.Generator) -> float:
    """Every datum is as private as in `counted`, but the sum of demands can be read off the output."""
    return round(float(100 * epsilon.sum()), 0) * 1000 + counted(data, epsilon, rng)


def test_an_output_that_tells_demands_is_refuted_only_where_they_are_secret() -> None:
    public = audit(tells, epsilon=DEMANDS, task="mean", budget=4_000, confidence=0.99, detect=30)
    assert public.verdict == "pass"
    secret = audit(tells, epsilon=DEMANDS, task="mean", budget=4_000, confidence=0.99, privacy=SECRET)
    refuted = {finding.label for finding in secret.findings if finding.verdict == "fail"}
    assert refuted == {"privacy/demands/0.1", "privacy/demands/1"}
    finding = next(finding for finding in secret.findings if finding.label == "privacy/demands/0.1")
    assert finding.claimed == 1.1  # the promises of both demands together
    assert finding.counterexample is not None
    assert finding.counterexample.first.endswith("demanding ε = 0.1")
    assert finding.counterexample.second.endswith("demanding ε = 1")


def test_an_output_that_depends_on_no_demand_is_not_refuted() -> None:
    report = audit(counted, epsilon=DEMANDS, task="mean", budget=4_000, confidence=0.99, privacy=SECRET)
    assert report.verdict in ("pass", "inconclusive")
    assert sum(finding.label.startswith("privacy/demands/") for finding in report.findings) == 2


def test_equal_demands_leave_it_open() -> None:
    report = audit(counted, epsilon=[0.1] * 4, task="mean", budget=4_000, confidence=0.99, privacy=SECRET)
    (open_,) = [finding for finding in report.findings if finding.label.startswith("privacy/demands/")]
    assert open_.verdict == "inconclusive"
    assert "everybody demands the same" in open_.message
