"""Certificates of optimality: on the standard demands, for the catalog's own levels, and never for worse weights."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hdp_audit.proofs.certificates import ONE, Demands, Weights, first_norm, second_norm, standard
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
