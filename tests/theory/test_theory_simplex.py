"""Lattices of datasets: orbits against all datasets, certificates against random densities and in rationals."""

from fractions import Fraction
from itertools import product

import numpy as np
import pytest

from hdp_audit.theory.simplex import Lattice
from hdp_audit.theory.simplex_bounds import block_cost, largest_block, lattice_rate, lattice_risk
from hdp_audit.theory.simplex_lp import LatticeCertificate, Surroundings, lattice_certificate, misses, squares
from mechanisms.standard import standard_demands

STEP = 1.3
SMALL = Lattice(3, 3)
DATASETS = np.array([x for x in product(range(4), repeat=3) if sum(x) == 3])
KINDS = np.array([SMALL.kinds[tuple(sorted((int(v) for v in x), reverse=True))] for x in DATASETS])
APART = STEP * np.maximum(DATASETS[:, None] - DATASETS, 0).sum(axis=2)


@pytest.fixture(scope="module")
def small() -> LatticeCertificate:
    around = Surroundings(SMALL, SMALL.square_surroundings(), squares)
    found = lattice_certificate(around, STEP)
    assert found is not None
    return found


def random_density(rng: np.random.Generator) -> np.ndarray:
    """Peaks at some datasets, or troughs: extreme densities that keep the demands."""
    peaks = rng.choice(len(DATASETS), size=rng.integers(1, 4), replace=False)
    height = rng.exponential(1.0, size=peaks.size)
    if rng.random() < 0.7:
        return np.exp((height - APART[:, peaks]).max(axis=1))
    return np.exp((APART[:, peaks] - height).min(axis=1))


def test_orbits_hold_every_dataset_once_and_moves_lead_away() -> None:
    assert SMALL.copies.sum() == len(DATASETS)
    lattice = Lattice(4, 5)
    for w in lattice.square_outputs():
        around = lattice.around(w)
        per_kind = np.bincount(around.kind, weights=around.count, minlength=lattice.copies.size)
        np.testing.assert_array_equal(per_kind, lattice.copies)
    w = SMALL.square_outputs()[-1]
    around = SMALL.around(w)
    away = np.sort([np.abs(np.array(w) - 2 * x).max() ** 2 for x in DATASETS])
    np.testing.assert_array_equal(np.sort(np.repeat(around.farness, around.count.astype(int))), away)


def test_a_certificate_holds_for_random_densities_and_all_outputs(small: LatticeCertificate) -> None:
    rng = np.random.default_rng(5)
    prior, nu = small.prior[KINDS], small.nu[KINDS]
    for _ in range(4000):
        density = random_density(rng)
        output = DATASETS[rng.integers(len(DATASETS))] + rng.normal(0, 0.5, size=3)
        error = np.abs(DATASETS - output).max(axis=1) ** 2
        assert (prior * (error + 1 / 16) - nu) @ density >= 0


def test_a_certificate_that_claims_more_is_refuted_by_a_density(small: LatticeCertificate) -> None:
    prior, nu = small.prior[KINDS], 1.2 * small.nu[KINDS]
    error = np.abs(DATASETS[:, None] - DATASETS).max(axis=2) ** 2
    assert min((prior * error[:, at] - nu) @ np.exp(-APART[:, at]) for at in range(len(DATASETS))) < 0


def test_a_certificate_holds_in_rationals_with_each_entry_off_in_the_worse_direction(
    small: LatticeCertificate,
) -> None:
    rows = small.around.rows(STEP)
    values = np.concatenate([small.prior, small.nu, small.flows])
    worse = Fraction(1, 10**12)
    for row in range(rows.shape[0]):
        part = slice(rows.indptr[row], rows.indptr[row + 1])
        terms = [Fraction(a) * Fraction(values[j]) for a, j in zip(rows.data[part], rows.indices[part], strict=True)]
        assert sum((term + abs(term) * worse for term in terms), Fraction(0)) <= 0


def test_what_was_changed_proves_nothing(small: LatticeCertificate) -> None:
    assert small.proved
    assert not LatticeCertificate(small.around, STEP, small.prior, small.nu * 1.05, small.flows).proved
    assert not LatticeCertificate(small.around, STEP, small.prior * 1.01, small.nu, small.flows).proved
    assert not LatticeCertificate(small.around, STEP, small.prior, small.nu, -small.flows).proved
    assert not LatticeCertificate(small.around, STEP * 1.05, small.prior, small.nu, small.flows).proved


def test_a_loss_of_demands_or_a_larger_step_lowers_what_is_missed() -> None:
    lattice = Lattice(3, 4)
    around = Surroundings(lattice, [lattice.around(w) for w in lattice.odd_outputs()], misses)
    found = [lattice_certificate(around, step) for step in (0.5, 1.5, 3.0)]
    risks = [one.risk for one in found if one is not None]
    assert len(risks) == 3
    assert risks[0] > risks[1] > risks[2] > 0


def test_two_tiers_gain_by_lattices() -> None:
    """Spiders and stars of five categories stay below 0.067 and 0.0012."""
    ascending, lattice = np.sort(standard_demands("two-point")), Lattice(5, 5)
    missed = Surroundings(lattice, [lattice.around(w) for w in lattice.odd_outputs()], misses)
    found = lattice_certificate(missed, block_cost(ascending, 5, 74))
    assert found is not None
    assert found.risk > 0.05
    size = largest_block(ascending, 5, 3.2)
    squared = lattice_certificate(
        Surroundings(lattice, lattice.square_surroundings(), squares), block_cost(ascending, 5, size)
    )
    assert squared is not None
    assert (size / ascending.size) ** 2 * (squared.risk - 1 / 16) > 0.0014


@pytest.mark.parametrize("demands", [np.zeros(12), np.full(12, np.inf), np.array([1.0])])
def test_demands_of_zero_and_infinity_and_too_few_users(demands: np.ndarray) -> None:
    size = largest_block(demands, 5, 3.0)
    assert size == (2 if demands.size > 1 and demands[0] == 0 else 0)
    if size:
        assert block_cost(demands, 5, size) == 0.0
    assert 0.01 <= lattice_rate(demands, 3, 0.05, 0.01) <= 0.5
    assert lattice_risk(demands[:1], 3, 0.01) == 0.01
