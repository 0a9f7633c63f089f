"""Named random streams: results depend on the seed and on what a draw is for, never on who computed it or when."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

SEPARATOR, ESCAPE = "\x1f", "\x1e"


@dataclass(frozen=True)
class Named:
    """The name of a stream. Whoever has it makes the same generator, whenever and wherever."""

    seed: int
    names: tuple[str | int, ...]

    def generator(self) -> np.random.Generator:
        """From its beginning; different names never share a stream, as separators inside a name are escaped."""
        words = np.frombuffer(self._digest, dtype=np.uint32)
        return np.random.default_rng(np.random.SeedSequence([self.seed, *words.tolist()]))

    @property
    def number(self) -> int:
        """A positive number of 62 bits, which stands for it."""
        return (int.from_bytes(self._digest[:8], "little") >> 2) + 1

    @property
    def _digest(self) -> bytes:
        text = SEPARATOR.join(_escaped(str(name)) for name in self.names)
        return hashlib.blake2b(text.encode(), digest_size=16).digest()

    def then(self, *names: str | int) -> Named:
        """Another one, below it."""
        return Named(self.seed, (*self.names, *names))

    def turns(self, what: str = "turn") -> Iterator[Named]:
        """One name for each turn, without end; the first is this one."""
        yield self
        turn = 1
        while True:
            yield self.then(what, turn)
            turn += 1


def named(seed: int, *names: str | int) -> Named:
    """The stream for one purpose; adding a check changes no other check's numbers."""
    return Named(seed, names)


def stream(seed: int, *names: str | int) -> np.random.Generator:
    """Its generator."""
    return Named(seed, names).generator()


def _escaped(name: str) -> str:
    return name.replace(ESCAPE, ESCAPE * 2).replace(SEPARATOR, ESCAPE + "s")
