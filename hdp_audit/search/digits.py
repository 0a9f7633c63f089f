"""Which data have numbers with more digits than people write, as numbers by lot have: what rounding leaves of them.

Of a usual number (0, ½, 1) no further digits are left, however wrongly a rule treats those of others.
"""

from __future__ import annotations

from typing import Any

import numpy as np

WRITTEN = 9  # digits that people write at most
LOOKED_AT = 16  # numbers of a datum


def has_digits(datum: Any) -> bool:
    """Whether one of its numbers has more digits; no text or category does."""
    numbers = np.asarray(datum)
    if numbers.dtype.names:
        return any(has_digits(numbers[name]) for name in numbers.dtype.names)
    shown = numbers.ravel()[:LOOKED_AT].tolist() if numbers.dtype.kind == "f" else []
    return any(float(f"{number:.{WRITTEN}g}") != number for number in shown)
