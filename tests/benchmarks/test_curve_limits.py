"""What no test of an (ε, δ) promise can do with fewer calls: both statements, computed in another way."""

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.stats import norm

from benchmarks.curve_limits import best_bet_of_all, best_event, calls_of_any_test, divergence_from, nearest_noise
from hdp_audit.audits.power_gaussian import best_bet
from hdp_audit.model.approximate import ApproximateDP, ApproximateLimit

SHIFT = ApproximateLimit(1.0, 1e-5).gaussian() / 0.8  # a fifth too little noise


def bent(bend, slope):
    """The density that is normal up to the bend, without its constant, and the constant."""

    def free(at):
        return norm.pdf(bend) * np.exp(-slope * (abs(at) - bend)) if abs(at) > bend else norm.pdf(at)

    whole = 2.0 * (quad(free, 0.0, bend)[0] + quad(free, bend, bend + 40.0 / slope)[0])
    return free, whole


def test_the_distance_of_the_noise_is_its_integral():
    bend, distance = nearest_noise(1.0, SHIFT)
    free, whole = bent(bend, 1.0 / SHIFT)
    beyond = 2.0 * quad(lambda at: norm.pdf(at) * (norm.logpdf(at) - np.log(free(at))), bend, 12.0)[0]
    assert distance == pytest.approx(np.log(whole) + beyond, rel=1e-6)
    assert distance < divergence_from(1.01 * bend, 1.0 / SHIFT)
    assert distance < divergence_from(0.99 * bend, 1.0 / SHIFT)


def test_that_noise_keeps_the_promise_to_every_user():
    bend, _ = nearest_noise(1.0, SHIFT)
    free, _ = bent(bend, 1.0 / SHIFT)
    at = np.linspace(-12.0, 12.0, 97)
    for moved in (0.1 * SHIFT, 0.5 * SHIFT, SHIFT):
        ratios = [free(one) / free(one - moved) for one in at]
        assert np.abs(np.log(ratios)).max() <= 1.0 + 1e-12


def test_no_test_refutes_a_fifth_less_noise_within_twenty_thousand_calls():
    assert calls_of_any_test(1.0, SHIFT, 1e-3) > 50_000


@pytest.mark.parametrize("users", [1, 3])
def test_the_law_beside_the_best_bet_keeps_the_limit(users):
    """It is a law, and its δ is the promised one: so no bet against this limit grows faster."""
    limit = ApproximateDP([1.0] * users, 1e-5).group(np.arange(users))
    growth, mass, leaked = best_bet_of_all(limit, users * SHIFT)
    assert mass == pytest.approx(1.0, abs=1e-9)
    assert leaked == pytest.approx(limit.leaked, rel=1e-4)
    assert 1.0 < growth / best_bet(limit, users * SHIFT)[0] < 1.3  # grades tell more than one event, not much
    assert best_bet(limit, users * SHIFT)[0] <= best_event(limit, users * SHIFT) < growth  # a grid of events, the best
