"""Outputs of any kind, taken apart: numbers, symbols, and the form that holds them together.

Nothing that tells two outputs apart is lost, but two things: numbers count by their value (1, 1.0 and numpy's 1.0 are
one), and so do lists, tuples and arrays, whoever made them.
"""

from __future__ import annotations

import enum
import hashlib
import math
import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from hdp_audit.sampling.failures import WrongType
from hdp_audit.sampling.numbers import DOUBLES, REALS, described

ADDRESS = re.compile(r"\bat 0x[0-9a-f]+", re.IGNORECASE)
LONGEST = 400  # letters of a text that may be a number
TWINS = (np.bool_, np.str_, np.bytes_, np.complex64, np.complex128, np.void)  # numpy's, which are Python's too
SHORT = 60  # letters of a symbol that are shown
ALLOWED = "return numbers, texts, or lists, dicts and arrays of them"


@dataclass(frozen=True)
class Part:
    """A number; or a symbol, with the nearest number where it has one, so that noise in it can be measured."""

    number: float | None
    symbol: str | None = None  # its type and its repr

    @property
    def key(self) -> str:
        """Equal for equal parts alone."""
        return f"number:{self.number!r}" if self.symbol is None else self.symbol


def code(key: str) -> float:
    """A number from 1 to below 2 for a symbol, the same in every process: 52 bits of a hash."""
    digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return 1.0 + (int.from_bytes(digest, "big") >> 12) / 2.0**52


def text(key: str) -> str:
    """A symbol as a person reads it."""
    shown = key.partition(":")[2]
    return shown if len(shown) <= SHORT else f"{shown[:SHORT]}..."


def taken_apart(output: Any) -> tuple[str, list[Part]]:
    """(form, parts); the form of a single part is empty. `WrongType` for what cannot be told from another."""
    parts: list[Part] = []
    return _visited(output, parts), parts


def _visited(output: Any, parts: list[Part]) -> str:
    kind = type(output)
    if kind in DOUBLES:
        parts.append(Part(float(output)))
        return ""
    if kind is np.ndarray:
        return _array(output, parts)
    if isinstance(output, np.generic):
        return _scalar(output, parts)
    if kind is complex:
        return "complex" + _each((output.real, output.imag), parts)
    if isinstance(output, (list, tuple, dict, set, frozenset)):
        return _container(output, parts)
    parts.append(_part(output))
    return _attributes(output, parts)


def _part(output: Any) -> Part:
    """What is no number exactly: itself and the number next to it."""
    match output:
        case bool() | None:
            return Part(None, f"{type(output).__name__}:{output}")
        case int() if type(output) is int:
            near = _nearest(output)
            return Part(near) if near is not None and int(near) == output else Part(near, f"int:{output:#x}")
        case str() if type(output) is str:
            return Part(_nearest(output) if len(output) <= LONGEST else None, f"str:{output!r}")
        case Decimal() | Fraction() | int() | float():
            return Part(_nearest(output), _symbol(output))
        case _:
            return Part(None, _symbol(output))


def _nearest(output: Any) -> float | None:
    try:
        number = float(output)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _symbol(output: Any) -> str:
    """The type and the repr, which must be the same for the same output in every call."""
    kind = type(output)
    if hasattr(kind, "__array__"):
        raise WrongType(f"{described(output)}, whose repr leaves parts out; {ALLOWED}", described(output))
    printed = repr(output)
    if ADDRESS.search(printed):
        raise WrongType(f"{described(output)}, whose repr is an address in memory; {ALLOWED}", described(output))
    return f"a {kind.__qualname__}:{printed}"  # a class may be called int, or number


def _attributes(output: Any, parts: list[Part]) -> str:
    """What an object carries beside its repr."""
    own = None if isinstance(output, enum.Enum) else getattr(output, "__dict__", None)
    return f"{type(output).__qualname__}{_mapping(own, parts)}" if own and isinstance(own, dict) else ""


def _scalar(output: Any, parts: list[Part]) -> str:
    """A number or symbol of numpy is the same as Python's; what Python does not have is a symbol."""
    kind = type(output)
    if kind is np.longdouble:
        with np.errstate(all="ignore"):
            near = float(output)
        parts.append(
            Part(near) if near == output or np.isnan(output) else Part(_nearest(near), f"longdouble:{output!r}")
        )
        return ""
    if kind in REALS or kind in TWINS:
        return _visited(output.item(), parts)
    parts.append(Part(None, f"{kind.__qualname__}:{output!r}"))
    return _attributes(output, parts)


def _array(output: Any, parts: list[Part]) -> str:
    if output.ndim == 0:
        return _visited(output[()], parts)
    if output.ndim == 1 and output.dtype.kind == "f" and output.dtype.itemsize <= 8:
        parts.extend(map(Part, output.tolist()))
        return f"[{output.size}]"
    return _each(list(output), parts)


def _container(output: Any, parts: list[Part]) -> str:
    if isinstance(output, dict):
        form = _mapping(output, parts)
    elif isinstance(output, (set, frozenset)):
        entries = [taken_apart(entry) for entry in output]
        form = "set" + _sorted(sorted(entries, key=_keys), parts)  # a set has no order
    else:
        form = _each(tuple.__iter__(output) if isinstance(output, tuple) else list.__iter__(output), parts)
    if type(output) in (list, tuple, dict, set, frozenset):
        return form
    return f"{type(output).__qualname__}{form}{_attributes(output, parts)}"


def _each(entries: Iterable[Any], parts: list[Part]) -> str:
    forms = [_visited(entry, parts) for entry in entries]
    return f"[{len(forms)}:{','.join(forms)}]" if any(forms) else f"[{len(forms)}]"


def _mapping(output: Any, parts: list[Part]) -> str:
    """Keys and values in the order of the keys; the order they came in belongs to the form."""
    return "dict" + _sorted([taken_apart(item) for item in dict.items(output)], parts)


def _sorted(entries: list[tuple[str, list[Part]]], parts: list[Part]) -> str:
    order = sorted(range(len(entries)), key=lambda place: _keys(entries[place]))
    for place in order:
        parts.extend(entries[place][1])
    forms = ",".join(entries[place][0] for place in order)
    came = "" if order == sorted(order) else f" in order {order}"
    return f"[{len(order)}:{forms}{came}]"


def _keys(entry: tuple[str, list[Part]]) -> list[str]:
    return [part.key for part in entry[1]]
