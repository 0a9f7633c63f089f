"""Of wide outputs a few columns are learned; whatever tells the coin is among them.

Leaks are far beyond what chance does: each would stay below 8 standard errors with probability < 1e-9.
"""

from __future__ import annotations

import numpy as np
import pytest

from hdp_audit.distinguishers import chosen as module
from hdp_audit.distinguishers.chosen import CALM, LATER, MOVED, RARE, SPEAKING, WIDE, Choice, chosen
from hdp_audit.distinguishers.features import WHOLE
from hdp_audit.distinguishers.witness import Witness, learn_witness
from hdp_audit.model.promise import PureLimit

WIDTH, ROWS, AT = 150, 9_000, 101
LIMIT = PureLimit(0.1)


def wide(leak: str, rows: int = ROWS) -> tuple[np.ndarray, np.ndarray]:
    """Features of many outputs: themselves, the outcome, differences, and what only all together tell."""
    rng = np.random.default_rng(3)
    coins = rng.random(rows) < 0.5
    outputs = rng.laplace(size=(rows, WIDTH))
    if leak == "moved":
        outputs[coins, AT] += 0.4
    if leak == "wider":
        outputs[coins, AT] *= 2.0
    if leak == "rare value":
        outputs[coins & (rng.random(rows) < 0.02), AT] = 0.25
    if leak == "far away":
        outputs[coins & (rng.random(rows) < 0.01), AT] = 1e6
    if leak == "when it is calm":
        scale = np.where(rng.random(rows) < 0.15, 1.0, 30.0)
        outputs *= scale[:, None]
        outputs[coins, AT] += 1.0
    if leak == "a difference":
        outputs[:, AT + 1] = outputs[:, AT] + 0.1 * outputs[:, AT + 1] + 0.05 * coins
    differences = np.diff(outputs, axis=1, append=outputs[:, :1])
    whole = np.column_stack([outputs.sum(axis=1)] * len(WHOLE))
    return np.column_stack([outputs, np.zeros(rows), differences, whole]), coins


@pytest.mark.parametrize("leak", ["moved", "wider", "rare value", "far away", "when it is calm"])
def test_an_output_that_tells_the_coin_is_looked_at(leak: str) -> None:
    table, coins = wide(leak)
    found = chosen(table, coins, WIDTH + 1, LIMIT)
    assert AT in found.alone
    assert found.alone.size <= 2 * SPEAKING + LATER + CALM + RARE
    assert found.together.size == MOVED
    assert list(found.alone) == sorted(set(found.alone.tolist()))


def test_a_difference_that_tells_the_coin_is_looked_at() -> None:
    table, coins = wide("a difference")
    assert WIDTH + 1 + AT in chosen(table, coins, WIDTH + 1, LIMIT).alone


@pytest.mark.parametrize("leak", ["moved", "wider", "rare value", "far away"])
def test_the_rule_is_the_one_that_is_learned_of_all_columns(leak: str) -> None:
    table, coins = wide(leak)

    def rule(found: module.Chosen | None) -> Witness:
        return learn_witness(table, coins, 9_000, 0.01, WIDTH + 1, LIMIT, None, None, found)

    few, all_columns = rule(chosen(table, coins, WIDTH + 1, LIMIT)), rule(None)
    assert few.reads() is not None
    assert AT in (few.reads() or ())
    assert few.growth >= 0.9 * all_columns.growth > 0.0


def test_narrow_outputs_are_looked_at_whole() -> None:
    choice = Choice()
    assert choice.of(np.zeros((50, WIDE)), np.zeros(50, dtype=np.bool_), 20, LIMIT, 50) is None
    assert choice.found is None


def test_columns_are_chosen_anew_when_clearly_more_was_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    table, coins = wide("none", 600)
    sizes = []
    monkeypatch.setattr(module, "chosen", lambda outputs, *given: sizes.append(len(outputs)) or chosen(outputs, *given))
    choice = Choice()
    seen = [choice.of(table[:rows], coins[:rows], WIDTH + 1, LIMIT, drawn) for rows, drawn in [(100, 0), (130, 130)]]
    assert seen[0] is seen[1]
    assert choice.of(table, coins, WIDTH + 1, LIMIT, 600) is not seen[0]
    assert choice.of(table, coins, WIDTH + 1, LIMIT, 1_100) is not None  # of which only the last 600 are kept
    assert sizes == [100, 600]
    choice.of(table, coins, WIDTH + 1, LIMIT, 1_200)
    assert sizes == [100, 600, 600]
