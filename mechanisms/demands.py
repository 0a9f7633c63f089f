"""Privacy demands ε: one number from 0 (must not be used) to inf (public) for each user."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mechanisms.arrays import as_reals
from mechanisms.errors import InvalidInput

Floats = NDArray[np.float64]

LARGEST = 2.0**200
SMALLEST = 2.0**-200


def checked_demands(values: ArrayLike, name: str = "epsilon") -> Floats:
    """A read-only copy of the demands, or an error that names the first offender."""
    demands = checked_losses(values, name)
    if not np.any(demands >= SMALLEST):
        raise InvalidInput(
            f"all {demands.size} demands are 0 (or below 2^-200): nothing may be released; "
            "at least one user must allow some loss"
        )
    return demands


def checked_losses(values: ArrayLike, name: str = "epsilon") -> Floats:
    """The same, all 0 or not."""
    losses = _own(as_reals(values, "demands", "numbers from 0 to inf", copy=False))
    if losses.ndim != 1 or losses.size == 0:
        raise InvalidInput(f"demands have shape {losses.shape}; give a list with one number for each user")
    if not losses.min() >= 0:  # NaN is not
        wrong = np.flatnonzero(~(losses >= 0))
        first = int(wrong[0])
        raise InvalidInput(
            f"user {first}: {name} = {losses[first]}; a demand is a number from 0 to inf "
            f"({wrong.size} of {losses.size} are not)"
        )
    return read_only(losses)


def _own(losses: Floats) -> Floats:
    """A copy, unless nobody can write into what was given: bytes hold it."""
    owner: object = losses
    while isinstance(owner, np.ndarray):
        owner = owner.base
    return losses if isinstance(owner, bytes) else losses.copy()


def read_only(values: Floats) -> Floats:
    """The array itself, from now on unchangeable: what a mechanism says of itself must stay true."""
    values.setflags(write=False)
    return values


def budgets(demands: Floats) -> Floats:
    """What each user may spend, kept where squares neither over- nor underflow.

    Spending less than a demand is always private, so a finite demand above 2^200 counts as 2^200 and one below 2^-200
    as 0.
    """
    if demands.min(initial=SMALLEST) >= SMALLEST and demands.max(initial=LARGEST) <= LARGEST:
        return demands
    capped = np.where(np.isinf(demands), demands, np.minimum(demands, LARGEST))
    return np.where(capped >= SMALLEST, capped, 0.0)
