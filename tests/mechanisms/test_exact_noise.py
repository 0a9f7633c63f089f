"""The exact sampler against its exact law. Every chi-square test here fails an honest sampler with probability 10⁻⁶."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from mechanisms.noise import _laplace_one_by_one, bernoulli_exp, discrete_laplace, word_source

FALSE_ALARM = 1e-6
FAR = 1 << 61


def chi_square_rejects(counts: np.ndarray, probabilities: np.ndarray) -> bool:
    expected = counts.sum() * probabilities
    assert expected.min() > 20, "cells too small for the chi-square law"
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return bool(chi2.sf(statistic, counts.size - 1) < FALSE_ALARM)


def cell_counts(draws: np.ndarray, edge: int) -> np.ndarray:
    """Counts of −edge..edge, with everything beyond lumped into the ends."""
    return np.bincount(np.clip(draws, -edge, edge) + edge, minlength=2 * edge + 1)


def cell_probabilities(bits: int, edge: int) -> np.ndarray:
    """P(z) = (1−q)/(1+q)·q^|z| with q = exp(−2^−bits); P(Z ≥ edge) = q^edge/(1+q)."""
    q = np.exp(-(2.0**-bits))
    z = np.arange(-edge, edge + 1)
    law = (1 - q) / (1 + q) * q ** np.abs(z)
    law[[0, -1]] = q**edge / (1 + q)
    return law


@pytest.mark.parametrize(("bits", "edge"), [(0, 6), (1, 12), (3, 40), (6, 200)])
def test_small_scales_follow_the_exact_law(bits: int, edge: int) -> None:
    draws = discrete_laplace(bits, 400_000, word_source(np.random.default_rng(101)), FAR)
    assert not chi_square_rejects(cell_counts(draws, edge), cell_probabilities(bits, edge))


def test_the_test_itself_rejects_a_scale_that_is_two_percent_off() -> None:
    draws = discrete_laplace(3, 400_000, word_source(np.random.default_rng(101)), FAR)
    q = np.exp(-1 / (1.02 * 8))
    z = np.arange(-40, 41)
    wrong = (1 - q) / (1 + q) * q ** np.abs(z)
    wrong[[0, -1]] = q**40 / (1 + q)
    assert chi_square_rejects(cell_counts(draws, 40), wrong)


def test_the_operating_system_source_follows_the_same_law() -> None:
    draws = discrete_laplace(2, 200_000, word_source(None), FAR)
    assert not chi_square_rejects(cell_counts(draws, 20), cell_probabilities(2, 20))


def test_one_at_a_time_integers_of_any_size_follow_the_same_law() -> None:
    draws = _laplace_one_by_one(2, 6_000, word_source(np.random.default_rng(102)), FAR)
    assert not chi_square_rejects(cell_counts(draws, 8), cell_probabilities(2, 8))


@pytest.mark.parametrize("bits", [20, 45, 58])
def test_wide_scales_are_exponential_at_the_top_and_uniform_at_the_bottom(bits: int) -> None:
    draws = discrete_laplace(bits, 200_000, word_source(np.random.default_rng(103)), FAR)
    magnitudes = np.abs(draws)
    edges = -np.log1p(-np.linspace(0, 0.98, 50))
    top = np.histogram(magnitudes / 2.0**bits, bins=[*edges, np.inf])[0]
    shares = np.append(np.full(49, 0.02), 0.02)
    assert not chi_square_rejects(top, shares)
    bottom = np.bincount((magnitudes & 15).astype(int), minlength=16)
    assert not chi_square_rejects(bottom, np.full(16, 1 / 16))
    assert not chi_square_rejects(np.array([(draws > 0).sum(), (draws < 0).sum()]), np.array([0.5, 0.5]))


def test_scales_wider_than_a_machine_word_end_at_the_clamp_evenly() -> None:
    """Scale 2^70 against a clamp of 2^61: a draw stays inside with probability 1 − exp(−2⁻⁹) ≈ 0.002."""
    draws = discrete_laplace(70, 8_000, word_source(np.random.default_rng(104)), FAR)
    inside = 1 - np.exp(-(2.0**-9))
    outer = (1 - inside) / 2
    ends = np.array([(draws == -FAR).sum(), (draws == FAR).sum()])
    assert not chi_square_rejects(ends, np.array([0.5, 0.5]))
    # Binomial tails by Chernoff: 8000·0.002 = 16 expected inside, above 60 with probability below 10⁻¹².
    assert ends.sum() >= 8_000 - 60
    assert 0 < outer < 0.5


def test_the_accept_coin_has_probability_exp_minus_u() -> None:
    words = word_source(np.random.default_rng(105))
    for u in (0, 1, 5, 8, 15):
        accepted = int(bernoulli_exp(np.full(100_000, u, dtype=np.uint64), 4, words).sum())
        p = np.exp(-u / 16)
        if u == 0:
            assert accepted == 100_000
        else:
            counts = np.array([accepted, 100_000 - accepted])
            assert not chi_square_rejects(counts, np.array([p, 1 - p]))


def test_draws_of_one_batch_are_independent_of_their_neighbours() -> None:
    """Lag-one correlation of signs and of magnitudes: |r|√n is standard normal.

    5.5 is passed with probability 4·10⁻⁸.
    """
    draws = discrete_laplace(40, 300_000, word_source(np.random.default_rng(106)), FAR).astype(float)
    for series in (np.sign(draws), np.abs(draws)):
        centred = series - series.mean()
        r = (centred[1:] * centred[:-1]).mean() / centred.var()
        assert abs(r) * np.sqrt(series.size) < 5.5


@pytest.mark.parametrize("kind", ["PCG64", "PCG64DXSM", "Philox", "SFC64", "MT19937"])
def test_words_of_every_generator_have_64_bits_and_are_those_of_its_integers(kind: str) -> None:
    """1,000 words: some bit never set has probability 64·2^−1000."""
    bits = getattr(np.random, kind)
    words = word_source(np.random.Generator(bits(7)))(1_000)
    expected = np.random.Generator(bits(7)).integers(0, 2**64 - 1, size=1_000, dtype=np.uint64, endpoint=True)
    assert words.tolist() == expected.tolist()
    assert int(np.bitwise_or.reduce(words)) == 2**64 - 1
