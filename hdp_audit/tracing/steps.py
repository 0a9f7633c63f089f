"""One output that follows one draw: at which noise it reaches each of its levels, found by halving.

Where the output only rises (or only falls) with the noise, {output ≥ level} is {noise ≥ where it is reached}, whatever
is done to the output afterwards: clipped, rounded, turned into words. So both probabilities of the event are known.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np

from hdp_audit.tracing.draws import Floats
from hdp_audit.tracing.execution import EPSILON, Run
from hdp_audit.tracing.laws import UNIFORM, Geometric, Law, OneSided
from hdp_audit.tracing.measure import Measure

FAR = (
    *(1e-9, 1e-6, 1e-4, 1e-3, 1e-2, 0.03, 0.1, 0.3, 0.7, 1.0, 2.0, 3.0, 5.0, 8.0, 12.0, 20.0, 36.0),
    *(100.0, 300.0, 700.0, 3e3, 3e4, 1e6),
)
MOST_LEVELS = 5
MOST_TOLD = 4  # outputs that are shown of an event
HALVINGS = 1100  # down to two neighbouring doubles, from any distance

Output = Callable[[float], float]


class Symbols:
    """Outputs that are no numbers, numbered in the order in which rising noise meets them."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, ...], float] = {}

    def number(self, run: Run) -> float:
        """The next number for a new one."""
        return self._known.setdefault(run.symbols, float(len(self._known)))

    @property
    def known(self) -> Mapping[tuple[str, ...], float]:
        """All of them."""
        return self._known

    def listed(self, level: float, at_least: bool) -> list[str]:
        """Those from a level on, or below it."""
        return [" ".join(filter(None, name)) for name, number in self._known.items() if (number >= level) is at_least]


def least_part(seen: int, tapes: int) -> float:
    """The probability of something that was seen on so many tapes by lot, at least; wrong with a chance of 1e-6."""
    from scipy.special import betaincinv  # Clopper and Pearson

    return float(betaincinv(seen, tapes - seen + 1, 1e-6)) if seen else 0.0


def numbered(run: Run, place: int) -> float:
    """One number of an output; NaN where it has none there."""
    return float(run.numbers[place]) if place < run.numbers.size else np.nan


@dataclass(frozen=True)
class Event:
    """An output at least (or below) a level, or one of some; and the logarithms of its two probabilities."""

    log_probabilities: tuple[float, float]
    output: int = 0
    at_least: bool = True
    level: float = np.nan
    reached: tuple[float, float] = (np.nan, np.nan)  # the noise at which each dataset reaches the level
    among: tuple[Run, ...] = ()  # exactly one of these
    symbols: Symbols | None = None  # levels are their numbers
    weights: tuple[float, ...] = ()  # a combination of outputs that is exactly the level, but for rounding
    places: tuple[int, ...] = ()  # of the output that count, where it is not the whole
    swapped: bool = False  # the second dataset is the one where it is likely
    always: bool = False  # on every tape of that dataset
    seen: float = 0.0  # its least probability, where both of them rest on tapes alone

    def holds(self, run: Run) -> bool:
        """Of the output of a call."""
        if self.weights:
            same = run.numbers.size == len(self.weights)
            return same and bool(abs(run.numbers @ np.array(self.weights) - self.level) <= self.reached[0])
        if self.among:
            if self.places and max(self.places) < run.numbers.size:
                run = Run(run.numbers[list(self.places)], (), ())
            return any(
                each.same_output(run) if each.numbers.size else each.symbols == run.symbols for each in self.among
            )
        number = self.symbols.number(run) if self.symbols is not None else numbered(run, self.output)
        return bool(number >= self.level) is self.at_least and not np.isnan(number)

    def words(self, several: bool) -> str:
        """For a person."""
        if self.among:
            told = [", ".join(_outputs(each)) for each in self.among[:MOST_TOLD]]
            more = "" if len(self.among) <= MOST_TOLD else f" or one of {len(self.among) - MOST_TOLD} others"
            return f"output = {' or '.join(told)}{more}"
        if self.weights:
            return f"{' + '.join(f'{w:g}·output {n}' for n, w in enumerate(self.weights) if w)} = {self.level:.9g}"
        if self.symbols is not None:
            return f"output is one of {', '.join(self.symbols.listed(self.level, self.at_least))}"
        name = f"output {self.output}" if several else "output"
        return f"{name} {'≥' if self.at_least else '<'} {self.level:.9g}"

    @property
    def ratio(self) -> float:
        """log P(event | first) − log P(event | second)."""
        first, second = self.log_probabilities
        if first == -np.inf:
            return 0.0 if second == -np.inf else -np.inf
        return first - second


