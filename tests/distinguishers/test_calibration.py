"""A sum of scores claims no more than the draws bear out, and is left alone where they do."""

from __future__ import annotations

import numpy as np
import pytest

from hdp_audit.distinguishers.calibration import calibrated
from hdp_audit.distinguishers.columns import learn_parts
from hdp_audit.distinguishers.steps import summed
from hdp_audit.distinguishers.witness import learn_witness
from hdp_audit.model.promise import PureLimit

DRAWS = 4000
KEPT = 1 / (1 + np.exp(-1.0))  # a bit told by randomised response at ε = 1


def told(seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    coins = rng.random(DRAWS) < 0.5
    return (coins ^ (rng.random(DRAWS) > KEPT)).astype(float), coins


@pytest.mark.parametrize("copies", [2, 4, 8])
def test_columns_that_repeat_each_other_claim_what_one_of_them_does(copies: int) -> None:
    bit, coins = told(1)
    outputs = np.tile(bit[:, None], (1, copies))
    ((_, score),) = learn_parts(bit[:, None], coins)
    raw = tuple((column, score) for column in range(copies))
    surest = np.abs(summed(calibrated(raw, outputs, coins), outputs)).max()
    alone = np.abs(score(bit)).max()
    assert surest == pytest.approx(alone, rel=0.05)  # the one is smoothed by half a count, on either side
    assert np.abs(summed(raw, outputs)).max() == pytest.approx(copies * alone)


def test_scores_of_independent_columns_stay_as_they_are() -> None:
    """Claims that are off by 4 standard deviations have probability below 10⁻⁴ here; the seed is fixed."""
    rng = np.random.default_rng(2)
    coins = rng.random(DRAWS) < 0.5
    outputs = coins[:, None] * 0.5 + rng.laplace(size=(DRAWS, 3))
    parts = learn_parts(outputs, coins)
    assert len(parts) > 1
    assert calibrated(parts, outputs, coins) is parts


@pytest.mark.parametrize("seed", range(5))
def test_a_tight_mechanism_that_says_its_bit_four_times_promises_no_gain(seed: int) -> None:
    """It loses exactly what was claimed. Of a sure gain of 0.02 nats a draw, which was seen before, nothing is left."""
    bit, coins = told(10 + seed)
    rule = learn_witness(np.tile(bit[:, None], (1, 4)), coins, DRAWS, 1e-3, limit=PureLimit(1.0))
    assert rule.growth < 0.002
    new, thrown = told(20 + seed)
    right, made = rule.counts(np.tile(new[:, None], (1, 4)), thrown)
    assert right > 0.65 * made > 0  # 0.731 are expected; less has probability below 10⁻⁶ for 1000 guesses or more
    assert made >= 1000


def test_an_offset_that_every_draw_gets_is_taken_away() -> None:
    bit, coins = told(3)
    (column, score), *_ = learn_parts(bit[:, None], coins)
    lifted = ((column, score), (column, type(score)(score.points, np.full_like(score.values, 3.0), score.steps)))
    line = summed(calibrated(lifted, bit[:, None], coins), bit[:, None])
    assert line[bit == 0].max() < 0 < line[bit == 1].min()
