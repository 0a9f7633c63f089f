"""Group rules against small mechanisms, exactly: everybody keeps their promise, and no event tells more of a group."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.special import expit, ndtr, ndtri

from hdp_audit.model.approximate import ApproximateDP
from hdp_audit.model.gaussian import GaussianDP
from hdp_audit.model.promise import Promise, PureDP
from hdp_audit.model.zcdp import ZCDP

Floats = NDArray[np.float64]
EPSILONS = np.linspace(0.0, 6.0, 25)


def hockey_stick(first: Floats, second: Floats) -> Floats:
    """Σ(p − e^ε·q)₊ at each ε."""
    return np.maximum(first - np.exp(EPSILONS)[:, None] * second, 0.0).sum(axis=1)


def answers(epsilon: Floats, bits: tuple[int, ...]) -> Floats:
    """Everybody answers with odds e^{ε_i} of their own: the law of all answers together."""
    law = np.ones(1)
    for demand, bit in zip(epsilon, bits, strict=True):
        law = np.outer(law, [expit(-demand), expit(demand)][:: 1 if bit else -1]).ravel()
    return law


def choice(epsilon: Floats, bits: tuple[int, ...]) -> Floats:
    """One answer whose odds everybody moves by e^{ε_i}, so that likelihood ratios move by no more."""
    odds = float(np.dot(epsilon, bits)) - 0.5 * float(epsilon.sum())
    return expit(np.array([-odds, odds]))


def told(delta: Floats, law: Callable[[Floats, tuple[int, ...]], Floats]) -> Callable[..., Floats]:
    """The same, but that user i's bit is told with probability δ_i: outputs are what is told of each, and an answer."""

    def revealing(epsilon: Floats, bits: tuple[int, ...]) -> Floats:
        shown = np.ones(1)
        for leak, bit in zip(delta, bits, strict=True):
            shown = np.outer(shown, [1.0 - leak, leak * (1 - bit), leak * bit]).ravel()
        return np.outer(shown, law(epsilon, bits)).ravel()

    return revealing


EPSILON, DELTA = np.array([0.3, 1.0, 0.6]), np.array([0.01, 0.002, 0.05])
SMALL: list[tuple[Promise, Callable[[Floats, tuple[int, ...]], Floats]]] = [
    (PureDP(EPSILON), answers),
    (PureDP(EPSILON), choice),
    (ApproximateDP(EPSILON, DELTA), told(DELTA, answers)),
    (ApproximateDP(EPSILON, DELTA), told(DELTA, choice)),
    (ZCDP(0.5 * EPSILON**2), answers),  # ε-differential privacy is ε²/2 of zCDP
    (ZCDP(0.5 * EPSILON**2), choice),
]


@pytest.mark.parametrize(("promise", "law"), SMALL, ids=range(len(SMALL)))
def test_answers_at_random_lose_no_more_than_their_group_may(
    promise: Promise, law: Callable[[Floats, tuple[int, ...]], Floats]
) -> None:
    for first, second in itertools.product(itertools.product((0, 1), repeat=3), repeat=2):
        users = np.flatnonzero(np.array(first) != np.array(second))
        if users.size:
            lost = hockey_stick(law(EPSILON, first), law(EPSILON, second))
            assert np.all(lost <= promise.group(users).delta(EPSILONS) + 1e-14)


def test_some_answers_lose_all_that_their_group_may() -> None:
    for users in ([0], [0, 2], [0, 1, 2]):
        strength = PureDP(EPSILON).group(np.array(users)).strength
        ones, zeros = (answers(EPSILON[users], (bit,) * len(users)) for bit in (1, 0))
        assert np.log(ones / zeros).max() == pytest.approx(strength, rel=1e-14)
    lost = hockey_stick(answers(EPSILON[:1], (1,)), answers(EPSILON[:1], (0,)))
    np.testing.assert_allclose(lost, PureDP(EPSILON).group(np.array([0])).delta(EPSILONS), atol=1e-15)


