"""Upper bounds: closed forms, numeric integrals and brute force over all datasets and permutations agree."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate

from hdp_audit.theory import upper
from hdp_audit.theory.family import Family


def inside(alpha: float, bias: float, b: float) -> float:
    """P(|bias + Lap(b)| ≤ α) from the distribution function itself."""

    def cdf(x: float) -> float:
        return math.exp(x / b) / 2 if x < 0 else 1 - math.exp(-x / b) / 2

    return cdf(alpha - bias) - cdf(-alpha - bias)


@pytest.mark.parametrize("beta", [0.01, 0.05, 0.5])
@pytest.mark.parametrize(("a", "b"), [(0.0, 0.1), (0.3, 0.05), (0.02, 0.4)])
def test_the_mean_s_quantile_is_the_closed_form(a: float, b: float, beta: float) -> None:
    assert float(upper.correlated_pac(a, b, beta, 1, 0)) == pytest.approx(
        b * math.log(math.cosh(a / b) / beta), rel=1e-9
    )


def test_the_design_s_example_of_the_frequency_quantile() -> None:
    assert float(upper.correlated_pac(0.3, 0.05, 0.05, 2, 8)) == pytest.approx(0.450, abs=5e-4)
    assert 0.3 + 0.05 * float(upper.noise_quantile(10, 0.05)) == pytest.approx(0.564, abs=5e-4)


@pytest.mark.parametrize("beta", [0.05, 0.6, 0.95])
def test_no_dataset_of_small_frequencies_beats_the_worst_vertex(beta: float) -> None:
    w, k, b = np.array([0.55, 0.25, 0.15, 0.05]), 3, 0.08
    a = np.abs(w - 0.25).sum() / 2
    bound = float(upper.correlated_pac(a, b, beta, 2, k - 2))
    worst = 1.0
    for data in itertools.product(range(k), repeat=w.size):
        bias = [sum(w[i] - 0.25 for i in range(4) if data[i] == j) for j in range(k)]
        worst = min(worst, math.prod(inside(bound, x, b) for x in bias))
    assert worst == pytest.approx(1 - beta, abs=1e-9)


def test_no_dataset_of_centred_frequencies_beats_the_worst_vertex() -> None:
    w, k, b, beta = np.array([0.25, 0.25, 0.1, 0.02]), 3, 0.08, 0.1
    missing = 1 - w.sum()
    bound = float(upper.correlated_pac(missing / 2, b, beta, k, 0))
    worst = 1.0
    for data in itertools.product(range(k), repeat=w.size):
        bias = [missing / 2 - sum(0.25 - w[i] for i in range(4) if data[i] == j) for j in range(k)]
        worst = min(worst, math.prod(inside(bound, x, b) for x in bias))
    assert worst == pytest.approx(1 - beta, abs=1e-9)


@pytest.mark.parametrize(
    ("a", "b", "biased", "plain"), [(0.3, 0.05, 2, 0), (0.0, 0.2, 2, 8), (0.1, 0.3, 10, 0), (0.5, 1e-3, 2, 3)]
)
def test_the_frequency_s_mean_square_is_the_tail_integral(a: float, b: float, biased: int, plain: int) -> None:
    def tail(alpha: float) -> float:
        return 2 * alpha * (1 - inside(alpha, a, b) ** biased * inside(alpha, 0.0, b) ** plain)

    top = a + 60 * b
    exact = integrate.quad(tail, 0, a)[0] + integrate.quad(tail, a, top, limit=200)[0]
    assert float(upper.frequency_correlated_mse(a, b, biased, plain)) == pytest.approx(exact, rel=1e-7)


def test_the_paper_s_sum_of_squares_is_below_the_truth() -> None:
    # MATH 2: k = 2, a = .3, b = .05: 0.1175 > 0.0988 = a² + b²(H² + H₂).
    truth = float(upper.frequency_correlated_mse(0.3, 0.05, 2, 0))
    assert truth == pytest.approx(0.1175, abs=5e-5)
    assert truth > 0.3**2 + 0.05**2 * (1.5**2 + 1.25)


def test_noise_free_bounds_are_the_bias() -> None:
    assert float(upper.correlated_pac(0.2, 0.0, 0.05, 2, 3)) == pytest.approx(0.2)
    assert float(upper.frequency_correlated_mse(0.2, 0.0, 2, 3)) == pytest.approx(0.04)


@pytest.mark.parametrize("n", [2, 3, 4, 5])
def test_weak_mean_variance_is_exact_over_all_permutations(n: int) -> None:
    rng = np.random.default_rng(n)
    w = rng.dirichlet(np.ones(n))
    worst = 0.0
    for x in itertools.product((0.0, 1.0), repeat=n):
        errors = [np.dot(w - 1 / n, order) for order in itertools.permutations(x)]
        worst = max(worst, float(np.mean(np.square(errors))))
    assert float(upper.mean_weak_mse(((w - 1 / n) ** 2).sum(), 0.0, n)) == pytest.approx(worst, rel=1e-12)


@pytest.mark.parametrize(("n", "k"), [(4, 2), (5, 3)])
def test_weak_frequency_mean_square_covers_all_datasets_and_permutations(n: int, k: int) -> None:
    w = np.random.default_rng(10 * n + k).dirichlet(np.ones(n))
    spread, a = ((w - 1 / n) ** 2).sum(), np.abs(w - 1 / n).sum() / 2
    bound = float(upper.frequency_weak_mse(a, spread, 0.0, n, k))
    for data in itertools.combinations_with_replacement(range(k), n):
        squares = []
        for order in itertools.permutations(data):
            bias = [sum(w[i] - 1 / n for i in range(n) if order[i] == j) for j in range(k)]
            squares.append(max(abs(x) for x in bias) ** 2)
        assert np.mean(squares) <= bound + 1e-12


@pytest.mark.parametrize("n", [2, 3, 4, 6])
def test_permutation_moments_stay_below_the_sub_gaussian_bound(n: int) -> None:
    rng = np.random.default_rng(20 + n)
    factor = upper.concentration_factor(n)
    for trial in range(30):
        c = rng.normal(size=n)
        c -= c.mean()
        x = (rng.random(n) < 0.5).astype(float) if trial % 2 else rng.random(n)
        sums = np.array([np.dot(c, order) for order in itertools.permutations(x)])
        for scale in (0.3, 1.0, 4.0):
            moment = np.log(np.mean(np.exp(scale * (sums - sums.mean()))))
            assert moment <= scale**2 * (c @ c) * factor / 8 + 1e-12


def test_the_concentration_factor_s_recursion() -> None:
    value = 2.0
    assert upper.concentration_factor(2) == pytest.approx(2.0)
    for n in range(3, 40):
        q = 1 / (n - 1)
        value = q * n / (n - 1) + (1 - q) * value
        assert upper.concentration_factor(n) == pytest.approx(value)


def test_weak_pac_holds_on_every_permutation_of_small_data() -> None:
    n, b, beta = 6, 0.03, 0.1
    w = np.random.default_rng(3).dirichlet(np.ones(n))
    spread, a = ((w - 1 / n) ** 2).sum(), np.abs(w - 1 / n).sum() / 2
    bound = float(upper.weak_pac(a, spread, b, n, 1, beta))
    for ones in range(n + 1):
        x = np.array([1.0] * ones + [0.0] * (n - ones))
        biases = [np.dot(w - 1 / n, order) for order in set(itertools.permutations(x))]
        assert np.mean([inside(bound, bias, b) for bias in biases]) >= 1 - beta


def test_each_of_the_two_weak_pac_bounds_wins_somewhere() -> None:
    beta, n, k = 0.05, 1000, 10
    a, spread, b = (
        np.ravel(part) for part in np.meshgrid(1.0, np.geomspace(1e-8, 1e-2, 13), np.geomspace(1e-5, 1e-1, 13))
    )
    variance = upper.concentration_factor(n) * spread
    tilted = b * np.log(k / beta) + variance / (8 * b)
    split = upper._split(a, variance, b, k, beta)
    assert (upper.weak_pac(a, spread, b, n, k, beta) == np.minimum(split, tilted)).all()
    assert (split < 0.99 * tilted).any()
    assert (tilted < 0.99 * split).any()


def test_the_best_split_of_beta_is_found() -> None:
    share = np.linspace(0, 1, 200_001)[1:-1]
    for variance, b, k, beta in (
        (1e-4, 1e-2, 10, 0.05),
        (1e-4, 1e-4, 1, 0.3),
        (1e-9, 1e-2, 3, 0.01),
        (1e-2, 1e-5, 1, 0.05),
    ):
        total = np.sqrt(variance * np.log(2 * k / (beta * share)) / 2) + b * upper.noise_quantile(k, beta * (1 - share))
        found = float(upper._split(np.array(1.0), np.array(variance), np.array(b), k, beta))
        assert total.min() * (1 - 1e-4) <= found <= total.min() * (1 + 1e-9)


def test_the_weak_quantile_is_smooth_in_the_noise() -> None:
    # Wiggles of a coarse search would show as second differences of changing sign where the curve bends one way.
    b = np.geomspace(1e-3, 2e-3, 200)
    split = upper._split(np.full(200, 1.0), np.full(200, 1e-4), b, 1, 0.05)
    assert (np.diff(split, 2) / split[1:-1] > -1e-9).all()


def test_a_joint_chernoff_bound_would_add_nothing() -> None:
    """Neither E e^{λN} = 1/(1−λ²b²) nor the best constant C_s = sup_x P(N > x)e^{sx/b} beats both bounds."""
    rng = np.random.default_rng(12)
    s = np.geomspace(1e-3, 1, 200)
    log_c = s * np.log(2 * s) - (1 + s) * np.log(1 + s)
    for trial in range(12):
        n, k, beta = int(rng.integers(2, 2000)), (1, 10)[trial % 2], (0.01, 0.05, 0.2)[trial % 3]
        family = Family.of(np.exp(rng.uniform(*sorted(rng.uniform(-7, 4, 2)), n)))
        found = family.simplex(np.geomspace(*family.level_range(), 600))
        b, variance = (1 + (k > 1)) * found.t[:, None], upper.concentration_factor(n) * found.spread[:, None]
        joint = s * variance / (8 * b) + b / s * (np.log(2 * k / beta) + log_c)
        ours = upper.weak_pac(found.bias, found.spread, b[:, 0], n, k, beta)
        assert ours.min() <= joint.min() * 1.01


@pytest.mark.parametrize(("spread", "t"), [(0.01, 0.02), (0.3, 0.01), (0.0, 0.3)])
def test_shrinking_is_the_best_scale_found_by_search(spread: float, t: float) -> None:
    n = 10
    s = np.linspace(0, 1, 100_001)
    variance = spread * n / (n - 1)
    worst = np.maximum((1 - s) ** 2, s**2 * variance) / 4 + 2 * s**2 * t**2
    # The grid is 1e-5 wide and the curve has slope below 1.
    assert 0 <= worst.min() - float(upper.shrunk_mean_weak_mse(spread, t, n)) + 1e-15 <= 1e-5
