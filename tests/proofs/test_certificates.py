"""Certificates of optimality: on the standard demands, for the catalog's own levels, and never for worse weights."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hdp_audit.proofs.certificates import ONE, Demands, Weights, first_norm, second_norm, standard
from hdp_audit.proofs.certificates_sharp import best_noise, errors, gap, least, value
from mechanisms import STANDARD, build, standard_demands


def test_the_ledger_has_the_standard_demands() -> None:
    assert standard() == {name: Demands.of(standard_demands(name)) for name in STANDARD}


@pytest.mark.parametrize(("mechanism", "norm", "size"), [("hpm-cp", first_norm, 1.0), ("hpm-ct", second_norm, 1 / 40)])
def test_levels_of_the_catalog_are_certified_and_others_are_not(mechanism: str, norm, size: float) -> None:
    epsilon = np.exp(np.random.default_rng(3).uniform(-3, 1, 40))
    demands, term = Demands.of(epsilon), Fraction(float(-np.log(0.05)))
    cost = term if norm is first_norm else term**2 * Fraction(size)
    level = build(mechanism, epsilon=epsilon).level
    assert level is not None
    gaps = {}
    for factor in (1.0, 0.8, 1.25):
        below, above = norm(Weights(demands, int(level * factor * ONE)), cost, cost)
        gaps[factor] = float(1 - below / above)
    assert gaps[1.0] < 1e-6
    assert min(gaps[0.8], gaps[1.25]) > 1e-4


def test_no_random_weights_are_below_a_certificate() -> None:
    rng = np.random.default_rng(4)
    epsilon = np.array([0.0, 0.1, 0.3, 0.3, 1.0, 4.0, np.inf])
    demands = Demands.of(np.floor(epsilon * 2**20) / 2**20)
    for norm in (first_norm, second_norm):
        for level in (0.2, 0.7, 3.0):
            below, _ = norm(Weights(demands, int(level * ONE)), Fraction(2), Fraction(2))
            for _ in range(300):
                w = rng.dirichlet(np.full(6, 0.5))
                t = (w[:-1] / epsilon[1:-1]).max()
                whole = np.concatenate([[0.0], w])
                spread = np.abs(whole - 1 / 7).sum() ** 2 if norm is first_norm else (whole**2).sum()
                assert spread + (4 if norm is first_norm else 2) * t**2 >= float(below)


@pytest.mark.parametrize(("mechanism", "share", "biased"), [("sharp", Fraction(1), 2), ("centred", Fraction(1, 2), 10)])
@pytest.mark.parametrize("what", ["mean, quantile", "mean, root of the mean square", "table, quantile"])
def test_the_catalog_s_own_sharp_levels_are_certified(mechanism: str, share: Fraction, biased: int, what: str) -> None:
    """The noise of the catalog's mechanism is that of a level which no other beats; the tangent is taken there."""
    epsilon = np.exp(np.random.default_rng(6).uniform(-3, 1, 60))
    demands, error = Demands.of(epsilon), errors(share, biased)[what]
    letters, end = ("hpf" if what.startswith("table") else "hpm"), ("e" if "square" in what else "p")
    k = 10 if letters == "hpf" else None
    level = build(f"{letters}-c{end}-{mechanism}", epsilon=epsilon, categories=k).level
    assert level is not None
    t = 1 / (60 * level) if mechanism == "centred" else 1 / np.minimum(epsilon, level).sum()
    best = float(value(demands, error, best_noise(demands, error)))
    assert 0 <= gap(demands, error) <= 1e-9
    assert float(value(demands, error, Fraction(t))) == pytest.approx(best, rel=1e-9)
    assert float(value(demands, error, Fraction(1.2 * t))) > best * (1 + 1e-6)


def test_no_weights_have_less_than_a_tangent_allows() -> None:
    rng = np.random.default_rng(7)
    epsilon = np.array([0.0, 0.1, 0.3, 0.3, 1.0, 4.0])
    demands = Demands.of(epsilon)
    for bias, noise in ((Fraction(1), Fraction(1, 10)), (Fraction(1, 3), Fraction(2)), (Fraction(5), Fraction(1, 100))):
        below = float(least(demands, bias, noise))
        for _ in range(300):
            w = np.concatenate([[0.0], rng.dirichlet(np.full(5, 0.5))])
            t = (w[1:] / epsilon[1:]).max()
            assert float(bias) * np.abs(w - 1 / 6).sum() / 2 + float(noise) * t >= below * (1 - 1e-12)
