"""Categories by name: texts, whole numbers, or true and false."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.errors import InvalidInput
from hdp_audit.model.domain import Base, Categories, Data, Domain, Generator, category_bases

MOST = 100_000
SHOWN = 6
LARGEST = 2**53
EXAMPLE = '["Berlin", "Paris"]'


@dataclass(frozen=True)
class Labels(Domain):
    """One of several labels, without an order; a mechanism gets the labels themselves.

    Args:
        labels: All of them: texts, whole numbers, or true and false, of one kind.

    Example:
        >>> import numpy as np
        >>> from hdp_audit import Labels
        >>> cities = Labels(["Berlin", "Paris", "Rome"])
        >>> cities.ends(), cities.allows(np.array(["Rome", "Oslo"]))
        (('Berlin', 'Rome'), False)
    """

    labels: tuple[Any, ...]

    def __init__(self, labels: Iterable[Any]) -> None:
        if isinstance(labels, (str, bytes, set, frozenset, dict)) or not isinstance(labels, Iterable):
            raise InvalidInput(f"labels = {labels!r:.60}; give a list, such as {EXAMPLE}")
        listed = tuple(labels)
        plain = tuple(each.item() if isinstance(each, np.generic) else each for each in listed)
        object.__setattr__(self, "labels", plain)
        self._refuse_bad()

    def _refuse_bad(self) -> None:
        kinds = {type(each) for each in self.labels}
        if len(kinds) > 1 or not kinds <= {str, int, bool}:
            raise InvalidInput(
                f"labels are {', '.join(sorted(kind.__name__ for kind in kinds))}; give texts, or whole numbers, "
                f"or true and false, all of one kind, such as {EXAMPLE}"
            )
        if not 2 <= len(self.labels) <= MOST:
            raise InvalidInput(f"{len(self.labels)} labels; give a list of 2 to {MOST}, such as {EXAMPLE}")
        if len(set(self.labels)) < len(self.labels):
            twice = next(each for at, each in enumerate(self.labels) if each in self.labels[:at])
            raise InvalidInput(f"the label {twice!r:.60} is there twice; give each once")
        bad = [each for each in self.labels if ("\0" in each if isinstance(each, str) else abs(each) > LARGEST)]
        if bad:
            raise InvalidInput(f"the label {bad[0]!r:.60}; give texts without NUL, or whole numbers up to 2^53")

    def __len__(self) -> int:
        return len(self.labels)

    @cached_property
    def _listed(self) -> NDArray[Any]:
        return np.array(self.labels)

    @cached_property
    def _codes(self) -> dict[Any, int]:
        return {label: code for code, label in enumerate(self.labels)}

    def named(self, codes: Data) -> Data:
        """The labels of numbers from 0."""
        return np.asarray(self._listed[codes])

    def codes(self, data: Data) -> NDArray[np.int64]:
        """Numbers from 0 in place of labels; -1 for what is none."""
        flat = [self._codes.get(each, -1) for each in self._alike(data).ravel().tolist()]
        return np.array(flat, dtype=np.int64).reshape(data.shape)

    def _alike(self, data: Data) -> Data:
        """1 and 1.0 are a label, True is not; other kinds are none."""
        wanted = {"U": "UO", "i": "iuf", "b": "b"}[self._listed.dtype.kind]
        return data if data.dtype.kind in wanted else np.full(data.shape, None, dtype=object)

    def ends(self) -> tuple[Any, Any]:
        """The first label and the last."""
        return self.labels[0], self.labels[-1]

    def random(self, users: int, rng: Generator) -> Data:
        """Uniform."""
        return self.named(rng.integers(len(self), size=users))

    def allows(self, data: Data) -> bool:
        """Labels alone."""
        return bool((self.codes(data) >= 0).all())

    @property
    def words(self) -> str:
        """The first few."""
        told = ", ".join(f"{each!r:.40}" for each in self.labels[:SHOWN])
        return f"one of {told}" if len(self) <= SHOWN else f"one of the {len(self)} labels {told}, ..."

    def typed(self, data: Data) -> Data:
        """All in one type, wide enough for the longest."""
        return np.asarray(data).astype(self._listed.dtype)

    def everybody(self, users: int, value: Any) -> Data:
        """All with one label."""
        return np.full(users, value, dtype=self._listed.dtype)

    def spread(self, second: Any, count: int, places: NDArray[np.int64]) -> tuple[Data, str]:
        """Labels in turn."""
        first = self._codes[second]
        return self.named(first + places % count), f"labels {second!r} to {self.labels[first + count - 1]!r} in turn"

    def values(self, most: int, rng: Generator) -> list[Any]:
        """Those of categories, by name."""
        return [self.labels[code] for code in Categories(len(self)).values(most, rng)]

    @property
    def variety(self) -> int:
        """Every label is one of its own."""
        return len(self.labels)

    def arrangements(self, users: int, rng: Generator) -> Iterator[tuple[str, Data]]:
        """Those of categories, by name."""
        for name, codes in Categories(len(self)).arrangements(users, rng):
            yield name.replace("categories", "labels").replace("category 0", "the first label"), self.named(codes)

    def _bases(self, users: int, rng: Generator) -> Iterator[Base]:
        """Those of categories, by name."""
        words = f"at {self.labels[0]}", f"at {self.labels[-1]}", "labels"
        for base in category_bases(len(self), words, users, rng):
            first, second = (self.labels[int(end)] for end in (base.first, base.second))
            yield Base(base.name, self.named(base.data), first, second, spread=base.spread)
