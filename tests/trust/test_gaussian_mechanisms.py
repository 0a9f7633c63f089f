"""Gaussian mechanisms keep ρ and (ε, δ): every output of every neighbouring pair of small cases, and exact integers."""

from __future__ import annotations

from fractions import Fraction
from itertools import product

import mpmath
import numpy as np
import pytest

import mechanisms.gaussian as gaussian_module
from mechanisms import InvalidInput, build, entries, standard_demands
from mechanisms import weighted as weighted_module
from mechanisms.criteria import Aim, centred, correlated, sharp_correlated, sharp_weak, weak
from mechanisms.gaussian import GaussianMechanism
from mechanisms.saturation import Centred, Simplex, SortedDemands, best_level
from mechanisms.zcdp import ratios, rho_of
from tests.trust.gaussian_enumeration import (
    clip_ends,
    hockey_stick,
    real,
    released,
    renyi,
    replacements,
    shifted,
)

RHO = np.array([0.5, 2.0, 8.0, 0.0])
ORDERS = [Fraction(11, 10), Fraction(3, 2), Fraction(2), Fraction(3), Fraction(7, 2), Fraction(8)]
MEANS = ["hpm-cp", "hpm-we", "hpm-cp-sharp", "hpm-cp-centred", "uni", "threshold"]
TABLES = ["hpf-ce", "hpf-wp-sharp", "hpf-cp-centred"]
SLACK = mpmath.mpf(10) ** -25  # what the sums leave out is far below


@pytest.fixture
def small_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """M below 2^4 units instead of 2^60."""
    monkeypatch.setattr(gaussian_module, "FINEST", 4)
    monkeypatch.setattr(weighted_module, "COARSEST", 2)


def small(name: str, task: str, **promise: object) -> GaussianMechanism:
    mechanism = build(name, task=task, categories=3 if task == "frequency" else None, **promise)
    assert isinstance(mechanism, GaussianMechanism)
    return mechanism


def check_orders(gaps: set[tuple[int, ...]], bits: int, loss: Fraction) -> None:
    """D_α ≤ α·loss for every gap and order, with equality for the widest gap at whole orders."""
    widest = max(gaps, key=lambda gap: sum(g * g for g in gap))
    for gap, order in product(gaps, ORDERS):
        # Bins carry independent noise, so their divergences add.
        total = sum((shifted(abs(g), bits, order) for g in gap), start=mpmath.mpf(0))
        assert total <= real(order * loss) + SLACK
        if gap == widest and order.denominator == 1:
            assert abs(total - real(order * loss)) < SLACK


@pytest.mark.usefixtures("small_grid")
@pytest.mark.parametrize(("name", "task"), [*((n, "mean") for n in MEANS), *((n, "frequency") for n in TABLES)])
def test_every_users_rho_is_kept_at_every_order_and_is_what_is_declared(name: str, task: str) -> None:
    mechanism = small(name, task, rho=RHO)
    bits = mechanism.grid.bits
    assert bits is not None
    for user, demand in enumerate(RHO):
        loss = mechanism.privacy_loss_exact(user)
        assert loss <= Fraction(demand)
        pairs = replacements(mechanism, user, [0.0, 0.4, 1.0] if task == "mean" else [0, 1, 2])
        # Without a clip only the difference of two totals matters.
        check_orders({tuple(int(g) for g in np.subtract(two, one)) for one, two in pairs}, bits, Fraction(loss))


@pytest.mark.usefixtures("small_grid")
@pytest.mark.parametrize("name", ["hpm-cp", "hpm-cp-centred"])
def test_clipped_outputs_lose_no_more(name: str) -> None:
    mechanism = small(name, "mean", rho=RHO)
    bits, ends = mechanism.grid.bits, clip_ends(mechanism)
    assert bits is not None
    for user in range(RHO.size):
        loss = Fraction(mechanism.privacy_loss_exact(user))
        for (one,), (two,) in replacements(mechanism, user, [0.0, 1.0]):
            first, second = released(one, bits, ends), released(two, bits, ends)
            assert renyi(first, second, mpmath.mpf(2)) <= real(2 * loss) + SLACK


@pytest.mark.usefixtures("small_grid")
@pytest.mark.parametrize("delta", [1e-2, 1e-4])
def test_a_mean_built_for_epsilon_and_delta_keeps_both(delta: float) -> None:
    epsilon = np.array([0.3, 1.0, 4.0, 0.0])
    mechanism = small("hpm-cp", "mean", epsilon=epsilon, delta=[delta, delta / 10, delta, 0.0])
    bits = mechanism.grid.bits
    assert bits is not None
    assert mechanism.weights[3] == 0
    for user in range(4):
        for (one,), (two,) in replacements(mechanism, user, [0.0, 1.0]):
            found = hockey_stick(released(one, bits, None), released(two, bits, None), float(epsilon[user]))
            assert found <= mechanism.delta[user] + 1e-20


@pytest.mark.parametrize(
    ("epsilon", "delta"), [(1.0, 1e-6), (0.1, 1e-9), (0.0, 1e-3), (5.0, 1e-5), (50.0, 1e-12), (1.0, 1e-100), (0.5, 0.9)]
)
def test_the_conversion_gives_away_nothing_and_takes_nothing(epsilon: float, delta: float) -> None:
    """The least δ(ε; ρ) over a fine grid of orders, in 60 digits, lies below δ, by less than a billionth of it."""
    rho = float(rho_of(np.array([epsilon]), np.array([delta]))[0])
    with mpmath.workdps(60):

        def log_delta(s: mpmath.mpf) -> mpmath.mpf:
            above = mpmath.exp(s)
            order = 1 + above
            return above * (order * mpmath.mpf(rho) - epsilon) + order * mpmath.log(above / order) - s

        best = min((mpmath.mpf(step) / 4 for step in range(-200, 400)), key=log_delta)
        low, high = best - mpmath.mpf(1) / 4, best + mpmath.mpf(1) / 4
        for _ in range(80):
            third = (high - low) / 3
            low, high = (low, high - third) if log_delta(low + third) < log_delta(high - third) else (low + third, high)
        ratio = mpmath.exp(log_delta(low)) / mpmath.mpf(delta)
    assert 1 - 1e-9 < ratio <= 1


