"""The controls on the very demands that they declare: exact losses of representative users, and what is broken."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

from mechanisms.broken import FAULTS, PlantedFault, one_user_twenty_times
from tests.mechanisms.control_laws import BINS, MEANS, TABLES, TWENTY, twenty
from tests.mechanisms.laws import Floats, log_ratio

LAWS = {**MEANS, TWENTY: partial(twenty, user=one_user_twenty_times.USER)}


def representatives(control: PlantedFault) -> list[int]:
    """The first user of each pair of demand and declared loss; at most twelve of them."""
    pairs = np.stack([control.epsilon, control.loss(control.epsilon)], axis=1)
    first = np.sort(np.unique(pairs, axis=0, return_index=True)[1])
    return [int(user) for user in first[:: max(1, first.size // 12)]]


def mean_loss(name: str, epsilon: Floats, user: int) -> float:
    """Everybody else at 0, or everybody at 1: where shifted noise is worst, the atoms show all of it."""
    worst = 0.0
    for rest in (0.0, 1.0):
        datasets = np.full((2, epsilon.size), rest)
        datasets[:, user] = 0.0, 1.0
        low, high = (LAWS[name](data, epsilon) for data in datasets)
        worst = max(worst, log_ratio(low, high))
    return worst


def table_loss(name: str, epsilon: Floats, user: int) -> float:
    """Everybody else in the first category; the user moves between the others."""
    worst = 0.0
    for moved in ((0, 1), (1, 2), (2, BINS - 1)):
        datasets = np.zeros((2, epsilon.size), dtype=np.int64)
        datasets[:, user] = moved
        one, other = (TABLES[name](data, epsilon) for data in datasets)
        worst = max(worst, sum(log_ratio(a, b) for a, b in zip(one, other, strict=True)))
    return worst


@pytest.mark.parametrize("name", sorted(MEANS.keys() | TABLES.keys()))
def test_declared_losses_and_breaches_are_those_of_the_exact_laws(name: str) -> None:
    control = FAULTS[name]
    epsilon, users = control.epsilon, representatives(control)
    loss = mean_loss if name in MEANS else table_loss
    found = np.array([loss(name, epsilon, user) for user in users])
    assert bool(np.any(found > epsilon[users] * (1 + 1e-9))) == ("privacy" in control.breaks)
    # a loss is the difference of two exponents, up to 6,029 here, each rounded four times: 8·6029·2⁻⁵³ = 5.4·10⁻¹²
    assert found.tolist() == pytest.approx(control.loss(epsilon)[users].tolist(), rel=1e-9, abs=5.4e-12)


@pytest.mark.parametrize("name", ["data-dependent-scale", "noiseless-constant"])
def test_noise_that_appears_with_a_second_value_reveals_even_users_without_weight(name: str) -> None:
    """ε = 0, weight 0, all others at 0: the output is 0 with x = 0, and noisy with x = 1."""
    control = FAULTS[name]
    user = int(np.flatnonzero(control.epsilon == 0)[0])
    data = np.zeros(control.epsilon.size)
    bare = control.batch(data, control.epsilon, np.random.default_rng(1), 1000)
    data[user] = 1.0
    noisy = control.batch(data, control.epsilon, np.random.default_rng(1), 1000)
    assert not bare.any()
    assert 400 < np.count_nonzero(noisy) < 600
    assert control.loss(control.epsilon)[user] == np.inf


UNSEEDED = {"ignores-rng"}
UNUSED = [name for name in FAULTS if FAULTS[name].demands == "tiers" and name not in UNSEEDED]


@pytest.mark.parametrize("name", UNUSED)
def test_a_user_declared_to_lose_nothing_moves_nothing(name: str) -> None:
    """Same generator, same outputs, whatever the datum of a user with ε = 0: the law is the same, the loss is 0."""
    control = FAULTS[name]
    user = int(np.flatnonzero(control.epsilon == 0)[0])
    moved = False
    for rest in (0, 1):
        data = np.full(control.epsilon.size, rest, dtype=float if control.categories is None else int)
        data[0] = 1
        batches = []
        for own in (0, 1):
            data[user] = own
            batches.append(control.batch(data, control.epsilon, np.random.default_rng(9), 50))
        moved |= not np.array_equal(batches[0], batches[1])
    assert moved == bool(control.loss(control.epsilon)[user] > 0)
