"""Declared losses of the guilty controls against the exact law of each, by brute force over datasets and outputs."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from mechanisms.broken import FAULTS as DECLARED
from tests.mechanisms.control_laws import BINS, MEANS, TABLES, TWENTY, TWENTY_SMALL
from tests.mechanisms.laws import Floats, Law, log_ratio

FAULTS = {**DECLARED, TWENTY: TWENTY_SMALL}

# Small relatives of the standard demands, and some with public users and users who must not be counted.
TIERS = (0.02, 0.5, 2.0, 0.0, np.inf)
POSITIVE = {
    "pair": (0.5, 1.0),
    "two-point": (0.05, 2.0),
    "equal-1": (1.0, 1.0, 1.0),
    "equal-0.1": (0.1, 0.1, 0.1, 0.1),
    "log-uniform": (0.01, 0.3, 1.2, 20.0),
}
OPEN = POSITIVE | {"tiers": TIERS, "zeros": (0.0, 0.7, 0.0, 3.0), "public": (0.3, np.inf, 1.5)}
EDGELESS = {"mean-not-max"}  # divides by every demand: not for zeros
SATURATED = {"fixed-seed", "wrong-clip"}  # small demands hide the leak; judged below

CASES = [
    (name, label) for name in sorted(MEANS.keys() - SATURATED) for label in (POSITIVE if name in EDGELESS else OPEN)
]


def mean_loss(name: str, epsilon: Floats, user: int) -> float:
    """sup over neighbours in {0, ½, 1}ⁿ ({0, 1}ⁿ for more than three users) and over outputs."""
    values = (0.0, 0.5, 1.0) if epsilon.size <= 3 else (0.0, 1.0)
    worst = 0.0
    for rest in product(values, repeat=epsilon.size - 1):
        laws = [MEANS[name](np.insert(np.array(rest), user, own), epsilon) for own in (0.0, 0.5, 1.0)]
        worst = max(worst, *(log_ratio(laws[a], laws[b]) for a, b in ((0, 1), (0, 2), (1, 2))))
    return worst


def table_loss(name: str, epsilon: Floats, user: int) -> float:
    """The same over {0, 1, last}ⁿ; independent bins add their largest log-ratios."""
    choices = (0, 1, BINS - 1)
    worst = 0.0
    for rest in product(choices, repeat=epsilon.size - 1):
        tables = [TABLES[name](np.insert(np.array(rest), user, own), epsilon) for own in choices]
        worst = max(worst, *(_product_ratio(a, b) for a in tables for b in tables if a is not b))
    return worst


def _product_ratio(one: list[Law], other: list[Law]) -> float:
    return sum(log_ratio(a, b) for a, b in zip(one, other, strict=True))


def test_every_control_has_a_law_of_its_own() -> None:
    assert MEANS.keys() | TABLES.keys() | {"sm-realised", "reused-noise"} == FAULTS.keys()


@pytest.mark.many(5)
@pytest.mark.parametrize(("name", "label"), CASES)
def test_declared_mean_loss_is_the_largest_log_ratio(name: str, label: str) -> None:
    epsilon = np.array(OPEN[label])
    found = [mean_loss(name, epsilon, user) for user in range(epsilon.size)]
    assert found == pytest.approx(FAULTS[name].loss(epsilon), rel=1e-9, abs=1e-12)


@pytest.mark.many(2)
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("label", ["pair", "two-point", "equal-1", "public"])
def test_declared_frequency_loss_is_the_largest_log_ratio(name: str, label: str) -> None:
    epsilon = np.array(OPEN[label])
    found = [table_loss(name, epsilon, user) for user in range(epsilon.size)]
    assert found == pytest.approx(FAULTS[name].loss(epsilon), rel=1e-9, abs=1e-12)


def test_noiseless_empty_bins_reveal_nothing_about_users_without_weight() -> None:
    epsilon = np.array([0.0, 0.7])
    assert [table_loss("noiseless-empty-bin", epsilon, user) for user in (0, 1)] == [0.0, np.inf]
    assert FAULTS["noiseless-empty-bin"].loss(epsilon).tolist() == [0.0, np.inf]


def test_a_fixed_seed_reveals_everybody_with_weight_where_the_noise_is_below_one() -> None:
    epsilon = np.array([2.0] * 6 + [0.0])  # t = 1/6, and the constant is 0.15t
    assert [mean_loss("fixed-seed", epsilon, user) for user in (0, 6)] == [np.inf, 0.0]
    assert FAULTS["fixed-seed"].loss(epsilon)[[0, 6]].tolist() == [np.inf, 0.0]


def test_a_fixed_seed_reveals_nothing_where_its_constant_is_clipped_away() -> None:
    """Total spending below 0.153: the constant noise exceeds 1, every output is 1."""
    epsilon = np.array([0.05, 0.1])
    assert [mean_loss("fixed-seed", epsilon, user) for user in (0, 1)] == [0.0, 0.0]
    assert FAULTS["fixed-seed"].loss(epsilon).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("label", ["pair", "equal-1", "equal-0.1", "log-uniform", "zeros", "public"])
def test_clipping_to_the_middle_half_hides_nothing_from_weights_up_to_three_quarters(label: str) -> None:
    epsilon = np.array(OPEN[label])
    small = np.flatnonzero(np.minimum(epsilon, 1.0) <= 0.75 * np.minimum(epsilon, 1.0).sum())
    found = [mean_loss("wrong-clip", epsilon, int(user)) for user in small]
    assert small.size >= 2 or label == "zeros"
    assert found == pytest.approx(FAULTS["wrong-clip"].loss(epsilon)[small], rel=1e-9, abs=1e-12)
    assert "privacy" not in FAULTS["wrong-clip"].breaks


def test_clipping_to_the_middle_half_costs_a_user_of_most_of_the_weight_less_than_declared() -> None:
    """One user of weight 1: the log-ratio at ¼ is log(2 − e^{−1/4}) + 3/4, not 1."""
    epsilon = np.array([1.0])
    found = mean_loss("wrong-clip", epsilon, 0)
    assert found == pytest.approx(np.log(2.0 - np.exp(-0.25)) + 0.75, rel=1e-12)
    assert FAULTS["wrong-clip"].loss(epsilon) == pytest.approx([found], rel=1e-9)
