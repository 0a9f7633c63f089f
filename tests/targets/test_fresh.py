"""Classes, factories, methods, context managers, async functions and ids: each is called as it stands."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hdp_audit import Fresh, PrivacyClaim, Remove, audit
from hdp_audit.errors import InvalidInput
from hdp_audit.targets.failures import failure_of
from hdp_audit.targets.named import adapted
from hdp_audit.targets.prepared import prepared
from hdp_audit.targets.python import OpenedTarget, Target

COLUMNS = ("epsilon",)
GIVEN = ("the data", "the epsilons", "a generator")


class Model:
    made = 0

    def __init__(self, epsilon: Any, clip: float = 1.0) -> None:
        Model.made += 1
        self.epsilon = epsilon

    def fit(self, X: Any, y: Any = None, *, rng: Any) -> Model:
        self.coef_ = (X, self.epsilon, rng)
        return self

    def answer(self) -> str:
        return "told"


class Counter:
    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, data: Any, epsilon: Any, rng: Any) -> int:
        self.calls += 1
        return self.calls


def called(mechanism: Callable[..., Any], *given: Any) -> Any:
    return adapted(mechanism, COLUMNS)(*(given or GIVEN))


def test_a_method_gets_what_it_names_and_the_release_stands_in_an_attribute() -> None:
    Model.made = 0
    fresh = Fresh(Model, method="fit", output="coef_")
    assert [called(fresh), called(fresh)] == [GIVEN, GIVEN]
    assert Model.made == 2
    assert adapted(fresh, COLUMNS).takes_rng  # type: ignore[attr-defined]


def test_an_attribute_that_can_be_called_is_called() -> None:
    assert called(Fresh(Model, method="fit", output="answer")) == "told"


def test_an_attribute_that_is_not_there_is_told_with_those_that_are() -> None:
    with pytest.raises(AttributeError) as caught:
        called(Fresh(Model, method="fit", output="coeff_"))
    assert "coef_" in failure_of(caught.value, None).message.partition("; it has ")[2].split(", ")


def test_a_class_is_made_anew_for_each_call_or_once() -> None:
    each = adapted(prepared(Counter), COLUMNS)
    once = adapted(Fresh(Counter, per="run"), COLUMNS)
    assert [each(*GIVEN) for _ in range(3)] == [1, 1, 1]
    assert [once(*GIVEN) for _ in range(3)] == [1, 2, 3]


@pytest.mark.parametrize(("per", "log"), [("call", ["in", "out"] * 3), ("run", ["in", "out"])])
def test_a_context_manager_is_entered_and_left(per: Any, log: list[str]) -> None:
    happened: list[str] = []

    @contextlib.contextmanager
    def opened() -> Iterator[Callable[..., Any]]:
        happened.append("in")
        yield lambda data: data
        happened.append("out")

    fresh = Fresh(opened, per=per)
    assert [called(fresh) for _ in range(2)] == ["the data"] * 2
    del fresh
    gc.collect()
    assert happened == log


def test_an_async_function_is_awaited_with_and_without_a_running_loop() -> None:
    async def later(data: Any, *, rng: Any, epsilon: Any) -> Any:
        await asyncio.sleep(0)
        return data, epsilon, rng

    async def inside() -> Any:
        return called(prepared(later))

    assert called(prepared(later)) == GIVEN
    assert asyncio.run(inside()) == GIVEN


def test_async_context_managers_and_methods_are_awaited() -> None:
    class Service:
        async def __aenter__(self) -> Service:
            return self

        async def __aexit__(self, *why: object) -> None:
            return None

        async def release(self, data: Any) -> Any:
            return data

    assert called(Fresh(Service, method="release")) == "the data"


def test_whoever_is_there_has_their_own_id_when_others_leave() -> None:
    epsilon = np.arange(1.0, 21.0) / 10
    names = [f"user {value:g}" for value in epsilon]
    sizes = set()

    def total(values: Any, *, ids: Any, epsilon: Any, rng: Any) -> float:
        assert [f"user {value:g}" for value in epsilon] == list(ids)
        assert len(values) == len(ids)
        sizes.add(len(ids))
        return float(values.sum() + rng.laplace(0, 1 / epsilon.min()))

    claim = PrivacyClaim(floating_point="off", trace="off")
    report = audit(total, epsilon=epsilon, ids=names, task="sum", neighbours=Remove(), budget=500, privacy=claim)
    assert not [found for found in report.findings if found.kind == "behaviour"]
    assert min(sizes) < max(sizes) == 20


def test_users_without_ids_have_places() -> None:
    def told(data: Any, ids: Any, rng: Any) -> Any:
        return ids

    assert called(told, "data", "epsilons", np.arange(3), "rng").tolist() == [0, 1, 2]


def test_a_spec_names_methods_classes_and_keyword_only_functions(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(
        "class Model:\n"
        "    def fit(self, data, *, rng):\n        self.mean_ = data\n"
        "    @staticmethod\n    def plain(data, epsilon, rng):\n        return epsilon\n"
        "def keyed(*, rng, data, epsilon):\n    return rng\n"
    )
    opened = [
        OpenedTarget(Target("m.py:Model.fit", tmp_path), 1.0, None, "mean_"),
        OpenedTarget(Target("m.py:Model.plain", tmp_path), 1.0),
        OpenedTarget(Target("m.py:keyed", tmp_path), 1.0),
    ]
    assert [called(each()) for each in opened] == list(GIVEN)


class Seeded:
    def __init__(self, epsilon: Any = None, random_state: int | None = None) -> None:
        self.state = random_state

    def fit(self, X: Any, seed: int | None = None, random_seed: int = 7) -> tuple[Any, ...]:
        return X, self.state, seed, random_seed


def test_a_class_gets_fresh_seeds_where_it_has_none_of_its_own() -> None:
    def got(per: Any, number: int) -> Any:
        rng = np.random.default_rng(number)
        given = {"data": "data", "epsilon": 1.0, "rng": rng} if per == "call" else {"data": "data", "rng": rng}
        return Fresh(Seeded, per=per, method="fit")(**given)

    data, state, seed, fixed = got("call", 1)
    assert (data, fixed) == ("data", 7)
    assert len({state, seed, *got("call", 2)[1:3]}) == 4
    assert got("call", 1) == (data, state, seed, fixed)
    with pytest.raises(InvalidInput, match="wants epsilon, but"):
        got("run", 1)


def make(data: Any) -> Any:
    return data


class NoRelease:
    """Nothing that could be called."""


class Configured:
    """Takes a setting that nobody gives."""

    def __init__(self, epsilon: Any, *, config: Any) -> None:
        self.epsilon, self.config = epsilon, config

    def fit(self, data: Any, rng: Any) -> Any:
        return data


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (
            lambda: Fresh(Configured, method="fit"),
            "wants config, while its method takes the data; give config a default",
        ),
        (lambda: prepared(NoRelease), "objects cannot be called; name the method that releases"),
        (lambda: Fresh(NoRelease), "objects of NoRelease cannot be called"),
        (lambda: Fresh(Model, method="transform"), "Model has no method 'transform'"),
        (lambda: Fresh(Model, per="run", method="fit"), 'wants epsilon, but fresh = "run" makes it once'),
        (lambda: Fresh(Model, per="day"), "fresh = 'day'"),  # type: ignore[arg-type]
        (lambda: Fresh(make), "makes an object, so it takes nothing"),
        (lambda: Fresh(lambda: 3), "objects of int cannot be called"),
        (lambda: prepared(make, output="mean_"), "make makes none"),
    ],
)
def test_what_cannot_be_called_is_refused_in_words(made: Callable[[], Any], words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        made()


def test_a_signature_that_does_not_fit_is_shown_with_three_that_would() -> None:
    def odd(a: Any, b: Any, c: Any, d: Any) -> float:
        return 0.0

    with pytest.raises(InvalidInput) as why:
        audit(odd, epsilon=[1.0], task="mean")
    for words in ("(a: 'Any', b:", "odd(data, epsilon, rng), odd(data, epsilon), or odd(*, data, epsilon, ids, rng)"):
        assert words in str(why.value)


def test_a_function_that_takes_nothing_may_be_a_factory() -> None:
    def made() -> Any:
        return make

    with pytest.raises(InvalidInput, match='if made makes the mechanism, add fresh = "call" or "run"'):
        audit(made, epsilon=[1.0], task="mean")


def test_whoever_treats_an_array_as_a_list_is_told_how_to_get_one() -> None:
    with pytest.raises(AttributeError) as why:
        np.zeros(2).count(0.0)  # type: ignore[attr-defined]
    assert 'as a list with input = "records"' in failure_of(why.value, None).message
    assert "records" not in failure_of(AttributeError("'list' object has no attribute 'mean'"), None).message
