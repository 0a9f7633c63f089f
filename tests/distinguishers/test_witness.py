"""Witnesses learn what there is to learn."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import chi2

from hdp_audit.distinguishers.columns import learn_parts, promising, said_once
from hdp_audit.distinguishers.features import Features
from hdp_audit.distinguishers.low_noise import SHARES, low_noise_rows
from hdp_audit.distinguishers.registry import DISTINGUISHERS
from hdp_audit.distinguishers.steps import Score
from hdp_audit.distinguishers.trees import TREES, Tree, best_tree
from hdp_audit.distinguishers.witness import Witness, learn_witness
from hdp_audit.distinguishers.words import column_name, event_words, guess_words
from hdp_audit.evidence.binomial import loss_lower
from hdp_audit.model.gaussian import GaussianLimit
from hdp_audit.model.promise import PureLimit


def game(outputs: np.ndarray, coins: np.ndarray, trained: int, independent: int | None = None) -> float:
    witness = learn_witness(outputs[:trained], coins[:trained], len(coins) - trained, 0.05, independent)
    return float(loss_lower(*witness.counts(outputs[trained:], coins[trained:]), 0.05))


@pytest.mark.parametrize(("epsilon", "least"), [(0.1, 0.05), (1.0, 0.95), (3.0, 2.9)])
def test_laplace_noise_is_measured_to_within_a_few_percent(epsilon: float, least: float) -> None:
    """60,000 runs; one seed, medians are in benchmarks/."""
    rng = np.random.default_rng(1)
    coins = rng.random(60_000) < 0.5
    outputs = (coins + rng.laplace(0, 1 / epsilon, coins.size))[:, None]
    assert least < game(outputs, coins, 6_000) < 1.02 * epsilon


def test_clipped_outputs_lose_little() -> None:
    rng = np.random.default_rng(2)
    coins = rng.random(60_000) < 0.5
    outputs = np.clip(0.1 * coins + rng.laplace(0, 0.1, coins.size), 0, 1)[:, None]
    assert game(outputs, coins, 6_000) > 0.93


def test_a_rare_atom_is_found() -> None:
    """A value that only one dataset can give, in one of a hundred runs."""
    rng = np.random.default_rng(3)
    coins = rng.random(60_000) < 0.5
    outputs = rng.normal(size=(coins.size, 1))
    outputs[coins & (rng.random(coins.size) < 0.01)] = 7.0
    assert game(outputs, coins, 12_000) > 3.0


def test_reused_noise_shows_in_a_difference() -> None:
    rng = np.random.default_rng(4)
    coins = rng.random(4_000) < 0.5
    noise = rng.laplace(0, 1.0, coins.size)
    table = np.column_stack([~coins + noise, coins + noise, np.zeros(coins.size)])
    features = Features.fitted(table[:500])
    assert game(features(table), coins, 500, features.independent) > 5.0


def test_nothing_is_found_where_nothing_is() -> None:
    rng = np.random.default_rng(5)
    coins = rng.random(60_000) < 0.5
    assert game(rng.normal(size=(coins.size, 4)), coins, 6_000) == 0.0


def test_outputs_are_rounded_far_below_their_noise() -> None:
    rng = np.random.default_rng(6)
    table = np.column_stack([rng.normal(size=1000), np.zeros(1000)])
    rounded = Features.fitted(table)(table)[:, 0]
    assert np.abs(rounded - table[:, 0]).max() < 2e-9
    assert np.all(rounded * 2**30 % 1 == 0) or np.all(rounded * 2**29 % 1 == 0)


@pytest.mark.parametrize("share", [0.002, 0.5, 0.9])
@pytest.mark.parametrize("sentinel", [1e18, -1e300])
@pytest.mark.parametrize("scale", [1.0, 1e-305])
def test_a_number_far_away_does_not_blur_the_others(share: float, sentinel: float, scale: float) -> None:
    """Some of the outputs are a sentinel; the others are still rounded far below their own noise, whatever its size."""
    rng = np.random.default_rng(10)
    noise = rng.normal(size=1000)
    far = rng.random(1000) < share
    table = np.column_stack([np.where(far, sentinel, scale * noise), np.zeros(1000)])
    seen = Features.fitted(table)(table)[:, 0]
    assert np.isfinite(seen).all()
    unit = 1.0 if scale == 1.0 else np.median(seen[~far] / noise[~far])
    assert np.abs(seen[~far] / unit - noise[~far]).max() < 2e-9


@pytest.mark.parametrize("outputs", [[5.0] * 40, [0.0, 1.0] * 20], ids=["constant", "two values"])
def test_what_takes_few_values_keeps_them(outputs: list[float]) -> None:
    table = np.column_stack([outputs, np.zeros(40)])
    assert Features.fitted(table)(table)[:, 0].tolist() == outputs


def test_the_place_of_the_largest_output_is_heard() -> None:
    """Three outputs of equal law each, but their order tells the coin."""
    rng = np.random.default_rng(7)
    coins = rng.random(20_000) < 0.5
    outputs = np.sort(rng.normal(size=(coins.size, 3)), axis=1)
    shuffled = rng.permuted(outputs[:, :2], axis=1)
    first = rng.random(coins.size) < np.where(coins, 0.9, 0.1)
    table = np.where(
        first[:, None], np.column_stack([outputs[:, 2], shuffled]), np.column_stack([shuffled, outputs[:, 2]])
    )
    features = Features.fitted(np.column_stack([table, np.zeros(coins.size)]))
    seen = features(np.column_stack([table, np.zeros(coins.size)]))
    assert game(seen, coins, 4_000, features.independent) > 1.8


def test_every_column_has_a_name() -> None:
    table = np.column_stack([np.random.default_rng(8).normal(size=(50, 3)), np.zeros(50)])
    features = Features.fitted(table)
    names = [column_name(column, features) for column in range(features(table).shape[1])]
    assert len(set(names)) == len(names)
    assert names[3] == "the way the call failed"
    assert names[-1] == "the number of neighbours that rise"


def test_columns_that_do_not_vary_or_tell_less_are_not_learned() -> None:
    rng = np.random.default_rng(9)
    coins = rng.random(2_000) < 0.5
    telling = coins + 0.1 * rng.normal(size=coins.size)
    blurred = [telling + rng.normal(size=coins.size) * size for size in (1, 2, 3)]
    table = np.column_stack([*blurred, np.zeros(coins.size), telling, blurred[2] + rng.normal(size=coins.size)])
    assert promising(table, coins, 4) == ([0, 1, 2], [4])
    assert promising(np.zeros((50, 6)), coins[:50], 4) == ([0], [])


def test_what_was_clipped_is_learned_apart() -> None:
    """The ratio is largest just inside an end where outputs are clipped: pooled with the atom it would be lost."""
    rng = np.random.default_rng(20)
    coins = rng.random(40_000) < 0.5
    inside = rng.random(coins.size) < np.where(coins, 0.5, 0.25)
    outputs = np.where(inside, rng.random(coins.size), np.round(rng.random(coins.size)))
    witness = learn_witness(outputs[:, None], coins, 40_000, 0.01, limit=PureLimit(0.6))
    ones, _ = witness.guesses(np.array([[0.0], [0.5], [1.0]]))
    assert ones.tolist() == [False, True, False]
    words = event_words(witness, Features(np.zeros(1)))
    assert "second dataset where the output is above 0 and below 1" in words


def test_intervals_between_bends_are_told_as_a_person_would() -> None:
    above, below = np.nextafter(0.0, 1.0), np.nextafter(1.0, 0.0)
    score = Score(np.array([0.0, above, 0.2, 0.6, below, 1.0]), np.array([-0.1, -0.2, -0.2, 0.4, 0.4, 0.1]))
    words = guess_words(Witness(((0, score),), low=-0.15, high=0.2), Features(np.zeros(1)))
    assert words["second"] == "the output is from 0.466667 to below 1"
    assert words["first"] == "the output is above 0 and below 0.233333"
    several = guess_words(Witness(((0, score), (1, score)), low=-0.15, high=0.2), Features(np.zeros(2)))
    assert "-0.1 up to 0, then straight to -0.2 just above 0, to -0.2 at 0.2" in several["second"]


def signs_tell(size: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Three outputs, the last two of which have the same sign under one coin: no column alone tells anything."""
    rng = np.random.default_rng(seed)
    coins = rng.random(size) < 0.5
    outputs = rng.laplace(size=(size, 3))
    same = np.sign(outputs[:, 1]) == np.sign(outputs[:, 2])
    outputs[same != coins, 2] *= -1.0
    return outputs, coins


