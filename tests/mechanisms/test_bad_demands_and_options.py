"""What `build` must refuse, with a message that names what was given; and what it must not be fooled by."""

from __future__ import annotations

from contextlib import suppress
from typing import Any

import numpy as np
import pytest

from mechanisms import InvalidInput, build

NAN, INF = float("nan"), float("inf")
FOUR = pytest.mark.parametrize(
    ("name", "options"),
    [("prop", {"task": "mean"}), ("sm", {"task": "mean"}), ("ldp", {"categories": 3}), ("hpm-cp", {})],
)

DEMANDS: dict[str, tuple[Any, str]] = {
    "nothing": (None, "give epsilon"),
    "a word": ("half", "half"),
    "words": (["a", "b"], "'a'"),
    "not a number": ([0.5, NAN], "user 1: epsilon = nan"),
    "negative": ([0.5, 1.0, -0.3], "user 2: epsilon = -0.3"),
    "minus infinity": ([-INF, 1.0], "user 0: epsilon = -inf"),
    "two dimensions": ([[0.5, 1.0]], r"shape \(1, 2\)"),
    "one number": (0.5, r"shape \(\)"),
    "empty": ([], r"shape \(0,\)"),
    "zeros": ([0.0, 0.0], "all 2 demands are 0"),
    "next to nothing": ([1e-300, 5e-324], "all 2 demands"),
    "ragged": ([[0.5], [0.5, 1.0]], "numbers from 0 to inf"),
    "missing": ([None, 1.0], "user 0: epsilon = nan"),
    "complex": ([1j, 1.0], "numbers from 0 to inf"),
    "a dictionary": ({0: 1.0}, "numbers from 0 to inf"),
    "a set": ({0.5, 1.0}, "numbers from 0 to inf"),
    "complex numbers with no imaginary part": (np.array([1 + 0j, 2 + 0j]), "numbers from 0 to inf"),
    "an integer beyond all doubles": ([10**400, 1], "numbers from 0 to inf"),
    "dates": (np.array(["2020-01-01", "2020-01-02"], dtype="M8[D]"), "numbers from 0 to inf"),
    "durations": (np.array([1, 2], dtype="m8[s]"), "numbers from 0 to inf"),
    "masked": (np.ma.masked_array([0.5, 1.0, 2.0], mask=[False, True, False]), "mask"),
}


@FOUR
@pytest.mark.parametrize("kind", DEMANDS)
def test_demands_that_are_none_are_refused(kind: str, name: str, options: dict[str, Any]) -> None:
    given, message = DEMANDS[kind]
    with pytest.raises(InvalidInput, match=message):
        build(name, epsilon=given, **options)


@pytest.mark.parametrize("k", [1, 0, -1, 2.0, 2.5, "3", True, NAN, [3], np.float64(3), np.array(3), np.bool_(True)])
def test_categories_are_a_whole_number_of_at_least_two(k: Any) -> None:
    with pytest.raises(InvalidInput, match=r"categories = .*whole number of at least 2"):
        build("hpf-cp", epsilon=[0.5, 1.0], categories=k)


def test_frequencies_need_categories() -> None:
    with pytest.raises(InvalidInput, match="needs categories=k"):
        build("hpf-cp", epsilon=[0.5, 1.0])


@pytest.mark.parametrize("beta", [0, 1, 0.0, 1.0, -0.1, 1.5, NAN, INF, "0.1", None, True, 1j, np.array([0.1])])
@pytest.mark.parametrize("name", ["hpm-cp", "hpm-wp-sharp", "hpm-cp-centred"])
def test_beta_lies_strictly_between_zero_and_one(beta: Any, name: str) -> None:
    with pytest.raises(InvalidInput, match=r"beta = .*strictly between 0 and 1"):
        build(name, epsilon=[0.5, 1.0], beta=beta)


@pytest.mark.parametrize("beta", [1e-300, 5e-324])
@pytest.mark.parametrize("name", ["hpm-cp-sharp", "hpm-wp-sharp", "hpm-cp-centred", "hpm-wp"])
def test_a_beta_too_small_for_doubles_is_refused(beta: float, name: str) -> None:
    with pytest.raises(InvalidInput, match="not below 1e-100"):
        build(name, epsilon=[0.5, 1.0], beta=beta)


def test_a_tiny_beta_warns_of_nothing() -> None:
    made = build("hpm-wp-sharp", epsilon=[0.5, 1.0], beta=1e-100)
    assert np.all(made.privacy_loss <= made.epsilon)


@pytest.mark.parametrize("name", ["", "HPF-CP", "hpf", "hpm-", "prop ", "sm-realised", "hpf-we-centred", None, 1])
def test_unknown_names_are_refused(name: Any) -> None:
    with pytest.raises(InvalidInput, match="no mechanism is called"):
        build(name, epsilon=[0.5, 1.0], task="mean")


@pytest.mark.parametrize("task", [None, "", "Mean", "custom", 1, ["mean"]])
def test_unknown_tasks_are_refused(task: Any) -> None:
    with pytest.raises(InvalidInput, match="task = "):
        build("prop", epsilon=[0.5, 1.0], task=task)


@pytest.mark.parametrize("option", ["setting", "metric", "noise"])
@pytest.mark.parametrize("value", [None, "x", 1, ["exact"], ("pac",)])
def test_unknown_options_are_refused(option: str, value: Any) -> None:
    with pytest.raises(InvalidInput, match=f"{option} = .*allowed"):
        build("prop", epsilon=[0.5, 1.0], task="mean", **{option: value})


def test_demands_are_copied() -> None:
    given = np.array([0.5, 1.0])
    made = build("prop", epsilon=given, task="mean")
    given[:] = 9.0
    assert made.epsilon.tolist() == [0.5, 1.0]


@pytest.mark.parametrize("name", ["prop", "sm", "ldp"])
def test_reported_losses_cannot_be_overwritten(name: str) -> None:
    """A caller who scales the reported losses in place must not change what is reported next."""
    made = build(name, epsilon=[0.5, 1.0], task="mean")
    before = made.privacy_loss.tolist()
    with suppress(ValueError):  # where the array is read-only
        made.privacy_loss[0] = 99.0
    assert made.privacy_loss.tolist() == before
