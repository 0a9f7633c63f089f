"""Errors of tables in ℓ1 and ℓ2: claims that hold are not refuted, claims that do not are; the words say which norm."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from hdp_audit.audits.accuracy import audit_accuracy
from hdp_audit.audits.claimed import claimed_bound
from hdp_audit.audits.measure import errors_of
from hdp_audit.audits.share import Share
from hdp_audit.config.load import read_spec
from hdp_audit.errors import HdpAuditError
from hdp_audit.model.claim import AccuracyClaim
from hdp_audit.model.vocabulary import MetricName, NormName
from hdp_audit.targets.reference import Audited
from hdp_audit.targets.subject import Subject
from tests.subjects import subject_of

SHARE = Share(calls=30_000, significance=1e-6, confidence=0.999, seed=3)
EPSILON = np.array([0.3] * 20 + [1.5] * 10)


def table(name: str = "hpf-cp-hull") -> Subject:
    return subject_of(Audited(name, EPSILON, task="frequency", categories=4), EPSILON, 4, name)


@pytest.mark.parametrize("norm", ["l2", "l1"])
@pytest.mark.parametrize("metric", ["pac", "mse"])
def test_the_theorem_holds_and_a_fifth_of_it_does_not(norm: NormName, metric: MetricName) -> None:
    """False alarms with probability 1e-6 at most; a table that errs five times as much as claimed is refuted."""
    honest = audit_accuracy(table(), AccuracyClaim(metric=metric, norm=norm), SHARE).findings[0]
    assert honest.verdict in ("pass", "inconclusive")
    assert honest.id == f"hpf-cp-hull/accuracy/correlated/{metric}/{norm}"
    assert f"ℓ{norm[1]} error" in honest.message
    assert honest.facts["norm"] == norm
    short = claimed_bound(table(), AccuracyClaim(metric=metric, norm=norm))[0] / (5 if metric == "pac" else 25)
    assert (
        audit_accuracy(table(), AccuracyClaim(metric=metric, norm=norm, bound=short), SHARE).findings[0].verdict
        == "fail"
    )


def test_a_catalog_name_is_claimed_in_the_norm_it_can_be_made_for() -> None:
    made = claimed_bound(table(), AccuracyClaim(norm="l1", bound="hpf-cp-hull"))[0]
    own = claimed_bound(table(), AccuracyClaim(norm="l1"))[0]
    other = claimed_bound(table(), AccuracyClaim(norm="l1", bound="hpf-cp"))[0]
    assert made <= own <= other


def test_errors_are_lengths_and_failures_are_the_worst_answer() -> None:
    truth = np.array([0.5, 0.25, 0.25])
    rows = np.array([[0.5, 0.25, 0.25, 0.0], [0.6, 0.15, 0.25, 0.0], [9.0, -9.0, 9.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
    assert errors_of(rows, truth, "l1") == pytest.approx([0, 0.2, 2.0, 2.0])
    assert errors_of(rows, truth, "l2") == pytest.approx([0, 0.02**0.5, 1.375**0.5, 1.375**0.5])
    assert errors_of(rows, truth) == pytest.approx([0, 0.1, 1, 1])


def test_a_black_box_that_is_off_everywhere_by_little_is_refuted_in_l1_alone() -> None:
    """Each of ten categories is off by 0.04: within 0.05 each, but 0.4 together."""
    epsilon = np.full(40, np.inf)

    def off(data: NDArray[np.int64], epsilon: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
        return np.asarray(np.bincount(data, minlength=10) / data.size + 0.04 * np.resize([1, -1], 10))

    subject = subject_of(off, epsilon, 10, "off")
    for norm, verdict in (("linf", "pass"), ("l1", "fail")):
        claim = AccuracyClaim(metric="pac", bound=0.05 if norm == "linf" else 0.3, norm=norm)  # type: ignore[arg-type]
        assert audit_accuracy(subject, claim, Share(4_000, 1e-6, 0.999, 1)).findings[0].verdict == verdict


SPEC = """
[mechanism]
reference = "{name}"
task = "{task}"
{categories}

[demands]
values = [0.5, 0.5, 1.0]

[accuracy]
norm = "{norm}"
"""


def test_a_spec_may_ask_for_a_norm_of_a_table_only(tmp_path: Path) -> None:
    path = tmp_path / "spec.toml"
    path.write_text(SPEC.format(name="hpf-cp", task="frequency", categories="categories = 3", norm="l2"))
    assert read_spec(path).accuracy == AccuracyClaim(norm="l2")
    path.write_text(SPEC.format(name="hpm-cp", task="mean", categories="", norm="l2"))
    with pytest.raises(HdpAuditError, match='norm = "l2"; leave it out: a mean has one number'):
        read_spec(path)
    path.write_text(SPEC.format(name="hpf-cp", task="frequency", categories="categories = 3", norm="l7"))
    with pytest.raises(HdpAuditError, match="linf, l2, l1"):
        read_spec(path)
