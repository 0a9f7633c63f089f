"""The exact law of clip(θ + Laplace) against numerical integration of its definition."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from hdp_audit.theory.exact_mean import error_quantile, exceeds, largest_exceeds, mean_square

CASES = [(0.3, 0.25, 0.05), (0.02, 0.0, 0.1), (0.97, 1.0, 0.3), (0.5, 0.8, 0.01), (0.0, 0.6, 2.0), (1.0, 0.4, 0.2)]


@pytest.mark.parametrize(("theta", "truth", "b"), CASES)
def test_mean_square_is_the_integral_of_the_definition(theta: float, truth: float, b: float) -> None:
    law = stats.laplace(theta, b)
    points = sorted({min(max(theta, 0.0), 1.0), truth})
    inner, _ = integrate.quad(lambda y: (y - truth) ** 2 * law.pdf(y), 0, 1, points=points, epsabs=1e-13, limit=200)
    whole = inner + truth**2 * law.cdf(0.0) + (1 - truth) ** 2 * law.sf(1.0)
    assert mean_square(theta, truth, b) == pytest.approx(whole, rel=1e-9)


@pytest.mark.parametrize(("theta", "truth", "b"), CASES)
def test_the_tail_is_the_probability_of_the_definition(theta: float, truth: float, b: float) -> None:
    """From the law's quantiles: a fine grid of noise, clipped, compared."""
    noise = stats.laplace.ppf((np.arange(200_000) + 0.5) / 200_000) * b
    error = np.abs(np.clip(theta + noise, 0, 1) - truth)
    for alpha in (0.013, 0.11, 0.29, 0.61):
        expected = (error > alpha).mean()
        assert exceeds(np.array([alpha]), np.array([theta]), np.array([truth]), b)[0, 0] == pytest.approx(
            expected, abs=2e-5
        )


@pytest.mark.parametrize("beta", [0.01, 0.05, 0.4])
@pytest.mark.parametrize(("theta", "truth", "b"), CASES)
def test_the_quantile_is_the_smallest_error_with_that_tail(theta: float, truth: float, b: float, beta: float) -> None:
    at = error_quantile(theta, truth, b, beta)
    tail = [largest_exceeds(np.array([at + step]), np.array([theta]), np.array([truth]), b)[0] for step in (0, -1e-9)]
    assert tail[0] <= beta
    assert at < 1e-9 or tail[1] > beta


def test_far_from_the_ends_the_closed_forms_appear() -> None:
    """Bias a, scale b: quantile b·log(cosh(a/b)/β) and mean square a² + 2b² before clipping."""
    a, b = 0.01, 0.004
    assert error_quantile(0.51, 0.5, b, 0.05) == pytest.approx(b * np.log(np.cosh(a / b) / 0.05), rel=1e-12)
    assert mean_square(0.51, 0.5, b) == pytest.approx(a * a + 2 * b * b, rel=1e-12)


def test_without_noise_the_error_is_the_bias() -> None:
    assert error_quantile(0.3, 0.25, 0.0, 0.05) == pytest.approx(0.05)
    assert mean_square([0.3, 0.7], [0.25, 0.75], 0.0) == pytest.approx(0.0025)


def test_several_coordinates_against_a_simulation() -> None:
    """False alarm below 1e-8: six standard errors of 400,000 draws, one comparison each."""
    theta, truth, b = np.array([0.5, 0.02, 0.48]), np.array([0.45, 0.05, 0.5]), 0.03
    rng = np.random.default_rng(11)
    error = np.abs(np.clip(theta + rng.laplace(0, b, (400_000, 3)), 0, 1) - truth).max(axis=1)
    above = (error > error_quantile(theta, truth, b, 0.1)).mean()
    assert abs(above - 0.1) < 6 * np.sqrt(0.09 / error.size)
    assert abs((error**2).mean() - mean_square(theta, truth, b)) < 6 * (error**2).std() / np.sqrt(error.size)


def test_copies_of_one_coordinate_multiply() -> None:
    one = exceeds(np.array([0.1]), np.array([0.5]), np.array([0.5]), 0.04)[0, 0]
    four = largest_exceeds(np.array([0.1]), np.full(4, 0.5), np.full(4, 0.5), 0.04)[0]
    assert four == pytest.approx(1 - (1 - one) ** 4, rel=1e-12)
