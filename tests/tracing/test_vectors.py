"""Rows of vectors are traced as single numbers are."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from hdp_audit import GaussianDP, Remove, Replace, Vector, ZeroOut, trace
from hdp_audit.model.neighbours import Neighbours

Floats = NDArray[np.float64]

WEIGHTS = np.array([0.2, 0.5, 1.0, 0.7, 0.1])


def laplace_sum(data: Floats, epsilon: Floats, rng: np.random.Generator) -> Floats:
    return np.asarray(epsilon @ data + rng.laplace(0.0, 2.0, data.shape[1]))


def normal_sum(data: Floats, mu: Floats, rng: np.random.Generator) -> Floats:
    return np.asarray(mu @ data + rng.normal(0.0, 2.0, data.shape[1]))


def test_a_sum_in_the_l1_ball_loses_what_it_weighs() -> None:
    found = trace(laplace_sum, epsilon=WEIGHTS, task="vector-mean", domain=Vector(3, "l1"))
    np.testing.assert_allclose(found.losses, WEIGHTS, rtol=1e-9)
    assert not found.breaks


@pytest.mark.parametrize(("relation", "part"), [(Replace(), 1.0), (Remove(), 0.5), (ZeroOut(), 0.5)])
def test_normal_noise_in_the_l2_ball_loses_what_it_weighs(relation: Neighbours, part: float) -> None:
    promise = GaussianDP(WEIGHTS)
    found = trace(normal_sum, promise=promise, task="vector-mean", domain=Vector(3), neighbours=relation)
    np.testing.assert_allclose(found.losses, part * WEIGHTS, rtol=1e-9)


def test_a_ball_that_is_wider_than_was_thought_breaks_the_promise() -> None:
    found = trace(laplace_sum, epsilon=WEIGHTS, task="vector-mean", domain=Vector(3, "linf"))
    assert found.breaks
    assert found.losses.max() == pytest.approx(3.0, rel=1e-9)  # all three axes at once
