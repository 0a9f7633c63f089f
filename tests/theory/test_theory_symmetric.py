"""E exp(ηΣZ) by tilting and Fourier, by summing over all subsets, and by sympy: the same number."""

import itertools
import math

import numpy as np
import pytest

from hdp_audit.theory.symmetric import compress, log_mean_exp

VECTORS = {
    "plain": [0.1, 0.5, 0.5, 1.3, 2.0, 7.0],
    "zeros": [0.0, 0.0, 0.3, 4.0],
    "wide": [1e-6, 1e-3, 1.0, 30.0, 200.0],
    "one": [0.7],
}


def brute(demands: list[float], eta: float, m: int) -> float:
    sums = [sum(group) for group in itertools.combinations(demands, m)]
    return math.log(math.fsum(math.exp(eta * s) for s in sums) / len(sums))


@pytest.mark.parametrize("name", VECTORS)
@pytest.mark.parametrize("eta", [-2.0, -1.0, -0.2, 0.05, 1.0])
def test_it_equals_the_average_over_all_subsets(name: str, eta: float) -> None:
    demands = VECTORS[name]
    for m in range(len(demands) + 1):
        assert log_mean_exp(demands, eta, m) == pytest.approx(brute(demands, eta, m), rel=1e-9, abs=1e-10)


def test_it_equals_the_symbolic_polynomial() -> None:
    import sympy

    z = sympy.symbols("z")
    demands = [sympy.Rational(1, 2), sympy.Rational(1, 3), sympy.Integer(2), sympy.Rational(5, 4)]
    product = sympy.expand(sympy.prod([1 + sympy.exp(-e) * z for e in demands]))
    for m in range(1, 5):
        exact = sympy.log(product.coeff(z, m) / sympy.binomial(4, m))
        assert log_mean_exp([float(e) for e in demands], -1.0, m) == pytest.approx(float(exact), rel=1e-12)


def test_infinite_demands_count_as_zero_or_as_infinity() -> None:
    demands = [0.5, 1.0, math.inf]
    # Subsets of two without the infinite one: 1 of 3.
    assert log_mean_exp(demands, -1.0, 2) == pytest.approx(math.log(math.exp(-1.5) / 3))
    assert log_mean_exp(demands, -1.0, 3) == -math.inf
    assert log_mean_exp(demands, 1.0, 1) == math.inf


def test_counts_stand_for_repetitions() -> None:
    assert log_mean_exp([0.2, 1.0], -1.0, 3, counts=[4, 2]) == pytest.approx(brute([0.2] * 4 + [1.0] * 2, -1.0, 3))


def test_equal_demands_give_the_power() -> None:
    assert log_mean_exp(np.full(1000, 0.1), 1.0, 37) == pytest.approx(3.7, abs=1e-9)


def test_a_million_demands_agree_with_the_compressed_ones() -> None:
    demands = np.exp(np.random.default_rng(1).uniform(-5, 5, 10**6))
    exact = log_mean_exp(demands, -1.0, 2000)
    rounded_up = log_mean_exp(*_first(compress(demands, 4096), -1.0, 2000))
    # Rounding demands up can only lower E exp(−S).
    assert exact - 0.01 * abs(exact) <= rounded_up <= exact


def _first(pair, eta: float, m: int):
    values, counts = pair
    return values, eta, m, counts


def test_compressing_rounds_up_and_keeps_every_user() -> None:
    demands = np.sort(np.random.default_rng(5).uniform(0, 3, 5000))
    values, counts = compress(demands, 100)
    assert counts.sum() == 5000
    assert values.size <= 100
    assert (np.repeat(values, counts) >= demands).all()


@pytest.mark.parametrize("eta", [-1.0, 0.2])
def test_it_is_monotone_in_the_number_drawn(eta: float) -> None:
    demands = np.exp(np.random.default_rng(2).uniform(-3, 2, 300))
    logs = [log_mean_exp(demands, eta, m) for m in range(1, 301, 7)]
    assert (np.sign(eta) * np.diff(logs) >= 0).all()
