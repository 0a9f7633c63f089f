"""Sums, counts and means in units of the user's own: the figures of the standard task, times the width of the range."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hdp_audit import AccuracyClaim, Categories, Domain, Labels, OptimalityClaim, PrivacyClaim, Range, Table, audit
from hdp_audit.audits.accuracy import AccuracyCheck
from hdp_audit.audits.case import Case
from hdp_audit.audits.optimality import OptimalityCheck
from hdp_audit.audits.share import Share
from hdp_audit.errors import InvalidInput
from hdp_audit.model import PrivacyDemands
from hdp_audit.model.finding import Finding
from hdp_audit.model.named_tasks import named_task
from hdp_audit.targets.subject import Subject

USERS, NOISE = 16, 0.05
EPSILON = np.full(USERS, 0.5)
SHARE = Share(4_000, 1e-6, 0.999, 1)
CITIES = Labels(["Berlin", "Paris", "Rome"])


def shares(data: Any) -> Any:
    return np.array([np.mean(data == each) for each in CITIES.labels])


FORMS: list[tuple[str, Domain | None, Any, float]] = [
    ("mean", Range(20_000, 200_000), lambda data: data.mean(), 180_000),
    ("mean", Range(-3, -1), lambda data: data.mean(), 2),
    ("sum", Range(-0.5, 0.5), lambda data: data.sum(), USERS),
    ("sum", None, lambda data: data.sum(), USERS),
    ("frequency", CITIES, shares, 1),
    ("count", CITIES, lambda data: USERS * shares(data), USERS),
    ("count", None, lambda data: float(data.sum()), USERS),
]


def figures(task: str, domain: Domain | None, answer: Any, scale: float, metric: Any) -> tuple[Finding, ...]:
    """Of accuracy and optimality, for the same noise in standard terms."""

    def noisy(data: Any, epsilon: Any, rng: Any) -> Any:
        found = answer(data)
        return found + scale * NOISE * rng.standard_normal(np.shape(found))

    bound = AccuracyClaim(metric=metric, bound=0.3 * scale if metric == "pac" else 0.05 * scale**2)
    case = Case.of(
        "noisy",
        lambda: noisy,
        PrivacyDemands.from_values(EPSILON),
        named_task(task, None, domain),
        domain=domain,
        accuracy=bound,
        optimality=OptimalityClaim(),
    )
    subject: Subject = case.subject()
    return AccuracyCheck(case, SHARE).run(subject).findings + OptimalityCheck(case, SHARE).run(case.subject()).findings


@pytest.mark.parametrize("metric", ["pac", "mse"])
@pytest.mark.parametrize(("task", "domain", "answer", "scale"), FORMS[:4])
def test_errors_of_means_and_sums_are_those_of_the_unit_times_the_scale(
    task: str, domain: Any, answer: Any, scale: float, metric: str
) -> None:
    """The data and draws are the same, but for the last digits."""
    standard = figures("mean", None, lambda data: data.mean(), 1.0, metric)
    for one, other in zip(figures(task, domain, answer, scale, metric), standard, strict=True):
        assert one.verdict == other.verdict
        per = scale**2 if one.metric == "mse" else scale
        for field in ("claimed", "detectable"):
            known = getattr(other, field)
            assert getattr(one, field) == (None if known is None else pytest.approx(per * known, rel=1e-9))
        assert one.lower is not None
        assert other.lower is not None
        assert one.lower.value == pytest.approx(per * other.lower.value, rel=1e-6)
        assert one.witness["measured"] == pytest.approx(per * other.witness["measured"], rel=1e-6)


@pytest.mark.parametrize(("task", "domain", "answer", "scale"), FORMS[4:])
def test_counts_err_by_so_many_users(task: str, domain: Any, answer: Any, scale: float) -> None:
    accuracy = figures(task, domain, answer, scale, "pac")[0]
    assert accuracy.verdict == "pass", accuracy.message
    assert (
        1.5 * NOISE * scale < accuracy.witness["measured"] < 4.5 * NOISE * scale
    )  # |normal| below these 95% of the time
    assert "category" not in accuracy.message


def test_a_bound_in_dollars_is_refuted_in_dollars() -> None:
    def release(data: Any, epsilon: Any, rng: Any) -> float:
        return float(data.mean() + rng.laplace(0, 40_000))

    claims: dict[str, Any] = {"privacy": PrivacyClaim(floating_point="off"), "accuracy": AccuracyClaim(bound=9_000)}
    report = audit(release, epsilon=EPSILON, task="mean", domain=Range(0, 200_000), budget=2_000, **claims)
    (found,) = [each for each in report.findings if each.kind == "accuracy"]
    assert found.verdict == "fail"
    assert found.claimed == 9_000
    assert found.witness["measured"] > 50_000
    assert "at 200000" in found.message or "numbers" in found.message or "random" in found.message


@pytest.mark.parametrize(
    ("task", "domain", "words"),
    [
        ("mean", CITIES, r"give domain=Range\(low, high\), or task = 'custom'"),
        ("count", Range(0, 1), "where everybody has 0 or 1"),
        ("frequency", Table({"a": Range(0, 1)}), "categories"),
        ("vector-mean", Range(0, 1), "give domain=Vector"),
        ("sum", Categories(3), "Range"),
        ("median", Range(0, 1), "allowed: mean, frequency, sum, count"),
    ],
)
def test_a_task_with_another_domain_is_refused(task: Any, domain: Domain, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        audit(shares, epsilon=EPSILON, task=task, domain=domain)


def lacking(data: Any) -> dict[str, float]:
    return {"Berlin": float(data.size), "Paris": 0.2}


def by_size(data: Any) -> dict[str, float]:
    return dict(sorted(zip(CITIES.labels, shares(data), strict=True), key=lambda pair: pair[1]))


@pytest.mark.parametrize(
    ("answers", "words"),
    [
        (lacking, "a dict of 2 keys that are not the 3 labels"),
        (by_size, "its keys in another order"),
    ],
)
def test_a_dict_without_its_labels_or_with_an_order_of_its_own_is_an_error(answers: Any, words: str) -> None:
    def release(data: Any, epsilon: Any, rng: Any) -> Any:
        return {key: float(value + rng.laplace()) for key, value in answers(data).items()}

    claim = PrivacyClaim(floating_point="off", trace="off")
    report = audit(release, epsilon=EPSILON, task="frequency", domain=CITIES, budget=300, privacy=claim)
    assert report.verdict in ("error", "fail")  # an order that tells data is a breach as well
    assert words in " ".join(found.message for found in report.findings)
