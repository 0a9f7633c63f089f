"""Promises that are curves, traced: losses are exact, correct mechanisms never accused, a thousandth too much is."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import laplace, norm

from hdp_audit import ZCDP, ApproximateDP, GaussianDP, Promise, PureDP, Remove, ZeroOut, trace
from tests.amount import rounds
from tests.tracing.curves import gaussian_delta, kept, made, traced

LESS = 0.999


@pytest.mark.many(12)
@pytest.mark.parametrize("seed", range(240))
def test_a_correct_mechanism_is_never_accused_whatever_was_promised(seed: int) -> None:
    one = made(seed)
    promises = list(kept(one))
    start = seed // 12  # so that tox meets every kind
    for number in range(start, start + rounds(1, len(promises))):
        assert not traced(one(), promises[number % len(promises)], one.data).breaks


@pytest.mark.many(12)
@pytest.mark.parametrize("seed", range(24))
def test_normal_noise_loses_exactly_its_shift(seed: int) -> None:
    one = made(seed, plain=True, laws=("normal",))
    epsilon = one.mu * (one.mu / 2 + 3.0)
    delta = gaussian_delta(one.mu, epsilon)
    for promise, loss in (
        (GaussianDP([1e-3]), one.mu),
        (ZCDP([1e-6]), one.mu**2 / 2),
        (ApproximateDP([epsilon / 9], delta=delta), epsilon),
    ):
        worst = traced(one(), promise, one.data).worst
        assert worst is not None
        assert worst.breaks
        assert worst.found.exact
        assert worst.told(worst.found.lower) == pytest.approx(loss, rel=1e-9)


@pytest.mark.many(12)
@pytest.mark.parametrize("seed", range(24))
def test_a_thousandth_less_noise_is_found_with_its_exact_factor(seed: int) -> None:
    one = made(seed, plain=True, laws=("normal",))
    for promise, factor in ((GaussianDP([one.mu]), 1 / LESS), (ZCDP([one.mu**2 / 2]), 1 / LESS**2)):
        found = traced(one(LESS), promise, one.data)
        assert found.breaks
        assert found.losses[0] / found.demands[0] == pytest.approx(factor, rel=1e-9)
        assert traced(one(1 + 1e-8), promise, one.data).within
    epsilon = one.mu * (one.mu / 2 + 4.0)
    found = traced(one(LESS), ApproximateDP([epsilon], delta=gaussian_delta(one.mu, epsilon)), one.data)
    assert found.breaks
    assert gaussian_delta(one.mu / LESS, float(found.losses[0])) == pytest.approx(
        gaussian_delta(one.mu, epsilon), rel=1e-9
    )


def _shift_of_laplace(moved: float) -> float:
    """The largest Φ⁻¹(P(E)) − Φ⁻¹(Q(E)) over many thresholds."""
    places = np.linspace(-moved - 3.0, 3.0, 20_001)
    return float(np.max(norm.isf(laplace.sf(places + moved)) - norm.isf(laplace.sf(places))))


def _renyi_of_laplace(moved: float, order: float) -> float:
    def integrand(u: float) -> float:
        return 0.5 * math.exp(-order * abs(u) - (1 - order) * abs(u - moved))

    parts = [quad(integrand, *ends)[0] for ends in itertools.pairwise((-60.0, 0.0, moved, 60.0 + moved))]
    return math.log(sum(parts)) / (order - 1)


@pytest.mark.parametrize("moved", [0.02, 0.7, 3.0])
def test_laplace_noise_loses_what_all_events_and_all_orders_say(moved: float) -> None:
    def mechanism(data: Any, _promised: Any, rng: np.random.Generator) -> float:
        return float(data[0] + rng.laplace(0.0, 1.0 / moved))

    concentrated = max(_renyi_of_laplace(moved, order) / order for order in (1.0001, 1.01, 1.2, 2.0, 5.0))
    for promise, loss, rounding in (
        (GaussianDP([1e-4]), _shift_of_laplace(moved), 1e-6),
        (ZCDP([1e-6]), concentrated, 1e-3),
        (ApproximateDP([1e-4], delta=1e-3), moved + 2 * math.log(1 - 1e-3), 1e-9),
    ):
        worst = traced(mechanism, promise, (np.array([0.0]), np.array([1.0]))).worst
        assert worst is not None
        assert worst.found.exact
        assert worst.told(worst.found.lower) == pytest.approx(loss, rel=rounding)


def test_two_normal_draws_in_one_output_are_one_with_both_variances() -> None:
    def mechanism(data: Any, _promised: Any, rng: np.random.Generator) -> float:
        return float(data[0] + rng.normal(0.0, 3.0) + rng.normal(0.0, 4.0))

    found = traced(mechanism, GaussianDP([0.1]), (np.array([0.0]), np.array([1.0])))
    assert found.breaks
    assert found.losses[0] == pytest.approx(0.2, rel=1e-9)


def test_rounding_hides_no_shift_of_normal_noise() -> None:
    def mechanism(data: Any, _promised: Any, rng: np.random.Generator) -> float:
        return round(float(data[0] + rng.normal(0.0, LESS)), 1)

    found = traced(mechanism, GaussianDP([1.0]), (np.array([0.0]), np.array([1.0])))
    assert found.breaks
    assert found.losses[0] == pytest.approx(1 / LESS, rel=1e-9)


def test_normal_noise_whose_scale_depends_on_the_data_breaks_every_shift() -> None:
    def mechanism(data: Any, _promised: Any, rng: np.random.Generator) -> float:
        return float(rng.normal(0.0, 1.0 + data[0]))

    assert traced(mechanism, GaussianDP([5.0]), (np.array([0.0]), np.array([0.5]))).breaks


def test_an_exception_that_delta_allows_accuses_nobody_and_a_larger_one_does() -> None:
    def leaking(data: Any, _promised: Any, rng: np.random.Generator) -> float:
        if rng.random() < 0.3:
            return float(data[0])
        return float(rng.random() < 0.5)

    pair = (np.array([5.0]), np.array([6.0]))
    assert traced(leaking, ApproximateDP([0.0], delta=0.3001), pair).within
    assert traced(leaking, ApproximateDP([1.0], delta=0.1), pair).breaks
    assert traced(leaking, GaussianDP([1.0]), pair).breaks
    assert not traced(leaking, ApproximateDP([3.0], delta=0.2999), pair).breaks  # too few tapes to say "never"


def _told(laws: tuple[list[float], list[float]], kind: str, delta: float) -> float:
    """All events of two laws, and many orders; of order 1 the limit."""
    events = [list(each) for size in range(1, 4) for each in itertools.combinations(range(4), size)]
    most = 0.0
    for p, q in (laws, laws[::-1]):
        chances = [(sum(p[i] for i in event), sum(q[i] for i in event)) for event in events]
        if kind == "gaussian":
            most = max(most, *(float(norm.ppf(a) - norm.ppf(b)) for a, b in chances))
        elif kind == "approximate":
            most = max(most, *(math.log((a - delta) / b) for a, b in chances if a > delta))
        else:
            orders = [1 + k / 50 for k in range(1, 2000)]
            terms = list(zip(p, q, strict=True))
            divergences = [math.log(sum(a**o * b ** (1 - o) for a, b in terms)) / (o - 1) / o for o in orders]
            most = max(most, sum(a * math.log(a / b) for a, b in terms), *divergences)
    return most


@pytest.mark.parametrize("kind", ["gaussian", "zcdp", "approximate"])
def test_a_choice_loses_what_all_its_events_say(kind: str) -> None:
    laws = ([0.5, 0.2, 0.2, 0.1], [0.25, 0.4, 0.05, 0.3])

    def mechanism(data: Any, _promised: Any, rng: np.random.Generator) -> int:
        return int(rng.choice(4, p=laws[int(data[0])]))

    promise: Promise = {
        "gaussian": GaussianDP([0.1]), "zcdp": ZCDP([0.01]), "approximate": ApproximateDP([0.1], delta=0.02)
    }[kind]  # fmt: skip
    worst = traced(mechanism, promise, (np.array([0]), np.array([1]))).worst
    assert worst is not None
    assert worst.breaks
    truth = _told(laws, kind, 0.02)
    assert worst.told(worst.found.lower) == pytest.approx(truth, rel=1e-4)
    assert worst.told(worst.found.lower) <= truth * (1 + 1e-9) <= worst.told(worst.found.upper) * (1 + 1e-4)


def summed(data: Any, _promised: Any, rng: np.random.Generator) -> float:
    return float(np.sum(data) + rng.laplace(0.0, 2.0))


def averaged(data: Any, _promised: Any, rng: np.random.Generator) -> float:
    return float(np.mean(data) + rng.laplace(0.0, 2.0 / len(data)))


@pytest.mark.parametrize("neighbours", [Remove(), ZeroOut()])
def test_users_who_leave_are_traced(neighbours: Any) -> None:
    kept, broken = (
        trace(summed, promise=PureDP([epsilon] * 12), task="mean", neighbours=neighbours) for epsilon in (0.5, 0.499)
    )
    assert kept.within
    np.testing.assert_allclose(kept.losses, 0.5, rtol=1e-9)
    assert broken.breaks


def test_the_only_user_cannot_leave() -> None:
    found = trace(averaged, promise=PureDP([0.5]), task="mean", neighbours=Remove())
    assert not found.breaks
    assert "nobody is left" in found.why


def test_a_mean_whose_noise_tells_how_many_are_there_loses_everything_when_one_leaves() -> None:
    def pairs() -> Iterator[Any]:
        yield np.ones(12), np.ones(11), [11]

    found = trace(averaged, promise=PureDP([50.0] * 12), task="custom", pairs=pairs, neighbours=Remove())
    assert found.breaks
    assert found.worst is not None
    assert "scale depends on the data" in found.worst.found.flow


@pytest.mark.parametrize("less", [1.0, LESS])
def test_everybody_has_an_exact_loss_at_a_delta_of_their_own(less: float) -> None:
    weights = np.linspace(1.0, 2.0, 300)
    epsilon = np.array([weight * (weight / 2 + 4.0) for weight in weights])
    delta = np.array([gaussian_delta(*each) for each in zip(weights, epsilon, strict=True)])

    def mechanism(data: Any, _epsilon: Any, rng: np.random.Generator) -> float:
        return float(weights @ data + rng.normal(0.0, less))

    found = trace(mechanism, promise=ApproximateDP(epsilon, delta=delta), task="mean")
    assert found.summed
    assert (found.within, found.breaks) == (less == 1.0, less < 1.0)
    if less == 1.0:
        np.testing.assert_allclose(found.losses, epsilon, rtol=1e-9)


def test_a_function_that_takes_epsilon_and_delta_by_position_is_called_with_both() -> None:
    def drawn(data: Any, epsilon: Any, delta: Any, rng: np.random.Generator) -> float:
        assert epsilon.size == delta.size
        return float(np.sum(data) + rng.normal(0.0, 1.0))

    def drawn_from_numpy(data: Any, epsilon: Any, delta: Any) -> float:
        assert epsilon.size == delta.size
        return float(np.sum(data) + np.random.normal(0.0, 1.0))  # noqa: NPY002

    for mechanism in (drawn, drawn_from_numpy):
        for epsilon in (4.5, 1.0):  # a normal law moved by 1 has δ = 0.00007 at 4.5, 0.127 at 1
            found = trace(mechanism, promise=ApproximateDP([epsilon] * 2, delta=1e-3), task="mean")
            assert (found.within, found.breaks) == (epsilon == 4.5, epsilon == 1.0)


def test_a_given_pair_of_two_users_may_lose_what_both_may() -> None:
    def mechanism(data: Any, _mu: Any, rng: np.random.Generator) -> float:
        return float(np.sum(data) + rng.normal(0.0, 1.0))

    def pairs() -> Iterator[Any]:
        yield np.zeros(2), np.ones(2), [0, 1]

    assert trace(mechanism, promise=GaussianDP([1.0, 1.0]), task="custom", pairs=pairs).within
    assert trace(mechanism, promise=GaussianDP([1.0, 0.999]), task="custom", pairs=pairs).breaks


def test_a_whole_number_among_outputs_is_a_number() -> None:
    def mechanism(data: Any, epsilon: Any, rng: np.random.Generator) -> float:
        return min(max(float(np.mean(data) + rng.laplace(0.0, 1.0 / (len(data) * epsilon.min()))), 0), 1)

    assert trace(mechanism, epsilon=[1.0] * 6, task="mean").within
