"""The exact Gaussian sampler against its exact law.

Every chi-square test here fails a correct sampler with probability 10⁻⁶, every count in a tail with less.
"""

from __future__ import annotations

import ast
import inspect
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.stats import binom, chi2

from mechanisms import gaussian_noise
from mechanisms.gaussian_noise import bernoulli_exp_fraction, bernoulli_fraction, discrete_gaussian, power_of_two
from mechanisms.noise import Words, word_source

FALSE_ALARM = 1e-6
FAR = 1 << 62
DRAWS = 30_000
VARIANCES = [
    Fraction(1, 1000),
    Fraction(1, 16),
    Fraction(1, 7),
    Fraction(1),
    Fraction(5, 3),
    Fraction(4),
    Fraction(64),
    Fraction(10**4 + 1, 7),
    Fraction(4**10),
    Fraction(10**8),
    Fraction(10**8 + 1, 3),
]


def mass(variance: Fraction, reach: int) -> np.ndarray:
    """P(Z = z) for |z| ≤ reach from 40-digit sums, what lies beyond in the two ends."""
    with mpmath.workdps(40):
        half = mpmath.mpf(1) / 2 / variance.numerator * variance.denominator
        weights = [mpmath.exp(-half * z * z) for z in range(reach + 1)]
        # Poisson's summation formula gives the whole mass, wherever the sum over z would be long.
        if variance > 4:
            root = mpmath.sqrt(2 * mpmath.pi * variance.numerator / variance.denominator)
            whole = root * (1 + 2 * mpmath.exp(-2 * mpmath.pi**2 * variance.numerator / variance.denominator))
        else:
            whole = 1 + 2 * sum(mpmath.exp(-half * z * z) for z in range(1, 80))
        side = [float(weight / whole) for weight in weights]
        tail = float((whole - weights[0] - 2 * sum(weights[1:reach])) / whole / 2)
    return np.array([tail, *side[-2:0:-1], *side[:-1], tail])


def cells(variance: Fraction) -> tuple[np.ndarray, np.ndarray]:
    """Edges between integers, some 40 of them within 2.5 σ, and the exact probability of each cell."""
    sigma = float(variance) ** 0.5
    reach = max(int(2.5 * sigma), 1)
    if reach <= 500:
        edges = np.arange(-reach + 1, reach + 1) - 0.5
        return edges, mass(variance, reach)
    edges = np.unique(np.round(np.linspace(-reach, reach, 41))) - 0.5
    with mpmath.workdps(30):
        # Wide laws: the Euler–Maclaurin sum between half-integers is the integral up to 1/(24σ²), here below 10⁻⁶.
        below = [float(mpmath.ncdf(mpmath.mpf(edge) / mpmath.sqrt(mpmath.mpf(float(variance))))) for edge in edges]
    return edges, np.diff([0.0, *below, 1.0])


def rejects(draws: np.ndarray, variance: Fraction) -> bool:
    edges, shares = cells(variance)
    counts = np.bincount(np.searchsorted(edges, draws), minlength=shares.size)
    expected = draws.size * shares
    likely = expected > 20
    # What is too rare for the chi-square law is one cell, judged by its exact binomial tail.
    rare, chance = int(counts[~likely].sum()), float(shares[~likely].sum())
    if binom.sf(rare - 1, draws.size, min(chance, 1.0)) < FALSE_ALARM:
        return True
    if likely.sum() < 2:
        return False
    given = expected[likely] * counts[likely].sum() / expected[likely].sum()
    statistic = float(((counts[likely] - given) ** 2 / given).sum())
    return bool(chi2.sf(statistic, int(likely.sum()) - 1) < FALSE_ALARM)


@pytest.mark.parametrize("variance", VARIANCES, ids=str)
def test_draws_follow_the_exact_law(variance: Fraction) -> None:
    draws = discrete_gaussian(variance, DRAWS, word_source(np.random.default_rng(201)), FAR)
    assert not rejects(draws, variance)


@pytest.mark.parametrize("variance", [Fraction(5, 3), Fraction(64), Fraction(10**8)], ids=str)
def test_the_test_itself_rejects_a_variance_that_is_a_tenth_off(variance: Fraction) -> None:
    draws = discrete_gaussian(variance, DRAWS, word_source(np.random.default_rng(202)), FAR)
    assert rejects(draws, variance * 11 / 10)
    assert rejects(draws, variance * 10 / 11)


@pytest.mark.parametrize("variance", [Fraction(4), Fraction(65, 16), Fraction(4**20), Fraction(10**8)], ids=str)
def test_tails_are_as_heavy_as_a_gaussian_and_no_heavier(variance: Fraction) -> None:
    """|Z| > 3σ: both binomial tails of the count, each passed with probability 10⁻⁷."""
    size = 60_000
    draws = discrete_gaussian(variance, size, word_source(np.random.default_rng(203)), FAR)
    edge = int(3 * float(variance) ** 0.5)
    if edge < 500:
        chance = 1 - float(mass(variance, edge + 1)[1:-1].sum())
    else:
        chance = 2 * float(mpmath.ncdf(-(edge + mpmath.mpf(1) / 2) / mpmath.sqrt(mpmath.mpf(float(variance)))))
    seen = int((np.abs(draws) > edge).sum())
    assert binom.cdf(seen, size, chance) > 1e-7
    assert binom.sf(seen - 1, size, chance) > 1e-7


