"""Custom outputs are their type and all that they hold; nothing of their own is called to find that out."""

from __future__ import annotations

import collections
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import reduce
from typing import Any

import numpy as np
import pytest

from hdp_audit import audit
from hdp_audit.model import AuditReport
from hdp_audit.targets.failures import WrongType
from hdp_audit.targets.parts import DEEPEST, taken_apart

Rng = np.random.Generator


@dataclass(slots=True)
class Answer:
    word: str
    truth: int = field(repr=False)


class Plain:
    """Without a repr of its own."""

    def __init__(self, value: Any) -> None:
        self.value = value


class Slotted(Plain):
    __slots__ = ("__hidden",)

    def __init__(self, hidden: Any) -> None:
        super().__init__(0)
        self.__hidden = hidden


class Hostile:
    """Nobody may ask it anything."""

    def __init__(self, value: int) -> None:
        self.value = value

    def _asked(self, *_: Any) -> Any:
        raise AssertionError("asked")

    __repr__ = __str__ = __eq__ = __hash__ = __len__ = __iter__ = __float__ = __bool__ = __reduce__ = _asked
    __class__ = property(_asked)  # type: ignore[assignment]


class Queue(collections.deque):  # type: ignore[type-arg]
    pass


def noted(value: int) -> np.ndarray:
    return np.zeros(2, dtype=np.dtype("f8", metadata={"value": value}))


def turned() -> collections.OrderedDict[str, int]:
    found = collections.OrderedDict(a=1, b=2)
    found.move_to_end("a")
    return found


