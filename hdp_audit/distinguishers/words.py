"""The witness's event in words and numbers that a person can check by hand."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from hdp_audit.distinguishers.features import NO_BITS, WHOLE, Features
from hdp_audit.distinguishers.low_noise import Calm
from hdp_audit.distinguishers.projections import Projection
from hdp_audit.distinguishers.residues import PLACES, Residue
from hdp_audit.distinguishers.steps import Score
from hdp_audit.distinguishers.trees import Tree
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


def event_words(
    witness: Witness, features: Features, known: Vocabulary | None = None, seen: Floats | None = None
) -> str:
    """When the witness guesses the second dataset, and when the first; few outputs are listed, with their symbols.

    `seen` are features of outputs, which tell whether a word on -0 is due.
    """
    known = known or Vocabulary()
    features = replace(features, names=known.columns)
    listed = _listed(witness, features, known) if known.symbols else None
    words = listed or guess_words(witness, features)
    text = f"guess the second dataset where {words['second']}; the first where {words['first']}".replace(
        "where never", "never"
    )
    if witness.calm is not None and not listed:
        text = f"{text}; abstain unless {_calm_words(witness.calm, features)}"
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
    if isinstance(witness.joint, Tree):
        values = np.round(witness.joint.values, 9)
        return {
            "second": _leaf_words(witness.joint, features, values >= witness.high),
            "first": _leaf_words(witness.joint, features, values <= witness.low),
        }
    if witness.joint is not None:
        made, again = _made_words(witness.joint, features)
        second = _regions(made, witness.joint.score, witness.high, above=True)
        again = made if second == "never" else again
        return {"second": second, "first": _regions(again, witness.joint.score, witness.low, above=False)}
    if len(witness.parts) == 1:
        column, score = witness.parts[0]
        name = column_name(column, features)
        return {
            "second": _regions(name, score, witness.high, above=True),
            "first": _regions(name, score, witness.low, above=False),
        }
    total = "; ".join(f"{column_name(column, features)}: {_curve(score)}" for column, score in witness.parts)
    second = f"the scores sum to {witness.high:.4g} or more, where the score of {total}"
    first = f"the same scores sum to {witness.low:.4g} or less"
    if not np.isfinite(witness.high):
        second, first = "never", f"the scores sum to {witness.low:.4g} or less, where the score of {total}"
    return {"second": second, "first": first if np.isfinite(witness.low) else "never"}


def _leaf_words(tree: Tree, features: Features, told: NDArray[np.bool_]) -> str:
    """Each combination of the cuts for which it guesses."""
    names = [column_name(column, features) for column in tree.columns]
    leaves = [
        " and ".join(
            f"{name} is {'at least' if leaf >> bit & 1 else 'below'} {cut:.6g}"
            for bit, (name, cut) in enumerate(zip(names, tree.cuts, strict=True))
        )
        for leaf in np.flatnonzero(told).tolist()
    ]
    return ", or ".join(leaves) or "never"


def _made_words(joint: Projection | Residue, features: Features) -> tuple[str, str]:
    """What is compared, made of outputs, in words; and when it is named again."""
    if isinstance(joint, Residue):
        share = f"{column_name(joint.column, features)} / {joint.step:.17g}"
        return f"the fractional part of {share} (to the nearest 1/{PLACES}, 1 being 0)", "that fractional part"
    terms = zip(joint.weights.tolist(), joint.columns, strict=True)
    total = ", ".join(f"{weight:.6g} x {column_name(column, features)}" for weight, column in terms)
    return f"the sum of {total}", "that sum"


def _calm_words(calm: Calm, features: Features) -> str:
    """What each output counts, and how much is calm."""
    counts = "; ".join(f"{column_name(column, features)} counts {_cells(score)}" for column, score in calm.counts)
    return f"what outputs count sums to at most {calm.limit:.6g}, where {counts}"


def _cells(score: Score) -> str:
    *values, last = score.values.tolist()
    shown = [f"{value:.3g} {_upto(edge)}" for value, edge in zip(values, score.points.tolist(), strict=True)]
    return f"{', '.join(shown)}, else {last:.3g}"


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


def _curve(score: Score) -> str:
    if score.steps:
        return f"steps from {score.values[0]:.3g} to {score.values[-1]:.3g} over {score.points.size} places"
    first, *later = zip(score.points, score.values, strict=True)
    bends = [f"{value:.3g} {_at(float(at))}" for at, value in later]
    return f"{first[1]:.3g} up to {first[0]:.6g}, then straight to {', to '.join(bends)}"


def _at(place: float) -> str:
    for toward, word in ((-np.inf, "above"), (np.inf, "below")):
        beside = float(np.nextafter(place, toward))
        if _is_short(beside) and not _is_short(place):
            return f"just {word} {beside:.6g}"
    return f"at {place:.6g}"


def _regions(name: str, score: Score, threshold: float, *, above: bool) -> str:
    """Where the score is at least (or at most) the threshold, as intervals of the column."""
    if not np.isfinite(threshold):
        return "never"
    if score.steps:
        starts = np.concatenate([[-np.inf], score.points])
        stops = np.concatenate([score.points, [np.inf]])
        values = np.round(score.values, 9)
        inside = values >= threshold if above else values <= threshold
        return _joined(name, starts, stops, inside)
    if score.values.size > 2:
        return _joined(name, *_crossings(score, threshold, above=above))
    low, high = float(score.values[0]), float(score.values[-1])
    if low == high:
        return f"{name} is anything"
    span = float(np.clip((threshold - low) / (high - low), 0.0, 1.0))
    place = float(score.points[0] + span * (score.points[-1] - score.points[0]))
    return f"{name} is {'at least' if (high > low) == above else 'at most'} {place:.6g}"


def _crossings(score: Score, threshold: float, *, above: bool) -> tuple[Floats, Floats, NDArray[np.bool_]]:
    """(starts, stops, inside) of the intervals between bends and places where the score passes the threshold."""
    rise = np.diff(score.values)
    span = (threshold - score.values[:-1]) / np.where(rise == 0, np.inf, rise)
    passed = (score.points[:-1] + span * np.diff(score.points))[(span > 0) & (span < 1)]
    cuts = np.unique(np.concatenate([score.points, passed]))
    middles = cuts[:-1] + 0.5 * np.diff(cuts)
    middles = np.where(cuts[1:] == np.nextafter(cuts[:-1], np.inf), cuts[:-1], middles)
    values = np.round(score(np.concatenate([[cuts[0] - 1.0], middles, [cuts[-1] + 1.0]])), 9)
    inside = values >= threshold if above else values <= threshold
    return np.append(-np.inf, cuts), np.append(cuts, np.inf), inside


def _joined(name: str, starts: np.ndarray, stops: np.ndarray, inside: np.ndarray, most: int = 6) -> str:
    """Neighbouring intervals as one; at most `most` of them, the rest counted."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], inside, [False]]).astype(int)))
    found = []
    for begin, end in zip(edges[::2], edges[1::2], strict=True):
        low, high = starts[begin], stops[end - 1]
        if np.isinf(low) and np.isinf(high):
            return f"{name} is anything"
        if np.isinf(low):
            found.append(_upto(float(high)))
        elif np.isinf(high):
            found.append(f"at least {low + 0.0:.6g}")
        elif high == np.nextafter(low, np.inf):
            found.append(f"exactly {low:.17g}")
        else:
            found.append(f"{_from(float(low))} {_upto(float(high))}")
    if not found:
        return "never"
    rest = f" (and {len(found) - most} more intervals)" if len(found) > most else ""
    return f"{name} is {', or '.join(found[:most])}{rest}"


def _upto(high: float) -> str:
    """Below a number, or at most the one before it, where only that one is short to write."""
    before = float(np.nextafter(high, -np.inf))
    return f"at most {before:.6g}" if _is_short(before) and not _is_short(high) else f"below {high + 0.0:.6g}"


def _from(low: float) -> str:
    before = float(np.nextafter(low, -np.inf))
    return f"above {before:.6g} and" if _is_short(before) and not _is_short(low) else f"from {low + 0.0:.6g} to"


def _is_short(number: float) -> bool:
    return number == 0 or (abs(number) > sys.float_info.min and float(f"{number:.6g}") == number)
