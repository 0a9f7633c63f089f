"""Tasks in units and labels of the user's own: sums, counts, means of dollars, shares of cities.

Each is a standard task in other words: its data are those of the standard task one by one, and its answers are the
standard answers after a change of scale. So errors are measured, and bounds hold, in the terms of the standard task;
reports show them times `scale`.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.domain import Categories, Range
from hdp_audit.model.labels import Labels
from hdp_audit.model.task import Data, Estimate, Floats, Frequency, Mean, Task
from hdp_audit.model.vocabulary import TaskName


class Translated(Task):
    """A standard task in other words."""

    @property
    @abstractmethod
    def standard(self) -> Estimate:
        """Its counterpart."""

    @abstractmethod
    def outside(self, data: Data) -> Data:
        """Data of the standard task as the mechanism knows them."""

    @abstractmethod
    def inside(self, data: Data) -> Data:
        """The mechanism's data as those of the standard task."""

    @abstractmethod
    def answer(self, output: Floats, users: int) -> Floats:
        """The mechanism's outputs, one a row, as the standard task's."""

    @abstractmethod
    def scale(self, users: int) -> float:
        """How large an error of 1 of the standard task is here."""


@dataclass(frozen=True)
class Amount(Translated):
    """The mean or the sum of numbers in a range."""

    name: TaskName
    domain: Range
    width = 1

    @property
    def standard(self) -> Mean:
        """A mean of shares of the range."""
        low, high = self.domain.ends()
        return Mean((self.domain.shown(low), self.domain.shown(high)))

    def outside(self, data: Data) -> Data:
        """In its units."""
        return self.domain.at(data)

    def inside(self, data: Data) -> Data:
        """From 0 to 1."""
        return self.domain.shares(data)

    def answer(self, output: Floats, users: int) -> Floats:
        """How far along the range."""
        return np.asarray((output / self._times(users) - self.domain.low) / self.domain.width)

    def scale(self, users: int) -> float:
        """The width of the range; of a sum for each user."""
        return self.domain.width * self._times(users)

    def _times(self, users: int) -> int:
        return users if self.name == "sum" else 1


@dataclass(frozen=True)
class Counting(Translated):
    """How many users have each label, as shares or counts."""

    name: TaskName
    domain: Labels
    opposed = True

    @property
    def width(self) -> int:  # type: ignore[override]
        """One number a label."""
        return len(self.domain)

    @property
    def keys(self) -> tuple[Any, ...]:
        """The labels."""
        return self.domain.labels

    @property
    def categories(self) -> int:
        """How many labels."""
        return len(self.domain)

    @property
    def standard(self) -> Frequency:
        """Shares of numbered categories."""
        first, last = self.domain.labels[0], self.domain.labels[-1]
        return Frequency(len(self.domain), (f"at {first}", f"at {last}", "labels"))

    def outside(self, data: Data) -> Data:
        """Labels."""
        return self.domain.named(data)

    def inside(self, data: Data) -> NDArray[np.int64]:
        """Numbers from 0."""
        return self.domain.codes(data)

    def answer(self, output: Floats, users: int) -> Floats:
        """Shares."""
        return output / self._times(users)

    def scale(self, users: int) -> float:
        """Shares stay what they are."""
        return float(self._times(users))

    def _times(self, users: int) -> int:
        return users if self.name == "count" else 1


@dataclass(frozen=True)
class Ones(Translated):
    """How many users have a 1, where everybody has 0 or 1."""

    name = "count"
    width = 1
    domain = Categories(2)

    @property
    def standard(self) -> Frequency:
        """Shares of zeros and ones: an error is the same in both."""
        return Frequency(2, ("at 0", "at 1", "0 and 1"))

    def outside(self, data: Data) -> Data:
        """The same."""
        return data

    def inside(self, data: Data) -> Data:
        """The same."""
        return data

    def answer(self, output: Floats, users: int) -> Floats:
        """Both shares."""
        ones = output / users
        return np.concatenate([1.0 - ones, ones], axis=-1)

    def scale(self, users: int) -> float:
        """Counts."""
        return float(users)
