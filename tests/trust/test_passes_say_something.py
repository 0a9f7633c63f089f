"""However few the calls: a pass of a claim of privacy says what would have been refuted, or reads as not examined."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hdp_audit import ZCDP, ApproximateDP, GaussianDP, Range, Remove, Vector, ZeroOut, audit
from hdp_audit.model import AuditReport, Finding
from hdp_audit.reporting.decision.badges import badges
from hdp_audit.reporting.markdown import report_markdown
from hdp_audit.reporting.verdicts import tally

Floats = NDArray[np.float64]
Rng = np.random.Generator


def mean(data: Floats, epsilon: Floats, rng: Rng) -> float:
    asked = epsilon[np.isfinite(epsilon) & (epsilon > 0)]
    return round(float(data[epsilon > 0].mean() + rng.laplace(0.0, 1.0 / (len(data) * asked.min()))), 2)


def word(data: Floats, epsilon: Floats, rng: Rng) -> str:
    return "yes" if data.sum() + rng.laplace(0.0, 1.0 / epsilon.min()) > 0 else "no"


def vector(data: Floats, epsilon: Floats, rng: Rng) -> Floats:
    return np.asarray(data.sum(axis=0) + rng.laplace(0.0, 2.0 / epsilon.min(), data.shape[1]))


def normal(data: Floats, mu: Floats, rng: Rng) -> float:
    return float(data.sum() + rng.normal(0.0, 1.0 / mu.min()))


def normal_rho(data: Floats, rho: Floats, rng: Rng) -> float:
    return float(data.sum() + rng.normal(0.0, math.sqrt(0.5 / rho.min())))


PAIRS = [(np.zeros(3), np.eye(3)[0], [0]), (np.zeros(3), np.eye(3)[1], [1])]
CASES: dict[str, tuple[Any, dict[str, Any]]] = {
    "one user": (mean, {"epsilon": [1.0], "task": "mean"}),
    "warned of bits": (mean, {"epsilon": [0.1] * 5, "task": "mean", "floating_point": "warn"}),
    "large demands": (mean, {"epsilon": [8.0] * 5, "task": "mean"}),
    "zero, small, public": (mean, {"epsilon": [0.0, 0.1, 0.1, np.inf], "task": "mean"}),
    "many tiers": (mean, {"epsilon": np.geomspace(0.1, 10, 12).tolist(), "task": "mean"}),
    "single and secret": (mean, {"epsilon": [0.5, 1.0], "task": "mean", "detect_single": 3.0, "demands": "secret"}),
    "words": (word, {"epsilon": [1.0] * 3, "task": "custom", "domain": Range(0, 1)}),
    "pairs": (word, {"epsilon": [1.0] * 3, "task": "custom", "pairs": lambda: iter(PAIRS)}),
    "vectors": (vector, {"epsilon": [2.0] * 6, "task": "vector-mean", "domain": Vector(2)}),
    "leaving": (mean, {"epsilon": [1.0] * 4, "task": "mean", "neighbours": Remove()}),
    "delta": (mean, {"promise": ApproximateDP([1.0] * 4, 1e-6), "task": "mean", "neighbours": ZeroOut()}),
    "gaussian": (normal, {"promise": GaussianDP([1.0] * 4), "task": "sum"}),
    "rho": (normal_rho, {"promise": ZCDP([0.5] * 4), "task": "sum"}),
}
BUDGETS = (1, 7, 100, 999, 1000, 1500, 2500)


def small(case: str, budget: int) -> AuditReport:
    mechanism, options = CASES[case]
    return audit(mechanism, budget=budget, inert="allow", trace="off", **options)


@pytest.mark.many(8)
@pytest.mark.parametrize("budget", BUDGETS)
@pytest.mark.parametrize("case", CASES)
def test_a_pass_of_few_calls_says_what_they_would_have_refuted_or_is_not_examined(case: str, budget: int) -> None:
    report = small(case, budget)
    for finding in report.findings:
        if finding.kind in ("privacy", "float") and finding.verdict == "pass" and finding.evidence == "tested":
            assert not finding.examined or math.isfinite(finding.detectable or math.inf), finding


def bits(report: AuditReport) -> Finding:
    return next(finding for finding in report.findings if finding.label == "float/bits")


def test_too_few_calls_for_the_bits_are_inconclusive_and_name_a_budget_that_is_enough() -> None:
    found = bits(small("one user", 1000))
    assert found.verdict == "inconclusive"
    assert "would have refuted no leak through the lowest bits" in found.message
    enough = int(found.message.split("budget of about ")[1].replace(",", ""))
    assert 1000 < enough < 4000
    assert bits(small("one user", enough)).verdict == "pass"


def test_bits_that_are_only_warned_of_or_beyond_the_calls_read_as_not_examined_everywhere() -> None:
    for case in ("warned of bits", "large demands"):
        report = small(case, 1000)
        found = bits(report)
        assert (found.verdict, found.examined) == ("pass", False)
        assert tally([found]) == "1 not examined"
        assert badges(report)[1].words == "not examined"
        assert "– not examined" in str(report)
        assert ">not examined</span>" in report.to_html().replace("</span> not examined", "</span>>not examined")
    assert small("large demands", 1000).verdict == "error"  # of which nothing at all was examined
    assert "– not examined" in report_markdown(small("large demands", 1000))