def test_a_tiny_variance_never_leaves_zero() -> None:
    """σ² = 1/1000: P(Z ≠ 0) < 3·e⁻⁵⁰⁰."""
    draws = discrete_gaussian(Fraction(1, 1000), 5_000, word_source(np.random.default_rng(204)), FAR)
    assert not draws.any()


@pytest.mark.parametrize("variance", [Fraction(1 << 100), Fraction((1 << 100) + 1, 3)], ids=["power", "any"])
def test_wide_laws_are_uniform_in_their_last_digits(variance: Fraction) -> None:
    """σ near 2^50: |Z| mod 16 is uniform up to e^(−2π²σ²/256), both ways of drawing."""
    draws = discrete_gaussian(variance, DRAWS, word_source(np.random.default_rng(205)), FAR)
    counts = np.bincount(np.abs(draws) & 15, minlength=16)
    expected = DRAWS / 16
    assert chi2.sf(float(((counts - expected) ** 2 / expected).sum()), 15) > FALSE_ALARM


def test_a_scale_wider_than_a_machine_word_ends_at_the_clamp() -> None:
    """σ = 2^70 against 2^60: |Z| < 2^60 has probability 0.0008; above 5 of 60 below 10⁻⁸."""
    limit = 1 << 60
    draws = discrete_gaussian(Fraction(1 << 140), 60, word_source(np.random.default_rng(206)), limit)
    assert np.abs(draws).max() == limit
    assert (np.abs(draws) < limit).sum() <= 5


def test_the_clamp_moves_nothing_that_lies_inside_it() -> None:
    near, far = (
        discrete_gaussian(Fraction(64), 2_000, word_source(np.random.default_rng(207)), limit) for limit in (9, FAR)
    )
    assert np.array_equal(near, np.clip(far, -9, 9))


def test_powers_of_two_are_known_and_nothing_else_is() -> None:
    assert [power_of_two(Fraction(1 << 2 * bits)) for bits in (0, 1, 31, 62, 63)] == [0, 1, 31, 62, None]
    others = (Fraction(1, 4), Fraction(2), Fraction(3), Fraction(4, 3), Fraction(8))
    assert [power_of_two(variance) for variance in others] == [None] * 5


@pytest.mark.parametrize(("numerator", "denominator"), [(0, 7), (1, 7), (6, 7), (7, 7), (30, 7), (10**30, 10**30 + 1)])
def test_the_coin_has_probability_exp_of_minus_the_fraction(numerator: int, denominator: int) -> None:
    words = word_source(np.random.default_rng(208))
    tossed = np.full(20_000, numerator, dtype=object)
    heads = int(bernoulli_exp_fraction(tossed, denominator, words).sum())
    chance = float(mpmath.exp(-mpmath.mpf(numerator) / denominator))
    assert binom.cdf(heads, 20_000, chance) > FALSE_ALARM
    assert binom.sf(heads - 1, 20_000, chance) > FALSE_ALARM


def scripted(*values: int) -> Words:
    """A word source that says these words, one call after the other."""
    waiting = list(values)
    return lambda size: np.array([waiting.pop(0) for _ in range(size)], dtype=np.uint64)


def test_a_fraction_is_compared_to_its_last_digit() -> None:
    """1/3 = 0.(01) in binary: a word that equals its first 64 digits is decided by the next 64, and so on."""
    third = (1 << 64) // 3
    one = np.array([1], dtype=object)
    assert bernoulli_fraction(one, 3, scripted(third - 1)).tolist() == [True]
    assert bernoulli_fraction(one, 3, scripted(third + 1)).tolist() == [False]
    assert bernoulli_fraction(one, 3, scripted(third, third, third - 1)).tolist() == [True]
    assert bernoulli_fraction(one, 3, scripted(third, third, third + 1)).tolist() == [False]
    assert bernoulli_fraction(np.array([3], dtype=object), 3, scripted((1 << 64) - 1)).tolist() == [True]
    assert bernoulli_fraction(np.array([0], dtype=object), 3, scripted(0, 1)).tolist() == [False]


def test_the_sampler_has_no_float_and_no_operation_that_makes_one() -> None:
    """Integers, comparisons and shifts only: no float literal, no true division, no call that returns a float."""
    tree = ast.parse(inspect.getsource(gaussian_noise))
    nodes = list(ast.walk(tree))
    assert not [node for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, float)]
    assert not [node for node in nodes if isinstance(node, (ast.BinOp, ast.AugAssign)) and isinstance(node.op, ast.Div)]
    called = {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    assert not called & {"float64", "float32", "exp", "log", "sqrt", "random", "rint", "floor", "normal", "true_divide"}
    assert "float" not in {node.id for node in nodes if isinstance(node, ast.Name)}
