"""Where the parts of outputs stand in a row of numbers: places fixed by first outputs, and room for all later ones.

A symbol is never taken for a number: it has a column of its own where first outputs had both, and elsewhere it lies
where no number does, as numbers that lie there are symbols too.
"""

from __future__ import annotations

import collections
import itertools
from collections.abc import Iterable
from dataclasses import dataclass

from hdp_audit.targets.parts import ABSENT_LETTER, ENDS, Part, code, letters_of

FAR = 2.0**299  # a symbol among numbers lies from here to twice that
OUTPUT = "output"
FORM = "the form"
ENDINGS = ("the length of", *(f"character {i} of" for i in (*range(ENDS), *range(-ENDS, 0))))
NO_TEXT = (ABSENT_LETTER,) * len(ENDINGS)
SHOWN = 64  # characters of a text that are looked at one by one, at most
LETTERS = 32  # of texts that are counted, the most common ones; the others are counted together
ABSENT = Part(None, "absent:nothing")

Apart = tuple[str, list[Part]]  # an output taken apart: its form and its parts


@dataclass(frozen=True)
class Place:
    """One part of every output: a column for its number, one for its symbol, as far as first outputs had them."""

    name: str
    numbers: bool
    symbols: bool
    texts: bool = False  # that are not all numbers
    ends: bool = False  # columns for lengths and ends of texts, where these were all different
    letters: str = ""  # that are counted in such texts
    shown: int = 0  # characters from the start of such texts that have columns of their own, one by one

    @property
    def columns(self) -> list[str]:
        """What its columns are called."""
        ends = [f"{ending} {self.name}" for ending in ENDINGS] if self.ends else []
        if self.ends:
            ends += [f"character {i} of {self.name}" for i in range(ENDS, self.shown)]
            ends += [*(f"how often {letter!r} is in {self.name}" for letter in self.letters), self._others]
        return ends + ([self.name, f"the symbol of {self.name}"] if self.numbers and self.symbols else [self.name])

    def numbered(self, part: Part) -> list[float]:
        """A part in these columns; that of its symbol is the last."""
        ends = (*(part.ends or NO_TEXT), *self._shown(part), *self._counted(part)) if self.ends else ()
        return [*ends, *self._valued(part)]

    @property
    def _others(self) -> str:
        return f"how many other characters are in {self.name}"

    def _shown(self, part: Part) -> list[float]:
        """Characters as numbers, behind those of the start that every text shows."""
        told = [float(ord(letter)) for letter in (letters_of(part) or "")[ENDS : self.shown]]
        return [*told, *[ABSENT_LETTER] * (max(self.shown - ENDS, 0) - len(told))]

    def _counted(self, part: Part) -> list[float]:
        """How often each letter comes, and how many others there are."""
        told = letters_of(part)
        if told is None:
            return [ABSENT_LETTER] * (len(self.letters) + 1)
        found = [float(told.count(letter)) for letter in self.letters]
        return [*found, len(told) - sum(found)]

    def _valued(self, part: Part) -> list[float]:
        number = part.number
        if self.numbers and self.symbols:
            return [0.0 if number is None else number, 0.0 if part.symbol is None else code(part.symbol)]
        if self.symbols:
            return [code(part.key)]
        if part.symbol is None and number is not None and not FAR <= number < 2.0 * FAR:
            return [number]
        return [FAR * code(part.key)]


@dataclass(frozen=True)
class Layout:
    """The places of a row: one for outputs that have been single parts so far, else one for each part and two more.

    These are the number of parts, and the form with all parts that found no place.
    """

    places: tuple[Place, ...]
    single: bool

    @classmethod
    def of(cls, outputs: list[Apart], called: str = OUTPUT, known: list[str] | None = None) -> Layout:
        """What holds these outputs, and all others by symbols; each part is `called` so, or by a `known` name."""
        single = all(_is_single(output) for output in outputs)
        most = max((len(parts) for _, parts in outputs), default=1)
        names = [f"the {called}"] if single else known or [f"{called} {i}" for i in range(most)]
        rows = [parts if single else _in_row(form, parts, most) for form, parts in outputs] or [[Part(0.0)]]
        if not single:
            names += (
                ["the number of parts", FORM]
                if called == OUTPUT
                else [f"the number of {called}s", f"{FORM} of {called}s"]
            )
        places = (_place(name, parts) for name, parts in zip(names, zip(*rows, strict=True), strict=True))
        return cls(tuple(places), single)

    def beside(self, other: Layout) -> Layout:
        """The columns of both; rows are arranged by each of them."""
        return Layout((*self.places, *other.places), single=False)

    @property
    def columns(self) -> tuple[str, ...]:
        """What the columns are called."""
        return tuple(column for place in self.places for column in place.columns)

    @property
    def texts(self) -> dict[str, int]:
        """The column with the symbols of each place of texts, by the name of the place."""
        ends = itertools.accumulate(len(place.columns) for place in self.places)
        return {place.name: end - 1 for place, end in zip(self.places, ends, strict=True) if place.texts}

    def arranged(self, output: Apart) -> list[Part]:
        """A part for each place."""
        form, parts = output
        if not self.single:
            return _in_row(form, parts, len(self.places) - 2)
        return parts if _is_single(output) else [Part(None, _whole(form, parts))]

    def row(self, arranged: list[Part]) -> list[float]:
        """The numbers of such parts."""
        return [number for place, part in zip(self.places, arranged, strict=True) for number in place.numbered(part)]


def _is_single(output: Apart) -> bool:
    return not output[0] and len(output[1]) == 1


def _in_row(form: str, parts: list[Part], most: int) -> list[Part]:
    fit = [*parts[:most], *([ABSENT] * (most - len(parts)))]
    return [*fit, Part(float(len(parts))), Part(None, _whole(form, parts[most:]))]


def _whole(form: str, parts: list[Part]) -> str:
    rest = " ".join(part.key for part in parts)
    return f"form:{form or 'a single part'}" + (f" and {rest}" if rest else "")


def _place(name: str, parts: Iterable[Part]) -> Place:
    listed = list(parts)
    symbols = any(part.symbol is not None for part in listed)
    numbered = [part.number is not None for part in listed]
    different = len({part.key for part in listed}) == len(listed) > 1
    texts = not all(numbered) and any(part.ends is not None for part in listed)
    ends = texts and different
    seen = collections.Counter("".join(letters_of(part) or "" for part in listed)) if ends else collections.Counter()
    letters = "".join(sorted(letter for letter, _ in seen.most_common(LETTERS)))
    shown = min(max((len(letters_of(part) or "") for part in listed), default=0), SHOWN) if ends else 0
    return Place(name, not symbols or any(numbered), symbols, texts, ends, letters, shown)
