"""Everything that is wrong with a spec, collected and told at once, each with its place."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass, field

from hdp_audit.errors import HdpAuditError

MOST_PROBLEMS = 50


class InvalidSpec(HdpAuditError):
    """A spec that cannot be run; one line a problem."""


@dataclass
class Problems:
    """A collector: reading goes on after a mistake, so that a user mends all of them in one go."""

    lines: list[str] = field(default_factory=list)

    def add(self, place: str, message: str) -> None:
        """Note a problem; a message of several lines names its own places."""
        self.lines.append(f"{place}: {message}" if place else message)

    def raise_any(self) -> None:
        """Raise `InvalidSpec` if there was a problem."""
        if not self.lines:
            return
        shown = self.lines[:MOST_PROBLEMS]
        if len(self.lines) > MOST_PROBLEMS:
            shown.append(f"... and {len(self.lines) - MOST_PROBLEMS} more problems")
        raise InvalidSpec("\n".join(shown))


def did_you_mean(given: str, allowed: Iterable[str]) -> str:
    """The allowed names in a sentence, the nearest first where one is near."""
    names = list(dict.fromkeys(allowed))
    near = difflib.get_close_matches(given, names, n=1)
    guess = f"did you mean {near[0]!r}? " if near else ""
    return f"{guess}allowed: {', '.join(names)}"
