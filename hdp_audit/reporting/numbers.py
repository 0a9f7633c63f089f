"""Numbers and words as people and JSON readers expect them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np


def for_json(value: Any) -> Any:
    """Plain JSON: infinities as "inf" and "-inf", numpy numbers as numbers, NaN refused."""
    if isinstance(value, dict):
        return {str(key): for_json(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple, np.ndarray)):
        return [for_json(entry) for entry in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        if math.isnan(value):
            raise ValueError("a result is not a number; this is a bug in hdp-audit")
        return "inf" if value > 0 else "-inf"
    return value


def short(value: float) -> str:
    """Three significant digits, without an exponent where that is readable."""
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if value == 0:
        return "0"
    if 1e-3 <= abs(value) < 1e5:
        return f"{value:.3g}" if abs(value) < 1000 else f"{value:.0f}"
    mantissa, exponent = f"{value:.2e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def printable(text: str) -> str:
    """Without control characters: what comes from outside must not steer a terminal."""
    return "".join(letter if letter.isprintable() else "�" for letter in text)
