"""Estimates that accuse nobody: whatever a correct mechanism's noise, nothing shows it above its promise."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from hdp_audit.audits.fairness import measured_free_privacy
from hdp_audit.model import UserFigures
from hdp_audit.reporting.html.figures import figures_of
from hdp_audit.search.reach import Noise
from hdp_audit.search.screening import like_blocks, screen
from tests.subjects import between, subject_of
from tests.trust.laws import DEMANDS, LAWS, Rows, binary, figures, summary, tight

EXTRA = 2.5  # standard errors above `detectable_loss_alone`, itself 3.09 off (for 1 user) to 5 (for 2,000): below 10⁻⁷


@pytest.mark.many(4)
@pytest.mark.parametrize("demands", DEMANDS)
@pytest.mark.parametrize("name", LAWS)
def test_no_correct_mechanism_is_shown_above_the_loss_that_would_name_a_user(name: str, demands: str) -> None:
    """False alarms: below 10⁻⁶, see EXTRA. What cannot be measured is empty, never infinite."""
    found = figures(LAWS[name], DEMANDS[demands], seed=1)
    assert not (found.estimate > found.detectable_loss_alone + EXTRA * found.error).any()
    assert not np.isinf(found.estimate).any()
    assert not np.isinf(found.error).any()
    assert (np.isnan(found.estimate) == np.isnan(found.shared_by)).all()


@pytest.mark.parametrize("name", ["constant", "cauchy, ninth power", "rarely an answer", "everything clipped at 0"])
def test_what_cannot_be_measured_is_empty_and_said_so(name: str) -> None:
    found = figures(LAWS[name], DEMANDS["half at zero"], 1)
    assert np.isnan(found.estimate).all()
    assert {row["source"] for row in measured_free_privacy(found)} == {"not measured"}
    assert "not measured" in figures_of(summary(found), [])[0].caption


def test_a_tight_mechanism_is_measured_to_be_nearly_tight() -> None:
    """A figure that accuses nobody must still say something: a quarter less than the loss at worst, on average.

    The noise is taken 3.29 standard errors of 3% too large; 5% more than the loss are 1.6 further ones: below 10⁻⁶.
    """
    epsilon = np.repeat([0.5, 1.0], 100)
    found = figures(tight, epsilon, 1, calls=20_000)
    for demand in (0.5, 1.0):
        assert 0.75 * demand < found.estimate[epsilon == demand].mean() < 1.05 * demand


@pytest.mark.parametrize("demand", [0.1, 0.5, 1.0, 2.0, 3.0])
def test_an_effect_shows_no_more_than_the_loss_of_the_widest_laws(demand: float) -> None:
    """Two-point, geometric and Laplace laws of exactly this loss, the first two the worst that there are.

    The noise is 3.29 errors on the safe side; two parts in a hundred are at least 2 errors more: below 10⁻⁶.
    """
    rng = np.random.default_rng(11)
    second = np.repeat([False, True], 8)[:, None]  # eight datasets with the user at 0, eight with the user at 1
    lies = rng.random((16, 4_000)) < 1.0 / (1.0 + np.exp(demand))
    other = 1.0 - np.exp(-demand)
    steps = rng.geometric(other, (16, 4_000)) - rng.geometric(other, (16, 4_000))
    for outputs, effect in (
        (np.where(lies, ~second, second), np.tanh(demand / 2)),
        (steps + second, 1.0),
        (rng.laplace(second, 1.0 / demand, (16, 4_000)), 1.0),
    ):
        noise = Noise.of(outputs.astype(np.float64), False)
        assert noise.speaks
        assert 0.9 * demand < noise.losses(np.array(effect)) <= 1.02 * demand


@pytest.mark.parametrize("most", [7, 30, 222, 900])
def test_a_block_has_one_demand_or_neighbouring_ones(most: int) -> None:
    rng = np.random.default_rng(3)
    for epsilon in (np.repeat([0.0, 0.5, np.inf], [10, 700, 500]), np.exp(rng.uniform(-3, 3, 1200))):
        users = rng.permutation(epsilon.size)
        blocks = like_blocks(epsilon, users, most)
        assert len(blocks) <= most
        assert np.array_equal(np.sort(np.concatenate(blocks)), np.arange(epsilon.size))
        ends = [(epsilon[block].min(), epsilon[block].max()) for block in blocks]
        if np.unique(epsilon).size == 3:
            assert all(low == high for low, high in ends)
        assert all(before[1] <= after[0] for before, after in itertools.pairwise(ends))


def test_a_shared_figure_says_who_shares_it() -> None:
    found = figures(tight, DEMANDS["more than calls"], 1)
    shared = found.shared_by
    assert (shared[~np.isnan(shared)] >= 1).all()
    assert (shared > 1).sum() > 1_000
    for estimate in np.unique(found.estimate[shared > 1])[:50]:
        block = found.estimate == estimate
        assert block.sum() == shared[block][0]
        assert np.unique(found.demand[block]).size == 1


def test_users_of_one_coin_are_off_by_the_same() -> None:
    """1,000 users of 100 coins: the average is off by a tenth of what one coin is, not by a thirtieth."""
    ones = np.ones(1_000)
    average = UserFigures(ones, ones, ones, 0.3 * ones, ones, 10 * ones).average(np.arange(1_000), 1)
    assert average == (pytest.approx(1.0 - 3.0902 * 0.3 / np.sqrt(100), rel=1e-5), 1.0)


def test_the_error_covers_what_is_not_linear() -> None:
    """The majority of 400: nearly constant on every dataset, but far from linear.

    400 errors of variance 1: their mean square has a standard deviation of 0.08, so 0.5 are 6 of them.
    """
    seen = screen(
        subject_of(Rows(binary), np.full(400, 1.0)), between(np.zeros(400), np.ones(400), np.ones(400)), 8_000, seed=1
    )
    assert 0.5 < np.mean(((seen.moved - seen.moved.mean()) / seen.error) ** 2) < 1.5


def test_nothing_measured_is_called_free_privacy() -> None:
    """A false alarm is an average above its demand by 3.4 standard errors, and the noise's 3.29: below 10⁻⁶."""
    rows = measured_free_privacy(figures(tight, DEMANDS["more than calls"], 2))
    assert [row["users"] for row in rows] == [1000, 600, 400]
    for row in rows:
        assert row["free"] is None
        assert row["users_with_free_privacy"] is None
        assert row["loss_at_least"] < row["loss"]
        assert row["loss_at_least"] <= row["demand_low"]
    exact = DEMANDS["half at zero"]
    known = UserFigures(exact, exact / 2, exact, exact, exact, exact)
    assert [row["users_with_free_privacy"] for row in measured_free_privacy(known)] == [0, 100]
