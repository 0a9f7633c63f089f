"""Outputs of any kind, taken apart: numbers, symbols, and the form that holds them together.

Nothing that tells two outputs apart is lost, but two things: numbers count by their value (1, 1.0 and numpy's 1.0 are
one), and so do lists, tuples and arrays, whoever made them. Objects are their type and all that they hold; nothing of
their own is called for it.
"""

from __future__ import annotations

import collections
import enum
import hashlib
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from hdp_audit.targets.contents import (
    MAPPINGS,
    READERS,
    UNORDERED,
    attributes,
    base_of,
    entries,
    factory,
    field_names,
    items,
)
from hdp_audit.targets.failures import WrongType
from hdp_audit.targets.numbers import DOUBLES, REALS, described
from hdp_audit.targets.spelling import spelled

LONGEST = 400  # letters of a text that may be a number
ENDS = 2  # characters of each end of a text that are looked at
ABSENT_LETTER = -1.0
TWINS = (np.bool_, np.str_, np.bytes_, np.complex64, np.complex128, np.void)  # numpy's, which are Python's too
CONSTANTS = (type(None), bool, type(Ellipsis), type(NotImplemented))
SHORT = 60  # letters of a symbol that are shown
DEEPEST = 50  # levels of lists in lists, and of whatever else holds things
MOST_PARTS = 1 << 20  # parts, and things that hold parts
ALLOWED = "return numbers, texts, or lists, dicts and arrays of them"
TABLES, OF_TABLE = ("DataFrame", "Series"), "; of a table of pandas return its to_dict()"
OF_OBJECT = 'of an object, name the attribute in which the release stands (output = "coef_")'
TOO_DEEP = f"an output that is nested too deeply (at most {DEEPEST} levels); {ALLOWED}"


@dataclass(frozen=True)
class Part:
    """A number; or a symbol, with the nearest number where it has one, so that noise in it can be measured."""

    number: float | None
    symbol: str | None = None  # its type and what it is
    # of a text: its length, its first and its last characters, which the symbol holds too
    ends: tuple[float, ...] | None = field(default=None, compare=False)

    @property
    def key(self) -> str:
        """Equal for equal parts alone."""
        return f"number:{self.number!r}" if self.symbol is None else self.symbol


def code(key: str) -> float:
    """A number from 1 to below 2 for a symbol, the same in every process: 52 bits of a hash."""
    digest = hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()
    return 1.0 + (int.from_bytes(digest, "big") >> 12) / 2.0**52


def letters_of(part: Part) -> str | None:
    """What a text says, as Python would print it; None for what is no text."""
    return None if part.ends is None or part.symbol is None else part.symbol.partition(":")[2].strip("b")[1:-1]


def text(key: str) -> str:
    """A symbol as a person reads it."""
    shown = key.partition(":")[2]
    return spelled(shown if len(shown) <= SHORT else f"{shown[:SHORT]}...")


def taken_apart(output: Any, most: int = MOST_PARTS) -> tuple[str, list[Part]]:
    """(form, parts); the form of a single part is empty. `WrongType` for what cannot be told from another."""
    try:
        return _Visit(most).alone(output)
    except Unreadable as why:
        raise WrongType(_named_whole(output, why), described(output)) from None
    except RecursionError:  # nothing but this module was called
        raise WrongType(TOO_DEEP, "a nested output") from None


