"""Arrays that stay as they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def frozen(values: ArrayLike, dtype: type[np.generic]) -> NDArray[Any]:
    """A copy that nobody can write into: bytes hold it, so that numpy refuses to set its `write` flag again."""
    array = np.ascontiguousarray(values, dtype=dtype)
    if not array.size:
        array.setflags(write=False)  # there are no bytes to hold, and nothing to write into
        return array
    return np.frombuffer(array.tobytes(), dtype=dtype).reshape(array.shape)
