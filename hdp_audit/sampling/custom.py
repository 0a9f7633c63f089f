"""Outputs of any kind, for mechanisms that estimate neither a mean nor frequencies.

Numbers, vectors, symbols, tuples.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.errors import InvalidInput
from hdp_audit.sampling.subject import takes_rng

Floats = NDArray[np.float64]


def encoded(output: Any) -> list[float]:
    """An output as numbers: numbers themselves, symbols as a number of their own.

    Tuples and arrays one after another.
    """
    if isinstance(output, np.generic):
        return encoded(output.item())  # the same symbol, whoever made it
    if isinstance(output, dict):
        return encoded(sorted(output.items(), key=repr))
    if isinstance(output, np.ndarray):
        return [number for item in output.ravel().tolist() for number in encoded(item)]
    if isinstance(output, (tuple, list)):
        return [number for item in output for number in encoded(item)]
    if isinstance(output, (int, float, np.integer, np.floating)) and not isinstance(output, bool):
        return [float(output)]
    return [float(zlib.crc32(repr(output).encode()))]


class Encoded:
    """A mechanism whose outputs are rows of `width` numbers.

    An output of another length is a failure like any other.
    """

    def __init__(self, mechanism: Callable[..., Any], data: Any, epsilon: Floats, rng: np.random.Generator) -> None:
        self.mechanism: Callable[..., Any] = mechanism
        self.takes_rng = takes_rng(mechanism)
        self.name = getattr(mechanism, "name", "") or getattr(mechanism, "__name__", "mechanism")
        self._batch = getattr(mechanism, "batch", None)
        try:
            self.width = max(len(encoded(self._called(data, epsilon, rng))), 1)
        except Exception as why:
            raise InvalidInput(
                f"{self.name}: the first call on the first pair's data raised {type(why).__name__}: {why}; "
                "a custom mechanism must accept every dataset of its pairs"
            ) from why

    def __call__(self, data: Any, epsilon: Floats, rng: np.random.Generator) -> Floats:
        """One output, encoded."""
        return self._row(self._called(data, epsilon, rng))

    def batch(self, data: Any, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
        """`size` outputs for one dataset."""
        batch = self._batch
        outputs: Iterable[Any] = (
            batch(data, epsilon, rng, size)
            if batch is not None
            else (self._called(data, epsilon, rng) for _ in range(size))
        )
        return np.array([self._row(output) for output in outputs]).reshape(size, self.width)

    def _called(self, data: Any, epsilon: Floats, rng: np.random.Generator) -> Any:
        return self.mechanism(data, epsilon, rng) if self.takes_rng else self.mechanism(data, epsilon)

    def _row(self, output: Any) -> Floats:
        numbers = encoded(output)
        if len(numbers) != self.width:
            raise ValueError(f"an output of {len(numbers)} parts, where the first one had {self.width}")
        return np.array(numbers)
