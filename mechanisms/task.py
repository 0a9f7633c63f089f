"""What is estimated: the protocol that a mean and a frequency table share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

from numpy.typing import ArrayLike, NDArray

from mechanisms.demands import Floats
from mechanisms.errors import InvalidInput
from mechanisms.noise import Integers

Data = NDArray[Any]

CELLS = 1 << 20  # numbers held at once where trials × users would not fit into memory


class Task(Protocol):
    """How data turn into totals: each user adds at most their own units, to one output."""

    @property
    def name(self) -> str:
        """`mean` or `frequency`."""
        ...

    @property
    def outputs(self) -> int:
        """Numbers in one release: 1 for a mean, k for frequencies."""
        ...

    @property
    def sensitivity(self) -> int:
        """How much replacing a user's datum moves the totals in ℓ1, in that user's units."""
        ...

    def checked(self, data: ArrayLike, users: int) -> Data:
        """One dataset as an array of the right kind, or a clear error."""
        ...

    def totals(self, units: Integers, datasets: Data) -> Integers:
        """Exact totals, shape (rows, outputs); units for all rows, or a row of units for each dataset."""
        ...

    def shaped(self, table: Floats) -> Floats:
        """(size, outputs) as a user expects it: (size,) for a mean."""
        ...


def checked_length(data: Data, users: int) -> None:
    """One datum for each demand."""
    if data.ndim != 1 or data.size != users:
        raise InvalidInput(
            f"data have shape {data.shape}, demands are for {users} users; give one datum for each demand"
        )


def blocks(rows: int, users: int) -> Iterator[slice]:
    """Slices of the rows such that rows × users stays bounded."""
    step = max(1, CELLS // users)
    return (slice(start, min(start + step, rows)) for start in range(0, rows, step))
