"""What is audited: a mechanism, its demands, and where its loss shows."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

NATS = 10.0  # the wealth, as a logarithm, at which the ideal test is done
KINDS = {
    "one user": "groups hide it, one user shows it",
    "interior": "values inside the range are treated wrongly",
    "configuration": "only some datasets show it",
    "joint": "the joint law of several outputs shows it",
    "shape": "outputs of any shape",
    "correct": "keeps all promises",
    "classic": "published mechanisms",
}


@dataclass(frozen=True)
class Shown:
    """Two datasets that differ in one user, and an event with its exact probability on each; 0 is less than 1e-6."""

    first: Any
    second: Any
    user: int
    event: Callable[[Any], bool]
    on_first: float
    on_second: float
    of_all: float | None = None  # the loss over all events, where it is more than this event shows

    @property
    def event_loss(self) -> float:
        """What this event alone shows."""
        return math.log(self.on_first / self.on_second) if self.on_second > 0 else math.inf

    @property
    def loss(self) -> float:
        """What the user loses between these datasets."""
        return self.event_loss if self.of_all is None else self.of_all


@dataclass(frozen=True)
class Subject:
    """A mechanism under audit.

    `loss` is the user's true loss between the datasets of `shown`, over all events: the worst there is, unless other
    datasets are worse still. `shown` is missing where a correct mechanism has no event worth naming.
    """

    name: str
    kind: str
    says: str
    fn: Callable[..., Any]
    epsilon: np.ndarray[Any, Any]
    task: str
    correct: bool
    loss: float
    shown: Shown | None
    tight: bool = False
    options: Mapping[str, Any] = field(default_factory=dict)

    @property
    def demand(self) -> float:
        """Of the user whose loss is shown."""
        return float(self.epsilon[self.shown.user]) if self.shown else math.nan

    @property
    def ideal(self) -> float:
        """Calls that a test needs which knows datasets and event from the start."""
        assert self.shown is not None
        rate = growth(self.shown.on_first, self.shown.on_second, self.demand)
        return NATS / rate if rate > 0 else math.inf

    def pairs(self) -> Iterator[tuple[Any, Any, list[int]]]:
        """Of a custom task: the datasets that are given to the audit."""
        assert self.shown is not None
        yield self.shown.first, self.shown.second, [self.shown.user]


def growth(on_first: float, on_second: float, epsilon: float) -> float:
    """Expected logarithm of the factor that the best fixed stake earns a call, if 'first' is guessed at the event.

    A fair coin picks the dataset. Under the promise a guess is right with probability at most r = 1/(1 + e^-epsilon),
    so factors q/r after a right guess and (1 - q)/(1 - r) after a wrong one have expectation at most 1 for every
    q >= r; where the guess is right with probability q they are the best.
    """
    guesses = on_first + on_second
    q, r = on_first / guesses, 1 / (1 + math.exp(-epsilon))
    if q <= r:
        return 0.0
    wrong = (1 - q) * math.log((1 - q) / (1 - r)) if q < 1 else 0.0
    return guesses / 2 * (q * math.log(q / r) + wrong)


def subject(
    kind: str,
    says: str,
    epsilon: np.ndarray[Any, Any],
    task: str,
    shown: Shown | None = None,
    *,
    loss: float | None = None,
    correct: bool = False,
    tight: bool = False,
    **options: Any,
) -> Callable[[Callable[..., Any]], Subject]:
    """Makes a subject of a function; the loss is what was shown unless it is given."""

    def made(fn: Callable[..., Any]) -> Subject:
        known = loss if loss is not None else shown.loss if shown else math.nan
        return Subject(fn.__name__, kind, says, fn, epsilon, task, correct, known, shown, tight, options)

    return made
