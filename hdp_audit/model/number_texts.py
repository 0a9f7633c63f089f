"""Numbers in texts: what a double cannot hold is no number, only the word is infinity, and digits are 0 to 9."""

from __future__ import annotations

import math
import sys

WORDS = ("inf", "infinity")
DEMAND = "a demand is a number from 0 to inf"
_SHOWN = 60  # characters of a text in a message


def number_of(text: str) -> float | None:
    """The number as `float` reads it; None for what is none, for 1_000 and ٣, and for what a double cannot hold."""
    value = _read(text)
    return None if value is None or is_lost(text, value) else value


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