@dataclass(frozen=True, eq=False)
class Steps:
    """The same levels on two datasets."""

    output: int
    law: Law
    rising: bool
    levels: Floats
    first: Floats
    second: Floats
    off: tuple[Floats, Floats]  # by how much rounding may have misplaced them
    symbols: Symbols | None = None

    @property
    def _both(self) -> tuple[Floats, Floats]:
        return self.first, self.second

    @property
    def moves(self) -> Floats:
        """How far noise must move for the second dataset to do what the first did, level by level."""
        both = np.isfinite(self.first) & np.isfinite(self.second)
        return self.second[both] - self.first[both]

    @property
    def move(self) -> float | None:
        """The one move for all levels; None where it depends on the level."""
        moves = self.moves
        if not moves.size or moves.size < self.levels.size:
            return None
        spread = float(moves.max() - moves.min())
        size = max(float(np.abs(moves).max()), 1e-3 * float(np.abs(self.first).min()))
        return float(np.median(moves)) if spread <= 1e-9 * size + 1e-13 else None

    @cached_property
    def events(self) -> list[Event]:
        """At least each level, and below it."""
        found = []
        for number, level in enumerate(self.levels):
            one, two = nearer(*((at[number], off[number]) for at, off in zip(self._both, self.off, strict=True)))
            for above in (True, False):
                chances = tuple(_chance(self.law, reached, above) for reached in (one, two))
                at_least = above is self.rising
                reached = (float(one), float(two))
                found.append(
                    Event(
                        (chances[0], chances[1]),
                        self.output,
                        at_least,
                        float(level),
                        reached,
                        symbols=self.symbols,
                        seen=0.0,
                    )
                )
        return found

    def best(self, forwards: bool, measure: Measure) -> Event | None:
        """The event that tells most of what is likelier on the first dataset, or on the second."""
        shown = [measure.shown(joint((event,), forwards)) for event in self.events]
        most = max(shown, default=0.0)
        if most <= 0:
            return None
        ranked = [event for event, each in zip(self.events, shown, strict=True) if each >= most * (1.0 - 1e-12)]
        return max(ranked, key=lambda event: max(event.log_probabilities))


def joint(events: tuple[Event, ...], forwards: bool) -> tuple[float, float]:
    """Logarithms of the probabilities of independent events, all at once; the likelier dataset first."""
    first, second = (float(sum(event.log_probabilities[side] for event in events)) for side in (0, 1))
    return (first, second) if forwards else (second, first)


def _outputs(run: Run) -> list[str]:
    return [f"{number:.9g}" for number in run.numbers] or list(run.symbols)


def nearer(first: tuple[float, float], second: tuple[float, float]) -> tuple[float, float]:
    """Two places as near to each other as the errors of both allow: no more is claimed than is sure."""
    (one, off), (two, by) = first, second
    if abs(one - two) <= off + by:
        return one, one
    return (one + off, two - by) if one < two else (one - off, two + by)


