"""Vectors of a bounded length: one row a user."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from hdp_audit.errors import InvalidInput
from hdp_audit.model.domain import NEARBY, Base, Data, Domain, Generator

Norm = Literal["l1", "l2", "linf"]
ORDER: dict[str, float] = {"l1": 1, "l2": 2, "linf": np.inf}
MOST = 10**6  # numbers of a vector
SHOWN = 4
BY_LOT = 4  # one of so many values lies on no axis
ROUNDING = 1e-12  # a vector on the ball's edge may be longer by this part


@dataclass(frozen=True)
class Vector(Domain):
    """Rows of an n × d array, none longer than the radius.

    Args:
        size: How many numbers a vector has.
        norm: By which its length is measured: "l1", "l2" or "linf".
        radius: The largest length.

    Example:
        >>> import numpy as np
        >>> from hdp_audit import Vector
        >>> Vector(2).ends()[1].tolist(), Vector(2).allows(np.array([[0.6, 0.8], [1.0, 1.0]]))
        ([1.0, 0.0], False)
    """

    size: int
    norm: Norm = "l2"
    radius: float = 1.0

    def __post_init__(self) -> None:
        if isinstance(self.size, bool) or not isinstance(self.size, int) or not 1 <= self.size <= MOST:
            raise InvalidInput(f"a vector of size = {self.size!r}; give a whole number from 1 to {MOST}")
        if self.norm not in ORDER:
            raise InvalidInput(f"norm = {self.norm!r}; allowed: {', '.join(get_args(Norm))}")
        if isinstance(self.radius, bool) or not isinstance(self.radius, (int, float)) or not 0 < self.radius < np.inf:
            raise InvalidInput(f"radius = {self.radius!r}; give a number above 0")

    def ends(self) -> tuple[Data, Data]:
        """Opposite ends of the first axis."""
        return -self._along(0), self._along(0)

    def _along(self, axis: int) -> NDArray[np.float64]:
        end = np.zeros(self.size)
        end[axis] = self.radius
        return end

    @property
    def null(self) -> Data:
        """Zeros: they add nothing to a sum."""
        return np.zeros(self.size)

    def lengths(self, data: Data) -> NDArray[np.float64]:
        """Of each row."""
        return np.asarray(np.linalg.norm(data, ord=ORDER[self.norm], axis=-1))

    def random(self, users: int, rng: Generator) -> Data:
        """Any direction, any length up to the radius."""
        drawn = rng.standard_normal((users, self.size))
        return self._scaled(drawn) * rng.random((users, 1))

    def _scaled(self, rows: Data) -> Data:
        """As long as may be."""
        return np.asarray(rows * (self.radius / self.lengths(rows))[..., None])

    def apart(self, users: int, rng: Generator) -> Base:
        """Everybody between the ends of a direction of their own, as far from the others' as can be."""
        if self.norm == "l1":
            axes = rng.permutation(np.arange(users) % self.size)
            data = self.radius * np.eye(self.size)[axes]
        else:
            drawn = rng.standard_normal((users, self.size))
            data = self._scaled(np.sign(drawn) if self.norm == "linf" else drawn)
        return Base("everybody in a direction of their own", data, -data, data)

    def values(self, most: int, rng: Generator) -> list[Any]:
        """Ends of axes, zeros, all axes at once, shorter ones; then the ends of other axes, and others by lot."""
        first, aslant = self._along(0), self._scaled(np.ones(self.size))
        known = [-first, first, self.null, aslant, -aslant, 0.5 * first, self._along(self.size - 1), 0.01 * first]
        left = max(most - len(known), 0)
        axes = rng.permutation(np.arange(1, self.size))[: (left - left // BY_LOT) // 2].tolist()
        ends = [sign * self._along(axis) for axis in axes for sign in (-1.0, 1.0)]
        return [*known, *ends, *self.random(max(left - len(ends), 0), rng)][: max(most, 2)]

    @property
    def variety(self) -> int:
        """Both ends of every axis, and some that lie between."""
        return 8 + 2 * self.size * BY_LOT // (BY_LOT - 1)

    def allows(self, data: Data) -> bool:
        """Rows of so many numbers, none too long and no NaN among them."""
        if data.dtype.kind not in "fiub" or data.ndim != 2 or data.shape[1] != self.size:
            return False
        return bool((self.lengths(data) <= self.radius * (1.0 + ROUNDING)).all())

    @property
    def words(self) -> str:
        """The ball."""
        return f"rows of {self.size} numbers whose {self.norm} norm is at most {self.radius:g}"

    def typed(self, data: Data) -> Data:
        """Doubles."""
        return data.astype(np.float64)

    def shown(self, value: Any) -> str:
        """Its first numbers."""
        told = ", ".join(f"{number:.3g}" for number in value[:SHOWN])
        return f"({told}, ...)" if len(value) > SHOWN else f"({told})"

    def everybody(self, users: int, value: Any) -> Data:
        """All with one vector."""
        return np.tile(np.asarray(value, dtype=np.float64), (users, 1))

    def nearby(self, users: int) -> Sequence[Data]:
        """On the first axis, half-way out."""
        return [self.everybody(users, (0.5 + 1e-6 * step) * self._along(0)) for step in range(1, NEARBY)]

    def _bases(self, users: int, rng: Generator) -> Iterator[Base]:
        """The ends of the first axis; and random data whose users move along all axes at once, or along the last."""
        yield from super()._bases(users, rng)
        if self.size > 1:
            aslant = self._scaled(np.ones(self.size))
            yield Base("random data, users along all axes", self.random(users, rng), -aslant, aslant)
            last = self._along(self.size - 1)
            yield Base("random data, users along the last axis", self.random(users, rng), -last, last)
