"""Guilty controls declare themselves truthfully."""

from __future__ import annotations

import numpy as np
import pytest

from mechanisms import names
from mechanisms.broken import FAINT, FAULTS, PlantedFault

ALL = {**FAULTS, **FAINT}
EVERY = pytest.mark.parametrize("control", ALL.values(), ids=ALL)


def data_for(control: PlantedFault, users: int) -> np.ndarray:
    rng = np.random.default_rng(1)
    if control.categories is not None:
        return rng.integers(0, control.categories, users)
    # Unnormalised weights stay within the clips only for small data.
    return rng.random(users) * (0.01 if control.name == "unnormalised-weights" else 1.0)


def test_there_are_many_and_none_is_in_the_catalog() -> None:
    assert len(FAULTS) >= 16
    assert not set(FAULTS) & set(names())


@EVERY
def test_privacy_is_broken_just_where_that_is_declared(control: PlantedFault) -> None:
    epsilon = control.epsilon
    violated = control.loss(epsilon) > epsilon * (1 + 1e-9)
    assert violated.any() == ("privacy" in control.breaks)


@EVERY
def test_it_is_called_like_any_mechanism(control: PlantedFault) -> None:
    epsilon = control.epsilon
    data = data_for(control, epsilon.size)
    one = control(data, epsilon, np.random.default_rng(2))
    many = control.batch(data, epsilon, np.random.default_rng(2), 5)
    assert np.shape(one) == (() if control.categories is None else (control.categories,))
    assert many.shape == (5, *np.shape(one))


@EVERY
def test_outputs_leave_the_unit_interval_just_where_that_is_declared(control: PlantedFault) -> None:
    epsilon = control.epsilon
    outside = False
    for seed, data in enumerate((np.zeros(epsilon.size), np.ones(epsilon.size), data_for(control, epsilon.size))):
        typed = data if control.categories is None else data.astype(int)
        if control.name == "crash-on-zero" and not typed.any():
            continue
        outputs = control.batch(typed, epsilon, np.random.default_rng(seed), 200)
        outside |= bool(np.any((outputs < 0) | (outputs > 1)))
    assert outside == ("range" in control.breaks)


@EVERY
def test_a_generator_replays_it_unless_declared_otherwise(control: PlantedFault) -> None:
    epsilon = control.epsilon
    data = data_for(control, epsilon.size)
    first, again = (control.batch(data, epsilon, np.random.default_rng(3), 4) for _ in range(2))
    other = control.batch(data, epsilon, np.random.default_rng(4), 4)
    replayed = np.array_equal(first, again)
    fresh = len(np.unique(first, axis=0)) > 1 and not np.array_equal(first, other)
    if control.name != "no-noise":
        assert (replayed and fresh) == ("replay" not in control.breaks)


def test_zero_data_crash_where_the_control_says_so() -> None:
    control = FAULTS["crash-on-zero"]
    with pytest.raises(ZeroDivisionError, match="relative error"):
        control(np.zeros(1000), control.epsilon, np.random.default_rng(1))
