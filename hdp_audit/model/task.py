"""What a mechanism estimates: how wide its output is, what the truth would be, and which data are its extremes."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.domain import CATEGORIES, Categories, Domain, Given, Unit
from hdp_audit.model.vector import Vector
from hdp_audit.model.vocabulary import TaskName

Floats = NDArray[np.float64]
Data = NDArray[Any]
Mask = NDArray[np.bool_]


class Task(ABC):
    """One number an output, or several. A new task says what is true of data; the rest has defaults."""

    name: TaskName
    width: int
    domain: Domain
    unit: ClassVar[str] = "tier"  # what one privacy claim is about
    opposed: ClassVar[bool] = False  # whether a user who moves raises one number of an output and lowers another

    @property
    def categories(self) -> int | None:
        """Of frequencies; None of all other tasks."""
        return None

    @property
    def standard(self) -> Estimate | None:
        """The task in whose terms errors are measured; None where the truth is not known."""
        return None

    @property
    def keys(self) -> tuple[Any, ...] | None:
        """Of an output that may come as a dict."""
        return None


class Estimate(Task):
    """A task whose truth is known, so that errors can be measured."""

    @property
    def standard(self) -> Estimate:
        """Itself."""
        return self

    @abstractmethod
    def truth(self, data: Data) -> Floats:
        """A perfect answer."""

    @property
    @abstractmethod
    def rivals(self) -> int:
        """Other data to which users can be moved so that the truth moves as far, each into a direction of its own."""

    @abstractmethod
    def apart(self, up: Mask) -> Data:
        """These users at one end, the others at the other one."""

    @property
    @abstractmethod
    def apart_words(self) -> str:
        """Where they are, in words."""

    @abstractmethod
    def extremes(self, users: int, rng: np.random.Generator) -> Iterator[tuple[str, Data]]:
        """Data that are tried of every mechanism, with a name in words."""

    @abstractmethod
    def middle(self, users: int) -> Data:
        """Data from which the answer can move up and down."""

    @abstractmethod
    def raised(self, high: bool) -> Any:
        """A datum that moves the answer up, or down."""

    @abstractmethod
    def height(self, means: Floats) -> float:
        """How high the average answer is; between a group up and the same group down it differs by their weight."""


@dataclass(frozen=True)
class Mean(Estimate):
    """The average of numbers from 0 to 1."""

    name = "mean"
    width = 1
    domain = Unit()
    ends: tuple[str, str] = ("0", "1")  # in words

    def truth(self, data: Data) -> Floats:
        """The average."""
        return np.array([float(np.mean(data))])

    @property
    def rivals(self) -> int:
        """From 0 to 1, and no other way."""
        return 1

    def apart(self, up: Mask) -> Data:
        """At 1, and at 0."""
        return np.where(up, 1.0, 0.0)

    @property
    def apart_words(self) -> str:
        """As in `apart`."""
        return f"at {self.ends[1]}, the others at {self.ends[0]}"

    def extremes(self, users: int, rng: np.random.Generator) -> Iterator[tuple[str, Data]]:
        """The ends, halves, and anything."""
        order = rng.permutation(users)
        first, second = self.ends
        yield f"everybody at {first}", np.zeros(users)
        yield f"everybody at {second}", np.ones(users)
        yield f"a random half at {second}", (order % 2).astype(np.float64)
        yield "random numbers", rng.random(users)

    def middle(self, users: int) -> Data:
        """Everybody at ½."""
        return np.full(users, 0.5)

    def raised(self, high: bool) -> float:
        """1, or 0."""
        return 1.0 if high else 0.0

    def height(self, means: Floats) -> float:
        """The answer itself."""
        return float(means[0])


@dataclass(frozen=True)
class Frequency(Estimate):
    """How many users are in each category, as shares."""

    count: int
    name = "frequency"
    opposed = True
    words: tuple[str, str, str] = CATEGORIES  # to be in the first, in the last, and what all are

    @property
    def width(self) -> int:  # type: ignore[override]
        """One number a category."""
        return self.count

    @property
    def domain(self) -> Categories:  # type: ignore[override]
        """Its categories."""
        return Categories(self.count)

    @property
    def categories(self) -> int:
        """How many."""
        return self.count

    def truth(self, data: Data) -> Floats:
        """The shares."""
        return np.bincount(data, minlength=self.count) / data.size

    @property
    def rivals(self) -> int:
        """Every other category."""
        return self.count - 1

    def apart(self, up: Mask) -> Data:
        """In category 0, and in the last."""
        return np.where(up, 0, self.count - 1)

    @property
    def apart_words(self) -> str:
        """As in `apart`."""
        first, last, _ = self.words
        return f"{first}, the others {last.removesuffix(' category')}"

    def extremes(self, users: int, rng: np.random.Generator) -> Iterator[tuple[str, Data]]:
        """The ends, halves, and all categories."""
        order = rng.permutation(users)
        first, last, each = self.words
        yield f"everybody {first}", np.zeros(users, dtype=np.int64)
        yield f"everybody {last}", np.full(users, self.count - 1)
        yield f"a random half {first}, half {last.removesuffix(' category')}", (order % 2) * (self.count - 1)
        yield f"uniform over {each}", order % self.count

    def middle(self, users: int) -> Data:
        """Spread evenly."""
        return np.arange(users) % self.count

    def raised(self, high: bool) -> int:
        """The first category, or the last."""
        return 0 if high else self.count - 1

    def height(self, means: Floats) -> float:
        """Half of first minus last."""
        return float((means[0] - means[-1]) / 2)


@dataclass(frozen=True)
class VectorMean(Task):
    """The average of vectors of a bounded length; only its privacy is audited."""

    domain: Vector
    name = "vector-mean"

    @property
    def width(self) -> int:  # type: ignore[override]
        """As many numbers as a vector has."""
        return self.domain.size


@dataclass(frozen=True)
class Custom(Task):
    """Anything else, on pairs of datasets that the user gives."""

    name = "custom"
    unit = "pair"
    width = 1  # until first outputs show how they are laid out
    domain = Given()


@dataclass(frozen=True)
class Anything(Task):
    """Any output of data from a domain: the base datasets are the domain's."""

    domain: Domain
    name = "custom"
    width = 1  # until first outputs show how they are laid out


def task_of(categories: int | None) -> Mean | Frequency:
    """A mean, or frequencies of so many categories."""
    return Mean() if categories is None else Frequency(categories)
