"""Means of vectors in the unit ball: rows stay inside in exact integers, ρ is kept, errors stay below their bounds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, chi2, ncx2

import mechanisms.gaussian as gaussian_module
from hdp_audit.audits.claimed import estimator
from hdp_audit.errors import InvalidInput as NoBound
from hdp_audit.theory.ball import BallEstimator, ball_guarantee
from hdp_audit.theory.names import Metric, Setting
from mechanisms import Entry, InvalidInput, build, criteria, entries, error_law, laws, sharp_ball
from mechanisms import weighted as weighted_module
from mechanisms.criteria import Aim
from mechanisms.saturation import Centred, Simplex, SortedDemands, best_level
from mechanisms.vector import VectorMechanism
from mechanisms.vector_mean import VectorMean, in_ball
from mechanisms.zcdp import ratios
from tests.trust.gaussian_enumeration import real, shifted

RHO = np.repeat([0.0, 0.02, 2.0], [5, 100, 100])
HVM = entries("vector-mean")
BETA = 0.05


def hostile(d: int) -> np.ndarray:
    """Rows on, near, inside and far beyond the ball, of every size that doubles have."""
    rng = np.random.default_rng(61)
    directions = rng.normal(size=(300, d))
    directions /= np.linalg.norm(directions, axis=1, keepdims=True)
    lengths = np.concatenate([np.ones(100), 1 + 1e-16 * rng.integers(-9, 9, 100), np.exp(rng.uniform(-700, 700, 100))])
    corners = [np.full(d, 1 / np.sqrt(d)), np.full(d, 1.7e308), np.eye(d)[0], -np.eye(d)[0], np.full(d, 5e-324)]
    return np.concatenate([directions * lengths[:, None], corners])


@pytest.mark.parametrize("d", [1, 2, 3, 50])
def test_no_row_is_longer_than_its_units_in_exact_integers(d: int) -> None:
    rows = hostile(d)
    for units in (1, 2, 1000, (1 << 53) - 1, 1 << 59):
        for row in rows:
            vector = VectorMean(d).totals(np.array([units]), row[None, None, :])[0]
            assert sum(int(entry) ** 2 for entry in vector) <= units**2


def test_rows_inside_the_ball_lose_less_than_a_billionth_and_longer_ones_keep_their_direction() -> None:
    rows = hostile(3)
    short = in_ball(rows)
    lengths = np.linalg.norm(short, axis=1)
    assert lengths.max() <= 1 + 1e-15
    finite = np.abs(rows).max(axis=1) < 1e150
    inside = finite & (np.linalg.norm(np.where(finite[:, None], rows, 0), axis=1) <= 1)
    assert np.array_equal(short[inside & (lengths < 0.999)], rows[inside & (lengths < 0.999)])
    np.testing.assert_allclose(lengths[~finite], 1, rtol=1e-14)
    units = np.array([1 << 50])
    for row in short[:50]:
        total = VectorMean(3).totals(units, row[None, None, :])[0] / 2.0**50
        assert np.abs(total - row).max() < 2e-9


def test_every_users_rho_is_kept_by_all_pairs_of_a_small_grid(monkeypatch: pytest.MonkeyPatch) -> None:
    """All vectors that a user of W units can add, every pair of them, divergences summed over coordinates."""
    monkeypatch.setattr(gaussian_module, "FINEST", 3)
    monkeypatch.setattr(weighted_module, "COARSEST", 1)
    mechanism = build("hvm-ce", rho=[2.0, 8.0, 0.0], dimensions=2)
    assert isinstance(mechanism, VectorMechanism)
    bits = mechanism.grid.bits
    assert bits is not None
    angles = np.linspace(0, 2 * np.pi, 25)
    rows = np.array([[r * np.cos(a), r * np.sin(a)] for r in (0, 0.5, 1, 3) for a in angles])
    for user, demand in enumerate([2.0, 8.0, 0.0]):
        loss, own = mechanism.privacy_loss_exact(user), int(mechanism.grid.units[user])
        assert loss == Fraction(2 * own * own, 1 << 2 * bits)
        assert loss <= Fraction(demand)
        added = {tuple(map(int, mechanism.task.totals(np.array([own]), row[None, None, :])[0])) for row in rows}
        for one in added:
            for two in added:
                for order in (Fraction(3, 2), Fraction(2), Fraction(5)):
                    found = sum(shifted(abs(a - b), bits, order) for a, b in zip(one, two, strict=True))
                    assert found <= real(order * loss) + real(Fraction(1, 10**25))


@pytest.mark.parametrize("entry", HVM, ids=[each.name for each in HVM])
def test_losses_weights_and_answers_keep_the_contract(entry: Entry[Any]) -> None:
    mechanism = build(entry.name, rho=RHO, dimensions=3)
    assert isinstance(mechanism, VectorMechanism)
    for user in (0, 10, 150):
        assert mechanism.privacy_loss_exact(user) <= Fraction(RHO[user])
        assert Fraction(float(mechanism.privacy_loss[user])) >= mechanism.privacy_loss_exact(user)
    assert np.all(mechanism.privacy_loss <= RHO)
    assert np.all(mechanism.weights[RHO == 0] == 0)
    assert mechanism.weights.sum() <= 1 + 1e-12
    data, rng = np.random.default_rng(7).normal(size=(RHO.size, 3)), np.random.default_rng(8)
    for outputs in (
        mechanism.release_many(data, size=4, rng=rng),
        mechanism.release_many(data, size=4, rng=rng, permuted=True),
        mechanism.release_each(np.tile(data, (4, 1, 1)), rng=rng),
        np.stack([mechanism.release(data) for _ in range(4)]),
    ):
        assert outputs.shape == (4, 3)
        assert np.linalg.norm(outputs, axis=1).max() <= 1 + 1e-15
    # Noise at its place: the mean of 400 answers is off by chi-square noise; false alarms below 1e-6.
    answers = mechanism.release_many(data, size=400, rng=rng)
    gap = answers.mean(axis=0) - mechanism.task.weighted(mechanism.weights, data)
    assert 400 * float(gap @ gap) / mechanism.noise_scale**2 < chi2.isf(1e-6, 3)


RULES = {
    ("sharp", "correlated"): criteria.sharp_correlated,
    ("sharp", "weakly-correlated"): criteria.sharp_weak,
    ("centred", "correlated"): criteria.centred,
}


@pytest.mark.parametrize("entry", [each for each in HVM if each.rule != "hp"], ids=lambda each: each.name)
def test_what_is_minimised_is_what_the_theory_guarantees(entry: Entry[Any]) -> None:
    """Two derivations: quadrature over one coordinate against scipy's noncentral law, two roots for Chernoff's."""
    mechanism = build(entry.name, rho=RHO, dimensions=3)
    family = (Centred if entry.rule == "centred" else Simplex)(SortedDemands(ratios(RHO, 4)))
    aim = Aim(3, 1, BETA if entry.metric == "pac" else None, "ball")
    _, value = best_level(family, RULES[entry.rule, entry.setting](aim))
    own = BallEstimator(mechanism.weights, mechanism.noise_scale, 3)
    theory = ball_guarantee(own, Setting(entry.setting), Metric(entry.metric), BETA)
    assert theory == pytest.approx(value, rel=1e-4)


@pytest.mark.parametrize("d", [1, 2, 10, 300])
@pytest.mark.parametrize("bias", [0.01, 0.3, 3.0])
def test_the_worst_quantile_is_that_of_the_noncentral_law(d: int, bias: float) -> None:
    found = float(sharp_ball.worst_quantile(np.array([bias / 2]), np.array([0.1]), BETA, d, 0)[0])
    assert found == pytest.approx(0.1 * np.sqrt(ncx2.isf(BETA, d, (bias / 0.1) ** 2)), rel=1e-4)


@pytest.mark.parametrize("name", ["hvm-cp-sharp", "hvm-cp-centred"])
def test_releases_on_the_worst_data_exceed_the_guarantee_as_rarely_as_it_says(name: str) -> None:
    """Binomial tails of the count, passed with probability 10⁻⁷ each."""
    mechanism = build(name, rho=RHO, dimensions=4)
    own = BallEstimator(mechanism.weights, mechanism.noise_scale, 4)
    bound, size = ball_guarantee(own, Setting.CORRELATED, Metric.PAC, BETA), 4_000
    data = np.where(mechanism.weights > 1 / RHO.size, 1.0, -1.0)[:, None] * np.eye(4)[0]
    outputs = mechanism.release_many(data, size=size, rng=np.random.default_rng(9))
    exceeded = int((np.linalg.norm(outputs - mechanism.task.truth(data), axis=1) > bound).sum())
    assert binom.sf(exceeded - 1, size, BETA) > 1e-7
    assert binom.cdf(exceeded, size, BETA) > 1e-7


def test_permuted_releases_exceed_the_weak_guarantee_no_more_often() -> None:
    mechanism = build("hvm-wp-sharp", rho=RHO, dimensions=2)
    own = BallEstimator(mechanism.weights, mechanism.noise_scale, 2)
    angles = 2 * np.pi * np.arange(RHO.size) / RHO.size
    data, size = np.stack([np.cos(angles), np.sin(angles)], axis=1), 600
    outputs = mechanism.release_many(data, size=size, rng=np.random.default_rng(10), permuted=True)
    lengths = np.linalg.norm(outputs - mechanism.task.truth(data), axis=1)
    bound = ball_guarantee(own, Setting.WEAK, Metric.PAC, BETA)
    assert binom.sf(int((lengths > bound).sum()) - 1, size, BETA) > 1e-7
    square = ball_guarantee(own, Setting.WEAK, Metric.MSE, BETA)
    deviation = float((lengths**2).std(ddof=1)) / np.sqrt(size)
    assert float((lengths**2).mean()) <= square + 5.5 * deviation


def test_the_bounds_of_numbers_are_not_used_for_vectors() -> None:
    law = error_law(build("hvm-cp", rho=[1.0, 2.0], dimensions=2))
    assert law.noise == laws.Ball(law.noise.scale, 2)
    with pytest.raises(NoBound, match="no bound is known for noise of type Ball"):
        estimator(law)


WRONG = [
    (
        {"epsilon": [1.0]},
        {"dimensions": 2},
        "hvm-cp has Gaussian noise, which keeps no pure epsilon; add delta, or give rho",
    ),
    ({"rho": [1.0]}, {}, "needs dimensions=d, a whole number"),
    ({"rho": [1.0]}, {"categories": 3}, "categories = 3 given for vectors"),
    ({"rho": [1.0]}, {"dimensions": 0}, "dimensions = 0; give a whole number from 1"),
    ({"rho": [1.0]}, {"dimensions": 2.0}, "dimensions = 2.0; give a whole number"),
]


@pytest.mark.parametrize(("promise", "options", "message"), WRONG, ids=[message for *_, message in WRONG])
def test_orders_that_make_no_sense_are_refused(promise: dict[str, Any], options: dict[str, Any], message: str) -> None:
    with pytest.raises(InvalidInput, match=message):
        build("hvm-cp", **promise, **options)


def test_data_that_are_no_vectors_are_refused_and_dimensions_of_numbers_too() -> None:
    mechanism = build("hvm-cp", rho=[1.0, 2.0], dimensions=2)
    with pytest.raises(InvalidInput, match="give one row of 2 numbers for each demand"):
        mechanism.release([0.1, 0.2])
    with pytest.raises(InvalidInput, match=r"user 1: datum \[inf, 0.0\]"):
        mechanism.release([[0.1, 0.2], [np.inf, 0.0]])
    with pytest.raises(InvalidInput, match="one dataset of 2 users a row"):
        mechanism.release_each(np.zeros((3, 2)), rng=np.random.default_rng(1))
    with pytest.raises(InvalidInput, match="dimensions = 3 given, but hpm-cp is not for vectors"):
        build("hpm-cp", rho=[1.0], dimensions=3)
