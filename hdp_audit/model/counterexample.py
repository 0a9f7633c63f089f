"""A counterexample: two datasets, who was moved between them, the event that tells them apart, and the counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hdp_audit.errors import InvalidInput


@dataclass(frozen=True)
class Guesses:
    """How often the event told which of the two datasets it was, of how many times it was asked."""

    right: int
    made: int
    calls: int | None = None  # also those without a guess, where they count

    def __post_init__(self) -> None:
        if not 0 <= self.right <= self.made:
            raise InvalidInput(f"{self.right} right guesses of {self.made}; give 0 to as many as were made")


@dataclass(frozen=True)
class Counterexample:
    """Everything that a person needs to check an accusation by hand; the one source of it for every format.

    `users` are all who were moved: their data, and nobody else's, differ between the two datasets. `claimed` is what
    their demands allow together, and `allowed` the share of right guesses that follows from it.
    """

    base: str  # the dataset that everybody else has, in words
    users: tuple[int, ...]
    claimed: float
    first: str  # the two datasets, in words
    second: str
    event: str
    guesses: Guesses
    allowed: float
    confirmation: Guesses | None = None
    confirmed: bool = False
    measurement: Guesses | None = None
    allowed_right: float | None = None  # how many right guesses the promise allows with so many wrong ones, about

    def __post_init__(self) -> None:
        if not self.users or len(set(self.users)) < len(self.users):
            raise InvalidInput(f"a counterexample that moves users {self.users[:5]}; name each user once, at least one")

    def to_json(self) -> dict[str, Any]:
        """Plain values, as report.json has them under `witness`."""
        found: dict[str, Any] = {
            "base": self.base,
            "users": list(self.users),
            "group": len(self.users),
            "group_claimed": self.claimed,
            "first": self.first,
            "second": self.second,
            "event": self.event,
            "right": self.guesses.right,
            "guesses": self.guesses.made,
            "allowed": self.allowed,
        }
        if self.guesses.calls is not None:
            found |= {"calls": self.guesses.calls, "allowed_right": self.allowed_right}
        if self.confirmation is not None:
            right, made = self.confirmation.right, self.confirmation.made
            found["confirmation"] = {"right": right, "guesses": made, "refuted": self.confirmed}
        if self.measurement is not None:
            found["measurement"] = {"right": self.measurement.right, "guesses": self.measurement.made}
        return found
