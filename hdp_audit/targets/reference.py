"""The one door to the reference mechanisms: nothing else in the suite imports them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.errors import InvalidDemands, InvalidInput
from hdp_audit.model import PrivacyDemands
from hdp_audit.targets.white_box import WhiteBox
from mechanisms import (
    STANDARD,
    Concentrated,
    Entry,
    Frequency,
    Mean,
    ReferenceMechanism,
    Task,
    build,
    entries,
    entry,
    error_law,
    laws,
    names,
    summary,
)
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
    "concentrated",
    "entries",
    "entry",
    "error_law",
    "laws",
    "names",
    "standard_demands",
    "summary",
    "vector_means",
]


def standard_demands(name: str) -> PrivacyDemands:
    """The standard demands of that name."""
    try:
        return PrivacyDemands.from_values(_standard_demands(name))
    except RefusedByMechanism as why:
        raise InvalidDemands(str(why)) from None


def concentrated(epsilon: Floats, delta: Floats) -> Floats:
    """The ρ that reference mechanisms keep for demands (ε, δ)."""
    try:
        return Concentrated.of_approximate(epsilon, delta).rho
    except RefusedByMechanism as why:
        raise InvalidDemands(str(why)) from None


def vector_means(columns: Mapping[str, Floats], dimensions: int, beta: float) -> Iterator[ReferenceMechanism]:
    """All reference mechanisms for vectors in so many dimensions, made for these demands."""
    for each in entries("vector-mean"):
        try:
            rho, epsilon, delta = (columns.get(name) for name in ("rho", "epsilon", "delta"))
            yield build(each.name, rho=rho, epsilon=epsilon, delta=delta, dimensions=dimensions, beta=beta)
        except RefusedByMechanism as why:
            raise InvalidInput(str(why)) from None


class Audited(WhiteBox):
    """A reference mechanism in the form of a mechanism under audit, with the truth beside it for the sandwich."""

    clipped = True

    def __init__(
        self,
        name: str,
        promised: Floats | Mapping[str, Floats],
        *,
        task: str,
        categories: int | None,
        dimensions: int | None = None,
        beta: float = 0.05,
        follows: bool = False,
    ) -> None:
        """`promised`: demands ε, or columns by name; `follows`: built anew for calls with other demands."""
        columns = promised if isinstance(promised, Mapping) else {"epsilon": promised}
        self._build = partial(build, name, task=task, categories=categories, dimensions=dimensions, beta=beta)
        try:
            if "mu" in columns:
                raise RefusedByMechanism(f"{name} promises epsilon, rho, or epsilon with delta; mu was asked for")
            self.known = self._built(columns)
        except RefusedByMechanism as why:
            raise InvalidInput(str(why)) from None
        self.name, self._columns, self._follows = name, dict(columns), follows
        self._others: dict[bytes, Any] = {}

    def __call__(self, data: NDArray[Any], *given: Any) -> Any:
        """One output."""
        *columns, rng = given
        return self._for(columns).release(data, rng=rng)

    def batch(self, data: NDArray[Any], *given: Any) -> Floats:
        """As many outputs for one dataset as the last argument says."""
        *columns, rng, size = given
        return self._for(columns).release_many(data, size=size, rng=rng)

    def many(self, datasets: NDArray[Any], *given: Any) -> Floats:
        """One output for each row."""
        *columns, rng = given
        return self._for(columns).release_each(datasets, rng=rng)

    def _built(self, columns: Mapping[str, Floats]) -> Any:
        return self._build(epsilon=columns.get("epsilon"), rho=columns.get("rho"), delta=columns.get("delta"))

    def _for(self, columns: Sequence[Floats]) -> Any:
        """Built anew where demands are others, as weights and noise depend on all of them."""
        known = self._columns.values()
        if not self._follows or all(np.array_equal(one, own) for one, own in zip(columns, known, strict=True)):
            return self.known
        key = np.concatenate(columns).tobytes()
        if key not in self._others:
            built = self._built(dict(zip(self._columns, columns, strict=True)))
            self._others = {**dict(list(self._others.items())[-KEPT:]), key: built}
        return self._others[key]

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