DIFFERENT: dict[str, tuple[Any, Any]] = {
    "a slot that the repr leaves out": (Answer("yes", 0), Answer("yes", 1)),
    "attributes without a repr": (Plain(0), Plain(1)),
    "a private slot": (Slotted(0), Slotted(1)),
    "hostile objects": (Hostile(0), Hostile(1)),
    "hostile objects in a list": ([Hostile(0)], [Hostile(1)]),
    "hostile objects in a dict": ({"a": Hostile(0)}, {"a": Hostile(1)}),
    "names of fields": (np.array([(1, 2)], dtype=[("a", int), ("b", int)]), np.array([(1, 2)], dtype="i8,i8")),
    "shapes of empty arrays": (np.zeros((0, 2)), np.zeros((0, 3))),
    "shapes of empty arrays in arrays": (np.zeros((2, 0, 2)), np.zeros((2, 0, 3))),
    "types of empty arrays": (np.zeros(0), np.zeros(0, dtype="U1")),
    "notes of a numpy type": (noted(0), noted(1)),
    "a frozen set": (frozenset({1}), {1}),
    "nested frozen sets": ([frozenset({1})], [{1}]),
    "a factory": (collections.defaultdict(list), collections.defaultdict(dict)),
    "a factory and none": (collections.defaultdict(list, a=1), {"a": 1}),
    "the order of an OrderedDict": (turned(), collections.OrderedDict(a=1, b=2)),
    "the length of a deque": (collections.deque([1]), collections.deque([1], maxlen=3)),
    "a subclass of a deque": (Queue([1]), collections.deque([1])),
    "units of no time": (np.datetime64("NaT", "D"), np.datetime64("NaT", "h")),
    "classes": (list, dict),
    "exceptions": (ValueError("a"), ValueError("b")),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_outputs_that_hold_different_things_are_told_apart(name: str) -> None:
    first, second = DIFFERENT[name]
    assert taken_apart(first) != taken_apart(second)
    assert taken_apart(first) == taken_apart(first)


def test_equal_contents_are_one_output() -> None:
    for make in (lambda: Answer("yes", 1), lambda: Plain([1, "a"]), lambda: Slotted({1: 2}), lambda: Hostile(3)):
        assert taken_apart(make()) == taken_apart(make())
    assert taken_apart({(1,), ((1,),), 1}) == taken_apart({1, ((1,),), (1,)})


def opaque() -> Iterator[tuple[Any, str]]:
    yield np.ma.array([1.0]), "a MaskedArray of shape"
    yield np.rec.array([(1, 2)]), "a recarray of shape"
    yield memoryview(b"a"), "a memoryview"
    yield (number for number in range(3)), "a generator"
    yield Plain(lambda: 1), "a function"
    yield collections.defaultdict(lambda: 1), "a function"
    yield type("Noted", (np.float64,), {})(1.0), "a Noted"


@pytest.mark.parametrize(("output", "told"), list(opaque()))
def test_what_cannot_be_read_is_refused_by_its_name(output: Any, told: str) -> None:
    with pytest.raises(WrongType, match=f"{told}.*cannot be read; return numbers, texts"):
        taken_apart(output)


def test_instances_that_hold_nothing_are_refused() -> None:
    """Two of them may mean yes and no, and only whoever made them knows which is which."""
    with pytest.raises(WrongType, match="holds nothing, and cannot be told from another"):
        taken_apart(type("Sentinel", (), {})())


def nested(levels: int) -> Any:
    return reduce(lambda inner, _: [inner], range(levels), 0)


def doubled() -> Any:
    return reduce(lambda inner, _: [inner, inner], range(DEEPEST - 1), 0)


def endless() -> list[Any]:
    found: list[Any] = []
    found.append(found)
    return found


@pytest.mark.parametrize("output", [nested(DEEPEST + 1), nested(300), nested(5000), endless()])
def test_an_output_that_is_nested_too_deeply_is_called_that(output: Any) -> None:
    with pytest.raises(WrongType, match=f"nested too deeply \\(at most {DEEPEST} levels\\)"):
        taken_apart(output)


def test_the_deepest_output_that_is_allowed_is_taken_apart() -> None:
    assert len(taken_apart(nested(DEEPEST))[1]) == 1


def test_an_output_that_unfolds_without_end_is_refused() -> None:
    with pytest.raises(WrongType, match=r"too many parts \(at most 4096\)"):
        taken_apart(doubled(), most=4096)


def custom(answer: Callable[[int, Rng], Any], **options: Any) -> AuditReport:
    def mechanism(data: list[int], epsilon: np.ndarray, rng: Rng) -> Any:
        return answer(data[0], rng)

    return audit(mechanism, epsilon=[1.0], task="custom", pairs=lambda: [([0], [1], [0])], budget=1000, **options)


def test_a_secret_beside_randomised_response_is_refuted_wherever_it_is_held() -> None:
    def answer(secret: int, rng: Rng) -> Answer:
        return Answer("yes" if (rng.random() < 0.7) == bool(secret) else "no", secret)

    assert custom(answer).verdict == "fail"


def test_a_deep_output_is_no_exception_of_the_mechanism() -> None:
    (error,) = (finding for finding in custom(lambda _secret, _rng: nested(300)).findings if finding.verdict == "error")
    assert error.id.endswith("call/wrong-type")
    assert "nested too deeply" in error.message


class Hanging:
    def __init__(self, value: int) -> None:
        self.value = value

    def __repr__(self) -> str:
        time.sleep(3600)
        return "never"

    __str__ = __repr__


def test_an_output_whose_repr_hangs_is_audited_all_the_same() -> None:
    assert custom(lambda secret, _rng: Hanging(secret)).verdict == "fail"


def test_a_batch_that_is_not_a_list_is_refused_and_never_run_through() -> None:
    def mechanism(data: list[int], epsilon: np.ndarray, rng: Rng) -> str:
        return "yes"

    def endless_batch(*_: Any) -> Iterator[str]:
        while True:
            yield "yes"

    mechanism.batch = endless_batch  # type: ignore[attr-defined]
    report = audit(mechanism, epsilon=[1.0], task="custom", pairs=lambda: [([0], [1], [0])], budget=1000)
    assert any("a batch that is a generator; return a list" in finding.message for finding in report.findings)
