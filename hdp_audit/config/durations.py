"""Durations as people write them: 90, "90s", "5m", "1h"."""

from __future__ import annotations

import re

_UNITS = {"s": 1.0, "m": 60.0, "h": 3600.0}
LONGEST = 7 * 24 * 3600.0
ALLOWED = 'a duration such as "90s", "5m" or "1h", at most a week'


def seconds(text: str) -> float | None:
    """The duration in seconds; None where it is none."""
    match = re.fullmatch(r"\s*(\d{1,9}(?:\.\d{1,9})?)\s*([smh])\s*", text, re.ASCII)
    if match is None:
        return None
    value = float(match[1]) * _UNITS[match[2]]
    return value if 0 < value <= LONGEST else None


def in_words(value: float) -> str:
    """90.0 as "1m30s", for people."""
    whole = max(round(value), 0)
    hours, rest = divmod(whole, 3600)
    minutes, rest = divmod(rest, 60)
    parts = [(hours, "h"), (minutes, "m"), (rest, "s")]
    return "".join(f"{count}{unit}" for count, unit in parts if count) or "0s"
