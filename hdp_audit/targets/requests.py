"""A request whose bundles others may make, as it lies with whoever gives out work."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from multiprocessing.connection import Connection
from typing import Protocol


@dataclass(eq=False)
class Request:
    """Bundles that an item offered: `open` were begun by nobody, `back` are done."""

    opening: bytes
    bundles: Sequence[bytes]
    open: deque[int]
    begun: set[int] = field(default_factory=set)
    back: deque[tuple[int, bytes]] = field(default_factory=deque)
    asked: bool = False  # whether the item waits for one


class Elsewhere(Protocol):
    """Hands beyond this machine."""

    @property
    def bell(self) -> Connection:
        """Readable when something came back."""
        ...

    @property
    def free(self) -> bool:
        """Whether somebody there could begin now."""
        ...

    def begin(self, request: Request, place: int) -> None:
        """Have one of its bundles made."""
        ...

    def came(self) -> Iterator[tuple[Request, int, bytes]]:
        """What came back since the last time: pickled tables of a bundle."""
        ...
