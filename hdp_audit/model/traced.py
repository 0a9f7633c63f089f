"""A loss that was calculated from a mechanism's own draws: everything that a person needs to check it by hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class TracedDraw:
    """One call of a generator's method, and how far its standard noise has to move to undo the change of the data."""

    law: str
    location: str
    scale: str
    file: str
    line: int
    code: str
    source: str  # whose generator it was
    moved: tuple[float, ...] = ()


@dataclass(frozen=True)
class Counted:
    """The event with real noise: how often it came on either dataset, and what these calls show as bets.

    `agrees`: with the probabilities that were calculated. `confirmed`: bets on the event refute the promise, too.
    `chance`: that bets do as well while the promise is kept, at most.
    """

    calls: tuple[int, int]  # on either dataset
    first: int
    second: int
    agrees: bool
    confirmed: bool
    chance: float

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Counted:
        """The same again."""
        return cls(**{**value, "calls": (value["calls"][0], value["calls"][1])})


@dataclass(frozen=True)
class TracedLoss:
    """One user on two datasets: `lower` is the loss of `event`, `upper` what an alignment of the draws allows."""

    user: int
    base: str  # the dataset that everybody else has, in words
    first: str  # the user's datum in either, in words
    second: str
    lower: float | None
    upper: float | None
    draws: tuple[TracedDraw, ...]
    event: str = ""
    probabilities: tuple[float, float] | None = None
    flow: str = ""  # what the data change before any noise is added
    counted: Counted | None = None
    arithmetic: str = ""  # what a person can check by hand

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> TracedLoss:
        """The same again."""
        draws = tuple(TracedDraw(**{**draw, "moved": tuple(draw["moved"])}) for draw in value["draws"])
        chances = None if value["probabilities"] is None else (value["probabilities"][0], value["probabilities"][1])
        counted = None if value["counted"] is None else Counted.from_json(value["counted"])
        return cls(**{**value, "draws": draws, "probabilities": chances, "counted": counted})
