"""Noise on the sensitivity hull: its law, its loss, its bound, and the weights that minimise the bound."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb

import numpy as np
import pytest
from scipy.integrate import quad
from scipy.special import gammaincc
from scipy.stats import chi2

from mechanisms import build, standard_demands
from mechanisms.hull import HullMechanism
from mechanisms.hull_bound import best_share, hull_error, mixture_weights
from mechanisms.hull_noise import below, hull_noise, random_orders
from mechanisms.noise import word_source


def vectors_of_radius(k: int, r: int) -> int:
    """How many integer vectors have Σv = 0 and ‖v‖₁ = 2r."""
    return 1 if r == 0 else sum(comb(k, j) * comb(r - 1, j - 1) * comb(r + k - j - 1, k - j - 1) for j in range(1, k))


@pytest.mark.parametrize("k", [2, 3, 4])
def test_the_count_of_vectors_is_right(k: int) -> None:
    for r in range(5):
        brute = sum(
            abs(sum(v)) + sum(map(abs, v)) == 2 * r and max(map(abs, v), default=0) <= r
            for v in product(range(-r, r + 1), repeat=k - 1)
        )
        assert brute == vectors_of_radius(k, r)


@pytest.mark.many(2)
@pytest.mark.parametrize(("bits", "k"), [(0, 2), (0, 3), (1, 3), (0, 4)])
@pytest.mark.parametrize("longest", [62, 3], ids=["machine words", "python integers"])
def test_single_vectors_follow_the_exact_law(bits: int, k: int, longest: int) -> None:
    """Chi-square over all vectors expected at least 20 times; an honest sampler fails with probability 10⁻⁶."""
    size = 60_000 if longest == 62 else 4_000
    q = np.exp(-1.0 / 2**bits)
    whole = sum(q**r * vectors_of_radius(k, r) for r in range(200 << bits))
    vectors = hull_noise(bits, k, size, word_source(np.random.default_rng(k)), 1 << 40, longest)
    drawn = Counter(map(tuple, vectors.tolist()))
    reach = range(-(5 << bits), (5 << bits) + 1)
    law = {(*v, -sum(v)): q ** ((sum(map(abs, v)) + abs(sum(v))) / 2) / whole for v in product(reach, repeat=k - 1)}
    often = {v: size * p for v, p in law.items() if size * p >= 20}
    counts = np.array([*(drawn[v] for v in often), size - sum(drawn[v] for v in often)])
    expected = np.array([*often.values(), size - sum(often.values())])
    assert chi2.sf(((counts - expected) ** 2 / expected).sum(), counts.size - 1) > 1e-6


def test_wide_noise_sums_to_zero_and_has_the_continuous_quantile() -> None:
    """q95 of the largest of ten is 8.80t; 40,000 draws miss it by 0.25 with probability below 10⁻⁶."""
    v = hull_noise(40, 10, 40_000, word_source(np.random.default_rng(2)), 1 << 60)
    assert not v.sum(axis=1).any()
    assert np.quantile(np.abs(v).max(axis=1), 0.95) / 2**40 == pytest.approx(8.80, abs=0.25)


def test_bounded_integers_and_orders_are_uniform() -> None:
    """Chi-square, false-alarm probability 10⁻⁶ each."""
    words = word_source(np.random.default_rng(3))
    numbers = below(np.full(60_000, 6), words)
    orders = Counter(map(tuple, random_orders(60_000, 3, words).tolist()))
    for counts in (np.bincount(numbers, minlength=6), np.array(list(orders.values()))):
        assert counts.size == 6
        assert chi2.sf(((counts - 10_000) ** 2 / 10_000).sum(), 5) > 1e-6


def test_a_user_loses_exactly_their_units_over_the_scale() -> None:
    """All neighbouring tables, every output within a box: the exponent moves by W_i at most, and does."""
    mechanism = build("hpf-cp-hull", epsilon=[2.0, 4.0, 8.0, 0.0], categories=3)
    assert isinstance(mechanism, HullMechanism)
    small = np.array([1, 2, 3, 0])
    for user, own in enumerate(small):
        worst = 0
        for data in product(range(3), repeat=4):
            for other in range(3):
                moved = [other if place == user else x for place, x in enumerate(data)]
                one, two = (np.bincount(x, weights=small, minlength=3).astype(int) for x in (data, moved))
                for y in product(range(-2, 9), repeat=2):
                    table = np.array([*y, 6 - sum(y)])
                    worst = max(worst, abs(int(np.abs(table - one).sum() - np.abs(table - two).sum())))
        assert worst == 2 * own
    exact = [Fraction(int(w), 1 << mechanism.grid.bits) for w in mechanism.grid.units]
    assert exact == [mechanism.privacy_loss_exact(user) for user in range(4)]


@pytest.mark.parametrize("k", [2, 3, 10, 300])
def test_the_marginal_tail_is_a_mixture_of_gamma_tails(k: int) -> None:
    assert mixture_weights(k).sum() == pytest.approx(0.5, abs=1e-12)
    if k > 3:
        return

    # k = 2: v is Laplace of half the scale; k = 3: the density is ½e^{−2v}·½(1 + v)·½ over its integral.
    def density(v: float) -> float:
        return float(np.exp(-2 * v)) * (1.0 if k == 2 else (1 + v) / 1.5)

    for y in (0.0, 0.5, 2.0):
        direct = quad(density, y, 60)[0]
        ours = sum(w * gammaincc(i + 1, 2 * y) for i, w in enumerate(mixture_weights(k)))
        assert ours == pytest.approx(direct, rel=1e-9)


def plain_union(alpha: float, missing: float, scale: float, share: float, k: int) -> float:
    """The union bound from incomplete gamma functions, without interpolation."""

    def tail(y: float) -> float:
        t = float(sum(w * gammaincc(i + 1, 2 * abs(y)) for i, w in enumerate(mixture_weights(k))))
        return t if y >= 0 else 1 - t

    def beyond(bias: float) -> float:
        return tail((alpha - bias) / scale) + tail((alpha + bias) / scale)

    return beyond((1 - share) * missing) + (k - 1) * beyond(share * missing)


@pytest.mark.parametrize(("missing", "scale", "share"), [(0.0, 0.1, 0.3), (0.2, 0.03, 0.2), (0.5, 0.01, 0.5)])
def test_the_quantile_bound_solves_the_union(missing: float, scale: float, share: float) -> None:
    error = hull_error(np.array([missing]), np.array([scale]), np.array([share]), 10, 0.05)[0]
    assert plain_union(error, missing, scale, share, 10) == pytest.approx(0.05, rel=1e-7)


@pytest.mark.parametrize(("missing", "scale", "share"), [(0.0, 0.1, 0.3), (0.2, 0.03, 0.2), (0.5, 0.001, 0.4)])
def test_the_mean_square_bound_is_the_tail_integral(missing: float, scale: float, share: float) -> None:
    top = missing + 60 * scale
    corners = [missing * share, missing * (1 - share), missing]
    points = sorted({min(max(c + d * scale, 0), top) for c in corners for d in (-5, -1, 0, 1, 5, 20)})
    integral = quad(
        lambda a: 2 * a * min(1, plain_union(a, missing, scale, share, 10)), 0, top, points=points, limit=400
    )[0]
    ours = hull_error(np.array([missing]), np.array([scale]), np.array([share]), 10, None)[0]
    # Taking the union for 1 from 1 − 10⁻⁶ on costs 10⁻⁶, the interpolated tail and the quadrature less.
    assert ours == pytest.approx(integral, rel=2e-6)


@pytest.mark.parametrize("demands", ["two-point", "tiers"])
def test_no_level_and_no_share_on_a_grid_beat_the_built_ones(demands: str) -> None:
    epsilon = standard_demands(demands)
    mechanism = build("hpf-cp-hull", epsilon=epsilon, categories=10)
    assert isinstance(mechanism, HullMechanism)
    n = epsilon.size
    reached = hull_error(
        np.array([1 - mechanism.weights.sum()]),
        np.array([mechanism.noise_scale]),
        np.array([mechanism.share]),
        10,
        0.05,
    )[0]
    levels = np.geomspace(0.02, 3.0, 600)
    missing = np.array([np.maximum(1 - epsilon / level, 0).sum() / n for level in levels])
    values, _ = best_share(missing, 2 / (n * levels), 10, 0.05, zooms=3)
    assert reached <= values.min() * (1 + 1e-7)
    # The grid's best is off by less than its step of 0.8% squared, or by the step at a kink.
    assert reached >= values.min() * (1 - 0.01)


def test_measured_error_stays_below_the_bound_on_the_worst_data() -> None:
    """The careful all in one category: above the bound at most a share β of 20,000 times, 5σ allowed (3·10⁻⁷)."""
    epsilon = standard_demands("two-point")
    mechanism = build("hpf-cp-hull", epsilon=epsilon, categories=10)
    data = np.where(epsilon < 1, 3, 0)
    outputs = mechanism.release_many(data, size=20_000, rng=np.random.default_rng(6))
    error = np.abs(outputs - np.bincount(data, minlength=10) / epsilon.size).max(axis=1)
    assert (error > 0.1625).sum() <= 20_000 * 0.05 + 5 * np.sqrt(20_000 * 0.05 * 0.95)


@pytest.mark.parametrize("beta", [0.05, None])
def test_more_missing_weight_never_helps(beta: float | None) -> None:
    """So at each t the weights min(1/n, tε), which miss least, are the best of all weights under the caps."""
    missing = np.linspace(0.0, 0.9, 40)
    for scale in (0.003, 0.03, 0.3):
        errors, _ = best_share(missing, np.full(40, scale), 10, beta, zooms=4)
        assert np.all(np.diff(errors) >= -1e-9 * errors[1:])
