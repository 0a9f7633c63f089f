"""The witness's event in words and numbers that a person can check by hand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from hdp_audit.distinguishers.features import NO_BITS, WHOLE, Features
from hdp_audit.distinguishers.regions import curve_words, region_words
from hdp_audit.distinguishers.witness import Witness
from hdp_audit.targets.failures import FINE, WORDS

Floats = NDArray[np.float64]

FEW = 24  # outputs and symbols that are listed


@dataclass(frozen=True)
class Vocabulary:
    """What the numbers of encoded outputs stand for: symbols, and whole outputs, as far as they were seen."""

    symbols: Mapping[float, str] = field(default_factory=dict)
    outputs: tuple[tuple[tuple[float, ...], str], ...] = ()
    failures: tuple[float, ...] = ()
    columns: tuple[str, ...] = ()  # what the numbers of an output are called
    names: tuple[str, ...] = ()  # the same of outputs that are numbers anyhow
    featured: bool = False  # whether the last of them are features, which a function of the user's makes


def event_words(
    witness: Witness, features: Features, known: Vocabulary | None = None, seen: Floats | None = None
) -> str:
    """When the witness guesses the second dataset, and when the first; few outputs are listed, with their symbols.

    `seen` are features of outputs, which tell whether a word on -0 is due.
    """
    known = known or Vocabulary()
    features = replace(features, names=known.columns or known.names)
    listed = _listed(witness, features, known) if known.symbols else None
    words = listed or guess_words(witness, features)
    text = f"guess the second dataset where {words['second']}; the first where {words['first']}".replace(
        "where never", "never"
    )
    if witness.only is not None and not listed:
        text = f"{text}; abstain unless {witness.only.words(lambda column: column_name(column, features))}"
    if not listed and seen is not None:
        text = "; ".join([text, *_zero_words(features, seen)])
    return text if listed or not known.symbols else f"{text}; symbols count as numbers: {_legend(known.symbols)}"


def _listed(witness: Witness, features: Features, known: Vocabulary) -> dict[str, str] | None:
    """The outputs themselves, and failures, where all that were seen are few."""
    outputs = known.outputs
    rows, texts = [row for row, _ in outputs], [text for _, text in outputs]
    if not rows or len(rows) > FEW or len(set(texts)) < len(texts):
        return None
    empty = (0.0,) * len(rows[0])
    table = np.array([(*row, FINE) for row in rows] + [(*empty, kind) for kind in known.failures])
    names = [f"the output is {text}" for text in texts] + [WORDS[kind] for kind in known.failures]
    second, first = witness.guesses(features(table))
    return {
        "second": " or ".join(name for name, told in zip(names, second, strict=True) if told) or "never",
        "first": " or ".join(name for name, told in zip(names, first, strict=True) if told) or "never",
    }


def _zero_words(features: Features, seen: Floats) -> Iterator[str]:
    """What zeros that are none, or negative, count as."""
    minus, tiny = features.odd_zeros(seen)
    if minus and features.bits:
        yield f"the place of the lowest set bit of 0 is {NO_BITS:g}, that of -0 {NO_BITS + 1:g}"
    elif minus:
        yield "an output of -0 counts as just below 0"
    if tiny:
        yield f"an output next to 0, but not 0, counts as {tiny:.17g} with its sign"


def _legend(symbols: Mapping[float, str]) -> str:
    shown = [f"{text} as {number:.17g}" for number, text in sorted(symbols.items())[:FEW]]
    return ", ".join(shown) + (", ..." if len(symbols) > FEW else "")


def guess_words(witness: Witness, features: Features) -> dict[str, str]:
    """The two conditions."""

    def name(column: int) -> str:
        return column_name(column, features)

    if witness.joint is not None:
        second, first = witness.joint.words(witness.low, witness.high, name)
        return {"second": second, "first": first}
    if len(witness.parts) == 1:
        column, score = witness.parts[0]
        return {
            "second": region_words(name(column), score, witness.high, above=True),
            "first": region_words(name(column), score, witness.low, above=False),
        }
    total = "; ".join(f"{name(column)}: {curve_words(score)}" for column, score in witness.parts)
    second = f"the scores sum to {witness.high:.4g} or more, where the score of {total}"
    first = f"the same scores sum to {witness.low:.4g} or less"
    if not np.isfinite(witness.high):
        second, first = "never", f"the scores sum to {witness.low:.4g} or less, where the score of {total}"
    return {"second": second, "first": first if np.isfinite(witness.low) else "never"}


def column_name(column: int, features: Features) -> str:
    """What a column of the features is."""
    outputs = features.steps.size
    if column == outputs:
        return "the way the call failed"
    if column > 2 * outputs:
        return WHOLE[column - 2 * outputs - 1]
    if column > outputs:
        place = column - outputs - 1
        return f"{_output(features, (place + 1) % outputs)} less {_output(features, place)}"
    whole = _output(features, column)
    return f"the place of the lowest set bit of {whole}" if features.bits else whole


def _output(features: Features, column: int) -> str:
    if features.names:
        return features.names[column]
    return "the output" if features.steps.size == 1 else f"output {column}"
