"""Dice with three sides: their sectors hold all counts, and no mechanism on the whole lattice does better."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
import scipy.optimize
import scipy.sparse

from hdp_audit.theory.beta_chain import beta_mse
from hdp_audit.theory.coin_chain import coin_mse
from hdp_audit.theory.dice_chain import dice_block, dice_mse, dice_pac, sector_masses
from mechanisms.standard import standard_demands


def tiers() -> np.ndarray:
    return np.sort(standard_demands("tiers"))


def lattice(size: int) -> list[tuple[int, int, int]]:
    return [(a, b, size - a - b) for a in range(size + 1) for b in range(size + 1 - a)]


def chance(counts: tuple[int, int, int]) -> float:
    ways = math.factorial(sum(counts)) / math.prod(math.factorial(count) for count in counts)
    return float(ways / 3 ** sum(counts))


@pytest.mark.parametrize("third", [1, 2, 5])
def test_sectors_are_the_largest_deviations_of_three_throws(third: int) -> None:
    expected = np.zeros(2 * third + 1)
    for counts in lattice(3 * third):
        off = [count - third for count in counts]
        far = max(off, key=abs)
        ties = [d for d in off if abs(d) == abs(far)]
        if abs(far) <= third:
            for d in ties:
                expected[d + third] += chance(counts) / len(ties) / 3
    assert sector_masses(third, third) == pytest.approx(expected, rel=1e-9)


def bayes_risk(size: int, step: float) -> float:
    """Of the largest squared error of the counts, over all laws on the lattice within e^step of their neighbours and
    answers on the lattice or half-way between two of its points: a linear programme. Fewer answers, larger risk.
    """
    nodes = lattice(size)
    answers = sorted({tuple((a + b) / 2 for a, b in zip(x, y, strict=True)) for x, y in product(nodes, nodes)})
    loss = np.abs(np.array(nodes)[:, None] - np.array(answers)).max(axis=2) ** 2
    prior = np.array([chance(node) for node in nodes])
    near = [
        (i, j) for i, j in product(range(len(nodes)), repeat=2) if np.abs(np.subtract(nodes[i], nodes[j])).sum() == 2
    ]
    count = len(answers)
    rows, columns, entries = [], [], []
    for row, (i, j) in enumerate(near):
        rows += [row * count + np.arange(count)] * 2
        columns += [i * count + np.arange(count), j * count + np.arange(count)]
        entries += [np.ones(count), np.full(count, -math.exp(step))]
    where = (np.concatenate(rows), np.concatenate(columns))
    ratios = scipy.sparse.csr_matrix((np.concatenate(entries), where))
    masses = scipy.sparse.kron(scipy.sparse.identity(len(nodes)), np.ones((1, count)))
    found = scipy.optimize.linprog(
        (prior[:, None] * loss).ravel(), A_ub=ratios, b_ub=np.zeros(ratios.shape[0]),
        A_eq=masses, b_eq=np.ones(len(nodes)), method="highs",
    )  # fmt: skip
    return float(found.fun)


@pytest.mark.parametrize("step", [0.0, 0.3, 1.0])
def test_no_mechanism_on_the_lattice_has_a_smaller_bayes_risk(step: float) -> None:
    truth = bayes_risk(3, step) / 9
    assert 0.2 * truth < dice_mse(np.full(3, step)) <= truth * (1 + 1e-7)


def test_dice_beat_coins_where_frequencies_are_asked() -> None:
    """tiers: 105 users tell next to nothing; a mean errs by 105/4 of their squares, frequencies by 0.4·105."""
    assert 1.4 * max(coin_mse(tiers()), beta_mse(tiers())) < dice_mse(tiers()) < 0.406 * 105 / 1e6
    assert dice_pac(tiers(), 0.05) >= 0.011


def test_a_known_bound_is_kept() -> None:
    assert dice_pac(tiers(), 0.05, 0.02) == 0.02
    assert dice_pac(tiers(), 0.6, 0.003) == 0.003


def test_two_users_throw_no_dice() -> None:
    demands = np.array([0.1, 0.1, 400.0])
    assert dice_block(demands) is None
    assert (dice_mse(demands), dice_pac(demands, 0.05)) == (0.0, 0.0)
