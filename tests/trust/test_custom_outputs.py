"""Outputs of custom tasks: different ones are told apart, equal ones are one, and what cannot be told is refused."""

from __future__ import annotations

import asyncio
import collections
import datetime as dt
import enum
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hdp_audit.model.dataset import Dataset
from hdp_audit.model.promise import PureDP
from hdp_audit.targets.custom import TRIALS, Encoded
from hdp_audit.targets.failures import WRONG_TYPE
from tests.trust.outputs import EPSILON, OWN, custom, money, outcome


@dataclass
class Note:
    value: float
    kind: str


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


Point = collections.namedtuple("Point", "x y")

DIFFERENT: dict[str, tuple[Any, Any]] = {
    "complex": (0.5 + 1j, 0.5 + 2j),
    "integers above 2**53": (2**53, 2**53 + 1),
    "huge integers": (10**5000, 10**5000 + 1),
    "Decimal": (Decimal("0.1"), Decimal("0.10")),
    "Fraction": (Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30)),
    "numeric texts": ("0.5", "0.50"),
    "a text and a number": ("0.5", 0.5),
    "bytes and text": (b"a", "a"),
    "bool and number": (True, 1),
    "none and text": (None, "None"),
    "sign of zero": (0.0, -0.0),
    "nesting": ([1, [2, 3]], [[1, 2], 3]),
    "lengths": ([1, 2], [1, 2, 3]),
    "emptiness": ([], [[]]),
    "dict keys": ({"a": 1}, {"b": 1}),
    "dict order": ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    "objects": (Note(0.5, "a"), Note(0.5, "b")),
    "enums": (Colour.RED, Colour.BLUE),
    "floats with notes": (money(1), money(2)),
    "named tuples": (Point(1, 2), Point(2, 1)),
    "sets": ({1, 2}, {1, 3}),
    "dates": (dt.date(2020, 1, 1), dt.date(2020, 1, 2)),
    "numpy dates": (np.datetime64("2020-01-01"), np.datetime64("2020-01-02")),
    "structured": (np.array([(1, 2.0)], dtype="i4,f8"), np.array([(1, 3.0)], dtype="i4,f8")),
    "surrogates": ("\ud800", "\ud801"),
    "longdouble": (np.longdouble(1) / 3, np.longdouble(1) / 3 + np.finfo(np.longdouble).eps),
}


def encoded(first: Any, later: Any, *others: Any) -> tuple[list[float], ...]:
    """Rows of both, where the layout knows the first (and others) from its first calls, and meets the later one."""
    outputs = iter([first, *others, *[first] * (TRIALS - 1 - len(others)), first, later])
    mechanism = Encoded(lambda _data, _epsilon, _rng: next(outputs), [Dataset([0], PureDP(EPSILON))], OWN.generator())
    return tuple(mechanism([0], EPSILON, OWN.generator()).tolist() for _ in range(2))


@pytest.mark.parametrize("name", DIFFERENT)
@pytest.mark.parametrize("others", ["none", "both"])
def test_different_outputs_have_different_rows_of_one_width(name: str, others: str) -> None:
    """Whichever of them was there first, and whether or not the first calls gave both."""
    one, two = DIFFERENT[name]
    if name == "longdouble" and np.finfo(np.longdouble).nmant <= 52:
        pytest.skip("longdouble is a double here")
    for first, later in ((one, two), (two, one)):
        rows = [np.array(row) for row in encoded(first, later, *([later] if others == "both" else []))]
        assert rows[0].shape == rows[1].shape
        assert np.isfinite(rows).all()
        assert rows[0].tobytes() != rows[1].tobytes()


def test_equal_values_are_one_output_whoever_made_them() -> None:
    for one, two in [
        (1, 1.0),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        ([1, 2], (1, 2)),
        ([1.0, 2.0], np.array([1, 2])),
        ({3, 1}, {1, 3}),
    ]:
        first, second = encoded(one, two)
        assert first == second, (one, two)


@pytest.mark.parametrize("known", [(), ("no",)], ids=["among numbers", "beside numbers"])
def test_no_number_has_the_code_of_a_symbol(known: tuple[str, ...]) -> None:
    """A mechanism that releases the very number which stands for a symbol is told from one that releases the symbol."""
    _, symbol = encoded(0.5, "yes", *known)
    for number in symbol:
        assert encoded(0.5, number, *known)[1] != symbol