def test_a_tree_hears_outputs_that_only_together_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(DISTINGUISHERS, "quadratics")  # a product tells the same here
    outputs, coins = signs_tell(6_000, 21)
    witness = learn_witness(outputs, coins, 6_000, 0.01, limit=PureLimit(1.0))
    right, made = witness.counts(*signs_tell(2_000, 22))
    assert isinstance(witness.joint, Tree)
    assert witness.joint.columns == (1, 2)
    assert made == 2_000
    assert right > 1_900
    words = guess_words(witness, Features(np.zeros(3)))
    assert words["second"].startswith("output 1 is below 0.0")
    assert words["second"].count("output 2 is") == 2


def test_no_tree_grows_on_noise() -> None:
    """False alarm below 10⁻⁶: twice a tree's gain is χ² of its leaves, and 3 tables try 256 trees and their parts."""
    trees = 3 * TREES
    assert trees * chi2.sf(2 * 31.0, 8) + 3 * trees * chi2.sf(2 * 25.0, 4) < 1e-6
    for seed in range(3):
        rng = np.random.default_rng([23, seed])
        assert best_tree(rng.laplace(size=(8_000, 4)), rng.random(8_000) < 0.5, 4) is None


def loud_or_calm(size: int, seed: int, *, clip: bool = False) -> tuple[np.ndarray, np.ndarray]:
    """Ten outputs with noise of one scale, 1 or 4; the first two tell the coin, but only where the scale is 1."""
    rng = np.random.default_rng(seed)
    coins = rng.random(size) < 0.5
    calm = rng.random((size, 1)) < 0.3
    moved = np.zeros((size, 10))
    moved[coins, 1] = moved[~coins, 0] = 1.0
    outputs = moved * calm + rng.laplace(size=(size, 10)) * np.where(calm, 1.0, 4.0)
    return (np.clip(outputs, -1.0, 2.0) if clip else outputs), coins


