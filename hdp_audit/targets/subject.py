"""One way to call a mechanism under audit: batch or one by one, with failures as outcomes instead of interruptions."""

from __future__ import annotations

import inspect
import math
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.errors import InvalidInput
from hdp_audit.model.dataset import Dataset, DatasetTable
from hdp_audit.model.domain import Base, Domain
from hdp_audit.model.neighbours import Coins, NeighbourPair, Neighbours, Replace, Users
from hdp_audit.model.promise import Promise
from hdp_audit.model.task import Estimate, Task
from hdp_audit.targets.beats import pulse, reading
from hdp_audit.targets.calls import arguments, limit_of, process_of, surroundings_of
from hdp_audit.targets.chunks import Chunk, Mixed, Same, chunked, fewest, sizes
from hdp_audit.targets.failures import (
    ENDED,
    FINE,
    LATE,
    NOT_FINITE,
    READING,
    Failure,
    ProgramError,
    WrongCount,
    WrongShape,
    failure_of,
)
from hdp_audit.targets.made import count
from hdp_audit.targets.numbers import described, exact, shown
from hdp_audit.targets.streams import Named

Floats = NDArray[np.float64]

READING_EACH = 0.01  # seconds more for each output of many
ABSURD = 1000  # entries more than are due
UNTIL_FAILED = 4000  # single calls that look for a failure which a batch had


@dataclass(frozen=True)
class Known:
    """What calls so far have shown of a mechanism, as far as it decides how further calls are made and read."""

    trusts_batches: bool
    shapes: tuple[tuple[str, tuple[int, ...]], ...]
    kinds: frozenset[float] = frozenset()  # of failures
    told: Any = None  # what the mechanism keeps of its outputs, to show them

    def allows(self, other: Known) -> bool:
        """Whether a table made by one who knew `other`, and learned nothing, is the one made here."""
        return (self.trusts_batches, self.shapes) == (other.trusts_batches, other.shapes)


class Remembers(ABC):
    """A mechanism of ours that keeps some of its outputs, to show them."""

    told: Any

    @abstractmethod
    def __call__(self, data: Any, *given: Any) -> Any:
        """One output."""


Maker = Callable[["Subject", Sequence[Chunk]], Iterable[Floats]]


def here(subject: Subject, chunks: Sequence[Chunk]) -> Iterator[Floats]:
    """The tables of chunks, one after the other, made in this process."""
    for chunk in chunks:
        with pulse.within(chunk.number):
            table = chunk.made(subject)
        yield table


