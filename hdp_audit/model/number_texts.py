"""Numbers in texts: what a double cannot hold is no number, only the word is infinity, and digits are 0 to 9."""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

WORDS = ("inf", "infinity")
DEMAND = "a demand is a number from 0 to inf"
_SHOWN = 60  # characters of a text in a message


def number_of(text: str) -> float | None:
    """The number as `float` reads it; None for what is none, for 1_000 and ٣, and for what a double cannot hold."""
    value = _read(text)
    return None if value is None or is_lost(text, value) else value


def numbers_at_once(texts: Sequence[str]) -> NDArray[np.float64] | None:
    """All of them, as `number_of` reads each; None where one is no number, or has to be looked at by itself."""
    # float() takes "1_000" and "٣"; a file that holds one is more likely damaged than clever.
    whole = "".join(texts)
    if not whole.isascii() or "_" in whole:
        return None
    try:
        values = np.fromiter(map(float, texts), np.float64, len(texts))
    except ValueError:
        return None
    odd = np.flatnonzero((values == 0) | np.isinf(values)).tolist()
    return None if any(is_lost(texts[place], float(values[place])) for place in odd) else values


def is_lost(text: str, value: float) -> bool:
    """Whether a literal too large or too small for a double became infinity or 0."""
    plain = text.strip().lower().lstrip("+-")
    if math.isinf(value):
        return plain not in WORDS
    return value == 0 and any(digit.isdecimal() and int(digit) for digit in plain.partition("e")[0])


def no_demand(text: str) -> str:
    """What was given, and what to give instead, of a text that is no demand."""
    plain, value = text.strip(), _read(text)
    given = plain if len(plain) <= _SHOWN else f"{plain[:_SHOWN]}… ({len(plain)} characters)"
    if value is not None and value > 0 and is_lost(text, value):
        reason = f"{DEMAND}; this one is too large for a double: give at most {sys.float_info.max:.6g}, or the word inf"
    elif value == 0 and is_lost(text, value):
        reason = f"{DEMAND}; this one is too small for a double: give 0, or at least {math.ulp(0.0):.2g}"
    elif not plain.isascii():
        reason = f"{DEMAND}, in the digits 0 to 9"
    else:
        reason = DEMAND
    return f"{given or 'nothing'}; {reason}"


def _read(text: str) -> float | None:
    """As Python reads it, but for the digits of other scripts and for underscores."""
    if "_" in text or not text.strip().isascii():
        return None
    try:
        return float(text)
    except ValueError:
        return None
