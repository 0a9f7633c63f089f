"""What a planted fault declares: the mistake, what it breaks, on which demands it is tested, and the exact damage."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mechanisms.demands import Floats
from mechanisms.standard import standard_demands
from mechanisms.task import Data, Task

Promise = Literal["privacy", "accuracy", "range", "float", "replay"]
Draw = Callable[[Data, Floats, np.random.Generator, int], Floats]


@dataclass(frozen=True)
class PlantedFault:
    """A mechanism with one planted mistake, called like any mechanism under audit.

    All draw their noise in doubles, so all leak through the bits as well; `float-noise` alone declares it, as its
    only mistake.
    """

    name: str
    estimates: Task
    bug: str
    breaks: frozenset[Promise]
    demands: str | tuple[float, ...]  # standard demands, or the demands themselves
    draw: Draw
    loss: Callable[[Floats], Floats]  # each user's exact worst loss, as a function of the demands

    @property
    def task(self) -> str:
        """The name of the task."""
        return self.estimates.name

    @property
    def categories(self) -> int | None:
        """As an audit takes them."""
        return self.estimates.categories

    @property
    def epsilon(self) -> Floats:
        """The demands on which the fault is tested."""
        return standard_demands(self.demands) if isinstance(self.demands, str) else np.array(self.demands)

    def __call__(self, data: Data, epsilon: Floats, rng: np.random.Generator) -> Floats:
        """One output."""
        return self.draw(data, epsilon, rng, 1)[0]

    def batch(self, data: Data, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
        """`size` outputs for one dataset."""
        return self.draw(data, epsilon, rng, size)
