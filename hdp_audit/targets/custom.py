"""Outputs of any kind as rows of numbers, for mechanisms that estimate neither a mean nor frequencies."""

from __future__ import annotations

import contextlib
import functools
import itertools
import math
import reprlib
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.dataset import Dataset
from hdp_audit.targets.calls import arguments, limit_of, process_of, surroundings_of, wants_users
from hdp_audit.targets.failures import WrongCount, WrongType, failure_of
from hdp_audit.targets.named_parts import part_names
from hdp_audit.targets.numbers import PRINTABLE, described
from hdp_audit.targets.parts import Part, taken_apart, text
from hdp_audit.targets.places import FORM, OUTPUT, Apart, Layout
from hdp_audit.targets.subject import Remembers, name_of, replayable, takes_rng

Floats = NDArray[np.float64]

Told = tuple[tuple[tuple[Any, Any], ...], ...]

FEW = 24  # distinct outputs that are kept to be shown, and symbols
SHOWN = 6  # parts of one
NO_FEATURES = "nothing from features(output); return numbers, texts, or lists of them"
KINDS = (OUTPUT, "feature")  # what a part of an output is called, and one of what `features` returns
TRIALS = 4  # first calls, at least, which show what outputs look like
SESSIONS = 32  # the same of sessions, which rarely look alike


