"""What all bets share: one threshold, one p-value that holds at any time, one way to a bound."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from scipy.special import logsumexp

from hdp_audit.evidence.bounded_mean import Mixture
from hdp_audit.evidence.e_process import EProcess, edge, goal, mixed, p_value, together
from hdp_audit.evidence.packed import PackedRight, PackedRisk
from hdp_audit.evidence.proportion import log_wealth_above
from hdp_audit.evidence.wealth import Wealth
from hdp_audit.model.promise import PureLimit


def test_a_stake_that_is_split_sums_to_what_its_parts_won() -> None:
    gains = np.random.default_rng(1).normal(0, 300, size=(50, 24))
    shares = np.log(np.full(24, 1 / 24))
    assert mixed(gains, shares) == pytest.approx(logsumexp(gains + shares, axis=-1), rel=1e-14)
    assert together([np.log(0.25), np.log(0.5)]) == pytest.approx(np.log(0.75))


@pytest.mark.parametrize("significance", [0.05, 1e-3, 1e-9])
def test_the_p_value_is_below_the_significance_just_where_the_claim_falls(significance: float) -> None:
    assert p_value(goal(significance)) == pytest.approx(significance)
    assert p_value(goal(significance) - 0.01) > significance
    assert p_value(-3.0) == 1.0


def test_every_evidence_against_one_claim_falls_at_the_same_wealth() -> None:
    errors = np.zeros(12)
    many: list[EProcess] = [
        Wealth(PureLimit(0.5), 100, 1e-3).after(30, 30),
        PackedRight(errors, 1.0, 0.5, 1e-3),
        PackedRisk(errors, 1.0, 0.2, 1e-3),
    ]
    for one in many:
        assert one.goal == pytest.approx(np.log(1e3))
        assert one.refutes == (one.log >= np.log(1e3))
    assert {one.refutes for one in many} == {True, False}


@pytest.mark.parametrize("kind", ["guesses", "events", "mean"])
def test_the_largest_wealth_gives_a_p_value_at_any_time(kind: str) -> None:
    """P(1/largest ≤ u) ≤ u for every u, summed over all 2^12 rows of coins that keep the claim exactly."""
    rows = np.array(list(product((0, 1), repeat=12)))
    chance = 0.6
    right, made = np.cumsum(rows, axis=1), np.arange(1, 13)
    claimed = float(np.log(chance / (1 - chance)))
    if kind == "guesses":
        table = {
            (r, m): Wealth(PureLimit(claimed), 12, 0.05).after(r, m).log for m in range(1, 13) for r in range(m + 1)
        }
    elif kind == "events":
        table = {(r, m): float(log_wealth_above(r, m, chance)) for m in range(1, 13) for r in range(m + 1)}
    else:
        steps = np.array([1.0 / chance - 1.0, -1.0])
        bets = Mixture.aimed()
        table = {(r, m): bets.log_wealth(np.repeat(steps, [r, m - r])) for m in range(1, 13) for r in range(m + 1)}
    logs = np.array([[table[int(r), int(m)] for r, m in zip(row, made, strict=True)] for row in right])
    largest = logs.max(axis=1)
    values = np.array([p_value(one) for one in largest])
    weights = chance ** rows.sum(axis=1) * (1 - chance) ** (12 - rows.sum(axis=1))
    assert weights.sum() == pytest.approx(1.0)
    for u in np.unique(values):
        assert weights[values <= u].sum() <= u + 1e-12
    assert values.min() < 0.2


def test_an_edge_is_found_from_either_side() -> None:
    low, high = edge(lambda x: x < 0.3, 0.0, 1.0, 40)
    assert low < 0.3 <= high
    assert high - low < 1e-11
    inside, outside = edge(lambda x: x > 0.3, 1.0, 0.0, 40)
    assert outside <= 0.3 < inside
