"""Every promise with every neighbour relation and task: noise that just keeps it passes, a quarter of it is refuted."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hdp_audit import (
    ZCDP,
    ApproximateDP,
    GaussianDP,
    Neighbours,
    Promise,
    PureDP,
    Remove,
    Replace,
    Vector,
    ZeroOut,
    audit,
    trace,
)
from hdp_audit.errors import InvalidInput
from hdp_audit.model.approximate import ApproximateLimit

Floats = NDArray[np.float64]

USERS, BUDGET = 4, 1_600
DEMAND = 1.0
DELTA = 1e-3
CATEGORIES = 3
AXES = 2
SHIFT = ApproximateLimit(DEMAND, DELTA).gaussian()

PROMISES: dict[str, Promise] = {
    "pure": PureDP([DEMAND] * USERS),
    "approximate": ApproximateDP([DEMAND] * USERS, DELTA),
    "zcdp": ZCDP([DEMAND**2 / 2] * USERS),
    "gaussian": GaussianDP([DEMAND] * USERS),
}
RELATIONS = {relation.name: relation for relation in (Replace(), Remove(), ZeroOut())}


class Release:
    """A sum, or counts, with noise that one user's datum moves by what was promised, times `too_small`."""

    def __init__(self, promise: Promise, relation: Neighbours, task: str, too_small: float) -> None:
        self._pure, self._task = promise.pure, task
        shift = DEMAND if promise.kind != "approximate" else SHIFT
        twice = not isinstance(relation, Remove)
        moved = {"frequency": (2.0 if promise.pure else np.sqrt(2.0)) if twice else 1.0}.get(task, 1.0)
        if task == "vector-mean":  # from one end of the ball to the other
            moved = 2.0 if isinstance(relation, Replace) else 1.0
        self.__name__, self._scale = "release", too_small * float(moved) / shift

    def __call__(self, data: Any, *given: Any) -> Any:
        """Rounded far below the noise."""
        rng = given[-1]
        exact = {
            "frequency": lambda: np.bincount(data, minlength=CATEGORIES),
            "vector-mean": lambda: np.sum(data, axis=0),
        }.get(self._task, lambda: np.array([np.sum(data)]))()
        noise = rng.laplace(size=exact.size) if self._pure else rng.normal(size=exact.size)
        noisy = np.round(exact + self._scale * noise, 4)
        return noisy if exact.size > 1 else float(noisy[0])


def pairs(relation: Neighbours) -> Callable[[], Iterator[tuple[Any, Any, list[int]]]]:
    """One user's row, on a custom task."""
    everybody = [1.0] * USERS
    other = everybody[1:] if isinstance(relation, Remove) else [0.0, *everybody[1:]]
    return lambda: iter([(everybody, other, [0])])


def audited(kind: str, relation: str, task: str, too_small: float) -> Any:
    """The report."""
    promise, neighbours = PROMISES[kind], RELATIONS[relation]
    ball = Vector(AXES, "l1" if promise.pure else "l2")
    more: dict[str, Any] = {
        "custom": {"pairs": pairs(neighbours)},
        "frequency": {"categories": CATEGORIES},
        "vector-mean": {"domain": ball},
    }.get(task, {})
    release = Release(promise, neighbours, task, too_small)
    return audit(release, promise=promise, neighbours=neighbours, task=task, budget=BUDGET, confidence=0.99, **more)


EVERY = [
    (kind, relation, task)
    for kind in PROMISES
    for relation in RELATIONS
    for task in ("mean", "frequency", "vector-mean", "custom")
    if (task, relation) != ("frequency", "zero-out")
]


@pytest.mark.many(3)
@pytest.mark.parametrize(("kind", "relation", "task"), EVERY)
def test_a_quarter_of_the_noise_is_refuted(kind: str, relation: str, task: str) -> None:
    report = audited(kind, relation, task, 0.25)
    assert report.verdict == "fail"
    (subject,) = report.subjects
    assert (subject.promise.kind, subject.neighbours) == (kind, relation)
    refuted = next(finding for finding in report.findings if finding.verdict == "fail")
    assert refuted.lower.value > refuted.claimed


@pytest.mark.many(3)
@pytest.mark.parametrize(("kind", "relation", "task"), EVERY)
def test_noise_that_just_keeps_the_promise_is_not_refuted(kind: str, relation: str, task: str) -> None:
    """False alarm: at most 1% each, at fixed seeds; rates are in benchmarks/curve_alarms.md."""
    assert audited(kind, relation, task, 1.0).verdict in ("pass", "inconclusive")


def test_a_category_cannot_be_zeroed_out() -> None:
    with pytest.raises(InvalidInput, match='"zero-out" has no meaning'):
        audited("pure", "zero-out", "frequency", 1.0)