def test_the_ratio_of_units_to_sigma_is_the_largest_double_that_rho_allows() -> None:
    rho = np.exp(np.random.default_rng(3).uniform(-90, 90, 500))
    for moved in (1, 2, 4):
        for ratio, demand in zip(ratios(rho, moved), rho, strict=True):
            room = 2 * Fraction(demand) / moved
            assert Fraction(ratio) ** 2 <= room < Fraction(float(np.nextafter(ratio, np.inf))) ** 2


@pytest.mark.parametrize("name", ["hpm-cp-sharp", "hpf-ce-sharp", "hpf-cp-centred", "uni"])
def test_almost_all_of_the_level_is_spent(name: str) -> None:
    """Rounding down costs less than 10⁻⁹ of anybody's loss."""
    task = "mean" if name == "hpm-cp-sharp" else "frequency"
    rho = standard_demands("two-point") ** 2 / 2
    mechanism = build(name, rho=rho, task=task, categories=4 if task == "frequency" else None)
    assert mechanism.level is not None
    due = np.minimum(rho, mechanism.level**2 / 2)
    assert np.all(mechanism.privacy_loss <= rho)
    np.testing.assert_allclose(mechanism.privacy_loss, due, rtol=1e-9)


@pytest.mark.parametrize("rule", [correlated, weak, sharp_correlated, sharp_weak, centred])
@pytest.mark.parametrize("outputs", [1, 5])
@pytest.mark.parametrize("beta", [0.05, None])
def test_no_level_of_a_fine_grid_beats_the_one_that_is_chosen(rule: object, outputs: int, beta: float | None) -> None:
    demands = SortedDemands(np.sqrt(2 * standard_demands("log-uniform")[:400]))
    family = (Centred if rule is centred else Simplex)(demands)
    branches = rule(Aim(outputs, 1, beta, "gaussian"))  # type: ignore[operator]
    _, value = best_level(family, branches)
    levels = np.geomspace(family.lowest, min(family.highest, demands.largest * 1e3), 3000)
    norms = family.at(levels)
    assert value <= min(float(np.nanmin(branch(norms))) for branch in branches) * (1 + 1e-9)


def test_the_promise_is_kept_beside_what_was_asked_for() -> None:
    direct = build("hpm-cp", rho=[0.5, 0.5, 0.0])
    assert isinstance(direct, GaussianMechanism)
    assert direct.rho.tolist() == [0.5, 0.5, 0.0]
    assert direct.epsilon.tolist() == [np.inf, np.inf, 0.0]
    asked = build("hpm-cp", epsilon=[1.0, 2.0], delta=1e-6)
    assert isinstance(asked, GaussianMechanism)
    assert asked.epsilon.tolist() == [1.0, 2.0]
    assert asked.delta.tolist() == [1e-6, 1e-6]
    assert np.all(asked.privacy_loss <= asked.rho)


def test_public_users_alone_need_no_noise() -> None:
    mechanism = build("prop", task="mean", rho=[0.5, np.inf, np.inf])
    assert mechanism.noise_scale == 0
    assert mechanism.privacy_loss.tolist() == [0, np.inf, np.inf]
    assert mechanism.release([0.0, 1.0, 0.5]) == 0.75


WRONG = [
    ({}, "none of them given; give epsilon, or epsilon and delta, or rho"),
    ({"epsilon": [1.0], "rho": [1.0]}, "epsilon and rho given"),
    ({"rho": [1.0], "delta": 1e-6}, "rho and delta given"),
    ({"delta": 1e-6}, "delta given"),
    ({"rho": [1.0, -0.5]}, "user 1: rho = -0.5; a demand is a number from 0 to inf"),
    ({"rho": [1.0, np.nan]}, "user 1: rho = nan"),
    ({"rho": [0.0, 0.0]}, "at least one user must allow some loss"),
    ({"rho": []}, "one number for each user"),
    ({"rho": ["a"]}, "demands must be numbers from 0 to inf"),
    ({"epsilon": [1.0, 1.0], "delta": [1e-6]}, "demands are for 2 users; give one delta for each"),
    ({"epsilon": [1.0, 1.0], "delta": [1e-6, 1.5]}, "user 1: delta = 1.5; delta is a number from 0 to 1"),
    ({"epsilon": [1.0], "delta": np.nan}, "user 0: delta = nan"),
    ({"epsilon": [1.0, 1.0], "delta": 0.0}, "leave delta out for Laplace noise"),
    ({"epsilon": [-1.0], "delta": 1e-6}, "user 0: epsilon = -1.0"),
]


@pytest.mark.parametrize(("given", "message"), WRONG, ids=[message for _, message in WRONG])
def test_a_promise_that_makes_no_sense_is_refused_with_what_is_allowed(given: dict[str, object], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        build("hpm-cp", **given)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", [entry.name for entry in entries() if not entry.gaussian])
def test_a_mechanism_without_a_gaussian_form_says_so(name: str) -> None:
    with pytest.raises(
        InvalidInput, match=f"{name} has no form with Gaussian noise; give epsilon alone, or one of hpf"
    ):
        build(name, rho=[1.0, 2.0], categories=3)
