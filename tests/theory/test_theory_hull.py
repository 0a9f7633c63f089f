"""Hull noise around c: its exact tail, the union bound and the best centre, each against another derivation."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, special

from hdp_audit.theory import hull, upper
from hdp_audit.theory.hull_tail import HullTail, hull_tail, mixture


def log_weight(k: int, i: int) -> float:
    """log ω_i from the factorials of the density of a sum of Laplace numbers."""

    def log_c(m: int, i: int) -> float:
        below = math.lgamma(m) + math.lgamma(i + 1) + math.lgamma(m - i) + (2 * m - 1 - i) * math.log(2)
        return math.lgamma(2 * m - 1 - i) - below

    return log_c(k - 1, i) + math.lgamma(i + 1) - (i + 2) * math.log(2) - log_c(k, 0)


@pytest.mark.parametrize("k", [2, 3, 10, 1000])
def test_the_mixture_s_weights_are_the_factorial_formula_and_sum_to_a_half(k: int) -> None:
    found = mixture(k)
    assert found.sum() == pytest.approx(0.5, rel=1e-12)
    assert np.log(found) == pytest.approx([log_weight(k, i) for i in range(found.size)], rel=1e-9, abs=1e-9)


@pytest.mark.many(2)
@pytest.mark.parametrize("k", [2, 3, 4, 10, 1000, 10**6])
def test_the_table_keeps_its_stated_error(k: int) -> None:
    tail, weights = hull_tail(k), mixture(k)
    # Between the knots, where cubic interpolation is worst.
    y = np.arange(0.0, 60.0, 1 / 32) + 1 / 64
    exact = special.gammaincc(np.arange(weights.size) + 1.0, 2 * y[:, None]) @ weights
    assert np.abs(tail.beyond(y) / exact - 1).max() <= tail.error
    assert np.abs(tail.beyond(-y) / (1 - exact) - 1).max() <= tail.error


@pytest.mark.parametrize("k", [2, 3, 10])
@pytest.mark.parametrize("y", [-3.0, -0.4, 0.0, 0.7, 5.0])
def test_the_integrals_of_the_tail_are_integrals(k: int, y: float) -> None:
    tail = hull_tail(k)

    def beyond(v: float) -> float:
        return float(tail.beyond(np.array([v]))[0])

    points = sorted({y, max(y, 0.0), 60.0})
    first = sum(integrate.quad(beyond, a, b, epsabs=0, epsrel=1e-11)[0] for a, b in itertools.pairwise(points))
    second = sum(
        integrate.quad(lambda v: (v - y) * beyond(v), a, b, epsabs=0, epsrel=1e-11)[0]
        for a, b in itertools.pairwise(points)
    )
    assert float(tail.first(np.array([y]))[0]) == pytest.approx(first, rel=1e-7)
    assert float(tail.second(np.array([y]))[0]) == pytest.approx(second, rel=1e-7)


def test_three_bins_have_the_marginal_of_the_plane_s_density() -> None:
    """∫ exp(−|v| − |w| − |v + w|)dw over w, normalised, against −T'."""
    tail = hull_tail(3)

    def plane(v: float) -> float:
        def along(w: float) -> float:
            return math.exp(-abs(v) - abs(w) - abs(v + w))

        return integrate.quad(along, -40, 40, points=sorted({-v, 0.0}), limit=200)[0]

    total = 2 * integrate.quad(plane, 0, 30)[0]
    for v in (0.0, 0.3, 1.0, 4.0):
        assert float(tail.density(np.array([v]))[0]) == pytest.approx(plane(v) / total, rel=1e-7)


def test_the_unbiased_quantile_of_ten_categories() -> None:
    # In units of t; independent noise needs 10.551.
    assert float(hull.hull_pac(0.0, 1.0, 10, 0.05)) == pytest.approx(8.909, abs=5e-4)


