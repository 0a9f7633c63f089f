"""One way to call a mechanism under audit: batch or one by one, with failures as outcomes instead of interruptions."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.errors import InvalidInput
from hdp_audit.sampling.failures import FINE, NOT_FINITE, WRONG_SHAPE, Failure, failure_of

Floats = NDArray[np.float64]


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
        if not size:
            return self._failed(0, FINE)
        if self.has_batches:
            try:
                outputs = self.mechanism.batch(_copied(data), self.epsilon, rng, size)  # type: ignore[attr-defined]
            except KeyboardInterrupt:
                raise
            except BaseException as why:  # the batch failed as a whole: find out call by call
                self._note(failure_of(why, data))
            else:
                return self._table(outputs, size, data)
        return np.concatenate([self._one(data, rng) for _ in range(size)])

    @property
    def has_batches(self) -> bool:
        """Whether many outputs come from one call."""
        return self.trusts_batches and getattr(self.mechanism, "batch", None) is not None

    @property
    def replayable(self) -> bool:
        """Whether its randomness is ours; what wraps a mechanism knows better than its own signature."""
        return bool(getattr(self.mechanism, "takes_rng", self.takes_rng))

    @property
    def given_up(self) -> bool:
        """Whether it failed so often that it is not called any more."""
        return bool(getattr(self.mechanism, "given_up", False))

    def draw_mixed(self, first: Any, second: Any, coins: NDArray[np.bool_], rng: np.random.Generator) -> Floats:
        """One call for each coin, in their order."""
        self.calls += coins.size
        rows = [self._one(second if coin else first, rng) for coin in coins]
        return np.concatenate(rows) if rows else self._failed(0, FINE)

    def draw_each(self, datasets: NDArray[Any], rng: np.random.Generator) -> Floats:
        """One output for each row."""
        many = getattr(self.mechanism, "many", None)
        self.calls += datasets.shape[0]
        if many is not None and self.trusts_batches:
            try:
                outputs = many(_copied(datasets), self.epsilon, rng)
            except KeyboardInterrupt:
                raise
            except BaseException as why:
                self._note(failure_of(why, datasets))
            else:
                return self._table(outputs, datasets.shape[0], datasets)
        return np.concatenate([self._one(row, rng) for row in datasets])

    def _one(self, data: NDArray[Any], rng: np.random.Generator) -> Floats:
        given = _copied(data)
        try:
            output = self.mechanism(given, self.epsilon, rng) if self.takes_rng else self.mechanism(given, self.epsilon)
        except KeyboardInterrupt:
            raise
        except BaseException as why:
            failure = self._note(failure_of(why, data))
            return self._failed(1, failure.kind)
        return self._table([output], 1, data)

    def _table(self, outputs: Any, size: int, data: NDArray[Any]) -> Floats:
        """The outputs with the column of outcomes."""
        numbers = _numbers(outputs, size)
        if numbers is None and isinstance(outputs, (list, tuple)) and len(outputs) == size > 1:
            return np.concatenate([self._table([output], 1, data) for output in outputs])  # some may be fine
        if numbers is None or numbers.shape[1] != self.width:
            self._note(self._misshapen(outputs, size, data))
            return self._failed(size, WRONG_SHAPE)
        table = np.column_stack([numbers, np.zeros(size)])
        bad = ~np.isfinite(table).all(axis=1)
        if bad.any():
            row = numbers[np.flatnonzero(bad)[0]]
            shown = row if self.categories is not None or self.width > 1 else float(row[0])
            self._note(Failure(NOT_FINITE, f"output {shown}", data, shown))
            table[bad] = 0.0
            table[bad, -1] = NOT_FINITE
        return table

    def _misshapen(self, outputs: Any, size: int, data: NDArray[Any]) -> Failure:
        due = "a number" if self.categories is None and self.width == 1 else f"{self.width} numbers"
        output = outputs[0] if size == 1 and isinstance(outputs, list) and outputs else outputs
        many = f"{size} outputs, each " if size > 1 else ""
        return Failure(WRONG_SHAPE, f"{_described(output)} instead of {many}{due}", data, output)

    def _failed(self, size: int, kind: float) -> Floats:
        table = np.zeros((size, self.width + 1))
        table[:, -1] = kind
        return table

    def _note(self, failure: Failure) -> Failure:
        self.failures.setdefault(failure.kind, failure)
        return failure


def _numbers(outputs: Any, size: int) -> Floats | None:
    """One row an output; None where they are no numbers, or not so many."""
    if size == 1 and isinstance(outputs, list) and outputs and outputs[0] is None:
        return None  # a forgotten return is no NaN
    try:
        numbers = np.asarray(outputs, dtype=np.float64)
    except Exception:  # an output may raise whatever it likes when it is made a number
        return None
    if numbers.ndim == 0 or numbers.shape[0] != size:
        return None
    return numbers.reshape(size, -1)


def _described(output: Any) -> str:
    """What came, in a few words."""
    if output is None:
        return "nothing"
    if isinstance(output, np.ndarray):
        return f"an array of shape {output.shape}"
    if isinstance(output, (list, tuple)):
        return f"a {type(output).__name__} of {len(output)}"
    return f"a {type(output).__name__}"


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