def test_sums_are_safe_for_removal_and_means_by_the_true_size_are_not() -> None:
    """Everybody at 1, one at 0 gone: the mean by the true size moves by more than the sum over a fixed one."""

    def by_its_size(data: Floats, epsilon: Floats, rng: np.random.Generator) -> float:
        return round(float((data @ epsilon + rng.laplace()) / len(data)), 5)

    demands = [0.2] * 10 + [1.0] * 10
    kept = {"epsilon": demands, "task": "mean", "budget": 20_000}
    assert audit(by_its_size, **kept).verdict == "pass"  # type: ignore[arg-type]
    assert audit(by_its_size, neighbours=Remove(), **kept).verdict == "fail"  # type: ignore[arg-type]


def test_a_pure_promise_that_only_a_small_delta_breaks_gets_a_hint() -> None:
    def leaks(data: Floats, epsilon: Floats, rng: np.random.Generator) -> float:
        told = 1000.0 + data[0] if rng.random() < 0.02 else float(data @ epsilon + rng.laplace())
        return round(float(told), 3)

    report = audit(leaks, epsilon=[1.0], task="mean", budget=40_000)
    refuted = next(finding for finding in report.findings if finding.verdict == "fail")
    assert 0.005 < float(refuted.facts["delta_shown"]) <= 0.02  # type: ignore[arg-type]
    tolerant = audit(leaks, promise=ApproximateDP([1.0], 0.021), task="mean", budget=40_000)
    assert tolerant.verdict in ("pass", "inconclusive")


def test_the_measured_curve_stands_beside_the_promised_one() -> None:
    report = audited("gaussian", "replace", "mean", 0.25)
    tier = next(finding for finding in report.findings if finding.label == "privacy/tier/1")
    curve = np.array(tier.facts["curve"], dtype=np.float64)
    np.testing.assert_allclose(curve[:, 1], PROMISES["gaussian"].group(np.array([0, 1])).delta(curve[:, 0]), atol=1e-9)
    assert (curve[:, 2] > curve[:, 1]).any()
    truth = GaussianDP([4.0 * DEMAND] * 2).group(np.array([0, 1])).delta(curve[:, 0])
    assert (curve[:, 2] <= truth).all()  # it shows no more than is lost


@pytest.mark.parametrize(
    "promise", [ZCDP([1e-12, 0.5, 1e4]), GaussianDP([1e-6, 1.0, 200.0]), ApproximateDP([1e-9, 1.0, 900.0], 1e-300)]
)
def test_promises_of_any_size_are_audited_without_a_warning(promise: Promise) -> None:
    """Nobody's datum is used. What cannot be refuted is said, and nothing overflows (a warning is an error here)."""
    report = audit(noise_alone, promise=promise, task="mean", budget=1_000)
    assert report.verdict in ("pass", "inconclusive")


def noise_alone(data: Floats, *given: Any) -> float:
    return round(float(given[-1].normal()), 4)


def test_a_delta_of_one_promises_nothing() -> None:
    """User 0 is public then, whatever the ε: that their datum is told for certain is no violation."""

    def telling(data: Floats, epsilon: Floats, delta: Floats, rng: np.random.Generator) -> float:
        return round(float(1000.0 * data[0] + data[1:] @ epsilon[1:] + rng.laplace()), 4)

    report = audit(telling, promise=ApproximateDP([0.0, 0.5, 0.5], [1.0, 1e-4, 1e-4]), task="mean", budget=2_000)
    assert report.verdict in ("pass", "inconclusive")
    (public,) = (finding for finding in report.findings if finding.label == "privacy/public")
    assert public.users == (0,)
    assert [finding.label for finding in report.findings if finding.label.startswith("privacy/tier")] == [
        "privacy/tier/0.5"
    ]


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"epsilon": [1.0], "neighbours": "remove"}, "neighbours = 'remove'; give Replace(), Remove() or ZeroOut()"),
        ({"epsilon": [1.0], "neighbours": Remove}, "give Replace(), Remove() or ZeroOut()"),
        ({"promise": "zcdp"}, "promise = 'zcdp'; give PureDP(epsilon), ApproximateDP(epsilon, delta), ZCDP(rho)"),
        ({"promise": ZCDP}, "give PureDP(epsilon), ApproximateDP"),
        ({"promise": [1.0]}, "promise = [1.0]; give PureDP(epsilon)"),
        ({"epsilon": GaussianDP([1.0])}, "epsilon = GaussianDP(mu; n = 1); give numbers, or promise=GaussianDP"),
        ({"epsilon": [1.0], "domain": (0, 1)}, "domain = (0, 1); give Range(low, high), Labels"),
        ({"epsilon": [1.0], "domain": (0, 1)}, "from hdp_audit import Range"),
        ({}, "epsilon = None and promise = None; give one of them"),
    ],
)
@pytest.mark.parametrize("asked", [audit, trace])
def test_what_is_no_promise_relation_or_domain_is_refused_in_words(
    asked: Callable[..., Any], given: dict[str, Any], said: str
) -> None:
    with pytest.raises(InvalidInput, match=re.escape(said)):
        asked(noise_alone, task="mean", **given)
