"""Texts and numbers of a file as values of a domain: which are allowed, and what is wrong with the others."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.config.section import Section
from hdp_audit.model.domain import Categories, Domain, Range
from hdp_audit.model.labels import Labels
from hdp_audit.model.number_texts import number_of, numbers_at_once

_REPORTED = 10
Texts = Sequence[str] | NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Allowed:
    """Values, which of them are allowed, and what that is in words."""

    values: NDArray[Any]
    good: NDArray[np.bool_]
    words: str
    numbers: NDArray[np.float64] | None = None

    def what(self, at: int) -> str:
        """What is wrong with a value, without the value."""
        if self.numbers is None:
            return "a text that is none of the labels"
        return "a text that is no number" if np.isnan(self.numbers[at]) else "a value"


@dataclass
class Filling:
    """A column of values as it grows, and the first rows whose value is not allowed; values are never shown."""

    domain: Domain
    source: str
    where: str = ""
    pieces: list[NDArray[Any]] = field(default_factory=list)
    bad: list[tuple[str, str]] = field(default_factory=list)
    count: int = 0

    def add(self, rows: NDArray[np.int64], found: Texts) -> None:
        """Some users more."""
        one = allowed_in(self.domain, found)
        self.pieces.append(one.values)
        bad = np.flatnonzero(~one.good)
        self.count += bad.size
        for at in bad[: _REPORTED - len(self.bad)].tolist():
            place = f"{self.source} row {rows[at]}{self.where}"
            self.bad.append((place, f"{one.what(at)} is not allowed; give {one.words}"))

    def told(self, section: Section) -> bool:
        """Whether all are allowed; else each row has a line."""
        for place, line in self.bad:
            section.problems.add(place, line)
        if self.count > _REPORTED:
            section.problems.add(self.source, f"... and {self.count - _REPORTED} more rows")
        return not self.count

    @property
    def values(self) -> NDArray[Any]:
        """All."""
        return np.concatenate(self.pieces) if self.pieces else np.zeros(0)


def allowed_in(domain: Domain, found: Texts) -> Allowed:
    """The values; where one is not allowed its place holds anything."""
    if isinstance(domain, Labels):
        return _labels(domain, found)
    numbers = _numbers(found)
    if isinstance(domain, Categories):
        good = (numbers >= 0) & (numbers < domain.count) & (numbers == np.floor(numbers))
        whole = np.where(good, numbers, 0).astype(np.int64)
        return Allowed(whole, good, f"a whole number from 0 to {domain.count - 1}", numbers)
    if not isinstance(domain, Range):
        raise AssertionError(f"no file holds {domain.words}")
    good = (numbers >= domain.low) & (numbers <= domain.high)
    low, high = (domain.shown(end) for end in domain.ends())
    return Allowed(numbers + 0.0, good, f"a number from {low} to {high}", numbers)  # -0 is 0


def _labels(domain: Labels, found: Texts) -> Allowed:
    """Texts as they are; whole numbers, and true and false, from their texts."""
    kind = type(domain.labels[0])
    if kind is int:
        known = np.array(domain.labels, dtype=np.float64)
        numbers = _numbers(found)
        good = np.isin(numbers, known)
        return Allowed(np.where(good, numbers, 0).astype(np.int64), good, domain.words, numbers)
    texts = [str(text) for text in found]
    by_text = {(str(label).lower() if kind is bool else label): label for label in domain.labels}
    good = np.array([text in by_text for text in texts], dtype=np.bool_)
    return Allowed(domain.typed(np.array([by_text.get(text, domain.labels[0]) for text in texts])), good, domain.words)


def _numbers(found: Texts) -> NDArray[np.float64]:
    if isinstance(found, np.ndarray):
        return found
    plain = numbers_at_once(found)
    if plain is not None:
        return plain
    numbers = [number_of(text) for text in found]
    return np.array([np.nan if number is None else number for number in numbers], dtype=np.float64)
