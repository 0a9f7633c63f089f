"""Text from outside, fit for any terminal, page or file."""

from __future__ import annotations

KEPT = "\n\t"


def spelled(text: str) -> str:
    """With letters that cannot be printed as Python spells them: what steers a terminal is only told."""
    if text.isprintable():
        return text
    return "".join(letter if letter.isprintable() or letter in KEPT else _spelled(letter) for letter in text)


def _spelled(letter: str) -> str:
    return letter.encode("unicode_escape").decode()
