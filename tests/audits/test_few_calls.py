"""Budgets from one call on: nothing crashes, little is claimed, and large violations of vectors are refuted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hdp_audit import GaussianDP, Neighbours, PrivacyClaim, PureDP, Remove, Replace, Vector, ZeroOut, audit

Floats = NDArray[np.float64]

USERS, NUMBERS = 40, 60


def noisy_sum(scale: float) -> Any:
    """Weights by demand, normal noise; a scale of 2 is what replacement needs, of 1 what absence needs."""

    def release(data: Floats, mu: Floats, rng: np.random.Generator) -> Floats:
        return np.asarray(mu @ data + rng.normal(0.0, scale, data.shape[1]))

    return release


def of_vectors(scale: float, budget: int, neighbours: Neighbours | None = None, seed: int = 1) -> Any:
    promise = GaussianDP(np.where(np.arange(USERS) < 30, 0.5, 1.0))
    options: dict[str, Any] = {"task": "vector-mean", "domain": Vector(NUMBERS), "neighbours": neighbours}
    return audit(noisy_sum(scale), promise=promise, budget=budget, seed=seed, **options)


def laplace_mean(data: Floats, epsilon: Floats, rng: np.random.Generator) -> float:
    return float(data.mean() + rng.laplace(0.0, 1.0 / (len(data) * epsilon.min())))


@pytest.mark.parametrize("budget", [1, 2, 3, 7, 40, 200])
@pytest.mark.parametrize("neighbours", [Replace(), Remove(), ZeroOut()], ids=lambda relation: relation.name)
def test_any_budget_is_accepted_and_a_pass_says_what_it_assumes(budget: int, neighbours: Neighbours) -> None:
    report = audit(laplace_mean, epsilon=[0.5] * 6 + [np.inf], task="mean", budget=budget, neighbours=neighbours)
    assert report.verdict in ("pass", "inconclusive")
    assert report.calls <= budget + 9
    assert "it was not tested, but assumed, that calls are independent" in str(report.subjects[0].details)


def test_too_few_calls_to_refute_anything_are_no_pass() -> None:
    report = audit(laplace_mean, epsilon=[1.0] * 10, task="mean", budget=5)
    assert report.verdict == "inconclusive"
    pairs = audit(
        laplace_mean, epsilon=[1.0], task="custom", pairs=lambda: iter([(np.zeros(1), np.ones(1), [0])]), budget=1
    )
    assert pairs.verdict == "inconclusive"


def test_kept_noise_is_no_accusation_of_a_leak_in_few_calls_either() -> None:
    kept: dict[bytes, float] = {}

    def memoised(data: Floats, epsilon: Floats, rng: np.random.Generator) -> float:
        return kept.setdefault(data.tobytes(), laplace_mean(data, epsilon, rng))

    report = audit(memoised, epsilon=[0.5] * 10, task="mean", budget=300)
    assert report.verdict == "error"
    assert any(finding.label == "behaviour/memoised" for finding in report.findings)


@pytest.mark.parametrize("relation", [Replace(), Remove(), ZeroOut()], ids=lambda relation: relation.name)
def test_far_too_little_noise_is_refuted_in_a_few_calls_whoever_leaves(relation: Neighbours) -> None:
    scale = 0.2 if isinstance(relation, Replace) else 0.1
    report = of_vectors(scale, 60, relation)
    (finding,) = (finding for finding in report.findings if finding.kind == "privacy")
    assert (finding.label, finding.verdict) == ("privacy/everybody", "fail")
    assert finding.lower is None  # that somebody loses too much is no bound on an average
    assert "somebody at least" in finding.message
    assert finding.facts["guesses"]["right"] > finding.facts["guesses"]["allowed_right"]
    assert report.calls <= 120


@pytest.mark.parametrize("relation", [Replace(), Remove(), ZeroOut()], ids=lambda relation: relation.name)
def test_few_calls_do_not_refute_noise_that_just_keeps_the_promise(relation: Neighbours) -> None:
    """At confidence 0.999 each; rates at a confidence low enough to count are in benchmarks/few_calls.md."""
    assert of_vectors(2.0 if isinstance(relation, Replace) else 1.0, 60, relation).verdict != "fail"


def test_without_noise_one_call_is_enough() -> None:
    def bare(data: Floats, epsilon: Floats) -> Floats:
        return np.asarray(epsilon @ data)

    report = audit(bare, promise=PureDP([0.1] * 80), task="vector-mean", domain=Vector(200), budget=1)
    assert report.verdict == "fail"
    assert report.calls == 2  # with its confirmation


def test_a_pass_of_few_calls_tells_the_factor_that_it_would_have_caught() -> None:
    promise = PureDP([2.0] * USERS)

    def release(data: Floats, epsilon: Floats, rng: np.random.Generator) -> Floats:
        return np.asarray(data.sum(axis=0) + rng.laplace(0.0, 1.0, data.shape[1]))

    report = audit(release, promise=promise, task="vector-mean", domain=Vector(USERS, "l1"), budget=100, detect=4.0)
    finding = next(finding for finding in report.findings if finding.label == "privacy/everybody")
    assert finding.verdict == "pass"
    assert finding.claimed < finding.detectable <= 4.0 * finding.claimed
    assert "times the demands" in finding.message


def test_what_was_asked_for_and_not_tried_is_left_open() -> None:
    claim = PrivacyClaim(detect=50.0, detect_single=1.5, demands="secret")
    report = audit(laplace_mean, epsilon=[0.5] * 6 + [0.6] * 4, task="mean", budget=900, privacy=claim)
    opened = {finding.label for finding in report.findings if finding.verdict == "inconclusive"}
    assert opened >= {"privacy/single", "privacy/demands/0.5", "privacy/demands/0.6"}
    assert report.verdict == "inconclusive"


def test_calls_that_all_fail_are_not_said_to_tell_little() -> None:
    def broken(_data: Floats, _epsilon: Floats) -> Floats:
        raise RuntimeError

    report = audit(broken, promise=PureDP([1.0] * 5), task="vector-mean", domain=Vector(3), budget=20)
    finding = next(finding for finding in report.findings if finding.label == "privacy/everybody")
    assert "no call of the mechanism gave an output" in finding.message


def test_demands_of_zero_are_refuted_without_a_factor() -> None:
    def bare(data: Floats, epsilon: Floats) -> Floats:
        return np.asarray(data.sum(axis=0) + 0.0 * epsilon.sum())

    report = audit(bare, promise=PureDP([0.0] * 60), task="vector-mean", domain=Vector(150), budget=3)
    assert report.verdict == "fail"
    assert "times as much" not in report.findings[0].message
    assert "NaN" not in report.to_json()
