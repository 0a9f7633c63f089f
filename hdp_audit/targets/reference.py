"""The one door to the reference mechanisms: nothing else in the suite imports them."""

from __future__ import annotations

from functools import partial
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

KEPT = 64  # mechanisms for smaller datasets

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
        self._build = partial(build, name, task=task, categories=categories, beta=beta)
        try:
            self.known = self._build(epsilon=epsilon)
        except RefusedByMechanism as why:
            raise InvalidInput(str(why)) from None
        self.name, self._epsilon = name, np.array(epsilon, dtype=np.float64)
        self._others: dict[bytes, Any] = {}

    def __call__(self, data: NDArray[Any], epsilon: Floats, rng: np.random.Generator) -> Any:
        """One output."""
        return self._for(epsilon).release(data, rng=rng)

    def batch(self, data: NDArray[Any], epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
        """`size` outputs for one dataset."""
        return self._for(epsilon).release_many(data, size=size, rng=rng)

    def _for(self, epsilon: Floats) -> Any:
        """Built anew where demands are others, as weights and noise depend on all of them."""
        if np.array_equal(epsilon, self._epsilon):
            return self.known
        key = epsilon.tobytes()
        if key not in self._others:
            self._others = {**dict(list(self._others.items())[-KEPT:]), key: self._build(epsilon=epsilon)}
        return self._others[key]

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