class Subject:
    """A mechanism, what was promised, and its task; `draw` and `draw_each` return one row per output.

    A draw is told the name of its stream, and comes in chunks (`chunks.py`) which `maker` makes: here, unless told
    otherwise. What they change in the subject (`calls`, `failures`, ...) is the same whoever made them.

    The last column is the outcome: 0 for an output, else a symbol for the way the call failed. An exception that
    depends on the data is a leak like any other, so witnesses see this column too. Nobody
    can write into what was promised, and every call gets copies of its own.
    """

    def __init__(
        self,
        mechanism: Callable[..., Any],
        promise: Promise,
        task: Task,
        name: str = "",
        neighbours: Neighbours | None = None,
        domain: Domain | None = None,
    ) -> None:
        self.mechanism = mechanism
        self.promise = promise
        self.task = task
        self.neighbours = neighbours or Replace()
        self.domain = domain or task.domain
        self.width = task.width
        self.name = name or name_of(mechanism)
        self.takes_rng = takes_rng(mechanism, promise)
        self.process = process_of(mechanism)
        self._reading = max(READING, limit_of(mechanism))  # seconds
        self.trusts_batches = True
        self.failures: dict[float, Failure] = {}
        self.calls = 0
        self.outcomes: Counter[float] = Counter()  # of the calls whose outputs were handed out
        self.maker: Maker = here
        self._around = surroundings_of(mechanism)
        self._around.settle()
        self._shapes: dict[str, tuple[int, ...]] = {}  # of an output, by the way of calling

    @property
    def epsilon(self) -> Floats:
        """What everybody was promised, as numbers; nobody can write into them."""
        return self.promise.strengths

    def beside(self, mechanism: Callable[..., Any]) -> Subject:
        """Another mechanism with the same promises, task and outputs."""
        other = Subject(mechanism, self.promise, self.task, self.name, self.neighbours, self.domain)
        other.width = self.width
        return other

    def dataset(self, data: Any) -> Dataset:
        """Data of everybody, with what everybody was promised."""
        return Dataset(data, self.promise)

    def bases(self, own: NDArray[Any] | None = None) -> list[Base]:
        """The datasets that such a mechanism is tried on."""
        return self.domain.bases(len(self.promise), own)

    def pair(self, base: Base, users: Users) -> NeighbourPair:
        """Two datasets that differ in these users alone."""
        return self.neighbours.pair(self.domain, base, users, self.promise)

    def coins(self, base: Base) -> Coins:
        """What a coin of a user means, for everybody at once."""
        return self.neighbours.coins(self.domain, base, self.promise)

    def draw(self, dataset: Dataset, size: int, stream: Named) -> Floats:
        """`size` outputs for one dataset."""
        spans = self.spans(size, batches=self.has_batches)
        parts = zip(spans, stream.turns("chunk"), strict=False)
        return self.drawn([Same(own, dataset, end - start) for (start, end), own in parts])

    def draw_mixed(self, first: Dataset, second: Dataset, coins: NDArray[np.bool_], stream: Named) -> Floats:
        """One call for each coin, in their order."""
        parts = zip(self.spans(coins.size, batches=False), stream.turns("chunk"), strict=False)
        return self.drawn([Mixed(own, first, second, coins[start:end]) for (start, end), own in parts])

    def draw_each(self, datasets: Collection[Dataset], stream: Named) -> Floats:
        """One output for each dataset."""
        batches = self.has_tables and isinstance(datasets, DatasetTable)
        return self.drawn(list(chunked(datasets, stream, self.spans(len(datasets), batches=batches))))

    def spans(self, calls: int, *, batches: bool) -> Iterator[tuple[int, int]]:
        """Where the chunks of a request begin and end."""
        return sizes(calls, batches=batches, least=fewest(len(self.promise), program=bool(self.process)))

    def drawn(self, chunks: Sequence[Chunk]) -> Floats:
        """The rows of these chunks, in their order."""
        tables = []
        for chunk, rows in zip(chunks, self.maker(self, chunks), strict=True):
            self.calls += chunk.size
            tables.append(self._counted(rows))
        return tables[0] if len(tables) == 1 else np.concatenate(tables)

    def one(self, dataset: Dataset, rng: np.random.Generator) -> Floats:
        """One call, made here and now, for those who look at what it leaves behind: a row with its outcome."""
        self.calls += 1
        return self._counted(self._one(dataset, rng))[0]

    def same(self, dataset: Dataset, size: int, rng: np.random.Generator) -> Floats:
        """Calls on one dataset, made here; they are not counted yet."""
        if not size:
            return self._failed(0, FINE)
        if self.has_batches:
            given = arguments(dataset, self.mechanism)
            try:
                outputs = self._around.run(self.mechanism.batch, *given, rng, size)  # type: ignore[attr-defined]
            except WrongCount as why:
                return self._failed(size, self._note(failure_of(why, dataset.data)).kind)
            except BaseException as why:  # the batch failed as a whole: find out call by call
                failure = self._note(failure_of(why, dataset.data))
                if size == 1 and isinstance(why, ProgramError):
                    return self._failed(1, failure.kind)
                return self._one_failing([dataset] * size, rng, failure)
            else:
                held = [outputs]
                del outputs
                return self._read(held, size, dataset, "batch")
        return np.concatenate([self._one(dataset, rng) for _ in range(size)])

    def _one_failing(self, datasets: Collection[Dataset], rng: np.random.Generator, failure: Failure) -> Floats:
        """Single calls in the place of calls of which at least one failed: made again until one of them does.

        Else a failure that comes in few calls would be forgotten with its batch, and the others would not have the law
        of calls. Where some fail and some do not, or none does, only single calls tell; the same where a program ended.
        """
        made, seldom = 0, failure.kind != LATE
        while True:
            rows = np.concatenate([self._one(dataset, rng) for dataset in datasets])
            failed, made = rows[:, -1] != FINE, made + len(rows)
            if failed.any() or self.given_up or not seldom or made >= UNTIL_FAILED:
                break
            self.calls += len(rows)
        if failure.kind == ENDED or (seldom and not failed.all()):
            self.trusts_batches = False
        return rows

    @property
    def known(self) -> Known:
        """What calls so far have shown."""
        told = self.mechanism.told if isinstance(self.mechanism, Remembers) else None
        return Known(self.trusts_batches, tuple(sorted(self._shapes.items())), frozenset(self.failures), told)

    def take(self, known: Known) -> None:
        """Know this and nothing else, as if the calls that showed it had been made here."""
        self.trusts_batches, self._shapes = known.trusts_batches, dict(known.shapes)
        for kind in self.failures.keys() ^ known.kinds:
            if kind in known.kinds:
                self.failures[kind] = Failure(kind, "", None, None)
            else:
                del self.failures[kind]
        if isinstance(self.mechanism, Remembers):
            self.mechanism.told = known.told

    @property
    def has_batches(self) -> bool:
        """Whether many outputs come from one call."""
        return self.trusts_batches and getattr(self.mechanism, "batch", None) is not None

    @property
    def has_tables(self) -> bool:
        """Whether outputs for several datasets come from one call."""
        return self.trusts_batches and getattr(self.mechanism, "many", None) is not None

    @property
    def replayable(self) -> bool:
        """Whether its randomness is ours."""
        return replayable(self.mechanism, self.promise)

    @property
    def replaced(self) -> list[str]:
        """Code of others that calls have put their own in the place of."""
        self._around.tidy()
        return list(self._around.replaced)

    @property
    def given_up(self) -> bool:
        """Whether it failed so often that it is not called any more."""
        return bool(getattr(self.mechanism, "given_up", False))

    def mixed(self, first: Dataset, second: Dataset, coins: NDArray[np.bool_], rng: np.random.Generator) -> Floats:
        """One call for each coin, in their order, made here; they are not counted yet."""
        rows = [self._one(second if coin else first, rng) for coin in coins]
        return np.concatenate(rows) if rows else self._failed(0, FINE)

    def each(self, datasets: Collection[Dataset], rng: np.random.Generator) -> Floats:
        """One call for each dataset, made here; they are not counted yet."""
        if not len(datasets):
            return self._failed(0, FINE)
        if self.has_tables and isinstance(datasets, DatasetTable):
            given = arguments(datasets, self.mechanism)
            try:
                outputs = self._around.run(self.mechanism.many, *given, rng)  # type: ignore[attr-defined]
            except WrongCount as why:
                return self._failed(len(datasets), self._note(failure_of(why, datasets.rows)).kind)
            except BaseException as why:
                return self._one_failing(datasets, rng, self._note(failure_of(why, datasets.rows)))
            else:
                del given  # as large as all datasets together
                held = [outputs]
                del outputs
                return self._read(held, len(datasets), datasets, "many")
        return np.concatenate([self._one(dataset, rng) for dataset in datasets])

    def _one(self, dataset: Dataset, rng: np.random.Generator) -> Floats:
        given = arguments(dataset, self.mechanism)
        try:
            output = self._around.run(self.mechanism, *given, *([rng] if self.takes_rng else []))
        except BaseException as why:
            return self._failed(1, self._note(failure_of(why, dataset.data)).kind)
        row = self._usual(output)
        if row is not None:
            return row
        held = [[output]]
        del output
        return self._read(held, 1, dataset, "single")

    def _read(self, held: list[Any], size: int, given: Dataset | DatasetTable, how: str) -> Floats:
        """Outputs taken out of the list that holds them, so that their end is watched as well: objects may do anything.

        What an object does when it is looked at, or when nobody needs it any more, belongs to the call it came from.
        """
        with reading(self._reading + READING_EACH * size):
            return self._table(held.pop(), size, given, how)

    def _usual(self, output: Any) -> Floats | None:
        """What `_table` makes of finite doubles shaped like those before, in a fraction of its time; else None."""
        shape = self._shapes.get("single")
        if shape is None:
            return None
        kind = type(output)
        if kind is float or kind is np.float64:
            return np.array([[output, 0.0]]) if shape == () and math.isfinite(output) else None
        if (
            kind is not np.ndarray
            or output.dtype != np.float64
            or output.shape != shape
            or not np.isfinite(output).all()
        ):
            return None
        row = np.zeros((1, self.width + 1))
        row[0, :-1] = output.reshape(-1)
        return row

    def _table(self, outputs: Any, size: int, given: Dataset | DatasetTable, how: str) -> Floats:
        """The outputs with the column of outcomes."""
        try:
            numbers = self._numbers(outputs, size, how)
        except BaseException as why:
            failure = failure_of(why, _data_of(given))
            if size > 1 and type(outputs) in (list, tuple) and len(outputs) == size:
                return np.concatenate([self._table([output], 1, given, how) for output in outputs])  # some may be fine
            return self._failed(size, self._note(failure).kind)
        table = np.column_stack([numbers, np.zeros(size)])
        bad = ~np.isfinite(table).all(axis=1)
        if bad.any():
            row = numbers[np.flatnonzero(bad)[0]]
            came = row if self.task.width > 1 or self.width > 1 else float(row[0])
            self._note(Failure(NOT_FINITE, f"output {came}", _data_of(given), came))
            table[bad] = 0.0
            table[bad, -1] = NOT_FINITE
        return table

    def _numbers(self, outputs: Any, size: int, how: str) -> Floats:
        """One row an output; all outputs of one way of calling have the shape of the first."""
        output = outputs[0] if size == 1 and type(outputs) is list and outputs else outputs
        if type(output) in (list, tuple) and len(output) > size * self.width + ABSURD:
            raise WrongShape(f"{described(output)} {self._instead(size)}", None)  # to read it all would take a while
        try:
            numbers = exact(outputs)
        except WrongShape as why:
            raise type(why)(
                f"{why} {self._instead(size)}" if type(why) is WrongShape else str(why), why.output
            ) from None
        if numbers.ndim == 0 or numbers.shape[0] != size or numbers.size != size * self.width:
            raise WrongShape(f"{described(output)} {self._instead(size)}", shown(output))
        shape = self._shapes.setdefault(how, numbers.shape[1:])
        if numbers.shape[1:] != shape:
            raise WrongShape(f"an output of shape {numbers.shape[1:]}, where the first one had {shape}", shown(output))
        return numbers.reshape(size, self.width)

    def _instead(self, size: int) -> str:
        due = "a number" if self.width == 1 else f"{self.width} numbers"
        return f"instead of {size} outputs, each {due}" if size > 1 else f"instead of {due}"

    def _failed(self, size: int, kind: float) -> Floats:
        table = np.zeros((size, self.width + 1))
        table[:, -1] = kind
        return table

    def _counted(self, rows: Floats) -> Floats:
        """The rows as they are, once they are counted by their outcomes."""
        self._around.tidy(len(rows))
        if rows[:, -1].any():
            self.outcomes.update(rows[:, -1].tolist())
        elif len(rows):  # as a rule, and there may be millions
            self.outcomes[FINE] += len(rows)
        count(len(rows))
        return rows

    def _note(self, failure: Failure) -> Failure:
        self.failures.setdefault(failure.kind, failure)
        return failure


