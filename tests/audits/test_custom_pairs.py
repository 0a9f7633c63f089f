"""Mechanisms of any kind: pairs of datasets and outputs that are symbols, numbers or tuples."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from hdp_audit import audit
from hdp_audit.errors import InvalidInput
from hdp_audit.model.given_pairs import given_pair
from hdp_audit.model.promise import PureDP
from hdp_audit.targets.parts import Part, code, taken_apart


def answer(data: list[int], epsilon: np.ndarray, rng: np.random.Generator) -> str:
    """Randomised response with loss log 3 = 1.0986."""
    truth = data[0] if rng.random() < 0.75 else 1 - data[0]
    return "yes" if truth else "no"


def pairs() -> Iterator[tuple[list[int], list[int], list[int]]]:
    yield [0, 1], [1, 1], [0]


@pytest.mark.parametrize(("demand", "verdict"), [(1.1, "pass"), (0.8, "fail")])
def test_randomised_response_is_judged_by_its_answers(demand: float, verdict: str) -> None:
    report = audit(answer, epsilon=[demand, 1.0], task="custom", pairs=pairs, budget=15_000)
    assert report.verdict == verdict
    assert [f.users for f in report.findings if f.kind == "privacy"] == [(0,)]


def test_symbols_and_tuples_are_taken_apart() -> None:
    assert taken_apart(("a", 2, [3.5])) == ("[3:,,[1]]", [Part(None, "str:'a'"), Part(2.0), Part(3.5)])
    assert taken_apart("a") != taken_apart("b")
    assert taken_apart(True) != taken_apart(1)


def test_a_symbol_that_appears_for_one_dataset_alone_is_found() -> None:
    def tells(data: list[int], epsilon: np.ndarray, rng: np.random.Generator) -> tuple[str, float]:
        return ("rare" if data[0] and rng.random() < 0.05 else "usual", float(rng.normal()))

    report = audit(tells, epsilon=[0.5, 1.0], task="custom", pairs=pairs, budget=8_000)
    assert report.verdict == "fail"


@pytest.mark.parametrize(
    ("given", "told"),
    [([], "no pairs"), ([([0], [1], [])], "at least one"), ([([0], [1], [9])], "users"), ([3], "yield")],
)
def test_bad_pairs_are_refused_in_words(given: list, told: str) -> None:
    with pytest.raises(InvalidInput, match=told):
        audit(answer, epsilon=[1.0, 1.0], task="custom", pairs=lambda: given, budget=2_000)


@pytest.mark.parametrize(
    "given",
    [
        ([0, 1], [1, 0], [0]),
        (["a", "b"], ["b", "c"], [0]),
        (np.zeros((2, 3)), np.ones((2, 3)), [0]),
        (np.array([0.0, 1.0]), np.array([1.0, np.nan]), [0]),
    ],
)
def test_pairs_that_differ_in_users_whom_they_do_not_name_are_refused(given: tuple) -> None:
    """What the others lose would be put down to the one who is named: an accusation without reason."""
    with pytest.raises(InvalidInput, match=r"differ in the users \[1\] too"):
        audit(answer, epsilon=[1.0, 1.0], task="custom", pairs=lambda: [given], budget=2_000)


@pytest.mark.parametrize(
    "given",
    [
        ([0, np.nan], [1, np.nan], [0]),
        ([0, "b"], [1, "b"], [0, 1]),
        ("text", "texts", [0]),
        ([1, 2, 3], [4, 5, 6], [0]),
        ({"a": 1}, {"a": 2}, [1]),
        ([np.zeros(2), {"a": 1}], [np.ones(3), {"a": 1}], [0]),
    ],
)
def test_pairs_whose_rows_are_others_for_named_users_alone_are_taken(given: tuple) -> None:
    """Data without a row per user cannot be compared, and are taken as they are."""
    pair = given_pair(0, given, PureDP([1.0, 1.0]))
    assert pair.users.tolist() == given[2]


def test_a_custom_task_needs_pairs() -> None:
    with pytest.raises(InvalidInput, match="pairs"):
        audit(answer, epsilon=[1.0], task="custom", budget=2_000)


def test_the_event_names_the_symbols_where_outputs_are_few_and_explains_them_where_they_are_many() -> None:
    def tells(data: list[int], epsilon: np.ndarray, rng: np.random.Generator) -> tuple[str, float]:
        return ("rare" if data[0] else "usual", float(rng.normal()))

    few = audit(answer, epsilon=[0.5, 1.0], task="custom", pairs=pairs, budget=4_000)
    many = audit(tells, epsilon=[0.5, 1.0], task="custom", pairs=pairs, budget=4_000)
    event = few.findings[-1].witness["event"]
    assert event == "guess the second dataset where the output is 'yes'; the first where the output is 'no'"
    legend = many.findings[-1].witness["event"].partition("symbols count as numbers: ")[2]
    for word in ("rare", "usual"):
        assert f"'{word}' as {code(f'str:{word!r}'):.17g}" in legend


@pytest.mark.parametrize("seed", [0, 1])
def test_a_custom_mechanism_is_called_in_the_order_of_the_coins(seed: int) -> None:
    """One that only changes with time tells nothing about a coin; one dataset after the other would accuse it."""
    calls = 0

    def clock(data: list[int], epsilon: np.ndarray, rng: np.random.Generator) -> str:
        nonlocal calls
        calls += 1
        return "early" if calls % 200 < 100 else "late"

    report = audit(clock, epsilon=[0.0, 1.0], task="custom", pairs=pairs, budget=6_000, seed=seed)
    assert [finding.verdict for finding in report.findings if finding.kind == "privacy"] == ["pass"]


def test_a_letter_somewhere_in_texts_that_are_all_different_is_found() -> None:
    def tells(data: list[int], epsilon: np.ndarray, rng: np.random.Generator) -> str:
        letters = rng.choice(list("abcdef"), size=int(rng.integers(8, 20))).tolist()
        letters[int(rng.integers(2, 6))] = "g" if data[0] and rng.random() < 0.5 else "a"
        return "".join(letters)

    report = audit(tells, epsilon=[0.5, 1.0], task="custom", pairs=pairs, budget=6_000)
    (found,) = (finding for finding in report.findings if finding.kind == "privacy")
    assert found.verdict == "fail"
    assert "how often 'g' is in the output" in found.witness["event"]