def by_search(tail: HullTail, deficit: float, beta: float) -> float:
    """The least α over a fine grid of centres, from U itself; lengths in units of the noise scale."""
    c = np.linspace(0, 0.5, 2001)
    low, high = np.zeros_like(c), np.full_like(c, deficit + 200)
    for _ in range(60):
        middle = (low + high) / 2
        enough = hull.union(tail, middle, c, np.full_like(c, deficit)) <= beta
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return float(high.min())


@pytest.mark.many(4)
@pytest.mark.parametrize("k", [3, 10, 200])
@pytest.mark.parametrize("deficit", [0.0, 0.3, 2.0, 15.0, 400.0])
@pytest.mark.parametrize("beta", [0.01, 0.3])
def test_the_centre_found_is_the_best_one(k: int, deficit: float, beta: float) -> None:
    found = float(hull.hull_pac(deficit, 0.5, k, beta))
    best = by_search(hull_tail(k), deficit, beta)
    # The grid of centres is 2.5e-4 wide, and its bound moves by at most that times the deficit.
    assert best - 2.5e-4 * deficit - 1e-9 <= found <= best * (1 + 1e-9) + 1e-9


@pytest.mark.many(2)
@pytest.mark.parametrize("k", [3, 10])
@pytest.mark.parametrize("deficit", [0.0, 1.0, 20.0])
def test_the_mean_square_is_the_integral_of_the_capped_tail_at_the_best_centre(k: int, deficit: float) -> None:
    tail = hull_tail(k)
    top = deficit + 60
    alpha = (np.arange(16_000) + 0.5) / 16_000 * top
    values = []
    for c in np.linspace(0, 0.5, 101):
        capped = np.minimum(1, hull.union(tail, alpha, np.full_like(alpha, c), np.full_like(alpha, deficit)))
        values.append(float((2 * alpha * capped).mean() * top))
    found = float(hull.hull_mse(deficit, 0.5, k))
    # 101 centres: the best of them is a little above the best of all; the midpoint rule is good to 1e-5.
    assert min(values) * (1 - 2e-3) <= found <= min(values) * (1 + 1e-5)


@pytest.mark.parametrize("deficit", [0.0, 0.5, 3.0])
def test_two_categories_are_a_mean(deficit: float) -> None:
    # v = (x, −x) with x ~ Lap(t): both bins err alike around ½.
    for beta in (0.01, 0.3):
        closed = math.log(math.cosh(deficit / 2) / beta)
        assert float(hull.hull_pac(deficit, 1.0, 2, beta)) == pytest.approx(closed, rel=1e-7)
    exact = deficit**2 / 4 + 2
    # min(1, U) = U exactly here, so the bound is E(D/2 + x)².
    assert float(hull.hull_mse(deficit, 1.0, 2)) == pytest.approx(exact, rel=1e-6)


def test_without_noise_half_the_deficit_is_left() -> None:
    for k in (2, 5):
        assert hull.hull_pac([0.0, 0.4], [0.0, 0.0], k, 0.05).tolist() == [0.0, 0.2]
        assert hull.hull_mse([0.0, 0.4], [0.0, 0.0], k) == pytest.approx([0.0, 0.04])
        assert float(hull.hull_pac(0.4, 1e-300, k, 0.05)) == pytest.approx(0.2)
        assert float(hull.hull_pac(0.4, 1e-6, k, 0.05)) == pytest.approx(0.2, abs=2e-5)


def test_hull_noise_never_has_a_larger_quantile_than_independent_noise_around_a_half() -> None:
    deficit, t = np.meshgrid(np.linspace(0, 1, 11), np.geomspace(1e-4, 0.1, 10))
    for k in (2, 3, 10, 100):
        own = hull.hull_pac(deficit, t, k, 0.05)
        assert (own <= upper.correlated_pac(deficit / 2, 2 * t, 0.05, k, 0) * (1 + 1e-9)).all()