class Encoded(Remembers):
    """A mechanism whose outputs are rows of numbers, laid out as its first outputs suggest.

    An output of another length or kind is no failure: symbols hold what finds no place. `symbols` and `seen` turn
    numbers into words again; they stay empty where outputs are `private`, as these may tell a user's own data.

    `features(output)`, of the mechanism unless given, says what an opaque output shows; its parts follow those of the
    output, which are all looked at as well: a function of the output alone can only add to what is seen.
    """

    def __init__(
        self,
        mechanism: Callable[..., Any],
        datasets: list[Dataset],
        rng: np.random.Generator,
        trials: int = TRIALS,
        *,
        private: bool = False,
        features: Callable[[Any], Any] | None = None,
    ) -> None:
        self.mechanism: Callable[..., Any] = mechanism
        self.around = surroundings_of(mechanism)
        promise = datasets[0].promise if datasets else None
        self._gives_rng, self.takes_rng = takes_rng(mechanism, promise), replayable(mechanism, promise)
        self.name, self.limit = name_of(mechanism), limit_of(mechanism)
        self._private = private
        self.features = features or _features_of(mechanism)
        self._symbols: dict[float, str] = {}
        self._forms: dict[float, str] = {}
        self.seen: dict[bytes, tuple[tuple[float, ...], str]] = {}  # the distinct outputs, FEW + 1 of them at most
        if getattr(mechanism, "batch", None) is not None:
            self.batch = self._batched
        calls = itertools.islice(itertools.cycle(datasets), max(len(datasets), trials))
        tried = (self._first_output(dataset, rng) for dataset in calls)
        met = [each for each in tried if each is not None]
        kinds = KINDS if self.features is not None else KINDS[:1]
        self._layouts = [self._layout([each[place] for each in met], called) for place, called in enumerate(kinds)]
        self.layout = functools.reduce(Layout.beside, self._layouts)
        self.width = len(self.layout.columns)

    def __call__(self, data: Any, *given: Any) -> Floats:
        """One output, encoded, for data, columns of the promise, and a generator."""
        return np.array(self._row(self._called(data, *given)))

    @property
    def wants_users(self) -> bool:
        """Whether it is told who is there."""
        return wants_users(self.mechanism)

    @property
    def told(self) -> Told:
        """What is kept of outputs, to show them."""
        return tuple(tuple(kept.items()) for kept in (self.seen, self._symbols, self._forms))

    @told.setter
    def told(self, kept: Told) -> None:
        self.seen, self._symbols, self._forms = (dict(entries) for entries in kept)

    @property
    def given_up(self) -> bool:
        """Whether it is not called any more."""
        return bool(getattr(self.mechanism, "given_up", False))

    @property
    def process(self) -> str:
        """Of a program: how it is started."""
        return process_of(self.mechanism)

    @property
    def symbols(self) -> dict[float, str]:
        """What numbers stand for; forms only where there are several."""
        return self._symbols | (self._forms if len(self._forms) > 1 else {})

    def _batched(self, *given: Any) -> Floats:
        """As many outputs for one dataset as the last argument says."""
        outputs, size = self.mechanism.batch(*given), given[-1]  # type: ignore[attr-defined]
        if type(outputs) not in (list, tuple, np.ndarray):  # anything else may do what it wants when it is asked
            raise WrongType(f"a batch that is {described(outputs)}; return a list of outputs", described(outputs))
        if len(outputs) != size:
            raise WrongCount(f"a batch of {len(outputs)} outputs instead of {size}", f"{len(outputs)} outputs")
        return np.array([self._row(output) for output in outputs]).reshape(size, self.width)

    def _layout(self, seen: list[tuple[Apart, list[str] | None]], called: str) -> Layout:
        """Of several outputs; names, which all have to agree on, may tell what no report shows of private ones."""
        names = seen[0][1] if seen and not self._private else None
        agreed = all(other == names for _, other in seen)
        return Layout.of([apart for apart, _ in seen], called, names if agreed else None)

    def _first_output(self, dataset: Dataset, rng: np.random.Generator) -> list[tuple[Apart, list[str] | None]] | None:
        """An output of a first call, and its features; None where it fails, as it will again when it is judged."""
        given = arguments(dataset, self.mechanism)
        try:
            return self.around.run(lambda: self._first(self._called(*given, rng)))
        except BaseException as why:
            failure_of(why, dataset.data)  # a Ctrl-C goes on
            return None

    def _first(self, output: Any) -> list[tuple[Apart, list[str] | None]]:
        """Parts and their names, of the output and of its features."""
        seen = zip(self._seen_as(output), KINDS, strict=False)
        return [(taken_apart(each), part_names(each, called)) for each, called in seen]

    def _seen_as(self, output: Any) -> list[Any]:
        """The output, and its features if it has some."""
        if self.features is None:
            return [output]
        shown = self.features(output)
        if shown is None:  # else a forgotten `return` would pass as features that say nothing
            raise WrongType(NO_FEATURES, None)
        return [output, shown]

    def _called(self, *given: Any) -> Any:
        return self.mechanism(*given) if self._gives_rng else self.mechanism(*given[:-1])

    def _row(self, output: Any) -> list[float]:
        aparts = [taken_apart(each) for each in self._seen_as(output)]
        for part in itertools.chain.from_iterable(parts for _, parts in aparts):
            if part.number is not None and not math.isfinite(part.number):
                return [part.number] + [0.0] * (self.width - 1)  # a failure, whatever else came
        arranged = [layout.arranged(apart) for layout, apart in zip(self._layouts, aparts, strict=True)]
        row = [x for layout, parts in zip(self._layouts, arranged, strict=True) for x in layout.row(parts)]
        self._remember(output, row, [part for parts in arranged for part in parts])
        return row

    def _remember(self, output: Any, row: list[float], arranged: list[Part]) -> None:
        """What a person needs to read the numbers."""
        if self._private:
            return
        if len(self.seen) <= FEW:
            self.seen.setdefault(np.array(row).tobytes(), (tuple(row), _short(output)))
        if len(self._symbols) > FEW:
            return
        for place, part in zip(self.layout.places, arranged, strict=True):
            if part.symbol is not None:
                told = self._forms if place.name.startswith(FORM) else self._symbols
                told.setdefault(place.numbered(part)[-1], text(part.symbol))


def _features_of(mechanism: Callable[..., Any]) -> Callable[[Any], Any] | None:
    """Its own, where it is a function: a number of that name is something else."""
    found = getattr(mechanism, "features", None)
    return found if callable(found) else None


def _short(output: Any) -> str:
    """An output as a person reads it; one that is not Python's own is not asked, as its repr may do anything."""
    if type(output) is np.ndarray and output.dtype.kind in "iufb":
        return _short(output.tolist())
    if _is_plain(output):
        with contextlib.suppress(ValueError):  # an integer of more digits than Python prints
            return reprlib.repr(output)
    form, parts = taken_apart(output)
    listed = [text(part.symbol) if part.symbol is not None else f"{part.number!r}" for part in parts[:SHOWN]]
    told = ", ".join(listed) + (", ..." if len(parts) > SHOWN else "")
    return f"{form}: {told}" if form else told


def _is_plain(output: Any, levels: int = 4) -> bool:
    kind = type(output)
    if kind in (list, tuple, set, frozenset) and levels:
        return all(_is_plain(entry, levels - 1) for entry in output)
    if kind is dict and levels:
        return all(_is_plain(entry, levels - 1) for item in output.items() for entry in item)
    return kind in PRINTABLE
