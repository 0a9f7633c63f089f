"""Data of everybody's coins: the same numbers to the last bit, however they are made, and every call has its own."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest

from hdp_audit.model.dataset import Dataset, Keys, repeated
from hdp_audit.model.domain import Categories, Domain, Range, Unit
from hdp_audit.model.promise import PureDP
from hdp_audit.model.vector import Vector
from hdp_audit.search import effects, screening
from hdp_audit.search.designs import Design
from hdp_audit.search.screening import _parities
from hdp_audit.targets.failures import RAISED
from hdp_audit.targets.streams import named
from hdp_audit.tracing.places import value, values
from tests.subjects import between, subject_of, table

USERS = 70_000  # more than are made at once


@pytest.mark.parametrize(
    "ends", [(0.0, 1.0), (-1.0, 0.0), (0.0, -1.0), (-3.0, 0.1), (0.1, 0.7), (5.0, 5.0), (0, 11), (7, 2), (3, 3)]
)
@pytest.mark.parametrize("rows", [1, 3])
def test_everybody_has_exactly_one_of_their_two_values(ends: tuple[Any, Any], rows: int) -> None:
    first, second = (np.full(USERS, end) for end in ends)
    coins = np.random.default_rng(1).random((rows, USERS)) < 0.5
    made = between(first, second, np.ones(USERS)).datasets(coins).rows
    assert made.dtype == first.dtype
    assert np.array_equal(made, np.where(coins, second, first))
    assert np.array_equal(between(first, second, np.ones(USERS)).dataset(coins[0]).data, made[0])


def test_a_coin_is_that_of_all_numbers_of_a_user() -> None:
    first, second = np.zeros((4, 3)), np.ones((4, 3)) * [1.0, 2.0, -1.0]
    coins = np.random.default_rng(1).random((5, 4)) < 0.5
    made = between(first, second, np.ones(4)).datasets(coins).rows
    assert np.array_equal(made, np.where(coins[:, :, None], second, first))


def test_coins_are_the_parities_of_common_bits() -> None:
    column, flipped = np.array([0, 1, 2, 5, 7]), np.array([False, True, False, True, False])
    bits = [(column >> bit & 1).astype(np.bool_) for bit in range(3)]
    expected = (np.bitwise_count(np.arange(8)[:, None] & column) & 1).astype(np.bool_) ^ flipped
    assert np.array_equal(_parities(bits, flipped), expected)


class Told:
    """Says which of the first users have a 1, and nothing else."""

    def __call__(self, data: np.ndarray, _: np.ndarray, rng: np.random.Generator) -> float:
        return float(self.many(data[None], _, rng)[0])

    def many(self, datasets: np.ndarray, _: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return datasets @ 2.0 ** np.arange(datasets.shape[1])


def test_coins_are_the_same_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    sides, subject = between(np.zeros(9), np.ones(9), np.ones(9)), subject_of(Told(), np.ones(9), None)
    blocks, design = [*np.arange(9)[:, None]], Design.shuffled(64, 9, np.random.default_rng(1))
    given = subject, sides, blocks, design, (1, "test", 0), np.copy
    whole = screening.coin_outputs(*given)
    monkeypatch.setattr(screening, "CELLS", 40)  # four rows of nine at once
    assert np.array_equal(screening.coin_outputs(*given), whole)
    columns = 1 - 2 * (np.bitwise_count(np.arange(64)[:, None] & design.columns) & 1).astype(int)
    coins = (columns < 0) ^ design.flips
    assert np.array_equal(whole[:, 0], coins @ 2.0 ** np.arange(9))


def test_datasets_have_one_key_if_data_and_demands_are_alike() -> None:
    keys, one, other = Keys(), PureDP([0.1, 0.5]), PureDP([0.1, 0.6])
    found = [keys(Dataset(np.array(data), promise)) for promise in (one, other, one) for data in ([0.0, 1.0], [1, 0.5])]
    assert found[:2] == found[4:]
    assert len(set(found)) == 4
    assert keys(Dataset(np.array([0.0, 1.0]), PureDP([0.1, 0.5]))) == found[0]
    assert keys(Dataset(np.array(["x", "y"]), one)) != keys(Dataset(np.array(["x", "z"]), one))


def test_values_by_lot_are_the_same_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = effects._by_lot(12, 12, 101, 7, np.random.default_rng(5))
    monkeypatch.setattr(effects, "CELLS", 40)
    assert np.array_equal(effects._by_lot(12, 12, 101, 7, np.random.default_rng(5)), whole)
    assert np.array_equal(np.random.default_rng(5).integers(12, size=(101, 7)), whole)


@pytest.mark.parametrize("domain", [Unit(), Range(-3, 0.1), Categories(7), Vector(2)])
def test_values_of_many_places_are_those_of_each(domain: Domain) -> None:
    parts = (np.arange(300) + 0.5) / 300
    assert np.array_equal(values(domain, parts), [value(domain, part) for part in parts.tolist()])


class Spoils:
    """Writes into all that it is given, and then breaks, or not."""

    def __init__(self, breaks: bool) -> None:
        self.breaks = breaks

    def __call__(self, data: np.ndarray, _: np.ndarray, rng: np.random.Generator) -> float:
        return float(self.many(data[None], _, rng)[0])

    def many(self, datasets: np.ndarray, _: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        told = datasets.sum(axis=1) + rng.laplace(0.0, 1e-9, len(datasets))
        datasets[:] = 0.25
        if self.breaks:
            raise ValueError("spoilt")
        return told


def test_what_a_call_writes_into_its_datasets_no_other_call_sees() -> None:
    subject = subject_of(Spoils(breaks=False), np.ones(5), None)
    rows = np.random.default_rng(1).random((4, 5))
    for given in (table(subject, rows), between(np.zeros(5), np.ones(5), np.ones(5)).datasets(rows > 0.5)):
        tables = [subject.draw_each(given, named(1, "test")) for _ in range(2)]
        assert np.array_equal(tables[0], tables[1])
        assert tables[0][:, 0] == pytest.approx(given.rows.sum(axis=1), abs=1e-6)


def test_a_failure_shows_the_datasets_as_they_were_given() -> None:
    subject = subject_of(Spoils(breaks=True), np.ones(5), None)
    subject.draw_each(between(np.zeros(5), np.ones(5), np.ones(5)).datasets(np.eye(5) > 0), named(1, "test"))
    assert np.array_equal(subject.failures[RAISED].data, np.eye(5))


def test_a_part_of_a_table_has_some_of_its_rows_and_travels_to_workers() -> None:
    rows = np.random.default_rng(1).random((6, 5))
    subject = subject_of(Spoils(breaks=False), np.ones(5), None)
    same = repeated(subject.dataset(rows[0]), 6)
    for whole in (table(subject, rows), between(np.zeros(5), np.ones(5), np.ones(5)).datasets(rows > 0.5), same):
        part = pickle.loads(pickle.dumps(whole.part(2, 5)))  # noqa: S301 - ours
        assert len(part) == 3
        assert np.array_equal(part.rows, whole.rows[2:5])
