"""Outputs of any kind, for mechanisms that estimate neither a mean nor frequencies.

Numbers, vectors, symbols, tuples.
"""

from __future__ import annotations

import contextlib
import reprlib
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.sampling.failures import WrongShape
from hdp_audit.sampling.subject import takes_rng

Floats = NDArray[np.float64]

FEW = 24  # distinct outputs that are kept to be shown, and symbols of a column


def encoded(output: Any, symbols: dict[float, str] | None = None) -> list[float]:
    """An output as numbers: numbers themselves, symbols as a number of their own, which `symbols` remembers.

    Tuples and arrays one after another.
    """
    if isinstance(output, np.generic):
        return encoded(output.item(), symbols)  # the same symbol, whoever made it
    if isinstance(output, dict):
        return encoded(sorted(output.items(), key=repr), symbols)
    if isinstance(output, np.ndarray):
        return [number for item in output.ravel().tolist() for number in encoded(item, symbols)]
    if isinstance(output, (tuple, list)):
        return [number for item in output for number in encoded(item, symbols)]
    if isinstance(output, (int, float, np.integer, np.floating)) and not isinstance(output, bool):
        return [float(output)]
    number = float(zlib.crc32(repr(output).encode()))
    if symbols is not None and len(symbols) <= FEW:
        symbols.setdefault(number, reprlib.repr(output))
    return [number]


def _short(output: Any) -> str:
    return reprlib.repr(output.tolist() if isinstance(output, np.ndarray) else output)


class Encoded:
    """A mechanism whose outputs are rows of `width` numbers, as its first output is.

    An output of another length is a failure like any other. `symbols` and `seen` turn numbers into words again.
    """

    def __init__(
        self, mechanism: Callable[..., Any], datasets: list[Any], epsilon: Floats, rng: np.random.Generator
    ) -> None:
        self.mechanism: Callable[..., Any] = mechanism
        self.takes_rng = takes_rng(mechanism)
        self.name = getattr(mechanism, "name", "") or getattr(mechanism, "__name__", "mechanism")
        self.symbols: dict[float, str] = {}
        self.seen: dict[tuple[float, ...], str] = {}  # the distinct outputs, FEW + 1 of them at most
        if getattr(mechanism, "batch", None) is not None:
            self.batch = self._batched
        self.width = 1
        for data in datasets:
            with contextlib.suppress(Exception, SystemExit):  # what fails now fails again when it is judged
                self.width = max(len(encoded(self._called(data, epsilon, rng))), 1)
                break

    def __call__(self, data: Any, epsilon: Floats, rng: np.random.Generator) -> Floats:
        """One output, encoded."""
        return self._row(self._called(data, epsilon, rng))

    @property
    def given_up(self) -> bool:
        """Whether it is not called any more."""
        return bool(getattr(self.mechanism, "given_up", False))

    def _batched(self, data: Any, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
        """`size` outputs for one dataset."""
        outputs = list(self.mechanism.batch(data, epsilon, rng, size))  # type: ignore[attr-defined]
        if len(outputs) != size:
            raise WrongShape(f"a batch of {len(outputs)} outputs instead of {size}", outputs)
        return np.array([self._row(output) for output in outputs]).reshape(size, self.width)

    def _called(self, data: Any, epsilon: Floats, rng: np.random.Generator) -> Any:
        return self.mechanism(data, epsilon, rng) if self.takes_rng else self.mechanism(data, epsilon)

    def _row(self, output: Any) -> Floats:
        numbers = encoded(output, self.symbols)
        if len(numbers) != self.width:
            raise WrongShape(
                f"an output of {len(numbers)} parts, where the first one had {self.width}; fill short ones up", output
            )
        if len(self.seen) <= FEW:
            self.seen.setdefault(tuple(numbers), _short(output))
        return np.array(numbers)
