"""How many rounds of random input a test takes: few for every change, all of them in `pytest --full`."""

from __future__ import annotations

FULL = [False]  # set when pytest starts, before any test is read


def rounds(few: int, every: int) -> int:
    """`every` where --full is given, else `few`."""
    return every if FULL[0] else few
