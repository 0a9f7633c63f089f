"""Arguments by name: in any order, by keyword, without a generator; others by position."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hdp_audit.errors import InvalidInput
from hdp_audit.targets.named import Named, adapted

TWO = ("epsilon", "delta")
GIVEN = ("the data", "the epsilons", "the deltas", "a generator")


def usual(data: Any, epsilon: Any, delta: Any, rng: Any) -> Any:
    return data, epsilon, delta, rng


def turned(rng: Any, delta: Any, data: Any, epsilon: Any) -> Any:
    return data, epsilon, delta, rng


def by_keyword(*, rng: Any, epsilon: Any, data: Any) -> Any:
    return data, epsilon, rng


def other_names(x: Any, e: Any, generator: Any) -> Any:
    return x, e, generator


def without_a_generator(data: Any, delta: Any) -> Any:
    return data, delta


def optional(data: Any, epsilon: Any, rng: Any, clip: float = 1.0) -> Any:
    return data, epsilon, rng, clip


def settings_between(data: Any, epsilon: Any, clip: float = 1.0, rng: Any = None, *, digits: int = 3) -> Any:
    return data, epsilon, clip, rng, digits


def settings_behind(data: Any, epsilon: Any, clip: float = 1.0) -> Any:
    return data, epsilon, clip


def other_settings_behind(x: Any, e: Any, verbose: bool = False) -> Any:
    return x, e, verbose


def fixed_seed(data: Any, epsilon: Any, seed: int = 0) -> Any:
    return data, epsilon, seed


def seeded(data: Any, epsilon: Any, seed: int | None = None) -> Any:
    return data, epsilon, seed


def other_names_seeded(x: Any, e: Any, random_state: int) -> Any:
    return x, e, random_state


def seeded_by_keyword(x: Any, epsilon: Any, *, clip: float = 1.0, seed: int) -> Any:
    return x, epsilon, seed


def may_be_random(x: Any, e: Any, source: Any = None) -> Any:
    return x, e, source


@pytest.mark.parametrize(
    ("function", "got"),
    [
        (settings_between, ("the data", "the epsilons", 1.0, "a generator", 3)),
        (settings_behind, ("the data", "the epsilons", 1.0)),
        (fixed_seed, ("the data", "the epsilons", 0)),
        (other_settings_behind, ("the data", "the epsilons", False)),
    ],
)
def test_a_setting_with_a_default_is_no_generator(function: Callable[..., Any], got: tuple[Any, ...]) -> None:
    found = adapted(function, ("epsilon",))
    assert isinstance(found, Named)
    assert found("the data", "the epsilons", "a generator") == got
    assert found.takes_rng is ("a generator" in got)


def test_what_may_be_a_generator_gets_one() -> None:
    assert adapted(may_be_random, ("epsilon",)) is may_be_random


@pytest.mark.parametrize("function", [seeded, other_names_seeded, seeded_by_keyword])
def test_a_seed_is_a_whole_number_made_by_the_generator(function: Callable[..., Any]) -> None:
    found = adapted(function, ("epsilon",))
    got = [found("the data", "the epsilons", np.random.default_rng(number)) for number in (1, 1, 2)]
    assert got[0] == got[1] != got[2]
    assert got[0] == ("the data", "the epsilons", int(np.random.default_rng(1).integers(1 << 32)))
    assert isinstance(found, Named)
    assert found.takes_rng


@pytest.mark.parametrize(
    ("function", "got"),
    [
        (usual, GIVEN),
        (turned, GIVEN),
        (by_keyword, (GIVEN[0], GIVEN[1], GIVEN[3])),
        (other_names, (GIVEN[0], GIVEN[1], GIVEN[3])),
        (without_a_generator, (GIVEN[0], GIVEN[2])),
        (optional, (GIVEN[0], GIVEN[1], GIVEN[3], 1.0)),
    ],
)
def test_each_gets_what_it_names(function: Callable[..., Any], got: tuple[Any, ...]) -> None:
    assert adapted(function, TWO)(*GIVEN) == got


def test_what_fits_by_position_is_not_wrapped() -> None:
    assert adapted(usual, TWO) is usual
    assert adapted(other_names, ("epsilon",)) is other_names


def test_a_name_that_the_promise_does_not_have_is_an_error_in_words() -> None:
    with pytest.raises(InvalidInput, match="asks for epsilon, but the promise has mu"):
        adapted(by_keyword, ("mu",))


def test_batches_are_named_too() -> None:
    class Batched:
        def __call__(self, rng: Any, data: Any) -> Any:
            return data

        def batch(self, size: int, rng: np.random.Generator, data: Any) -> Any:
            return [data] * size

    wrapped = adapted(Batched(), ("epsilon",))
    assert isinstance(wrapped, Named)
    assert wrapped.takes_rng
    assert wrapped.batch("data", "epsilon", "rng", 3) == ["data"] * 3
