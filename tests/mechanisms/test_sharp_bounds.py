"""The explicit bounds against closed forms, high-precision integrals and simulation."""

from __future__ import annotations

from itertools import product

import mpmath as mp
import numpy as np
import pytest

from mechanisms import sharp


def exact_cdf(alpha: mp.mpf, a: float, b: float, biased: int, free: int) -> mp.mpf:
    """Π P(|a_j + N_j| ≤ α) by the Laplace distribution function."""

    def within(shift: float) -> mp.mpf:
        return _laplace_cdf((alpha - shift) / b) - _laplace_cdf((-alpha - shift) / b)

    return within(a) ** biased * within(0.0) ** free


def _laplace_cdf(z: mp.mpf) -> mp.mpf:
    return 1 - mp.exp(-z) / 2 if z >= 0 else mp.exp(z) / 2


CASES = [
    (0.3, 0.05, 2, 8),
    (0.0, 0.1, 2, 0),
    (0.01, 0.2, 1, 0),
    (0.4, 0.001, 5, 0),
    (0.2, 0.1, 2, 1),
    (1e-6, 1.0, 3, 4),
]


@pytest.mark.parametrize(("a", "b", "biased", "free"), CASES)
@pytest.mark.parametrize("beta", [0.001, 0.05, 0.5, 0.9])
def test_the_worst_quantile_solves_the_product_of_distribution_functions(
    a: float, b: float, biased: int, free: int, beta: float
) -> None:
    alpha = float(sharp.worst_quantile(np.array([a]), np.array([b]), beta, biased, free)[0])
    assert float(exact_cdf(mp.mpf(alpha), a, b, biased, free)) == pytest.approx(1 - beta, abs=1e-12)


@pytest.mark.parametrize(("a", "b", "biased", "free"), CASES)
def test_the_worst_square_is_the_tail_integral(a: float, b: float, biased: int, free: int) -> None:
    ends = [0, a, a + b, a + 10 * b, a + 60 * b]
    integral = mp.quad(lambda y: 2 * y * (1 - exact_cdf(y, a, b, biased, free)), sorted(set(ends)))
    ours = float(sharp.worst_square(np.array([a]), np.array([b]), biased, free)[0])
    assert ours == pytest.approx(float(integral), rel=1e-10)


def test_one_coordinate_has_closed_forms() -> None:
    a, b, beta = np.array([0.3, 0.0]), np.array([0.05, 0.2]), 0.05
    np.testing.assert_allclose(sharp.worst_quantile(a, b, beta, 1, 0), b * np.log(np.cosh(a / b) / beta), rtol=1e-14)
    np.testing.assert_allclose(sharp.worst_square(a, b, 1, 0), a**2 + 2 * b**2, rtol=1e-12)


def test_without_noise_the_error_is_the_bias() -> None:
    a, b = np.array([0.3]), np.array([0.0])
    assert sharp.worst_quantile(a, b, 0.05, 2, 3)[0] == 0.3
    assert sharp.worst_square(a, b, 2, 3)[0] == pytest.approx(0.09)


def test_the_published_figure_of_ten_categories() -> None:
    """k = 10, a = 0.3, b = 0.05: 0.450 against 0.564 for bias plus noise quantile."""
    exact = sharp.worst_quantile(np.array([0.3]), np.array([0.05]), 0.05, 2, 8)[0]
    simple = 0.3 + 0.05 * sharp.typical_maximum(10, 0.05)
    assert exact == pytest.approx(0.450, abs=5e-4)
    assert simple == pytest.approx(0.564, abs=5e-4)


def test_no_bias_in_the_hull_is_worse_than_a_vertex() -> None:
    """Bias vectors with entries summing to 0 and ½‖A‖₁ ≤ a, k = 3, on a grid."""
    a, b, beta = 0.3, 0.1, 0.05
    quantile = float(sharp.worst_quantile(np.array([a]), np.array([b]), beta, 2, 1)[0])
    steps = np.linspace(-a, a, 13)
    for first, second in product(steps, steps):
        bias = [first, second, -first - second]
        if 0.5 * np.abs(bias).sum() > a + 1e-12:
            continue
        inside = np.prod([float(_laplace_cdf((quantile - x) / b) - _laplace_cdf((-quantile - x) / b)) for x in bias])
        assert inside >= 1 - beta - 1e-12


def test_permutation_factor_solves_its_recursion() -> None:
    factor = 2.0
    for n in range(3, 200):
        q = 1 / (n - 1)
        factor = q * n / (n - 1) + (1 - q) * factor
        assert sharp.permutation_factor(n) == pytest.approx(factor, rel=1e-12)


