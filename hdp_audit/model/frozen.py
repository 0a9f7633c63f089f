"""Arrays that stay as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def frozen(values: ArrayLike, dtype: type[np.generic]) -> NDArray[Any]:
    """A copy that nobody can write into: bytes hold it, so that numpy refuses to set its `write` flag again.

    What is such an array already is returned as it is.
    """
    array = np.ascontiguousarray(values, dtype=dtype)
    if isinstance(_owner(array), bytes):
        return array
    if not array.size:
        array.setflags(write=False)  # there are no bytes to hold, and nothing to write into
        return array
    return np.frombuffer(array.tobytes(), dtype=dtype).reshape(array.shape)


def numbers(values: ArrayLike) -> NDArray[np.float64]:
    """Doubles without -0: the same array where it is of these, as that of many users is large."""
    array = np.asarray(values, dtype=np.float64)
    return array + 0.0 if bool(np.signbit(array).any()) else array


def _owner(array: NDArray[Any]) -> object:
    """Whose memory it is."""
    owner: object = array
    while isinstance(owner, np.ndarray):
        owner = owner.base
    return owner
