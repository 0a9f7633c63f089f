"""A traced pair as a report has it: plain values and words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from hdp_audit.model.traced import Counted, TracedDraw, TracedLoss
from hdp_audit.tracing.draws import Draw, Floats
from hdp_audit.tracing.plain import chances
from hdp_audit.tracing.result import TracedPair

MOST_DRAWS = 12
MOST_MOVES = 8  # of one draw


def shown_loss(pair: TracedPair, counts: Counted | None) -> TracedLoss:
    """Everything that a person needs to check it by hand."""
    found = pair.found
    several = bool(found.events) and not found.events[0].among and _outputs(pair) > 1
    return TracedLoss(
        pair.user,
        pair.pair.base,
        pair.pair.before,
        pair.pair.after,
        _known(pair.told(found.lower)),
        _known(pair.told(found.upper)),
        shown_draws(found.draws, found.moved),
        " and ".join(event.words(several) for event in found.events),
        _probabilities(pair),
        _relative(found.flow, found.draws),
        counts,
        _by_hand(pair),
    )


def shown_draws(draws: tuple[Draw, ...], moved: Floats | None = None) -> tuple[TracedDraw, ...]:
    """Those whose noise has to move come first."""
    found, start = [], 0
    for draw in draws:
        size = draw.size if draw.law is not None else 0
        move = np.zeros(0) if moved is None else moved[start : start + size]
        start += size
        told = tuple(float(each) for each in move[move != 0][:MOST_MOVES])
        location, scale = ("", "") if draw.law is None else (_short(draw.location), _short(draw.scale))
        place = draw.place
        found.append(
            TracedDraw(draw.method, location, scale, near(place.file), place.line, place.text, draw.source, told)
        )
    return tuple(sorted(found, key=lambda draw: not draw.moved)[:MOST_DRAWS])


def near(file: str) -> str:
    """From the working folder where the file is below it, else its name alone: no path of a machine."""
    path = Path(file)
    if not path.is_absolute():
        return file
    folder = Path.cwd()
    return path.relative_to(folder).as_posix() if path.is_relative_to(folder) else path.name


def _probabilities(pair: TracedPair) -> tuple[float, float] | None:
    return chances(pair) if pair.found.events else None


def _by_hand(pair: TracedPair) -> str:
    """The arithmetic that a person can check."""
    found, chances = pair.found, _probabilities(pair)
    if pair.pair.limit.ratio:
        known = chances is not None and min(chances) > 0 and not np.isnan(found.lower)
        return f"|log({chances[0]:.6g} / {chances[1]:.6g})| = {found.lower:.6g}" if known and chances else ""
    moved = np.zeros(0) if found.moved is None else found.moved[found.moved != 0]
    if not moved.size or not np.isfinite(found.upper):
        return ""
    size, symbol = float(np.linalg.norm(moved)), pair.pair.first.promise.symbol
    return (
        f"noise moved by {size:.6g} scales in all (root of the sum of squares): {symbol} ≤ {pair.told(found.upper):.6g}"
    )


def _outputs(pair: TracedPair) -> int:
    return max((event.output for event in pair.found.events), default=0) + 1


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def _relative(text: str, draws: tuple[Draw, ...]) -> str:
    for draw in draws:
        text = text.replace(draw.place.file, near(draw.place.file))
    return text


def _short(value: Any) -> str:
    found = np.unique(np.asarray(value, dtype=np.float64))
    return f"{found[0]:.6g}" if found.size == 1 else f"{found[0]:.6g} to {found[-1]:.6g}"
