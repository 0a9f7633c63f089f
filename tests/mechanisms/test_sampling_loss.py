"""SM: each user's loss from the integers that the code runs on, at fifty digits, against what is promised."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import mpmath as mp
import numpy as np
import pytest
from scipy.optimize import minimize_scalar

from mechanisms import build
from mechanisms.baselines.sampling import SamplingMechanism
from mechanisms.broken import FAINT
from mechanisms.standard import STANDARD, standard_demands
from tests.mechanisms.sampling_law import SamplingLaw, closed_form

DIGITS = 50
MEANS = [(0.25, 0.5), (0.7,), (1.0, 1.0, 1.0), (0.1, 1.0, 0.4), (0.0, 0.3, 2.0), (0.05, 0.5, 1.0, 3.0), (1e-3, 8.0)]
TABLES = [((0.25, 0.5), 2), ((0.25, 0.5), 3), ((0.7,), 3), ((0.1, 1.0, 0.4), 2), ((0.0, 0.5, 2.0), 2)]


@pytest.fixture(autouse=True)
def _fifty_digits() -> Iterator[None]:
    with mp.workdps(DIGITS):
        yield


def sampling(epsilon: object, categories: int | None = None) -> SamplingMechanism:
    task = "mean" if categories is None else "frequency"
    made = build("sm", epsilon=np.asarray(epsilon), task=task, categories=categories)
    assert isinstance(made, SamplingMechanism)
    return made


def assert_kept_and_tight(made: SamplingMechanism, user: int, true: mp.mpf) -> None:
    """true ≤ reported ≤ demand, and reported within 10⁻⁹ of true; fifty digits leave 10⁻⁴⁰ for rounding in `true`."""
    reported, demand = mp.mpf(float(made.privacy_loss[user])), mp.mpf(float(made.epsilon[user]))
    exact = made.privacy_loss_exact(user)
    assert isinstance(exact, Fraction)
    assert mp.mpf(exact.numerator) / exact.denominator == reported
    assert true * (1 - mp.mpf("1e-40")) <= reported <= demand
    assert reported - true <= mp.mpf("1e-9") * true


@pytest.mark.parametrize("epsilon", MEANS, ids=str)
def test_enumerated_mean_loss_is_the_closed_form_and_keeps_the_demand(epsilon: tuple[float, ...]) -> None:
    made = sampling(epsilon)
    law = SamplingLaw.of(made)
    for user in range(len(epsilon)):
        true = law.worst(user)
        # The clip at 1 falls within 2^8 units of U·P, of 2^bits: no more can be lost to rounding it.
        assert abs(true - closed_form(made, user)) <= mp.mpf(2) ** (8 - law.bits)
        assert_kept_and_tight(made, user, true)


@pytest.mark.parametrize(("epsilon", "k"), TABLES, ids=str)
def test_enumerated_frequency_loss_is_the_closed_form_and_keeps_the_demand(epsilon: tuple[float, ...], k: int) -> None:
    made = sampling(epsilon, k)
    law = SamplingLaw.of(made)
    for user in range(len(epsilon)):
        true = law.worst(user)
        assert abs(true - closed_form(made, user)) <= mp.mpf(2) ** (8 - law.bits)
        assert_kept_and_tight(made, user, true)


@pytest.mark.parametrize("categories", [None, 3])
@pytest.mark.parametrize("name", sorted(STANDARD.keys() - {"tiers"}))
def test_standard_demands_are_kept_to_the_last_digit(name: str, categories: int | None) -> None:
    made = sampling(standard_demands(name), categories)
    users = np.unique(np.linspace(0, made.epsilon.size - 1, 200).astype(int))
    extremes = [int(made.epsilon.argmin()), int(made.epsilon.argmax())]
    for user in [*users.tolist(), *extremes]:
        assert_kept_and_tight(made, user, closed_form(made, user))


@pytest.mark.parametrize("categories", [None, 3])
def test_public_users_are_sampled_alone_and_lose_everything(categories: int | None) -> None:
    made = sampling(standard_demands("tiers"), categories)
    assert made.privacy_loss.tolist() == np.where(np.isinf(made.epsilon), np.inf, 0.0).tolist()
    assert np.array_equal(made.chances > 0, np.isinf(made.epsilon))


@pytest.mark.parametrize("categories", [None, 3])
@pytest.mark.parametrize("magnitude", [1e-4, 1e-7, 1e-10, 1e-15, 1e-18, 1e-40])
def test_small_demands_are_reported_no_smaller_than_they_are(magnitude: float, categories: int | None) -> None:
    """The logarithm of a mixture near 1 needs log1p and expm1: cancellation is far larger than the rounding up."""
    epsilon = magnitude * np.array([1.0, 2.0, 3.3, 4.7, 5.9, 7.3, 9.1])
    made = sampling(epsilon, categories)
    for user in range(epsilon.size):
        assert_kept_and_tight(made, user, closed_form(made, user))


@pytest.mark.parametrize("categories", [None, 3])
@pytest.mark.parametrize(
    "epsilon", [(700.0, 710.0, 100.0), (4000.0, 3999.0, 3970.0), (2.0**190, 2.0**190 - 2.0**139, 5.0), (1e-12, 30.0)]
)
def test_large_demands_overflow_nothing(epsilon: tuple[float, ...], categories: int | None) -> None:
    made = sampling(epsilon, categories)
    for user in range(len(epsilon)):
        p = mp.mpf(int(made.chances[user])) / 2**62
        true = closed_form(made, user) if p > 0 else mp.mpf(0)
        assert_kept_and_tight(made, user, true)


def test_frequency_noise_of_half_the_scale_would_leak() -> None:
    """With 1/(τP) in each bin instead of 2/(τP) the first of (0.25, 0.5) loses 0.439, enumerated like the others."""
    made = sampling((0.25, 0.5), 3)
    right = SamplingLaw.of(made)
    halved = SamplingLaw(right.chances, right.unit, right.bits - 1, right.top, 3)
    assert float(right.worst(0)) == pytest.approx(float(closed_form(made, 0)), rel=1e-12)
    assert float(halved.worst(0)) == pytest.approx(0.439, abs=5e-4)


def test_scaling_to_the_realised_sample_leaks_three_tenths() -> None:
    """Own derivation: user 2 always sampled, user 1 with chance p; densities at y for x₁ = 1 and x₁ = 0, x₂ = 0."""
    tau, p = 0.5, np.expm1(0.25) / np.expm1(0.5)

    def log_ratio(y: float) -> float:
        alone = (1 - p) * tau * np.exp(-tau * y)
        both = [p * 2 * tau * np.exp(-2 * tau * abs(y - middle)) for middle in (0.5, 0.0)]
        return float(np.log((alone + both[0]) / (alone + both[1])))

    peak = minimize_scalar(lambda y: -log_ratio(y), bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-10})
    assert peak.x == pytest.approx(0.5, abs=1e-6)
    assert log_ratio(0.5) == pytest.approx(0.3042, abs=5e-5)
    assert FAINT["sm-realised-mean"].loss(np.array([0.25, 0.5])) == pytest.approx([log_ratio(0.5), 0.5], rel=1e-12)