LEAKS: dict[str, Callable[[bool, np.random.Generator], Any]] = {
    "an imaginary part": lambda secret, rng: complex(rng.normal(), secret),
    "a number or a text": lambda secret, rng: rng.normal() if secret else "none",
    "digits of a Decimal": lambda secret, _: Decimal("0.1") if secret else Decimal("0.10"),
    "a length": lambda secret, rng: [float(x) for x in rng.normal(size=rng.integers(1, 4) + secret)],
    "a long tail": lambda secret, rng: [0] * (50 * (rng.random() < 0.3)) + [int(secret)],
    "the last of many": lambda secret, rng: ["x"] * int(rng.integers(1, 5)) + [str(secret)],
    "a key": lambda secret, rng: {"a": rng.normal()} | ({"b": 1} if secret else {}),
    "too little noise in a text": lambda secret, rng: f"{secret + rng.laplace(scale=0.3):.6f}",
    "too little noise in a Decimal": lambda secret, rng: Decimal(round(100 * (secret + rng.laplace(scale=0.3)))) / 100,
}


@pytest.mark.parametrize("name", LEAKS)
def test_leaks_in_outputs_of_any_form_are_found(name: str) -> None:
    report = custom(LEAKS[name])
    assert [f.verdict for f in report.findings] == ["fail"]


def test_a_correct_mechanism_with_lists_of_varying_length_passes() -> None:
    """Its length is drawn by randomised response. False-alarm probability 10⁻⁶ by the plan."""

    def release(secret: bool, rng: np.random.Generator) -> list[float]:
        told = secret if rng.random() < 1 / (1 + np.exp(-0.5)) else not secret
        return [float(x) for x in rng.normal(size=1 + told + 2 * rng.integers(5))]

    report = custom(release, budget=6_000, detect=4, confidence=1 - 1e-6)
    assert [f.verdict for f in report.findings] == ["pass"]


def test_the_event_names_lengths_and_forms() -> None:
    report = custom(lambda secret, rng: [float(x) for x in rng.normal(size=3 + secret)])
    event = report.findings[0].witness["event"]
    assert "the number of parts" in event
    assert all(f"{form} as " in event for form in ("[3]", "[4]"))


class Raising:
    """Raises whatever one asks it."""

    def __float__(self) -> float:
        raise ValueError("no float")

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        raise ValueError("no array")

    def __iter__(self) -> Iterator[float]:
        raise ValueError("no iterator")

    def __len__(self) -> int:
        raise ValueError("no length")

    def __repr__(self) -> str:
        raise asyncio.CancelledError("no repr")


class Silent:
    def __repr__(self) -> str:
        raise ValueError("no repr")


class DataFrame:
    """As that of pandas: what it holds inside is nobody's business."""

    def __init__(self) -> None:
        self.inside = np.ma.array([1.0])


@pytest.mark.parametrize(
    ("output", "kind", "told"),
    [
        (object(), "wrong-type", "an object that holds nothing, and cannot be told from another; return"),
        ([1, object()], "wrong-type", "an object that holds nothing"),
        (lambda: 1, "wrong-type", "a function, whose content cannot be read"),
        (iter("ab"), "wrong-type", "a str_ascii_iterator, whose content cannot be read"),
        (np.ma.array([1.0]), "wrong-type", "a MaskedArray of shape (1,), whose content cannot be read"),
        (DataFrame(), "wrong-type", "a DataFrame that holds a MaskedArray of shape (1,), whose content cannot be read"),
        (DataFrame(), "wrong-type", "of a table of pandas return its to_dict()"),
        (Raising(), "wrong-type", "a Raising that holds nothing"),
        (Silent(), "wrong-type", "a Silent that holds nothing"),
        (float("inf"), "not-finite", "output inf"),
        ((0.5, float("nan")), "not-finite", "output"),
    ],
)
def test_what_cannot_be_told_apart_is_a_failed_call_and_no_end_of_a_check(output: Any, kind: str, told: str) -> None:
    report = custom(lambda _secret, _rng: output, budget=1_000)
    assert report.verdict == "error"
    (error,) = [f for f in report.findings if f.kind == "behaviour"]
    assert error.id.endswith(kind)
    assert told in error.message
    assert "0x" not in str(report.to_json())


def test_hostile_outputs_of_a_mean_are_failed_calls() -> None:
    for output in (Raising(), Silent(), [Raising()], [0.5, Silent()]):
        kind, words = outcome(output)
        assert kind == WRONG_TYPE
        assert words.startswith("the mechanism returned the wrong type: a ")
