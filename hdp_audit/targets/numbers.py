"""Outputs of means and frequencies as doubles: exactly what came, or not at all.

A cast would hide what it loses: an imaginary part, digits of a Decimal, the last place of a large integer. An output
counts by its value, so 1, 1.0 and numpy's 1.0 are one output; whatever a double does not hold exactly is refused.
"""

from __future__ import annotations

import reprlib
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.targets.failures import WrongShape, WrongType

Floats = NDArray[np.float64]

DOUBLES = frozenset({float, np.float64, np.float32, np.float16})
LISTED = DOUBLES | {int}
REALS = frozenset(np.dtype(letter).type for letter in "bhilqBHILQefdg")  # numpy's real numbers
PRINTABLE = REALS | {int, float, bool, np.bool_, complex, str, bytes, type(None), Decimal, Fraction}
WHOLE = 2**53  # up to here every integer is a double
DEEPEST = 4  # lists in lists: a batch of vectors needs two
SHOWN = 200  # entries of a list
ALLOWED = "return Python or numpy numbers, or lists and arrays of them, whose values a double holds exactly"


def exact(output: Any, depth: int = 0) -> Floats:
    """An output as an array of doubles; `WrongType` or `WrongShape` says what came instead."""
    kind = type(output)
    if kind in DOUBLES:
        return np.array(output, dtype=np.float64)
    if kind is np.ndarray or kind in REALS:
        return _exact_array(np.asarray(output), output)
    if kind is int:
        return np.array(_exact_integer(output))
    if (kind is list or kind is tuple) and depth < DEEPEST:
        return _exact_list(output, depth + 1)
    raise _refused(output)


def _exact_list(output: Any, depth: int) -> Floats:
    if {type(entry) for entry in output} <= LISTED:
        return np.array([_exact_integer(entry) if type(entry) is int else entry for entry in output], dtype=np.float64)
    parts = [exact(entry, depth) for entry in output]
    if len({part.shape for part in parts}) > 1:
        raise WrongShape(f"{described(output)} whose entries have different shapes", shown(output))
    return np.stack(parts)


def _exact_integer(output: int) -> float:
    try:
        number = float(output)
    except OverflowError:
        raise _refused(output) from None
    if int(number) != output:
        raise _refused(output)
    return number


def _exact_array(values: NDArray[Any], output: Any) -> Floats:
    kind, size = values.dtype.kind, values.dtype.itemsize
    if kind not in "iuf":
        raise _refused(output)
    if kind == "f":
        with np.errstate(all="ignore"):
            numbers = values.astype(np.float64)
            lost = np.atleast_1d((numbers != values) & ~np.isnan(values)) if size > 8 else np.zeros(1, dtype=np.bool_)
        if lost.any():
            raise _refused(np.atleast_1d(values)[lost][0])
        return np.asarray(numbers)
    if size > 4:
        for entry in values[(values > WHOLE) | (values < -WHOLE)].tolist():
            _exact_integer(entry)
    return np.asarray(values.astype(np.float64))


def _refused(output: Any) -> WrongShape:
    if output is None:
        return WrongShape("nothing", None)  # a forgotten return
    value = f" ({shown(output)})" if type(output) in PRINTABLE else ""
    return WrongType(f"{described(output)}{value} where numbers are due; {ALLOWED}", shown(output))


def described(output: Any) -> str:
    """What came, in a few words."""
    kind = type(output)
    if output is None:
        return "nothing"
    if issubclass(kind, np.ndarray):
        name = "an array" if kind is np.ndarray else _a(kind)
        return f"{name} of shape {output.shape}" + ("" if output.dtype.kind in "iuf" else f" and type {output.dtype}")
    if kind is list or kind is tuple:
        return f"{_a(kind)} of {len(output)}"
    return _a(kind)


def _a(kind: type) -> str:
    return f"{'an' if kind.__name__[0].lower() in 'aeio' else 'a'} {kind.__name__}"


def shown(output: Any) -> Any:
    """What a report may show: numbers as they are, other things in words that call nothing of their own."""
    kind = type(output)
    if kind is np.ndarray and output.dtype.kind in "iuf":
        return output.copy()
    if (kind is list or kind is tuple) and len(output) <= SHOWN:
        return [_plain(entry) for entry in output]
    return _plain(output)


def _plain(output: Any) -> Any:
    kind = type(output)
    if kind in DOUBLES or output is None or kind is bool or (kind is int and abs(output) <= WHOLE):
        return output
    if kind not in PRINTABLE:
        return described(output)
    try:
        return reprlib.repr(output)
    except ValueError:  # an integer of more digits than Python prints
        return described(output)
