"""What a budget would detect, said before it is spent."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DetectableLoss:
    """For a demand tier, or a pair of a custom task: the promise, how many users it is about, and the smallest loss
    that would be detected with 80% power."""

    demand: float
    users: int
    loss: float
    name: str = ""  # of a pair

    @property
    def factor(self) -> float:
        """The loss in units of the demand; where nothing was promised away, any loss is too much."""
        if self.demand > 0:
            return self.loss / self.demand
        return 1.0 if self.loss < float("inf") else float("inf")


@dataclass(frozen=True)
class Forecast:
    """Whether the calls of a check are enough for what its claim asks, and why, for a person."""

    enough: bool
    detectable: DetectableLoss | None = None
    sentence: str = ""
