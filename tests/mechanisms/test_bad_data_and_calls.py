"""What the releases must refuse: data, sizes and generators of the wrong kind, in every kind of call."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mechanisms import InvalidInput, build, entry
from mechanisms.mechanism import ReferenceMechanism

NAN, INF = float("nan"), float("inf")
EPSILON = [0.5, 1.0]
MEANS = pytest.mark.parametrize("name", ["prop", "sm"])  # the two ways of drawing; checks are shared
TABLES = pytest.mark.parametrize("name", ["prop", "ldp"])


def seeded() -> np.random.Generator:
    return np.random.default_rng(1)


CALLS: dict[str, Callable[[ReferenceMechanism, Any], Any]] = {
    "release": lambda made, data: made.release(data, rng=seeded()),
    "release_many": lambda made, data: made.release_many(data, size=2, rng=seeded()),
    "permuted": lambda made, data: made.release_many(data, size=2, rng=seeded(), permuted=True),
}
EVERY_CALL = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)


def mean_of(name: str) -> ReferenceMechanism:
    return build(name, epsilon=EPSILON, task=entry(name).task or "mean")


ANY: dict[str, tuple[Any, str]] = {
    "too few": ([0], r"shape \(1,\)"),
    "too many": ([0, 1, 1], r"shape \(3,\)"),
    "none": ([], r"shape \(0,\)"),
    "two dimensions": ([[0, 1]], r"shape \(1, 2\)"),
    "one number": (0, r"shape \(\)"),
    "nothing": (None, r"shape \(\)"),
    "ragged": ([[0], [0, 1]], "data"),
    "masked": (np.ma.masked_array([0, 1], mask=[False, True]), "mask"),
}
MEAN_DATA = ANY | {
    "words": (["a", "b"], "'a'"),
    "not a number": ([0.0, NAN], "user 1: datum nan"),
    "infinite": ([INF, 0.0], "user 0: datum inf"),
    "an ulp above one": ([0.0, np.nextafter(1.0, 2.0)], "user 1: datum 1.0000000000000002"),
    "an ulp below zero": ([-5e-324, 1.0], "user 0: datum -5e-324"),
    "missing": ([None, 1.0], "user 0: datum nan"),
    "complex": (np.array([0j, 1 + 0j]), "numbers in"),
    "an integer beyond all doubles": ([10**400, 0], "numbers in"),
    "durations": (np.array([0, 1], dtype="m8[s]"), "numbers in"),
    "records": (np.zeros(2, dtype=[("a", float)]), "numbers in"),
}
TABLE_DATA = ANY | {
    "floats": ([1.0, 0.0], "type float64"),
    "bools": ([True, False], "type bool"),
    "words": (["0", "1"], "type <U1"),
    "objects": (np.array([0, 1], dtype=object), "type object"),
    "category k": ([0, 3], "user 1: category 3; categories run from 0 to 2"),
    "negative": ([-1, 0], "user 0: category -1"),
    "the largest integer": (np.array([2**64 - 1, 0], dtype=np.uint64), "user 0: category 18446744073709551615"),
    "not a number": ([0, NAN], "type float64"),
}


@MEANS
@EVERY_CALL
@pytest.mark.parametrize("kind", MEAN_DATA)
def test_data_that_have_no_mean_are_refused(kind: str, call: Callable[..., Any], name: str) -> None:
    given, message = MEAN_DATA[kind]
    made = mean_of(name)
    with pytest.raises(InvalidInput, match=message):
        call(made, given)


@TABLES
@EVERY_CALL
@pytest.mark.parametrize("kind", TABLE_DATA)
def test_data_that_are_no_categories_are_refused(kind: str, call: Callable[..., Any], name: str) -> None:
    given, message = TABLE_DATA[kind]
    made = build(name, epsilon=EPSILON, categories=3)
    with pytest.raises(InvalidInput, match=message):
        call(made, given)


@MEANS
@pytest.mark.parametrize("permuted", [False, True])
@pytest.mark.parametrize("size", [-1, 2.0, 2.5, "3", None, True, NAN, [2], np.float64(2)], ids=repr)
def test_sizes_are_whole_numbers(size: Any, permuted: bool, name: str) -> None:
    made = mean_of(name)
    with pytest.raises(InvalidInput, match="size = "):
        made.release_many([0, 1], size=size, rng=seeded(), permuted=permuted)


@MEANS
@pytest.mark.parametrize("permuted", [False, True])
def test_no_releases_are_an_empty_array(permuted: bool, name: str) -> None:
    assert mean_of(name).release_many([0, 1], size=0, rng=seeded(), permuted=permuted).shape == (0,)


WITH_RNG: dict[str, Callable[[ReferenceMechanism, Any], Any]] = {
    "release": lambda made, rng: made.release([0, 1], rng=rng),
    "release_many": lambda made, rng: made.release_many([0, 1], size=2, rng=rng),
    "permuted": lambda made, rng: made.release_many([0, 1], size=2, rng=rng, permuted=True),
    "release_each": lambda made, rng: made.release_each([[0, 1]], rng=rng),
}


@MEANS
@pytest.mark.parametrize(
    "rng", [1, "seed", np.random.RandomState(1), np.random.PCG64(1)], ids=lambda r: type(r).__name__
)
@pytest.mark.parametrize("call", WITH_RNG.values(), ids=WITH_RNG)
def test_generators_are_numpy_generators(call: Callable[..., Any], rng: Any, name: str) -> None:
    made = mean_of(name)
    with pytest.raises(InvalidInput, match="rng = "):
        call(made, rng)


@MEANS
def test_a_wrong_row_among_datasets_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput, match=r"datum 7\.0"):
        mean_of(name).release_each([[0, 1], [0, 7]], rng=seeded())


@MEANS
@pytest.mark.parametrize("datasets", [[[0, 1], [0]], None, [0, 1], [[0, 1, 1]], []], ids=repr)
def test_datasets_are_rows_of_one_length(datasets: Any, name: str) -> None:
    with pytest.raises(InvalidInput, match="datasets"):
        mean_of(name).release_each(datasets, rng=seeded())


def test_a_wrong_row_is_named_by_row_and_user() -> None:
    with pytest.raises(InvalidInput, match=r"(row|dataset) 1.*user 1"):
        mean_of("prop").release_each([[0, 1], [0, 7]], rng=seeded())
