"""A column of a promise: one number a user, which nobody can write into."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp_audit.errors import InvalidDemands
from hdp_audit.model.frozen import frozen, numbers

Floats = NDArray[np.float64]


def column(name: str, given: ArrayLike, largest: float = np.inf) -> Floats:
    """Numbers from 0 to `largest`, one for each user; an error in words for anything else."""
    try:
        values: Floats = numbers(given)
    except (TypeError, ValueError):
        values = np.array(np.nan)
    if values.ndim != 1 or not ((values >= 0) & (values <= largest)).all():
        raise InvalidDemands(f"{name} = {given!r:.80}; give one number from 0 to {largest:g} for each user")
    return frozen(values, np.float64)


def beside(name: str, given: ArrayLike, users: int, largest: float) -> Floats:
    """A column beside another one: as many numbers, or one for all."""
    if np.ndim(given) == 0:
        column(name, np.array([given]).tolist(), largest)
    values = column(name, np.full(users, given) if np.ndim(given) == 0 else given, largest)
    if values.size != users:
        raise InvalidDemands(f"{name} has {values.size} numbers for {users} users; give one for each, or one for all")
    return values