class _Visit:
    """One output: how deep we are in it, and how much it may still hold."""

    def __init__(self, most: int) -> None:
        self.depth, self.left, self.most = 0, most, most

    def alone(self, output: Any) -> tuple[str, list[Part]]:
        """The form and the parts of something by itself."""
        parts: list[Part] = []
        return self.visited(output, parts), parts

    def visited(self, output: Any, parts: list[Part]) -> str:
        """The form; parts are added to those given."""
        kind = type(output)
        if kind in DOUBLES:
            parts.append(Part(float(output)))
            return ""
        part = _plain(output, kind)
        if part is not None:
            parts.append(part)
            return ""
        self.depth, self.left = self.depth + 1, self.left - 1
        if self.depth > DEEPEST:
            raise WrongType(TOO_DEEP, "a nested output")
        form = self._held(output, kind, parts)
        self.depth -= 1
        if self.left < 0 or len(parts) > self.most:
            raise WrongType(f"an output of too many parts (at most {self.most}); {ALLOWED}", "a large output")
        return form

    def _held(self, output: Any, kind: type, parts: list[Part]) -> str:
        if kind is list or kind is tuple:
            return self._each(output, parts)
        if kind is np.ndarray:
            return self._array(output, parts)
        if kind is complex:
            return "complex" + self._each((output.real, output.imag), parts)
        if issubclass(kind, np.generic):
            return self._scalar(output, kind, parts)
        if issubclass(kind, enum.Enum):
            return self._member(output, kind, parts)
        return self._object(output, kind, parts)

    def _each(self, listed: Iterable[Any], parts: list[Part]) -> str:
        forms = [self.visited(entry, parts) for entry in listed]
        return f"[{len(forms)}:{','.join(forms)}]" if any(forms) else f"[{len(forms)}]"

    def _array(self, output: Any, parts: list[Part]) -> str:
        """Of an empty array shape and type are all that there is; others have them in their entries."""
        dtype = output.dtype
        form = self._notes(dtype, parts)
        if output.ndim == 0:
            return form + self.visited(output[()], parts)
        if not output.size and (output.ndim > 1 or dtype.kind not in "iuf"):
            return f"{form}[0 of shape {output.shape} and type {dtype}]"
        if output.ndim == 1 and dtype.kind == "f" and dtype.itemsize <= 8:
            parts.extend(map(Part, output.tolist()))
            return f"{form}[{output.size}]"
        return form + self._each(list(output), parts)

    def _notes(self, dtype: Any, parts: list[Part]) -> str:
        """What numpy keeps beside a type."""
        return f"noted {self._mapping(list(dtype.metadata.items()), parts)}" if dtype.metadata else ""

    def _scalar(self, output: Any, kind: type, parts: list[Part]) -> str:
        """A number or symbol of numpy is the same as Python's; what Python does not have is a symbol."""
        if kind is np.void and output.dtype.names is not None:
            return f"{output.dtype} {self._notes(output.dtype, parts)}{self.visited(output.item(), parts)}"
        if kind is np.longdouble:
            parts.append(_long(output))
            return ""
        if kind in REALS or kind in TWINS:
            return self.visited(output.item(), parts)
        if kind.__module__ == "numpy":
            parts.append(Part(None, f"{output.dtype}:{output!r}"))
            return ""
        raise _unreadable(output)  # a class of the user's own, on a number of numpy's

    def _member(self, output: Any, kind: type, parts: list[Part]) -> str:
        """Of an enumeration; combinations of flags have a value alone."""
        own = object.__getattribute__(output, "__dict__")
        name = own.get("_name_")
        if type(name) is not str:
            return f"{_named(kind)} {self.visited(own.get('_value_'), parts)}"
        parts.append(Part(None, f"enum {_named(kind)}:{kind.__qualname__}.{name}"))
        return ""

    def _object(self, output: Any, kind: type, parts: list[Part]) -> str:
        """The type, what the type it builds on holds, and attributes."""
        if issubclass(kind, type):
            parts.append(Part(None, f"class:{_named(output)}"))
            return ""
        base = base_of(kind)
        own = attributes(output, base)
        if own is None:
            raise _unreadable(output)
        if base is object and not own:
            raise WrongType(f"{described(output)} that holds nothing, and cannot be told from another; {ALLOWED}", None)
        name = _named(kind) if kind not in (dict, set, frozenset) else ""
        form = name + "".join(f" {each}" for each in field_names(kind)) + self._content(output, base, parts)
        return form + "".join(self._mapping(list(each.items()), parts) for each in own)

    def _content(self, output: Any, base: type, parts: list[Part]) -> str:
        if base in UNORDERED:
            found = [self.alone(entry) for entry in entries(output)]
            return base.__name__ + _sorted(sorted(found, key=_keys), parts)  # a set has no order
        if base is collections.defaultdict:
            return f"{self.visited(factory(output), parts)} {self._mapping(items(output, base), parts)}"
        if base in MAPPINGS:
            return self._mapping(items(output, base), parts)
        return self.visited(READERS[base](output), parts) if base in READERS else ""

    def _mapping(self, found: list[tuple[Any, Any]], parts: list[Part]) -> str:
        """Keys and values in the order of the keys; the order they came in belongs to the form."""
        return "dict" + _sorted([self.alone(item) for item in found], parts)


