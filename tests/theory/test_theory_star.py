"""Stars of moves: certificates against random densities and outputs, and again in rationals."""

from fractions import Fraction

import numpy as np
import pytest

from hdp_audit.theory.lower_mse import packing_correlated
from hdp_audit.theory.star import Star, lay_star
from hdp_audit.theory.star_mse import StarCertificate, farkas_rows, star_certificate, star_risk
from mechanisms.standard import standard_demands

SMALL = Star(np.array([0.0, 0.1, 0.25, 0.3]), np.array([0.7, 0.9, 0.6]), categories=4, sources=2)


@pytest.fixture(scope="module")
def small_star() -> StarCertificate:
    found = star_certificate(SMALL)
    assert found is not None
    return found


def truths(star: Star) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(position, truth relative to the base, source and target) for each dataset, the base first."""
    arms = [(i, j) for i in range(star.sources) for j in range(star.categories) if j != i]
    place, truth, arm = [0], [np.zeros(star.categories)], [(-1, -1)]
    for i, j in arms:
        for node in range(1, star.theta.size):
            shift = np.zeros(star.categories)
            shift[i], shift[j] = -star.theta[node], star.theta[node]
            place, truth, arm = [*place, node], [*truth, shift], [*arm, (i, j)]
    return np.array(place), np.array(truth), np.array(arm)


def distances(star: Star) -> np.ndarray:
    """How many demands two datasets differ in: the larger of the two moves where the source is the same."""
    place, _, arm = truths(star)
    moved = np.concatenate([[0.0], np.cumsum(star.steps)])[place]
    same = (arm[:, None] == arm).all(axis=2)
    source = (arm[:, None, 0] == arm[:, 0]) | (moved[:, None] == 0) | (moved == 0)
    together = np.maximum(moved[:, None], moved)
    return np.where(same, np.abs(moved[:, None] - moved), np.where(source, together, moved[:, None] + moved))


def test_a_certificate_holds_for_random_densities_and_outputs(small_star: StarCertificate) -> None:
    rng = np.random.default_rng(5)
    place, truth, _ = truths(SMALL)
    apart, gap = distances(SMALL), float(np.diff(SMALL.outputs()).max())
    for _ in range(4000):
        # Peaks at some datasets, and troughs: the extreme densities that keep the demands.
        peaks = rng.choice(place.size, size=rng.integers(1, 5), replace=False)
        height = rng.exponential(1.0, size=peaks.size)
        logs = (height - apart[:, peaks]).max(axis=1) if rng.random() < 0.7 else (apart[:, peaks] - height).min(axis=1)
        density = np.exp(logs)
        assert (logs[:, None] - logs <= apart + 1e-9).all()
        pointed = truth[rng.choice(peaks)] * rng.uniform(0, 1.2) + rng.normal(0, 0.02, size=4) * rng.integers(0, 2)
        error = np.abs(truth - pointed).max(axis=1) ** 2
        left = (small_star.prior[place] * (error + gap**2 / 4) - small_star.nu[place]) @ density
        assert left >= 0


def test_a_certificate_that_claims_more_is_refuted_by_a_density() -> None:
    # The same search must be able to fail: ν raised by two fifths is no certificate.
    star = Star(SMALL.theta, SMALL.steps, categories=3, sources=1)
    found = star_certificate(star)
    assert found is not None
    rng = np.random.default_rng(6)
    place, truth, _ = truths(star)
    apart = distances(star)
    lowest = np.inf
    for _ in range(1000):
        density = np.exp(-apart[:, rng.integers(place.size)])
        error = np.abs(truth - rng.uniform(0, 0.3) * np.array([-1, 1, 1])).max(axis=1) ** 2
        lowest = min(lowest, float((found.prior[place] * error - 1.4 * found.nu[place]) @ density))
    assert lowest < 0


def test_a_certificate_holds_in_rationals_with_each_entry_off_in_the_worse_direction(
    small_star: StarCertificate,
) -> None:
    rows = farkas_rows(SMALL)
    values = np.concatenate([small_star.prior, small_star.nu / SMALL.theta[-1] ** 2, small_star.flows])
    worse = Fraction(1, 10**12)
    for row in range(rows.shape[0]):
        part = slice(rows.indptr[row], rows.indptr[row + 1])
        terms = [Fraction(a) * Fraction(values[j]) for a, j in zip(rows.data[part], rows.indices[part], strict=True)]
        assert float(sum((term + abs(term) * worse for term in terms), Fraction(0))) <= 0
    assert abs(float(SMALL.copies @ small_star.prior) - 1) < 1e-12


def test_what_was_changed_proves_nothing(small_star: StarCertificate) -> None:
    raised = StarCertificate(SMALL, small_star.prior, small_star.nu * 1.05, small_star.flows)
    assert small_star.proves()
    assert not raised.proves()
    assert not StarCertificate(SMALL, small_star.prior * 1.01, small_star.nu, small_star.flows).proves()
    assert not StarCertificate(SMALL, small_star.prior, small_star.nu, -small_star.flows).proves()


@pytest.mark.parametrize(("name", "gain"), [("log-uniform", 1.25), ("two-point", 1.8)])
def test_stars_gain_on_unequal_demands(name: str, gain: float) -> None:
    ascending = np.sort(standard_demands(name))
    packing = packing_correlated(ascending, 9)
    assert star_risk(ascending, 10, packing) > gain * packing


def test_demands_of_zero_and_infinity_give_a_star_or_none() -> None:
    assert lay_star(np.full(4, np.inf), 1, 3) is None
    free = lay_star(np.zeros(6), 2, 3)
    assert free is not None
    found = star_certificate(free)
    # Nobody may be used: the answer is worth nothing, and errs by half of what the sources hold.
    assert found is not None
    assert 0.02 < found.risk <= 0.25
