"""Outputs of many numbers: what is made of them only where it is read, and kept within bounds, whatever the budget."""

from __future__ import annotations

import weakref
from collections import Counter

import numpy as np
import pytest

from hdp_audit.audits import game, race
from hdp_audit.audits.runner import Runner
from hdp_audit.distinguishers import columns, features
from hdp_audit.distinguishers.features import Features
from hdp_audit.distinguishers.witness import learn_witness
from hdp_audit.search import exploring
from tests.subjects import pair, subject_of

CATEGORIES = 40


class Histogram:
    """Shares of categories with Laplace noise of a scale; `drawn` has the sizes of the batches it was asked for."""

    def __init__(self, scale: float) -> None:
        self.scale = scale
        self.drawn: Counter[int] = Counter()

    def __call__(self, data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        return self.batch(data, epsilon, rng, 1)[0]

    def batch(self, data: np.ndarray, _: np.ndarray, rng: np.random.Generator, size: int) -> np.ndarray:
        self.drawn[size] += 1
        shares = np.bincount(data, minlength=CATEGORIES) / data.size
        return shares + rng.laplace(0.0, self.scale, (size, CATEGORIES))


def outputs_with_ties(rows: int, width: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng([rows, width])
    clipped = np.maximum(rng.standard_normal((rows, width)), 0.0)
    table = np.column_stack([rng.standard_normal((rows, width)), clipped, rng.integers(0, 3, (rows, width))])
    return table, rng.random(rows) < 0.4


@pytest.mark.parametrize(("rows", "width"), [(3, 1), (100, 4), (1000, 30)])
def test_columns_are_compared_as_by_a_stable_sort(rows: int, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    table, coins = outputs_with_ties(rows, width)
    starts = np.linspace(0, rows, min(columns.CELLS, rows), endpoint=False).astype(int)
    ones = np.add.reduceat(coins[np.argsort(table, axis=0, kind="stable")].astype(np.float64), starts, axis=0)
    total = np.diff(starts, append=rows)[:, None]
    expected = ((2.0 * ones - total) ** 2 / total).sum(axis=0)
    assert np.array_equal(columns.compared(table, coins)[0], expected)
    monkeypatch.setattr(columns, "HELD", 2 * rows)  # two columns at once
    assert np.array_equal(columns.compared(table, coins)[0], expected)


@pytest.mark.parametrize("bits", [False, True])
@pytest.mark.parametrize("width", [1, 2, 5])
def test_some_features_are_those_among_all(width: int, bits: bool) -> None:
    rng = np.random.default_rng(width)
    table = np.column_stack([np.round(rng.laplace(size=(60, width)), 2) * 2.0**400, np.zeros(60)])
    table[3, 0], table[4, 0], table[5] = 1e140, -0.0, [0.0] * width + [2.0]
    features = Features.fitted(table, bits=bits)
    whole = features(table)
    assert whole.shape[1] == features.width
    for wanted in ([], [0], [width], [features.width - 1], range(features.width), [min(width + 1, features.width - 1)]):
        found = features.only(table, wanted)
        assert found.shape == whole.shape
        assert np.array_equal(found[:, list(wanted)], whole[:, list(wanted)])
        assert np.array_equal(np.signbit(found[:, list(wanted)]), np.signbit(whole[:, list(wanted)]))


@pytest.mark.parametrize("bits", [False, True])
def test_features_that_are_made_in_parts_are_those_made_at_once(bits: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    table = np.column_stack([np.random.default_rng(1).laplace(size=(61, 5)), np.zeros(61)])
    table[4, 0], table[5, 1], table[9] = -0.0, 1e140, [0.0] * 5 + [2.0]
    fitted = Features.fitted(table, bits=bits)
    whole = fitted(table)
    monkeypatch.setattr(features, "AT_ONCE", 7 * fitted.width)
    assert fitted(table).tobytes() == whole.tobytes()


@pytest.mark.parametrize("seed", range(3))
def test_a_rule_says_what_it_reads(seed: int) -> None:
    rng = np.random.default_rng(seed)
    coins = rng.random(9000) < 0.5
    shared = rng.laplace(0.0, 5.0, 9000)[:, None]
    raw = np.column_stack([shared + rng.laplace(size=(9000, 3)) + coins[:, None] * [0.2, 0.0, -0.2], np.zeros(9000)])
    features = Features.fitted(raw)
    witness = learn_witness(features(raw), coins, 9000, 0.05, features.independent, pair_of().limit)
    read = witness.reads()
    assert read is not None
    assert np.array_equal(witness.guesses(features.only(raw, read)), witness.guesses(features(raw)))


def pair_of():
    data = np.zeros(5)
    return pair(
        exploring.Base("all in the first", data.astype(np.int64), 0, CATEGORIES - 1), [0], np.full(5, 0.5), CATEGORIES
    )


def played(scale: float, calls: int) -> tuple[game.Game, Histogram]:
    mechanism = Histogram(scale)
    subject = subject_of(mechanism, np.full(5, 0.5), CATEGORIES)
    return game.play(subject, [pair_of()], calls, 1e-6, 1, "wide"), mechanism


def test_little_of_wide_outputs_is_held_and_drawn_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(game, "LEARNED", 600 * (2 * CATEGORIES + 9))
    monkeypatch.setattr(game, "LEAST_LEARNED", 100)
    monkeypatch.setattr(game, "DRAWN", 200 * (CATEGORIES + 1))
    found, mechanism = played(0.8, 12_000)  # exactly ε = 0.5: false with probability 1e-6
    assert not found.wealth.refutes
    assert found.calls == 12_000
    assert len(found.seen[0]) == len(found.seen[1]) == 600
    assert max(mechanism.drawn) <= 200
    refuted, _ = played(0.4, 12_000)  # twice the loss
    assert refuted.wealth.refutes


def test_a_race_holds_only_what_may_still_win(monkeypatch: pytest.MonkeyPatch) -> None:
    """All arms together keep so many numbers at most; of those that left there is one at a time."""
    monkeypatch.setattr(race, "ROOM", 1200 * (2 * CATEGORIES + 9))
    monkeypatch.setattr(game, "LEAST_LEARNED", 100)
    subject, data = subject_of(Histogram(0.8), np.full(5, 0.5), CATEGORIES), pair_of()
    rng = np.random.default_rng(1)
    table = np.column_stack([rng.laplace(0.2, 0.8, (40, CATEGORIES)), np.zeros(40)])
    arms: list[weakref.ref[game.Arm]] = []
    held = []

    def run(runner: Runner, calls: int) -> int:
        arms.extend([weakref.ref(runner.arm)] * (runner.arm.drawn == 0))
        done = usual(runner, calls)
        kept = [arm for arm in (each() for each in arms) if arm is not None]
        held.append((len(kept), sum(len(arm.seen[0]) for arm in kept)))
        return done

    usual = Runner.run
    monkeypatch.setattr(Runner, "run", run)
    finalists = [exploring.Finalist(data, table, rng.random(40) < 0.5) for _ in range(6)]
    found = race.race(subject, finalists, 9000, 1e-7, 1, "race")  # exactly ε = 0.5: each false with probability 1e-7
    assert not found.wealth.refutes
    assert [arms for arms, _ in held[6:]] == [4, 4, 4, 3, 3]
    assert max(rows for _, rows in held) <= 1200 + 200  # those that run, and one that left


def test_a_search_holds_so_many_numbers_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exploring, "NUMBERS", 4000 * (CATEGORIES + 1))
    subject = subject_of(Histogram(0.8), np.full(5, 0.5), CATEGORIES)
    _, explored = exploring.explore(subject, 100_000, 1)
    assert 0 < sum(len(seen.table) for seen in explored.seen) <= 4000