@pytest.mark.parametrize("clip", [False, True], ids=["free", "clipped"])
def test_calm_calls_tell_what_loud_ones_drown(clip: bool) -> None:
    """A loss of 1 is claimed, and calm calls lose 2; guesses are right more often than allowed by 5 deviations."""
    outputs, coins = loud_or_calm(20_000, 31, clip=clip)
    witness = learn_witness(outputs, coins, 20_000, 0.01, limit=PureLimit(1.0))
    assert witness.only is not None
    right, made = witness.counts(*loud_or_calm(100_000, 32, clip=clip))
    assert made > 5_000
    share, claimed = right / made, 1.0 / (1.0 + np.exp(-1.0))
    assert share - claimed > 5.0 * np.sqrt(claimed * (1.0 - claimed) / made)
    told = event_words(witness, Features(np.zeros(10)))
    assert "abstain unless what outputs count sums to at most" in told
    assert told.count("output 9 counts") == 1
    assert ("at most -1, " in told) == clip


def test_calm_calls_are_the_stated_share() -> None:
    outputs, _ = loud_or_calm(20_000, 33)
    for share, (calm, rows) in zip(SHARES, low_noise_rows(outputs, 10), strict=True):
        assert np.mean(rows) == pytest.approx(share, abs=1e-3)
        assert np.array_equal(calm(outputs), rows)


@pytest.mark.parametrize(
    ("clip", "wide"), [(False, False), (True, False), (False, True)], ids=["free", "clipped", "of the last draws"]
)
def test_calm_is_learned_without_the_coins(clip: bool, wide: bool) -> None:
    """What outputs count tells the scale of the noise, which they were never shown.

    A row is calm three times of ten; of the calmest eighth more than six of ten are: with 2,500 rows and p at most .3
    by chance, 33 deviations.
    """
    outputs, _ = loud_or_calm(20_000, 35, clip=clip)
    scale_is_one = np.random.default_rng(35)
    scale_is_one.random(20_000)
    calm = scale_is_one.random((20_000, 1))[:, 0] < 0.3
    *_, (_, calmest) = low_noise_rows(outputs, 10, wide=wide)
    assert np.mean(calm[calmest]) > 0.6


def test_what_chosen_rows_say_by_unfair_coins_is_said_once() -> None:
    """Three columns of noise and rows with three coins of four on one side: only the first part may say so."""
    rng = np.random.default_rng(36)
    outputs, coins = rng.laplace(size=(8_000, 3)), rng.random(8_000) < 0.75
    parts = said_once(learn_parts(outputs, coins), coins)
    assert len(learn_parts(outputs, coins)) == 3
    assert len(parts) == 1


@pytest.mark.parametrize(("rows", "columns"), [(1_000, 10), (20_000, 1)], ids=["few draws", "one output"])
def test_nobody_is_called_calm_where_that_cannot_be_learned(rows: int, columns: int) -> None:
    assert not list(low_noise_rows(loud_or_calm(rows, 34)[0], columns))


@pytest.mark.parametrize("seed", range(8))
def test_no_rule_against_a_curve_guesses_against_its_score(seed: int) -> None:
    """That one dataset is guessed on nearly all draws looks like certainty where few of them came from the other."""
    rng = np.random.default_rng(seed)
    coins = rng.random(400) < 0.5
    outputs = (2.0 * coins + rng.normal(size=400))[:, None]
    rule = learn_witness(outputs, coins, 20_000, 0.05, limit=GaussianLimit(2.0), measuring=True)
    assert rule.low <= 0.0 <= rule.high
