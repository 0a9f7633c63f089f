"""No mechanism beats a lower bound, and the best one is no worse than an upper bound: all mechanisms, a few users."""

from __future__ import annotations

import math

import pytest

from hdp_audit.model.vocabulary import Setting, Task
from hdp_audit.theory.simplex import Lattice
from hdp_audit.theory.simplex_lp import Surroundings, lattice_certificate, misses, squares
from tests.oracles.minimax import Game
from tests.oracles.minimax_cases import BETAS, STEPS, compare, some_demands

MEANS = [demands for users in (1, 2, 3, 4) for demands in some_demands(users, 3, seed=3)]
TABLES = [(demands, k) for k, users in ((2, 3), (3, 2), (4, 2)) for demands in some_demands(users, 2, seed=5)]


@pytest.mark.many(2)
@pytest.mark.parametrize("demands", MEANS, ids=str)
def test_the_best_mean_lies_between_the_bounds(demands: tuple[float, ...]) -> None:
    assert [one for one in compare(demands, 2, Task.MEAN, 32, BETAS[1:3]) if not one.holds] == []


@pytest.mark.many(2)
@pytest.mark.parametrize(("demands", "categories"), TABLES, ids=str)
def test_the_best_frequencies_lie_between_the_bounds(demands: tuple[float, ...], categories: int) -> None:
    found = compare(demands, categories, Task.FREQUENCY, STEPS[categories] // 2, BETAS[1:2])
    assert [one for one in found if not one.holds] == []


def test_randomised_response_is_the_best_for_one_user() -> None:
    """k categories, loss ε: the truth is kept with probability e^ε/(e^ε + k − 1)."""
    for k, demand in ((2, 1.0), (3, 3.0), (4, 0.5)):
        game = Game((demand,), k, Task.FREQUENCY, Setting.CORRELATED)
        assert game.failure(0) == pytest.approx((k - 1) / (math.exp(demand) + k - 1), abs=1e-7)


def test_forbidden_users_are_guessed_and_public_ones_told() -> None:
    for setting in Setting:
        assert Game((0.0, 0.0), 2, Task.MEAN, setting).square(16).high == pytest.approx(0.25, abs=1e-5)
        assert Game((math.inf,) * 3, 2, Task.MEAN, setting).failure(0) == pytest.approx(0, abs=1e-7)


def test_permuted_data_are_no_harder_and_with_equal_demands_as_hard() -> None:
    for demands in ((0.5, 2.0), (0.0, 1.0, 3.0)):
        hard, easy = (Game(demands, 2, Task.MEAN, setting).square(16).high for setting in Setting)
        assert easy <= hard + 1e-6
    hard, easy = (Game((1.0,) * 3, 2, Task.MEAN, setting).square(16).high for setting in Setting)
    assert easy == pytest.approx(hard, abs=1e-6)


def test_two_categories_are_a_mean() -> None:
    for setting in Setting:
        mean, table = (Game((0.5, 1.0), 2, task, setting).square(8).high for task in (Task.MEAN, Task.FREQUENCY))
        assert mean == pytest.approx(table, abs=1e-6)


@pytest.mark.parametrize(("blocks", "categories", "step"), [(2, 3, 1.0), (2, 4, 2.0), (3, 3, 0.7), (3, 3, 2.5)])
def test_a_lattice_of_single_users_comes_near_the_truth_from_below(blocks: int, categories: int, step: float) -> None:
    """Blocks of one user; in the game an error of a user or more is one outside a window of two counts."""
    game, lattice = Game((step,) * blocks, categories, Task.FREQUENCY, Setting.CORRELATED), Lattice(blocks, categories)
    missed = Surroundings(lattice, [lattice.around(w) for w in lattice.odd_outputs()], misses)
    squared = Surroundings(lattice, lattice.square_surroundings(), squares)
    rate, risk = lattice_certificate(missed, step), lattice_certificate(squared, step)
    assert rate is not None
    assert risk is not None
    missing = game.failure(1)
    assert 0.9 * missing <= rate.risk <= missing + 1e-6
    truth = game.square(2 * blocks)
    assert (risk.risk - 1 / 16) / blocks**2 <= truth.high + 1e-6
    # One output of all loses a block, squared, everywhere: no certificate says more.
    assert risk.risk / blocks**2 >= 0.8 * min(truth.high, 1 / blocks**2)