def _data_of(given: Dataset | DatasetTable) -> Any:
    return given.rows if isinstance(given, DatasetTable) else given.data


def estimated(subject: Subject) -> Estimate:
    """Its task, where the truth is known."""
    if not isinstance(subject.task, Estimate):
        raise InvalidInput(f"{subject.name}: of a {subject.task.name} task only privacy can be audited")
    return subject.task


def name_of(mechanism: Callable[..., Any]) -> str:
    """What a mechanism calls itself."""
    return getattr(mechanism, "name", "") or getattr(mechanism, "__name__", "mechanism")


def replayable(mechanism: Callable[..., Any], promise: Promise | None) -> bool:
    """Whether its randomness is ours; what wraps a mechanism knows better than its own signature."""
    known = getattr(mechanism, "takes_rng", None)
    return takes_rng(mechanism, promise) if known is None else bool(known)


def takes_rng(mechanism: Callable[..., Any], promise: Promise | None = None) -> bool:
    """Whether it is called with a generator; an error in words if it takes neither form."""
    columns = ("epsilon",) if promise is None else tuple(promise.columns)
    try:
        signature = inspect.signature(mechanism)
    except ValueError:  # a builtin without a signature
        return True
    except TypeError:
        raise InvalidInput(f"{type(mechanism).__name__} cannot be called; give a function") from None
    for given in (2 + len(columns), 1 + len(columns)):
        try:
            signature.bind(*[None] * given)
        except TypeError:
            continue
        return given == 2 + len(columns)
    told, name = ", ".join(columns), name_of(mechanism)
    made = "" if signature.parameters else f'; if {name} makes the mechanism, add fresh = "call" or "run" (recipes)'
    raise InvalidInput(
        f"{name}{signature} takes neither (data, {told}, rng) nor (data, {told}), nor names what it takes; write "
        f"{name}(data, {told}, rng), {name}(data, {told}), or {name}(*, data, {told}, ids, rng) with those of these "
        f"names that it needs, in any order, and a default for all others{made}"
    )
