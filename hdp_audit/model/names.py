"""Names of many users in little memory: one run of bytes for all, and where each ends."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

Places = NDArray[np.int64]

PIECE = 1 << 16  # names that are Python objects at one time
ENCODING, HALVES = "utf-8", "surrogatepass"  # halves of pairs are kept as they are: names are not ours to mend


class Names(Sequence[str]):
    """Texts, one for each user. It looks like a tuple of them and equals one, but takes a tenth of the memory.

    Args:
        text: All of them in UTF-8, one behind the other.
        ends: Where each ends.

    Example:
        >>> from hdp_audit.model.names import Names
        >>> names = Names.of(["Ada", "Bob", "Ada"])
        >>> names[1], len(names), names == ("Ada", "Bob", "Ada"), names.codes().tolist()
        ('Bob', 3, True, [0, 1, 0])
    """

    __slots__ = ("_ends", "_text")

    def __init__(self, text: bytes, ends: Places) -> None:
        self._text, self._ends = text, ends

    @classmethod
    def of(cls, names: Iterable[str]) -> Names:
        """Of any texts; of what are names already, the same ones."""
        if isinstance(names, Names):
            return names
        listed = list(names)
        whole = "".join(listed)
        sizes = map(len, listed) if whole.isascii() else (len(name.encode(ENCODING, HALVES)) for name in listed)
        return cls(whole.encode(ENCODING, HALVES), np.cumsum(np.fromiter(sizes, np.int64, len(listed))))

    @classmethod
    def joined(cls, pieces: Iterable[Names]) -> Names:
        """All of them, one piece behind the other."""
        listed = list(pieces)
        starts = np.cumsum([0, *(len(piece._text) for piece in listed)])
        ends = [piece._ends + start for piece, start in zip(listed, starts.tolist(), strict=False)]
        return cls(b"".join(piece._text for piece in listed), np.concatenate(ends or [np.zeros(0, np.int64)]))

    def __reduce__(self) -> tuple[type[Names], tuple[bytes, Places]]:
        return Names, (self._text, self._ends)

    def __len__(self) -> int:
        return int(self._ends.size)

    @overload
    def __getitem__(self, at: int) -> str: ...
    @overload
    def __getitem__(self, at: slice) -> tuple[str, ...]: ...
    def __getitem__(self, at: Any) -> Any:
        if isinstance(at, slice):
            return tuple(self[place] for place in range(len(self))[at])
        return self._bytes(range(len(self))[at]).decode(ENCODING, HALVES)

    def __iter__(self) -> Iterator[str]:
        return (name.decode(ENCODING, HALVES) for name in self._each())

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, (Names, tuple, list)):
            return NotImplemented
        return len(self) == len(other) and all(one == two for one, two in zip(self, other, strict=True))

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        few = ", ".join(map(repr, self[:3]))
        return f"Names({few}{', ...' if len(self) > 3 else ''})"

    def codes(self, *others: Names) -> Places:
        """A number for each name of these, and then of the others, so that equal names have equal ones and no others.

        It is the place of the first that has the name. Sums of 64 bits say who may be equal; bytes say who is.
        """
        sums = np.concatenate([names._sums() for names in (self, *others)])
        _, first, inverse = np.unique(sums, return_index=True, return_inverse=True)
        codes: Places = first[inverse]
        everybody = self if not others else _Several((self, *others))
        return codes if everybody._agree(codes) else everybody._one_by_one()

    def _sums(self) -> Places:
        """Of Python's own, which has another key in every process: nobody can choose names that share one."""
        return np.fromiter(map(hash, self._each()), np.int64, len(self))

    def _agree(self, codes: Places) -> bool:
        later = np.flatnonzero(codes != np.arange(codes.size))
        pairs = zip(later.tolist(), codes[later].tolist(), strict=True)
        return all(self._bytes(one) == self._bytes(other) for one, other in pairs)

    def _one_by_one(self) -> Places:
        """Without sums, for the one time in a million in which two names share one."""
        first: dict[bytes, int] = {}
        return np.array([first.setdefault(name, at) for at, name in enumerate(self._each())], dtype=np.int64)

    def _bytes(self, at: int) -> bytes:
        return self._text[self._ends[at - 1] if at else 0 : self._ends[at]]

    def _each(self) -> Iterator[bytes]:
        """All, in pieces: places as Python numbers would take more than the names."""
        begin = 0
        for start in range(0, len(self), PIECE):
            for end in self._ends[start : start + PIECE].tolist():
                yield self._text[begin:end]
                begin = end


class _Several(Names):
    """Some lists one behind the other, without a copy."""

    __slots__ = ("_lists", "_starts")

    def __init__(self, lists: tuple[Names, ...]) -> None:
        super().__init__(b"", np.zeros(0, np.int64))
        self._lists = lists
        self._starts = np.cumsum([0, *map(len, lists)])

    def _bytes(self, at: int) -> bytes:
        number = int(np.searchsorted(self._starts, at, side="right")) - 1
        return self._lists[number]._bytes(at - int(self._starts[number]))

    def _each(self) -> Iterator[bytes]:
        return (name for names in self._lists for name in names._each())
