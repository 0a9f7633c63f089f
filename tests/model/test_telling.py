"""What a promise means to a person, against closed forms."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from hdp_audit.model.approximate import ApproximateDP
from hdp_audit.model.gaussian import GaussianDP
from hdp_audit.model.promise import Limit, Promise, PureDP
from hdp_audit.model.telling import guessed_right, true_positives
from hdp_audit.model.zcdp import ZCDP


def alone(promise: Promise) -> Limit:
    return promise.group(np.array([0]))


@pytest.mark.parametrize("epsilon", [0.0, 0.01, 1.0, 4.0, 9.0])
def test_a_pure_promise_means_its_likelihood_ratio(epsilon: float) -> None:
    limit = alone(PureDP([epsilon]))
    assert guessed_right(limit) == pytest.approx(1 / (1 + np.exp(-epsilon)), abs=1e-12)
    closed = min(np.exp(epsilon) * 0.01, 1 - np.exp(-epsilon) * 0.99)
    assert closed - 1e-12 <= true_positives(limit) <= closed + 1e-9


@pytest.mark.parametrize("mu", [0.0, 0.1, 1.0, 3.0])
def test_a_gaussian_promise_means_a_shifted_normal(mu: float) -> None:
    limit = alone(GaussianDP([mu]))
    assert guessed_right(limit) == pytest.approx(norm.cdf(mu / 2), abs=1e-9)
    closed = norm.cdf(norm.ppf(0.01) + mu)
    assert closed - 1e-9 <= true_positives(limit) <= closed + 1e-4


def test_a_delta_comes_on_top() -> None:
    pure, approximate = alone(PureDP([1.0])), alone(ApproximateDP([1.0], [1e-3]))
    assert true_positives(approximate) == pytest.approx(true_positives(pure) + 1e-3, abs=1e-9)
    e = np.exp(1.0)
    assert guessed_right(approximate) == pytest.approx((e + 1e-3) / (1 + e), abs=1e-9)


def test_a_zcdp_promise_allows_what_normal_noise_of_that_rho_gives() -> None:
    rho = 0.5
    limit, mu = alone(ZCDP([rho])), np.sqrt(2 * rho)
    assert guessed_right(limit) >= norm.cdf(mu / 2) - 1e-9
    assert norm.cdf(norm.ppf(0.01) + mu) - 1e-9 <= true_positives(limit) <= 1
    assert true_positives(limit) < 0.3


@pytest.mark.parametrize("promise", [PureDP([np.inf]), GaussianDP([np.inf]), ZCDP([np.inf])])
def test_no_promise_means_certainty(promise: Promise) -> None:
    assert guessed_right(alone(promise)) == true_positives(alone(promise)) == 1.0