@pytest.mark.parametrize("n", [2, 3, 4, 5, 6])
def test_permuted_sums_are_sub_gaussian_with_that_factor(n: int) -> None:
    """log E exp(λΣc_i·x_σ(i)) ≤ λ²‖c‖²K_n/8, all permutations enumerated, over 0/1 data and several c and λ."""
    from itertools import permutations

    rng = np.random.default_rng(n)
    orders = np.array(list(permutations(range(n))))
    vectors = [rng.normal(size=n) for _ in range(6)] + [np.arange(n, dtype=float), np.eye(n)[0]]
    for raw, ones, strength in product(vectors, range(1, n), (0.3, 1.0, 3.0)):
        c = raw - raw.mean()
        x = (np.arange(n) < ones).astype(float)
        lam = strength / np.linalg.norm(c)
        log_mgf = float(np.log(np.mean(np.exp(lam * (x[orders] @ c)))))
        assert log_mgf <= lam**2 * float(c @ c) * sharp.permutation_factor(n) / 8 + 1e-12


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_the_weak_square_of_a_mean_is_attained(n: int) -> None:
    """max over 0/1 data of the mean over all permutations of the squared bias equals ‖w−u‖₂²·S²_max."""
    from itertools import permutations

    w = np.random.default_rng(n).dirichlet(np.ones(n))
    orders = np.array(list(permutations(range(n))))
    worst = max(
        float(np.mean(((np.arange(n) < ones).astype(float)[orders] @ (w - 1 / n)) ** 2)) for ones in range(n + 1)
    )
    spread = np.linalg.norm(w - 1 / n)
    assert sharp.permuted_square_mean(np.array([spread]), np.zeros(1), n)[0] == pytest.approx(worst, rel=1e-12)


def test_the_split_of_beta_is_the_best_one() -> None:
    spread, scale, n, k, beta = 0.01, 0.003, 500, 7, 0.05
    shares = np.linspace(1e-6, 1 - 1e-6, 200_001)
    deviation = spread * np.sqrt(sharp.permutation_factor(n))
    values = deviation * np.sqrt(0.5 * np.log(2 * k / (beta * shares))) + scale * sharp.largest_of_exponentials(
        k, beta * (1 - shares)
    )
    ours = float(sharp.split_quantile(np.array([spread]), np.array([scale]), n, k, beta)[0])
    assert ours <= values.min() * (1 + 1e-12)
    assert ours == pytest.approx(values.min(), rel=1e-8)


def test_shrinkage_is_the_best_factor() -> None:
    for spread, t, n in ((0.1, 0.05, 10), (0.5, 0.3, 4), (0.0, 0.2, 3), (0.01, 0.0, 100)):
        variance = spread**2 * n / (n - 1)
        s = np.linspace(0, 1, 200_001)
        values = 0.25 * np.maximum((1 - s) ** 2, s**2 * variance) + 2 * s**2 * t**2
        ours = float(sharp.shrunken_square_mean(np.array([spread]), np.array([t]), n)[0])
        assert ours <= values.min() + 1e-15
        # The grid's step is 5·10⁻⁶ and no slope exceeds 1.
        assert ours >= values.min() - 5e-6


@pytest.mark.parametrize("n", [3, 5, 6])
@pytest.mark.parametrize("scale", [0.02, 0.1, 0.5])
def test_the_tilted_quantile_is_exceeded_no_more_than_beta_over_all_permutations(n: int, scale: float) -> None:
    """P(|A_σ + N| > α) summed exactly over all permutations and 0/1 data, N Laplace."""
    from itertools import permutations

    beta = 0.05
    w = np.random.default_rng(n).dirichlet(np.ones(n))
    spread = np.array([np.linalg.norm(w - 1 / n)])
    alpha = float(sharp.tilted_quantile(spread, np.array([scale]), n, 1, beta)[0])
    orders = np.array(list(permutations(range(n))))
    for ones in range(n + 1):
        moved = (np.arange(n) < ones).astype(float)[orders] @ (w - 1 / n)
        inside = [float(_laplace_cdf((alpha - a) / scale) - _laplace_cdf((-alpha - a) / scale)) for a in moved]
        assert 1 - np.mean(inside) <= beta + 1e-12


def test_the_tilted_quantile_needs_noise() -> None:
    assert sharp.tilted_quantile(np.array([0.1]), np.array([0.0]), 10, 1, 0.05)[0] == np.inf
