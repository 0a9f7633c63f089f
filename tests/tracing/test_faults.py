"""Planted faults, traced alone: broken ones are decided with the exact factor, correct ones never accused."""

from __future__ import annotations

import numpy as np
import pytest

from hdp_audit import trace
from hdp_audit.tracing.result import Trace
from mechanisms.broken import FAULTS

UNDECIDED = {"sm-realised"}  # a mixture over who was sampled: its alignment allows twice what an event could show
BROKEN = [name for name, fault in FAULTS.items() if "privacy" in fault.breaks]
SOUND = [name for name, fault in FAULTS.items() if "privacy" not in fault.breaks]


def traced(name: str) -> Trace:
    fault = FAULTS[name]
    return trace(fault, epsilon=fault.epsilon, task=fault.task, categories=fault.categories, calls=50_000)  # type: ignore[arg-type]


@pytest.mark.many(2)
@pytest.mark.parametrize("name", [name for name in BROKEN if name not in UNDECIDED])
def test_a_broken_promise_is_found_with_its_exact_factor(name: str) -> None:
    fault, found = FAULTS[name], traced(name)
    assert found.breaks
    assert found.worst is not None
    true = fault.loss(fault.epsilon)[found.worst.user]
    if np.isinf(true):
        assert found.worst.found.lower == np.inf
    else:
        assert true * (1 - 1e-9) <= found.worst.found.lower <= true * (1 + 1e-12)


@pytest.mark.many(2)
@pytest.mark.parametrize("name", SOUND)
def test_a_promise_that_is_kept_is_never_called_broken(name: str) -> None:
    fault, found = FAULTS[name], traced(name)
    assert not found.breaks
    if found.within:
        np.testing.assert_allclose(found.losses, fault.loss(fault.epsilon), rtol=1e-9, atol=1e-12)  # of outputs near 1


@pytest.mark.parametrize("name", sorted(UNDECIDED))
def test_a_mixture_over_who_was_sampled_is_left_open(name: str) -> None:
    found = traced(name)
    assert not found.breaks
    assert not found.within


def test_one_user_in_ten_thousand_who_loses_a_thousandth_too_much_is_named() -> None:
    demands = np.exp(np.random.default_rng(5).uniform(-3.0, 2.0, 10_000))
    weights = np.minimum(demands, 1.0)

    def mechanism(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
        by = weights / weights.sum()
        by[4321] *= 1.001
        return float(by @ data + rng.laplace(0.0, 1.0 / weights.sum()))

    demands[4321] = 0.5
    weights[4321] = 0.5
    found = trace(mechanism, epsilon=demands, task="mean")
    assert found.breaks
    assert found.exceeding.tolist() == [4321]
    assert found.losses[4321] == pytest.approx(0.5005, rel=1e-9)
    assert found.calls < 20_000
