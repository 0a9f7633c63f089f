"""Rules as a few lines of Python: they guess as the rule that was learned does, output by output."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from hdp_audit.distinguishers.differences import differences
from hdp_audit.distinguishers.distinguisher import Candidate, Sample
from hdp_audit.distinguishers.features import WHOLE, Features
from hdp_audit.distinguishers.low_noise import low_noise
from hdp_audit.distinguishers.plain import plain_rule
from hdp_audit.distinguishers.projections import projections
from hdp_audit.distinguishers.rare import rare
from hdp_audit.distinguishers.residues import residues
from hdp_audit.distinguishers.steps import Score
from hdp_audit.distinguishers.trees import trees
from hdp_audit.distinguishers.witness import Witness
from hdp_audit.distinguishers.words import Vocabulary
from hdp_audit.model.promise import PureLimit
from hdp_audit.reporting.handout.script import Called, script

DRAWS = 1 << 14
Floats = NDArray[np.float64]


def prefix_sums(rng: np.random.Generator, coins: Floats) -> Floats:
    noise = rng.laplace(0.0, 1.0, (coins.size, 4))
    noise[:, 1] += coins
    return np.cumsum(noise, axis=1)


def quadrants(rng: np.random.Generator, coins: Floats) -> Floats:
    one, sign = rng.normal(size=coins.size), np.where(rng.random(coins.size) < 0.8, 1.0, -1.0)
    return np.column_stack([one, np.abs(rng.normal(size=coins.size)) * np.sign(one) * sign * (2 * coins - 1)])


def remainders(rng: np.random.Generator, coins: Floats) -> Floats:
    return (np.rint(rng.laplace(0.0, 40.0, coins.size)) + 0.25 * coins)[:, None]


def scales(rng: np.random.Generator, coins: Floats) -> Floats:
    scale = np.where(rng.random(coins.size) < 0.3, 0.2, 20.0)[:, None]
    return scale * rng.laplace(0.0, 1.0, (coins.size, 6)) + 0.3 * coins[:, None]


def leaks(rng: np.random.Generator, coins: Floats) -> Floats:
    outputs = rng.laplace(0.0, 1.0, (coins.size, 2))
    outputs[rng.random(coins.size) < 0.01 * coins, 1] = 17.5
    return outputs


RULES = {
    "a weighted sum": (projections, prefix_sums),
    "differences": (differences, prefix_sums),
    "a tree": (trees, quadrants),
    "a remainder": (residues, remainders),
    "calls with little noise": (low_noise, scales),
    "rare outputs": (rare, leaks),
}


def event_of(witness: Witness, features: Features) -> Callable[[Any], int | None]:
    """What the script has for it."""
    rule = plain_rule(witness, features, Vocabulary())
    assert rule is not None
    source = script(rule, Called(".", "m.py:f")).replace("\n\n\nmain()\n", "\n")
    names: dict[str, Any] = {"__file__": "count.py"}
    exec(source, names)  # noqa: S102
    found: Callable[[Any], int | None] = names["event"]
    return found


def agreeing(witness: Witness, features: Features, table: Floats) -> float:
    """Share of outputs of which both say the same; and it says something."""
    event, (ones, zeros) = event_of(witness, features), witness.guesses(features(table))
    told = [event(row) for row in table[:, :-1]]
    assert ones.any() or zeros.any()
    expected = [1 if one else 0 if zero else None for one, zero in zip(ones.tolist(), zeros.tolist(), strict=True)]
    return sum(one == two for one, two in zip(told, expected, strict=True)) / len(told)


@pytest.mark.parametrize("kind", RULES)
def test_the_script_guesses_as_the_rule_does(kind: str) -> None:
    distinguisher, drawn = RULES[kind]
    rng = np.random.default_rng(1)
    coins = rng.random(DRAWS) < 0.5
    outputs = drawn(rng, coins.astype(float))
    table = np.column_stack([outputs, np.zeros(DRAWS)])
    features = Features.fitted(table)
    seen = features(table)
    found: Iterator[Candidate] = distinguisher(
        Sample(seen, coins, features.independent, 64, PureLimit(0.1), features.grids)
    )
    for candidate in list(found)[:2]:
        joint = None if isinstance(candidate.score, tuple) else candidate.score
        parts = candidate.score if isinstance(candidate.score, tuple) else ()
        witness = Witness(parts, -0.05, 0.05, joint=joint, only=candidate.only)
        assert agreeing(witness, features, table[:500]) == 1.0
        return
    pytest.fail("nothing was learned")


@pytest.mark.parametrize("row", range(len(WHOLE)))
def test_the_script_knows_what_only_all_outputs_together_tell(row: int) -> None:
    table = np.column_stack([np.random.default_rng(2).integers(0, 3, (300, 4)), np.zeros(300)]).astype(float)
    features = Features.fitted(table)
    column = 2 * 4 + 1 + row
    middle = float(np.median(features(table)[:, column]))
    score = Score(np.array([math.nextafter(middle, math.inf)]), np.array([-1.0, 1.0]), steps=True)
    assert agreeing(Witness(((column, score),), -0.5, 0.5), features, table) == 1.0
