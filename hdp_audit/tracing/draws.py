"""One call of a generator's method: which law, with which parameters, from which line of code, and what came out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.tracing.laws import Law

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Place:
    """Where in the code a draw was asked for."""

    file: str
    line: int
    text: str = ""

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True, eq=False)
class Draw:
    """`u` is the standard noise of a continuous law, or the number of the option that was taken.

    `law` is None where nothing is known but that something was drawn. `options` are the probabilities of each outcome
    of every entry where there are few; `source` is whose generator it was.
    """

    method: str
    place: Place
    shape: tuple[int, ...]
    u: Floats
    law: Law | None = None
    location: Any = 0.0
    scale: Any = 1.0
    options: tuple[float, ...] | None = None
    source: str = "rng"

    @property
    def size(self) -> int:
        """How many numbers."""
        return int(self.u.size)

    @property
    def discrete(self) -> bool:
        """Whether its outcomes can be counted."""
        return self.options is not None

    def alike(self, other: Draw) -> bool:
        """Whether the other is the same draw: same line, method and size, whatever its parameters are."""
        same = (self.method, self.place, self.shape, self.law) == (other.method, other.place, other.shape, other.law)
        return same and self.options == other.options

    def words(self) -> str:
        """For a person: the law, its parameters, and the line."""
        parameters = ", ".join(_short(value) for value in (self.location, self.scale)) if self.law else ""
        return f"{self.method}({parameters}) at {self.place}"


def _short(value: Any) -> str:
    found = np.unique(np.asarray(value, dtype=np.float64))
    return f"{found[0]:.6g}" if found.size == 1 else f"{found[0]:.6g} to {found[-1]:.6g}"
