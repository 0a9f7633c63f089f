"""Anchored: the box, what each part spends, and a worst case of at most twice sharp's."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mechanisms import build, criteria, entry, standard_demands
from mechanisms.anchored import AnchoredMechanism
from mechanisms.criteria import Aim
from mechanisms.demands import budgets
from mechanisms.saturation import Simplex, SortedDemands, best_level
from mechanisms.sharp import largest_of_exponentials, typical_maximum

AIMS = {
    "hpm-cp": Aim(1, 1, 0.05),
    "hpm-ce": Aim(1, 1, None),
    "hpf-cp": Aim(10, 2, 0.05),
    "hpf-ce": Aim(10, 2, None),
}
DEMANDS = ("tiers", "log-uniform", "two-point")
unit = st.floats(0.0, 1.0)


def categories(name: str) -> int | None:
    return 10 if entry(name).task == "frequency" else None


def anchored(name: str, epsilon: np.ndarray) -> AnchoredMechanism:
    built = build(f"{name}-anchored", epsilon=epsilon, categories=categories(name))
    assert isinstance(built, AnchoredMechanism)
    return built


BOX = anchored("hpm-cp", np.array([0.01, 1.0, 5.0, 50.0] * 50))


@settings(deadline=None)
@given(safe=unit, opinion=unit, truth=unit, reach=st.floats(0.0, 0.5))
def test_the_answer_errs_at_most_by_the_anchors_error_and_the_box(
    safe: float, opinion: float, truth: float, reach: float
) -> None:
    BOX.reach = reach
    answer = float(BOX._within(np.array([[safe]]), np.array([[opinion]]))[0, 0])
    assert abs(answer - truth) <= abs(safe - truth) + reach + 1e-12
    if abs(safe - truth) <= reach:
        assert abs(answer - truth) <= abs(opinion - truth) + 1e-12


@pytest.mark.parametrize("name", AIMS)
@pytest.mark.parametrize("demands", DEMANDS)
def test_the_guarantee_is_at_most_twice_that_of_sharp(name: str, demands: str) -> None:
    """h = b·q is what sharp's noise alone reaches; for squares the factor is 1 + q/√(H² + H₂), in error units."""
    aim = AIMS[name]
    family = Simplex(SortedDemands(budgets(standard_demands(demands))))
    _, sharp = best_level(family, criteria.sharp_correlated(aim))
    _, ours = best_level(family, criteria.anchored(aim))
    reach = float(largest_of_exponentials(aim.outputs, 0.05))
    factor = 2.0 if aim.beta else (1.0 + reach / typical_maximum(aim.outputs, None)) ** 2
    assert sharp < ours <= factor * sharp * (1 + 1e-9)


@pytest.mark.parametrize("name", AIMS)
def test_the_opinion_spends_only_what_the_anchor_leaves(name: str) -> None:
    epsilon = standard_demands("log-uniform")
    built = anchored(name, epsilon)
    assert built.opinion is not None
    level = built.anchor.level
    assert level is not None
    strict = epsilon <= level
    assert not built.opinion.privacy_loss[strict].any()
    assert np.all(built.anchor.privacy_loss <= level)
    for user in np.argsort(epsilon)[:: epsilon.size // 50]:
        assert built.privacy_loss_exact(int(user)) <= Fraction(float(epsilon[user]))


@pytest.mark.parametrize("name", AIMS)
def test_equal_demands_leave_nothing_and_give_the_sharp_weights(name: str) -> None:
    epsilon = np.full(200, 0.1)
    built = anchored(name, epsilon)
    sharp = build(f"{name}-sharp", epsilon=epsilon, categories=categories(name))
    assert built.opinion is None
    np.testing.assert_allclose(built.weights, sharp.weights)
    assert built.noise_scale == sharp.noise_scale


def test_on_the_worst_data_the_error_stays_below_the_guarantee_and_the_box_is_at_work() -> None:
    """Above the guarantee lie at most 5% of errors: 600 of 10⁴ are 4.6 deviations off, and 640 fail below 10⁻⁹."""
    epsilon = standard_demands("two-point")
    built = anchored("hpm-cp", epsilon)
    data = (built.weights > 1 / epsilon.size).astype(np.float64)
    errors = np.abs(built.release_many(data, size=10_000, rng=np.random.default_rng(5)) - data.mean())
    family = Simplex(SortedDemands(budgets(epsilon)))
    _, guaranteed = best_level(family, criteria.anchored(AIMS["hpm-cp"]))
    assert np.count_nonzero(errors > guaranteed) < 640
    opinion_bias = abs(built.weights @ data - data.mean())
    assert np.median(errors) < opinion_bias
