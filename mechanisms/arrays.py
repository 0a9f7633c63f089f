"""Arrays from outside: real numbers or a clear refusal, nothing dropped on the way."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from mechanisms.errors import InvalidInput


def as_array(values: ArrayLike, what: str) -> NDArray[Any]:
    """An array without a mask; numpy's own conversion, with its complaints in our words."""
    if isinstance(values, np.ma.MaskedArray):
        raise InvalidInput(f"{what} are a masked array; remove or fill what the mask hides first")
    try:
        return np.asarray(values)
    except (TypeError, ValueError, OverflowError) as why:
        raise InvalidInput(f"{what} are no plain array: {why}") from None


def as_reals(values: ArrayLike, what: str, allowed: str, *, copy: bool = True) -> NDArray[np.float64]:
    """Doubles from real numbers: no truth values, texts, dates or complex numbers; of doubles a copy if need be."""
    try:
        array = as_array(values, what)
    except InvalidInput as why:
        raise InvalidInput(f"{why}; {what} must be {allowed}") from None
    odd = _first_odd(array)
    if odd is not None:
        raise InvalidInput(f"{what} must be {allowed}; found {odd!r} of type {type(odd).__name__}")
    try:
        return array.astype(np.float64, copy=copy)
    except (TypeError, ValueError, OverflowError) as why:
        raise InvalidInput(f"{what} must be {allowed}: {why}") from None


def _first_odd(array: NDArray[Any]) -> object | None:
    """The first entry that is no real number, or None."""
    if array.dtype.kind in "fiu" or not array.size:
        return None
    entries = array.ravel().tolist()
    return next((entry for entry in entries if isinstance(entry, bool) or not isinstance(entry, Real)), None)