def _ends(output: str | bytes) -> tuple[float, ...]:
    """The length, and ENDS characters of either end as numbers; ABSENT_LETTER where there are not so many."""
    first, last = ([float(letter) for letter in _codes(end)] for end in (output[:ENDS], output[-ENDS:]))
    missing = [ABSENT_LETTER] * (ENDS - len(first))
    return (float(len(output)), *first, *missing, *missing, *last)


def _codes(letters: str | bytes) -> Iterable[int]:
    return letters if isinstance(letters, bytes) else map(ord, letters)


def _plain(output: Any, kind: type) -> Part | None:
    """A single part; None for what holds others."""
    if kind is str:
        return Part(_nearest(output) if len(output) <= LONGEST else None, f"str:{output!r}", _ends(output))
    if kind is int:
        near = _nearest(output)
        return Part(near) if near is not None and int(near) == output else Part(near, f"int:{output:#x}")
    if kind in CONSTANTS:
        return Part(None, f"{kind.__name__}:{output}")
    if kind is Decimal or kind is Fraction:
        return Part(_nearest(output), f"{kind.__name__}:{output!r}")
    return Part(None, f"bytes:{output!r}", _ends(output)) if kind is bytes else None


def _nearest(output: Any) -> float | None:
    try:
        number = float(output)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _long(output: Any) -> Part:
    with np.errstate(all="ignore"):
        near = float(output)
    return Part(near) if near == output or np.isnan(output) else Part(_nearest(near), f"longdouble:{output!r}")


def _named(kind: type) -> str:
    """A class by its module and its name; what Python calls the script that was started depends on who started it."""
    module = str(kind.__module__)
    return kind.__qualname__ if module in ("__main__", "__mp_main__", "builtins") else f"{module}.{kind.__qualname__}"


class Unreadable(WrongType):
    """What cannot be told from another, be it an output or something that it holds."""


def _unreadable(output: Any) -> Unreadable:
    return Unreadable(f"{described(output)}, whose content cannot be read; {ALLOWED}; {OF_OBJECT}", described(output))


def _named_whole(output: Any, why: Unreadable) -> str:
    """The output is named first: a person knows nothing of what a table keeps inside."""
    whole = described(output)
    table = OF_TABLE if type(output).__name__ in TABLES else ""
    return str(why) + table if str(why).startswith(whole) else f"{whole} that holds {why}{table}"


def _sorted(found: list[tuple[str, list[Part]]], parts: list[Part]) -> str:
    order = order_of(found)
    for place in order:
        parts.extend(found[place][1])
    forms = ",".join(found[place][0] for place in order)
    came = "" if order == sorted(order) else f" in order {order}"
    return f"[{len(order)}:{forms}{came}]"


def order_of(found: list[tuple[str, list[Part]]]) -> list[int]:
    """The order in which items of a dict, or entries of a set, are laid out."""
    return sorted(range(len(found)), key=lambda place: _keys(found[place]))


def _keys(entry: tuple[str, list[Part]]) -> tuple[list[str], str]:
    return [part.key for part in entry[1]], entry[0]
