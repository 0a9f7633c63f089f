"""What a target may know exactly of itself, and the one place where that is asked for.

A figure from here is believed, not measured. So nothing is a white box by accident: a target says so by its base class,
and an attribute of the right name in somebody's own mechanism counts for nothing.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


class ErrorLaw(Protocol):
    """Σw_i·x_i + share·(1 − Σw) + noise, clipped to [0, 1]; the answer may lie up to `reach` from that."""

    @property
    def weights(self) -> Floats:
        """One a user."""
        ...

    @property
    def noise(self) -> object:
        """One of the noises that `hdp_audit.audits.claimed` can bound."""
        ...

    @property
    def share(self) -> float:
        """What a missing unit of weight is taken to be worth in each output."""
        ...

    @property
    def reach(self) -> float:
        """In each output."""
        ...


class WhiteBox(ABC):
    """A target whose losses, and perhaps whose errors, are known without a call. Who inherits vouches for them."""

    name: str
    clipped: bool = False  # whether every answer lies in [0, 1]

    @property
    @abstractmethod
    def privacy_loss(self) -> Floats:
        """Every user's exact loss, rounded up."""

    @property
    def error_law(self) -> ErrorLaw | None:
        """How its answers err; None where that is not known."""
        return None

    def permuted(self, _data: NDArray[Any], _rng: np.random.Generator, _size: int) -> Floats | None:
        """So many outputs, each for a new permutation of the data; None where one call per dataset is as fast."""
        return None


def white_box(mechanism: object) -> WhiteBox | None:
    """The mechanism as one that knows itself, or None for a black box."""
    return mechanism if isinstance(mechanism, WhiteBox) else None
