"""What tells two laws apart: a distinguisher is fitted to outputs whose coins are known, and proposes rules.

A rule scores outputs, may abstain, and describes itself in words. Thresholds, and what a rule is worth against the
claim, are found in one place for all of them (witness.py). A new distinguisher is one file and a line in registry.py.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hdp_audit.distinguishers.steps import Parts, Score
from hdp_audit.model.promise import Limit

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]
Columns = NDArray[np.int64]
Naming = Callable[[int], str]  # what a column of the outputs is called


class Joint(ABC):
    """A score of whole rows, in place of the sum of columns."""

    @abstractmethod
    def __call__(self, outputs: Floats) -> Floats:
        """The score of each row."""

    @abstractmethod
    def words(self, low: float, high: float, name: Naming) -> tuple[str, str]:
        """When the score is at least `high`, and when at most `low`."""

    def reads(self) -> Iterable[int] | None:
        """The columns that it looks at; None where it may be any."""
        return None

    def plain(self, formula: Naming) -> tuple[str, Score] | None:
        """A line of Python made of columns' formulas, and the score of its value; None where no short line says it."""
        del formula
        return None


class Rows(ABC):
    """Rows of which a rule speaks; it abstains elsewhere."""

    @abstractmethod
    def __call__(self, outputs: Floats) -> Coins:
        """Which rows these are."""

    @abstractmethod
    def words(self, name: Naming) -> str:
        """What is true of them."""

    def reads(self) -> Iterable[int] | None:
        """The columns that it looks at; None where it may be any."""
        return None

    def plain(self) -> tuple[Parts, float] | None:
        """Scores of columns that sum to at most so much in these rows; None where it is something else."""
        return None


@dataclass(frozen=True, eq=False)
class Chosen:
    """Columns in order: those that are learned by themselves, and outputs that are weighed together."""

    alone: Columns
    together: Columns

    def first(self, columns: int) -> Columns:
        """Of those learned by themselves the ones among the first columns."""
        return self.alone[self.alone < columns]


@dataclass(frozen=True, eq=False)
class Sample:
    """Outputs (a row each) with their coins, and what is known of them beforehand."""

    outputs: Floats
    coins: Coins
    columns: int  # the first of them are outputs themselves; later ones are made of several
    cells: int  # in which a column may be learned
    limit: Limit  # what the promise allows
    grids: Floats | None = None  # on which outputs lie
    known: Joint | None = None  # of the rule that was used last
    chosen: Chosen | None = None  # of wide outputs what is looked at

    @property
    def first(self) -> Columns:
        """The outputs that are looked at by themselves."""
        return np.arange(self.columns) if self.chosen is None else self.chosen.first(self.columns)


@dataclass(frozen=True, eq=False)
class Spoken:
    """Rows of a sample of which a rule speaks: which they are, and their outputs."""

    rows: Coins
    outputs: Floats


@dataclass(frozen=True, eq=False)
class Candidate:
    """A rule without its thresholds. `price`: nats that its choice among many costs."""

    score: Joint | Parts
    price: float = 0.0
    only: Rows | None = None
    spoken: Spoken | None = None  # the sample's rows where it speaks, if they were looked up already


class Distinguisher(Protocol):
    """Proposes rules for outputs of which single columns tell little."""

    def __call__(self, sample: Sample) -> Iterator[Candidate]:
        """Fitted to a sample; nothing where it has nothing to say."""
