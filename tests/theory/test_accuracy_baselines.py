"""Bounds for sampling and local noise against exact enumeration of small cases."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest

from hdp_audit.audits.claimed import estimator
from hdp_audit.targets.reference import build, error_law
from hdp_audit.theory.guarantee import guarantee
from hdp_audit.theory.names import Metric, Problem, Setting, Task

EPSILON = np.array([0.4, 0.8, 1.0, 1.7, 2.0, 2.0])


def problem(metric: Metric, beta: float = 0.05) -> Problem:
    return Problem(Task.MEAN, Setting.CORRELATED, metric, beta=beta)


@pytest.mark.parametrize("beta", [0.3, 0.05])
def test_sampling_keeps_its_bounds_on_every_small_dataset(beta: float) -> None:
    """All 64 datasets and all 64 samples, the Laplace law exact, before clipping."""
    known = build("sm", epsilon=8 * EPSILON, task="mean")
    chances, size, b = known.weights * known.expected_size, known.expected_size, known.noise_scale
    own = estimator(error_law(known))
    (vertex,) = own.vertices(problem(Metric.PAC))
    quantile, square = own.noise.quantile(vertex, beta), own.noise.square(vertex)  # not capped at 1
    assert guarantee(own, problem(Metric.PAC, beta)) == min(quantile, 1.0)
    samples = np.array(list(product((0, 1), repeat=6)))
    mass = np.prod(np.where(samples == 1, chances, 1 - chances), axis=1)
    for data in product((0.0, 1.0), repeat=6):
        shift = samples @ np.array(data) / size - np.mean(data)
        over, under = (quantile - shift) / b, (quantile + shift) / b
        tail = [np.where(z >= 0, 0.5 * np.exp(-np.abs(z)), 1 - 0.5 * np.exp(-np.abs(z))) for z in (over, under)]
        assert mass @ (tail[0] + tail[1]) <= beta
        assert mass @ (shift**2 + 2 * b * b) <= square * (1 + 1e-9)


@pytest.mark.parametrize("loss", [0.01, 0.5, 3.0, 20.0])
def test_flipped_bits_are_sub_gaussian_as_said(loss: float) -> None:
    """E exp(λξ) ≤ exp(λ²·coth(ℓ/4)/2ℓ) for a flip's centred noise ξ, both signs (Kearns and Saul)."""
    gain = np.tanh(loss / 4)
    f = (1 - gain) / 2
    rates = np.concatenate([-np.geomspace(1e-3, 200, 300), np.geomspace(1e-3, 200, 300)])
    moment = np.logaddexp(np.log(f) + rates * (1 - f) / gain, np.log1p(-f) - rates * f / gain)
    assert np.all(moment <= rates**2 / (2 * gain * loss) * (1 + 1e-9) + 1e-12)


def test_local_flips_keep_their_bound_on_every_outcome() -> None:
    """Three users, two categories: all 64 patterns of flips, the quantile and the mean square exact."""
    epsilon = np.array([6.0, 8.0, 9.0])
    known = build("ldp", epsilon=epsilon, task="frequency", categories=2)
    own = estimator(error_law(known))
    pac, mse = (guarantee(own, Problem(Task.FREQUENCY, Setting.CORRELATED, m, 2, 0.2)) for m in Metric)
    gain = np.tanh(known.privacy_loss / 4)
    f = (1 - gain) / 2
    worst_tail = worst_square = 0.0
    for data in product(range(2), repeat=3):
        bits = (np.array(data)[:, None] == np.arange(2)).astype(int)
        tail = square = 0.0
        for pattern in product((0, 1), repeat=6):
            flips = np.array(pattern).reshape(3, 2)
            chance = np.prod(np.where(flips == 1, f[:, None], 1 - f[:, None]))
            messages = ((bits ^ flips) - f[:, None]) / gain[:, None]
            error = np.abs(known.weights @ messages - bits.mean(axis=0)).max()
            tail += chance * (error > pac)
            square += chance * error**2
        worst_tail, worst_square = max(worst_tail, tail), max(worst_square, square)
    assert worst_tail <= 0.2
    assert worst_square <= mse
