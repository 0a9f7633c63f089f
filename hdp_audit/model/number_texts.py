"""Numbers in texts: what a double cannot hold is no number, and only the word is infinity."""

from __future__ import annotations

import math

WORDS = ("inf", "infinity")


def number_of(text: str) -> float | None:
    """The number as `float` reads it; None for what is none, for 1_000, and for what a double cannot hold."""
    try:
        value = float(text)
    except ValueError:
        return None
    return None if "_" in text or is_lost(text, value) else value


def is_lost(text: str, value: float) -> bool:
    """Whether a literal too large or too small for a double became infinity or 0."""
    plain = text.strip().lower().lstrip("+-")
    if math.isinf(value):
        return plain not in WORDS
    return value == 0 and any(digit.isdecimal() and int(digit) for digit in plain.partition("e")[0])
