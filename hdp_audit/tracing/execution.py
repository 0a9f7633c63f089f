"""A mechanism as a function of its data and its draws."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hdp_audit.model.dataset import Dataset
from hdp_audit.targets.calls import arguments, surroundings_of
from hdp_audit.targets.failures import WrongShape
from hdp_audit.targets.parts import taken_apart
from hdp_audit.targets.subject import takes_rng
from hdp_audit.tracing.draws import Draw, Floats
from hdp_audit.tracing.generator import Recorder
from hdp_audit.tracing.patching import Holder, patched
from hdp_audit.tracing.tape import Tape

CLOSE = 1e-9  # of a change that is undone: so much may be left
ULPS = 64.0
EPSILON = float(np.finfo(np.float64).eps)
BELOW_ZERO = -5e-324  # what -0.0 counts as
MOST_CALLS = 100_000
Given = list[Floats]


class OutOfCalls(Exception):
    """As many calls as were allowed have been made."""


@dataclass(frozen=True, eq=False)
class Run:
    """One call: its output as numbers and as symbols (how the numbers are arranged, texts, an exception), its draws."""

    numbers: Floats
    symbols: tuple[str, ...]
    draws: tuple[Draw, ...]
    refused: str = ""
    failed: bool = False  # an exception, or nothing that can be read

    @property
    def tape(self) -> Given:
        """What was drawn, to be given again."""
        return [draw.u for draw in self.draws]

    def same_output(self, other: Run, change: float = 0.0) -> bool:
        """Whether nobody could tell the two outputs apart, but for rounding; and a part of a change that was undone."""
        if self.symbols != other.symbols or self.numbers.shape != other.numbers.shape:
            return False
        close = rounding(self.numbers, other.numbers) + CLOSE * change
        return bool((np.abs(self.numbers - other.numbers) <= close).all())

    def same_draws(self, other: Run) -> bool:
        """Whether the other asked for the same, line by line."""
        return len(self.draws) == len(other.draws) and all(
            mine.alike(its) for mine, its in zip(self.draws, other.draws, strict=True)
        )

    def same_laws(self, other: Run) -> bool:
        """Whether its standard noise has the same law, whichever lines it was drawn by."""
        return len(self.draws) == len(other.draws) and self.begins_with(other)

    def begins_with(self, other: Run) -> bool:
        """Whether the other's noise has the law of as much of this one's."""
        mine, its = ([(draw.shape, draw.law, draw.options) for draw in run.draws] for run in (self, other))
        return mine[: len(its)] == its


def rounding(first: Floats, second: Floats) -> Floats:
    """How far the last digits of doubles may drive two numbers apart."""
    return ULPS * EPSILON * np.maximum(np.abs(first), np.abs(second))


class Execution:
    """Calls a mechanism with tapes; only inside `open()`, while global generators are ours too."""

    def __init__(self, mechanism: Callable[..., Any], most: int = MOST_CALLS) -> None:
        self._mechanism = mechanism
        self._takes_rng: bool | None = None  # known with the first dataset: a promise has one column or more
        self._around = surroundings_of(mechanism)
        self._holder = Holder()
        self._most = most
        self.calls = 0
        self.uncountable: set[int] = set()  # numbers of entries whose branches were too many to be counted
        self.alive: dict[int, Floats] = {}  # noise at which so many coordinates were seen to move outputs: tried first

    @property
    def left(self) -> int:
        """Calls that may still be made."""
        return self._most - self.calls

    @contextlib.contextmanager
    def open(self) -> Iterator[Execution]:
        """From here on it can be called."""
        with patched(self._holder):
            yield self

    def run(self, dataset: Dataset, given: Given | None = None, seed: int = 0) -> Run:
        """One call; draws that are not given come by lot from the seed."""
        return self.play(dataset, Tape(given or [], seed))

    def play(self, dataset: Dataset, tape: Tape) -> Run:
        """One call on a tape."""
        if self.calls >= self._most:
            raise OutOfCalls
        self.calls += 1
        self._holder.tape = tape
        try:
            numbers, symbols, failed = self._called(dataset, Recorder(tape))
        finally:
            self._holder.tape = None
        return Run(numbers, symbols, tuple(tape.draws), tape.refused, failed)

    def real(self, dataset: Dataset, rng: np.random.Generator) -> Run:
        """One call with noise of a real generator, of which nothing is recorded."""
        numbers, symbols, failed = self._called(dataset, rng)
        return Run(numbers, symbols, (), failed=failed)

    def _called(self, dataset: Dataset, rng: np.random.Generator) -> tuple[Floats, tuple[str, ...], bool]:
        values = arguments(dataset, self._mechanism)
        if self._takes_rng is None:
            self._takes_rng = takes_rng(self._mechanism, dataset.promise)
        try:
            return *_apart(self._around.run(self._mechanism, *values, *([rng] if self._takes_rng else []))), False
        except WrongShape as why:
            return np.zeros(0), (f"refused: {why}",), True
        except KeyboardInterrupt:
            raise
        except BaseException as why:
            return np.zeros(0), (f"raised {type(why).__name__}",), True


def _apart(output: Any) -> tuple[Floats, tuple[str, ...]]:
    if type(output) in (float, np.float64):
        return _finite(np.array([output], dtype=np.float64), ())
    if type(output) is np.ndarray and output.dtype == np.float64 and output.ndim == 1:
        return _finite(output.copy(), (f"[{output.size}]",))
    form, parts = taken_apart(output)
    numbers = np.array([part.number for part in parts if part.symbol is None], dtype=np.float64)
    alone = not form and len(parts) == numbers.size == 1  # a whole number is a number, as any other
    return _finite(numbers, () if alone else (form, *(part.symbol or "" for part in parts)))


def _finite(numbers: Floats, symbols: tuple[str, ...]) -> tuple[Floats, tuple[str, ...]]:
    """What is no finite number is a symbol; -0 lies just below 0."""
    if not numbers.all():
        numbers[(numbers == 0) & np.signbit(numbers)] = BELOW_ZERO
    finite = np.isfinite(numbers)
    if not finite.all():
        odd = ~finite
        symbols = (*symbols, *(f"{numbers[place]} at {place}" for place in np.flatnonzero(odd)))
        numbers[odd] = 0.0
    return numbers, symbols
