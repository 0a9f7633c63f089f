"""One way to call a mechanism under audit: batch or one by one, with failures as outcomes instead of interruptions."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.errors import InvalidInput

Floats = NDArray[np.float64]

FINE, RAISED, NOT_FINITE, WRONG_SHAPE = 0.0, 1.0, 2.0, 3.0
WORDS = {RAISED: "raised an exception", NOT_FINITE: "returned NaN or infinity", WRONG_SHAPE: "returned the wrong shape"}


@dataclass(frozen=True)
class Failure:
    """The first offending call of a kind, for the report."""

    kind: float
    message: str
    data: Any


class Subject:
    """A mechanism, its demands and its task; `draw` and `draw_each` return one row an output.

    The last column is the outcome: 0 for an output, else a symbol for the way the call failed. An exception that
    depends on the data is a leak like any other, so witnesses see this column too.
    """

    def __init__(self, mechanism: Callable[..., Any], epsilon: Floats, categories: int | None, name: str = "") -> None:
        self.mechanism = mechanism
        self.epsilon = epsilon
        self.width = 1 if categories is None else categories
        self.categories = categories
        self.name = name or getattr(mechanism, "name", "") or getattr(mechanism, "__name__", "mechanism")
        self.takes_rng = takes_rng(mechanism)
        self.trusts_batches = True
        self.failures: dict[float, Failure] = {}
        self.calls = 0

    def draw(self, data: NDArray[Any], size: int, rng: np.random.Generator) -> Floats:
        """`size` outputs for one dataset."""
        self.calls += size
        batch = getattr(self.mechanism, "batch", None)
        if batch is not None and self.trusts_batches:
            try:
                outputs = np.asarray(batch(_copied(data), self.epsilon, rng, size), dtype=np.float64)
                return self._table(outputs, size, data)
            except (Exception, SystemExit) as why:  # the batch failed as a whole: find out call by call
                self._note(RAISED, why, data)
        return np.concatenate([self._one(data, rng) for _ in range(size)]) if size else np.empty((0, self.width + 1))

    @property
    def has_batches(self) -> bool:
        """Whether many outputs come from one call."""
        return self.trusts_batches and getattr(self.mechanism, "batch", None) is not None

    def draw_mixed(self, first: Any, second: Any, coins: NDArray[np.bool_], rng: np.random.Generator) -> Floats:
        """One call for each coin, in their order."""
        self.calls += coins.size
        rows = [self._one(second if coin else first, rng) for coin in coins]
        return np.concatenate(rows) if rows else np.empty((0, self.width + 1))

    def draw_each(self, datasets: NDArray[Any], rng: np.random.Generator) -> Floats:
        """One output for each row."""
        many = getattr(self.mechanism, "many", None)
        self.calls += datasets.shape[0]
        if many is not None and self.trusts_batches:
            try:
                outputs = np.asarray(many(_copied(datasets), self.epsilon, rng), dtype=np.float64)
                return self._table(outputs, datasets.shape[0], datasets)
            except (Exception, SystemExit) as why:
                self._note(RAISED, why, datasets)
        return np.concatenate([self._one(row, rng) for row in datasets])

    def _one(self, data: NDArray[Any], rng: np.random.Generator) -> Floats:
        given = _copied(data)
        try:
            output = self.mechanism(given, self.epsilon, rng) if self.takes_rng else self.mechanism(given, self.epsilon)
            return self._table(np.asarray(output, dtype=np.float64).reshape(1, -1), 1, data)
        except (Exception, SystemExit) as why:
            self._note(RAISED, why, data)
            return self._failed(1, RAISED)

    def _table(self, outputs: Floats, size: int, data: NDArray[Any]) -> Floats:
        if outputs.size != size * self.width or outputs.shape[0] != size:
            self._note(WRONG_SHAPE, f"shape {outputs.shape} for {size} outputs of {self.width}", data)
            return self._failed(size, WRONG_SHAPE)
        table = np.zeros((size, self.width + 1))
        table[:, :-1] = outputs.reshape(size, self.width)
        bad = ~np.isfinite(table).all(axis=1)
        if bad.any():
            self._note(NOT_FINITE, f"output {outputs[np.flatnonzero(bad)[0]]}", data)
            table[bad] = 0.0
            table[bad, -1] = NOT_FINITE
        return table

    def _failed(self, size: int, kind: float) -> Floats:
        table = np.zeros((size, self.width + 1))
        table[:, -1] = kind
        return table

    def _note(self, kind: float, why: object, data: NDArray[Any]) -> None:
        words = f"{type(why).__name__}: {why}" if isinstance(why, BaseException) else str(why)
        self.failures.setdefault(kind, Failure(kind, words, data))


def _copied(data: Any) -> Any:
    """A copy: a mechanism that writes into its input must not change the next call's."""
    return data.copy() if isinstance(data, np.ndarray) else copy.deepcopy(data)


def takes_rng(mechanism: Callable[..., Any]) -> bool:
    """Whether it is called with a generator; an error in words if it takes neither form."""
    try:
        inspect.signature(mechanism).bind(None, None, None)
    except TypeError:
        try:
            inspect.signature(mechanism).bind(None, None)
        except TypeError:
            raise InvalidInput(
                f"{mechanism!r} takes neither (data, epsilon, rng) nor (data, epsilon); give a function that does"
            ) from None
        return False
    except ValueError:  # a builtin without a signature
        return True
    return True
