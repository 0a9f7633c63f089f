"""What is estimated: the protocol that a mean and a frequency table share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Protocol, Self

from numpy.typing import ArrayLike, NDArray

from mechanisms.demands import Floats
from mechanisms.errors import InvalidInput
from mechanisms.noise import Integers

Data = NDArray[Any]

CELLS = 1 << 20  # numbers held at once where trials × users would not fit into memory


class Task(Protocol):
    """How data turn into totals: each user adds at most their own units, to one output."""

    name: ClassVar[str]
    sensitivity: ClassVar[int]  # how much replacing a user's datum moves the totals in ℓ1, in that user's units
    moved: ClassVar[int]  # the same in ℓ2, squared

    @classmethod
    def of(cls, count: int | None, wanted_by: str, /) -> Self:
        """The task with so many categories or dimensions, or a clear error where it has none or needs some."""
        ...

    @property
    def outputs(self) -> int:
        """Numbers in one release: 1 for a mean, k for frequencies, d for vectors."""
        ...

    @property
    def datum(self) -> tuple[int, ...]:
        """The shape of one user's datum: () for a number, (d,) for a vector."""
        ...

    @property
    def categories(self) -> int | None:
        """As `build` takes them: k for frequencies, None for a task without categories."""
        ...

    def checked(self, data: ArrayLike, users: int) -> Data:
        """One dataset as an array of the right kind, or a clear error."""
        ...

    def totals(self, units: Integers, datasets: Data) -> Integers:
        """Exact totals, shape (rows, outputs); units for all rows, or a row of units for each dataset."""
        ...

    def weighted(self, weights: Floats, data: Data) -> Floats:
        """The estimate that these weights give without noise, one number for each output."""
        ...

    def truth(self, data: Data) -> Floats:
        """What is estimated: every user weighs the same."""
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
