"""A witness as plain numbers, so that a few lines of Python can judge an output as it does."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from hdp_audit.distinguishers.distinguisher import Joint, Naming
from hdp_audit.distinguishers.features import Features
from hdp_audit.distinguishers.steps import Parts, Score
from hdp_audit.distinguishers.witness import Witness
from hdp_audit.distinguishers.words import FEW, Vocabulary
from hdp_audit.targets.failures import FINE

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """A score of one number made of an output: `of` is a line about `x`, its numbers, and `r`, these rounded."""

    of: str
    points: tuple[float, ...]
    values: tuple[float, ...]
    steps: bool  # constant from each point on; else straight between them


@dataclass(frozen=True)
class Rule:
    """Guess the second dataset where the scores sum to `high` or more, the first where to `low` or less.

    Or, where all outputs are few, by the outputs themselves: `second` and `first` list them as Python writes them.
    Or, of a traced event, `guess` where `event` is true of an output taken apart; `chances` are its probabilities.
    """

    parts: tuple[Part, ...] = ()
    low: float = -np.inf
    high: float = np.inf
    second: tuple[str, ...] = ()
    first: tuple[str, ...] = ()
    event: str = ""
    guess: int = 1
    chances: tuple[float, float] | None = None
    steps: tuple[float, ...] = ()  # to which outputs are rounded before they are looked at; 0 for not at all
    only: tuple[Part, ...] = ()  # it abstains where the scores of these sum to more than `most`
    most: float = 0.0


BESIDE = 2  # columns of encoded outputs that are no numbers of theirs: how many parts, and how they are arranged
BITS = "lowest_bit(x[{}])"
WHOLE = (  # of `r`, the rounded outputs; in the order of the features
    "sum(r)",
    "max(r)",
    "min(r)",
    "r.index(max(r))",
    "len(set(r))",
    "r.index(min(r))",
    "sum(one == two for one, two in zip(r, r[1:]))",
    "sum(one < two for one, two in zip(r, r[1:]))",
)


class _Unsaid(Exception):
    """What no short line says."""


def plain_rule(witness: Witness, features: Features, known: Vocabulary) -> Rule | None:
    """The rule; None where it looks at failures, or at several outputs at once in a way that no short line says."""
    if known.symbols:
        return _listed(witness, features, known)
    if features.shifts is not None and features.shifts.any():
        return None
    try:
        return _numeric(witness, features, len(known.columns))
    except _Unsaid:
        return None


def _numeric(witness: Witness, features: Features, encoded: int) -> Rule:
    """Scores of columns, or of a line about several of them; and where it speaks at all."""
    own = encoded - BESIDE if encoded > 1 else features.steps.size
    formula = partial(_formula, features, own)
    steps = () if features.bits else tuple(features.steps.tolist())
    parts = _parts(witness.parts, formula) if witness.joint is None else (_joint(witness.joint, formula),)
    if witness.only is None:
        return Rule(parts, witness.low, witness.high, steps=steps)
    low = witness.only.plain()
    if low is None:
        raise _Unsaid
    return Rule(parts, witness.low, witness.high, steps=steps, only=_parts(low[0], formula), most=low[1])


def _parts(parts: Parts, formula: Naming) -> tuple[Part, ...]:
    return tuple(_part(formula(column), score) for column, score in parts)


def _joint(joint: Joint, formula: Naming) -> Part:
    told = joint.plain(formula)
    if told is None:
        raise _Unsaid
    return _part(*told)


def _part(of: str, score: Score) -> Part:
    return Part(of, tuple(score.points.tolist()), tuple(score.values.tolist()), score.steps)


def _formula(features: Features, own: int, column: int) -> str:
    """What a column of the features is made of, of `own` numbers; how a call failed or is arranged is not said."""
    outputs = features.steps.size
    if column < own:
        return BITS.format(column) if features.bits else f"r[{column}]"
    if column <= outputs or (own < outputs and column >= outputs + own):
        raise _Unsaid
    if column > 2 * outputs:
        return WHOLE[column - 2 * outputs - 1]
    place = column - outputs - 1
    return f"r[{(place + 1) % outputs}] - r[{place}]"


def _listed(witness: Witness, features: Features, known: Vocabulary) -> Rule | None:
    """By the outputs themselves, where no other came."""
    rows, texts = [row for row, _ in known.outputs], [text for _, text in known.outputs]
    if not rows or len(rows) > FEW or len(set(texts)) < len(texts) or any("..." in text for text in texts):
        return None
    second, first = witness.guesses(features(np.array([(*row, FINE) for row in rows])))
    one, two = (tuple(text for text, told in zip(texts, side, strict=True) if told) for side in (second, first))
    return Rule((), 0.0, 0.0, one, two)