def cube(promise: ApproximateDP, ratio: float) -> float:
    """The largest P(S) − e^ε·Q(S) between all users at 1 and all at 0, over all mechanisms that keep the promises.

    An event is all that counts, so a mechanism is its probability on each dataset, and that is a linear programme.
    """
    epsilon, delta = promise.columns["epsilon"], promise.columns["delta"]
    datasets = list(itertools.product((0, 1), repeat=epsilon.size))
    rows, most = [], []
    for here, user in itertools.product(range(len(datasets)), range(epsilon.size)):
        bits = list(datasets[here])
        bits[user] = 1 - bits[user]
        there, odds = datasets.index(tuple(bits)), float(np.exp(epsilon[user]))
        for sign in (1.0, -1.0):  # the event, and its complement: p ≤ e^ε·q + δ, 1 − p ≤ e^ε·(1 − q) + δ
            row = np.zeros(len(datasets))
            row[here], row[there] = sign, -sign * odds
            rows.append(row)
            most.append(delta[user] + (0.0 if sign > 0 else odds - 1.0))
    aim = np.zeros(len(datasets))
    aim[-1], aim[0] = -1.0, ratio
    return -float(linprog(aim, np.array(rows), most, bounds=(0.0, 1.0)).fun)


@pytest.mark.parametrize("users", [1, 2, 3])
def test_no_mechanism_tells_more_of_an_approximate_group(users: int) -> None:
    rng, exact = np.random.default_rng(users), 0
    for _ in range(12):
        promise = ApproximateDP(rng.uniform(0.0, 1.5, users), 10.0 ** rng.uniform(-4, -1, users))
        limit = promise.group(np.arange(users))
        for epsilon in (0.0, 0.5 * limit.strength, limit.strength, limit.strength + 0.5):
            assert cube(promise, float(np.exp(epsilon))) <= float(limit.delta(epsilon)) + 1e-9
        # no smaller δ would do at the sum of all ε: the cheapest order is attained
        exact += abs(cube(promise, float(np.exp(limit.strength))) - float(limit.delta(limit.strength))) < 1e-9
    assert exact >= 11


@pytest.mark.parametrize("seed", range(8))
def test_the_order_of_a_group_is_the_cheapest_of_all(seed: int) -> None:
    rng = np.random.default_rng(seed)
    epsilon, delta = rng.exponential(1.0, 5) * (rng.random(5) < 0.8), rng.random(5) * 1e-3 * (rng.random(5) < 0.8)

    def cost(order: tuple[int, ...]) -> float:
        return sum(float(np.exp(epsilon[list(order[:j])].sum()) * delta[order[j]]) for j in range(5))

    cheapest = min(cost(order) for order in itertools.permutations(range(5)))
    limit = ApproximateDP(epsilon, delta).group(np.arange(5))
    assert float(limit.delta(limit.strength)) == pytest.approx(cheapest, rel=1e-12)


def test_shifts_after_one_another_are_a_shift_by_the_sum() -> None:
    """The likeliest event of each step is the rarest one of the next: Φ(Φ⁻¹(w) + μ) for one step."""
    mu, wrong = np.array([0.2, 0.7, 1.1]), np.geomspace(1e-9, 0.5, 30)
    right = wrong
    for step in mu:
        right = ndtr(ndtri(right) + step)
    limit = GaussianDP(mu).group(np.arange(3))
    lost = (right - np.exp(EPSILONS)[:, None] * wrong).max(axis=1)
    assert np.all(lost <= limit.delta(EPSILONS) + 1e-15)
    epsilon = limit.tangent(wrong[:15])
    np.testing.assert_allclose(right[:15] - np.exp(epsilon) * wrong[:15], limit.delta(epsilon), rtol=1e-7)


def test_roots_of_concentrated_promises_add_up_over_users() -> None:
    """A shift by √(2ρ_i) for each user has the divergence α·(Σ√ρ_i)² of every order."""
    rho = np.array([0.02, 0.5, 0.08])
    group = ZCDP(rho).group(np.arange(3))
    assert ZCDP(rho).parameter(group.strength) == pytest.approx(np.sqrt(rho).sum() ** 2, rel=1e-14)
    assert GaussianDP(np.sqrt(2.0 * rho)).group(np.arange(3)).strength == pytest.approx(group.strength, rel=1e-14)
