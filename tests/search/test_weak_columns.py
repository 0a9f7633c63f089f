"""One weak column among many: a value of every kind is tried, and the columns that somebody moves are looked at."""

from __future__ import annotations

import numpy as np
import pytest

from hdp_audit.model.domain import Categories, Domain, Unit
from hdp_audit.model.promise import PureDP
from hdp_audit.model.table import Table
from hdp_audit.model.task import Custom
from hdp_audit.model.vector import Vector
from hdp_audit.search.effects import moved_columns
from hdp_audit.search.exploring import explore
from hdp_audit.targets.subject import Subject

USERS = 20


class WeakEntry:
    """Entries summed with noise that suffices, but of one entry."""

    def __init__(self, scales: np.ndarray) -> None:
        self.scales = scales

    def batch(self, data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator, size: int) -> np.ndarray:
        return epsilon @ data + rng.laplace(size=(size, self.scales.size)) * self.scales

    def __call__(self, data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return self.batch(data, epsilon, rng, 1)[0]


@pytest.mark.parametrize(("size", "weak"), [(10, 6), (40, 11)])
def test_a_weak_axis_is_among_the_finalists(size: int, weak: int) -> None:
    """An eighth of the noise. That chance names the axis to all finalists has probability below (1/10)⁶."""
    scales = np.where(np.arange(size) == weak, 0.25, 2.0)
    subject = Subject(WeakEntry(scales), PureDP(np.full(USERS, 0.3)), Custom(), "weak", domain=Vector(size, "l1"))
    subject.width = size
    finalists, _ = explore(subject, 20_000, seed=1)
    moved = [np.abs(each.pair.first.data - each.pair.second.data).max(axis=0)[weak] for each in finalists]
    assert max(moved) >= 1.0


@pytest.mark.parametrize("domain", [Vector(9), Categories(30), Table({"x": Unit(), "y": Unit()})])
def test_values_of_every_kind_are_as_many_as_the_domain_says(domain: Domain) -> None:
    found = domain.values(domain.variety, np.random.default_rng(1))
    assert len(found) == domain.variety
    if isinstance(domain, Vector):
        ends = [end for axis in np.eye(9) for end in (axis, -axis)]
        assert all(any(np.array_equal(end, value) for value in found) for end in ends)
    if isinstance(domain, Categories):
        assert sorted(found) == list(range(30))


def test_the_column_that_one_user_moves_is_found_among_two_hundred() -> None:
    """By 0.6 of its noise's spread in 1,500 calls: 23 standard errors, where 10 users × 200 columns have at most 5."""
    rng = np.random.default_rng(2)
    values = np.linspace(0.0, 1.0, 12)
    places = rng.integers(12, size=(1_500, 10))
    ranks = rng.random((1_500, 200)) - 0.5
    ranks[:, 77] += 0.6 * (values[places[:, 3]] - 0.5)
    assert 77 in moved_columns(places, ranks, values.tolist(), np.full(10, 0.1), rng)
