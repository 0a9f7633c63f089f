"""The one door to the reference mechanisms: nothing else in the suite imports them."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.errors import InvalidDemands, InvalidInput
from hdp_audit.model import PrivacyDemands
from hdp_audit.targets.white_box import WhiteBox
from mechanisms import STANDARD, Entry, Frequency, Mean, Task, build, entries, entry, error_law, laws, names, summary
from mechanisms import InvalidInput as RefusedByMechanism
from mechanisms import standard_demands as _standard_demands

Floats = NDArray[np.float64]

__all__ = [
    "STANDARD",
    "Audited",
    "Entry",
    "Frequency",
    "Mean",
    "RefusedByMechanism",
    "Task",
    "build",
    "entries",
    "entry",
    "error_law",
    "laws",
    "names",
    "standard_demands",
    "summary",
]


def standard_demands(name: str) -> PrivacyDemands:
    """The standard demands of that name."""
    try:
        return PrivacyDemands.from_values(_standard_demands(name))
    except RefusedByMechanism as why:
        raise InvalidDemands(str(why)) from None


class Audited(WhiteBox):
    """A reference mechanism in the form of a mechanism under audit, with the truth beside it for the sandwich."""

    clipped = True

    def __init__(self, name: str, epsilon: Floats, *, task: str, categories: int | None, beta: float = 0.05) -> None:
        try:
            self.known = build(name, epsilon=epsilon, task=task, categories=categories, beta=beta)
        except RefusedByMechanism as why:
            raise InvalidInput(str(why)) from None
        self.name = name

    def __call__(self, data: NDArray[Any], _epsilon: Floats, rng: np.random.Generator) -> Any:
        """One output."""
        return self.known.release(data, rng=rng)

    def batch(self, data: NDArray[Any], _epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
        """`size` outputs for one dataset."""
        return self.known.release_many(data, size=size, rng=rng)

    def many(self, datasets: NDArray[Any], _epsilon: Floats, rng: np.random.Generator) -> Floats:
        """One output for each row."""
        return self.known.release_each(datasets, rng=rng)

    def permuted(self, data: NDArray[Any], rng: np.random.Generator, size: int) -> Floats | None:
        """`size` outputs, each for a new permutation of the data; None where that is no faster."""
        if not self.known.places_units:
            return None
        return self.known.release_many(data, size=size, rng=rng, permuted=True)

    @property
    def privacy_loss(self) -> Floats:
        """Every user's exact loss, rounded up."""
        return self.known.privacy_loss

    @property
    def error_law(self) -> laws.ErrorLaw:
        """As its catalog entry declares."""
        return error_law(self.known)
