"""Reference mechanisms as they run: the observed log-ratio never certifiably exceeds the claimed loss, and nears it.

Each test draws two neighbouring datasets 400,000 times and counts one event. False alarm at most 10⁻⁶ a test: the
certified ratio is two Clopper–Pearson intervals of 5·10⁻⁷ each. That it reaches 0.9 of the loss is a matter of power.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from mechanisms import build
from tests.mechanisms.certified import certified

SIZE = 400_000
Event = Callable[[Any], Any]
Case = tuple[str, dict[str, Any], list[float], list[float], int, Event]


def zero(outputs: Any) -> Any:
    return outputs == 0


def one(outputs: Any) -> Any:
    return outputs == 1


def below_a_sixth(outputs: Any) -> Any:
    """Around ½, four users of weight 1/6 who are all at 0 make 1/6."""
    return outputs <= 1 / 6


def first_not_second(outputs: Any) -> Any:
    """The first bin is full, the second empty: both clips hold all of the log-ratio."""
    return (outputs[:, 0] == 1) & (outputs[:, 1] == 0)


MEAN = {"task": "mean", "epsilon": [0.5, 1.0]}
TABLE = {"categories": 3, "epsilon": [0.5, 1.0]}
CASES: dict[str, Case] = {
    "prop mean, cautious user": ("prop", MEAN, [0, 0], [1, 0], 0, zero),
    "prop mean, other user": ("prop", MEAN, [0, 0], [0, 1], 1, zero),
    "prop mean, other clip": ("prop", MEAN, [1, 1], [1, 0], 1, one),
    "uni mean": ("uni", MEAN, [0, 0], [0, 1], 1, zero),
    "prop mean, a sharp demand": ("prop", {"task": "mean", "epsilon": [0.5, 2.5]}, [0, 0], [0, 1], 1, zero),
    "centred mean": ("hpm-ce-centred", {"epsilon": [1.0] * 4}, [0, 0, 0, 0], [1, 0, 0, 0], 0, below_a_sixth),
    "prop frequency": ("prop", TABLE, [2, 0], [2, 1], 1, first_not_second),
    "uni frequency": ("uni", {"categories": 2, "epsilon": [2.0, 3.0]}, [0, 1], [1, 1], 0, first_not_second),
    "sm mean": ("sm", MEAN, [1, 0], [0, 0], 0, one),
    "sm mean, largest demand": ("sm", MEAN, [0, 0], [0, 1], 1, zero),
    "sm frequency": ("sm", {"categories": 2, "epsilon": [0.7, 1.2]}, [0, 1], [1, 1], 0, first_not_second),
    "ldp mean": ("ldp", {"task": "mean", "epsilon": [1.0]}, [0], [1], 0, zero),
    "ldp frequency": ("ldp", {"categories": 2, "epsilon": [1.5]}, [0], [1], 0, first_not_second),
}


@pytest.mark.many(2)
@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_observed_log_ratio_stays_below_the_claimed_loss_and_approaches_it(case: Case) -> None:
    name, options, likely, rare, user, event = case
    made = build(name, **options)
    draws = (made.release_many(d, size=SIZE, rng=np.random.default_rng(s)) for s, d in ((31, likely), (32, rare)))
    hits = [int(np.count_nonzero(event(outputs))) for outputs in draws]
    loss = float(made.privacy_loss[user])
    assert certified(hits[0], hits[1], SIZE) <= loss <= options["epsilon"][user]
    assert np.log(hits[0] / hits[1]) >= 0.9 * loss


@pytest.mark.parametrize("name", ["prop", "sm", "ldp"])
def test_a_user_who_must_not_be_used_moves_nothing(name: str) -> None:
    """ε = 0: the same words give the same outputs, whatever the datum."""
    made = build(name, task="mean", epsilon=[0.0, 1.0])
    low, high = (made.release_many([x, 0.5], size=1000, rng=np.random.default_rng(7)) for x in (0.0, 1.0))
    assert np.array_equal(low, high)
