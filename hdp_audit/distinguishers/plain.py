"""A witness as plain numbers, so that a few lines of Python can judge an output as it does."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp_audit.distinguishers.features import Features
from hdp_audit.distinguishers.witness import Witness
from hdp_audit.distinguishers.words import FEW, Vocabulary
from hdp_audit.targets.failures import FINE

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """A score of one number made of an output: `of` is a formula of `x`, the list of its numbers."""

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


BITS = "lowest_bit({})"
WHOLE = ("sum(x)", "max(x)", "min(x)", "float(x.index(max(x)))", "float(len(set(x)))")


def plain_rule(witness: Witness, features: Features, known: Vocabulary) -> Rule | None:
    """The rule; None where it looks at failures, or at several outputs at once in a way that no column shows."""
    if known.symbols:
        return _listed(witness, features, known)
    if witness.joint is not None or witness.only is not None:
        return None
    if features.shifts is not None and features.shifts.any():
        return None
    formulas = [_formula(column, features) for column, _ in witness.parts]
    parts = [
        Part(of, tuple(score.points.tolist()), tuple(score.values.tolist()), score.steps)
        for of, (_, score) in zip(formulas, witness.parts, strict=True)
        if of is not None
    ]
    return Rule(tuple(parts), witness.low, witness.high) if len(parts) == len(formulas) else None


def _formula(column: int, features: Features) -> str | None:
    """What a column of the features is made of; None for how a call failed."""
    outputs = features.steps.size
    if column < outputs:
        return BITS.format(f"x[{column}]") if features.bits else _rounded(column, features)
    if column == outputs:
        return None
    if column > 2 * outputs:
        return WHOLE[column - 2 * outputs - 1]
    place = column - outputs - 1
    return f"{_rounded((place + 1) % outputs, features)} - {_rounded(place, features)}"


def _rounded(column: int, features: Features) -> str:
    """Far below the noise, as the rule was learned."""
    step = float(features.steps[column])
    return f"round(x[{column}] / {step!r}) * {step!r}" if step > 0 else f"x[{column}]"


def _listed(witness: Witness, features: Features, known: Vocabulary) -> Rule | None:
    """By the outputs themselves, where no other came."""
    rows, texts = [row for row, _ in known.outputs], [text for _, text in known.outputs]
    if not rows or len(rows) > FEW or len(set(texts)) < len(texts) or any("..." in text for text in texts):
        return None
    second, first = witness.guesses(features(np.array([(*row, FINE) for row in rows])))
    one, two = (tuple(text for text, told in zip(texts, side, strict=True) if told) for side in (second, first))
    return Rule((), 0.0, 0.0, one, two)