def _chance(law: Law, reached: float, above: bool) -> float:
    if above:
        return (
            0.0 if reached == -np.inf else -np.inf if reached == np.inf else float(law.log_above(np.asarray(reached)))
        )
    if isinstance(law, Geometric):
        reached -= 1.0
    return -np.inf if reached == -np.inf else 0.0 if reached == np.inf else float(law.log_below(np.asarray(reached)))


def grid(law: Law) -> Floats:
    """Noise from one end of a law to the other."""
    if law is UNIFORM:
        edge = np.array([1e-12, 1e-9, 1e-6, 1e-4, 1e-3, 0.01])
        return np.concatenate([edge - 0.5, np.linspace(-0.45, 0.45, 19), 0.5 - edge[::-1]])
    if isinstance(law, Geometric):
        return np.array([1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 80, 120, 200, 400, 800], dtype=np.float64)
    positive = np.array(FAR)
    if isinstance(law, OneSided):
        return (
            np.concatenate([[0.0], positive])
            if law.name == "exponential"
            else np.concatenate([-positive[:12][::-1], [0.0], positive])
        )
    return np.concatenate([-positive[::-1], [0.0], positive])


def steps(
    output: int,
    law: Law,
    first: Output,
    second: Output,
    symbols: Symbols | None = None,
    told: tuple[float, ...] = (),
) -> Steps | None:
    """None where an output rises and falls, or follows nothing; `told` is noise whose outputs are levels, too."""
    places = grid(law)
    seen = [np.array([function(float(u)) for u in places]) for function in (first, second)]
    if not all(np.isfinite(values).all() for values in seen):
        return None
    flat = [bool((values == values[0]).all()) for values in seen]
    rising = [sign for sign in (1, -1) if all((np.diff(values) * sign >= 0).all() for values in seen)]
    if not rising or all(flat):
        return None
    sign = rising[0]
    levels = _levels(np.concatenate(seen) * sign)
    levels = np.union1d(levels, [sign * first(u) for u in told]) if told else levels
    found = [
        np.array([_reached(partial(_signed, function, sign), places, sign * values, level, law) for level in levels])
        for function, values in zip((first, second), seen, strict=True)
    ]
    known = ~(np.isnan(found[0][:, 0]) | np.isnan(found[1][:, 0]))
    (one, off), (two, by) = (each[known].T for each in found)
    return Steps(output, law, sign > 0, levels[known] * sign, one, two, (off, by), symbols)


def _signed(function: Output, sign: int, u: float) -> float:
    return sign * function(u)


def _levels(values: Floats) -> Floats:
    """Some of those that were seen, the smallest left out: everything is at least that."""
    found = np.unique(values)[1:]
    if found.size <= MOST_LEVELS:
        return found
    chosen = np.unique(np.linspace(0, found.size - 1, MOST_LEVELS).round().astype(np.int64))
    return found[chosen]


def _reached(rising: Output, places: Floats, values: Floats, level: float, law: Law) -> tuple[float, float]:
    """The smallest noise at which the level is reached, and how far rounding may have misplaced it.

    ±inf where it never or always is reached, NaN where nobody looked.
    """
    above = np.flatnonzero(values >= level)
    if not above.size:  # never, if the output has ended to rise; else somewhere beyond the grid
        return (np.inf if values[-1] == values[-2] else np.nan), 0.0
    if above[0] == 0:
        return (-np.inf if values[0] == values[1] else np.nan), 0.0
    low, high = float(places[above[0] - 1]), float(places[above[0]])
    start, below = low, float(values[above[0] - 1])
    whole = isinstance(law, Geometric)
    for _ in range(HALVINGS):
        middle = np.floor((low + high) / 2) if whole else (low + high) / 2
        if not low < middle < high:
            break
        low, high = (low, middle) if rising(float(middle)) >= level else (middle, high)
    slope = (level - below) / (high - start)  # up to here: what is clipped behind it does not count
    return high, 0.0 if whole else 16.0 * EPSILON * (abs(level) / slope + abs(high))
