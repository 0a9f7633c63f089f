"""What an object consists of, read without calling anything of its own: no repr, no comparison, no hash, no property.

A class written in Python adds to the type it builds on attributes in a dict and in slots, and nothing else: if the size
of its instances tells of more, what it holds cannot be read.
"""

from __future__ import annotations

import array
import collections
import datetime as dt
import re
import struct
import types
import zoneinfo
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import PurePath
from typing import Any

POINTER = struct.calcsize("P")
DICT_BEFORE, WEAKREF_BEFORE = 1 << 4, 1 << 3  # flags of types whose instances have these before their own memory
DAY, CLOCK = ("year", "month", "day"), ("hour", "minute", "second", "microsecond", "fold", "tzinfo")
DESCRIPTORS = (types.MemberDescriptorType, types.GetSetDescriptorType)
NOT_STATE = frozenset({"__dict__", "__weakref__"})


def _fields(base: type, *names: str) -> Callable[[Any], Any]:
    found = [getattr(base, name) for name in names]
    return lambda output: tuple(field.__get__(output) for field in found)


_ARRAY, _DEQUE = _fields(array.array, "typecode"), _fields(collections.deque, "maxlen")
_FRACTION, _FACTORY = (
    _fields(Fraction, "_numerator", "_denominator"),
    _fields(collections.defaultdict, "default_factory"),
)

# Types that are not written in Python, or keep caches: their content, in numbers, texts and tuples of Python's own.
READERS: dict[type, Callable[[Any], Any]] = {
    float: float.__float__,
    int: int.__int__,
    str: str.__str__,
    complex: complex.__complex__,
    bytes: lambda output: bytes.__getitem__(output, slice(None)),
    bytearray: lambda output: bytes(memoryview(output)),
    Decimal: lambda output: Decimal(Decimal.__str__(output)),
    Fraction: lambda output: Fraction(*map(int.__int__, _FRACTION(output))),
    array.array: lambda output: (*_ARRAY(output), array.array.tolist(output)),
    list: lambda output: tuple(list.__iter__(output)),
    tuple: lambda output: tuple(tuple.__iter__(output)),
    collections.deque: lambda output: (*_DEQUE(output), *collections.deque.__iter__(output)),
    range: _fields(range, "start", "stop", "step"),
    slice: _fields(slice, "start", "stop", "step"),
    re.Pattern: _fields(re.Pattern, "pattern", "flags"),
    dt.datetime: _fields(dt.datetime, *DAY, *CLOCK),
    dt.date: _fields(dt.date, *DAY),
    dt.time: _fields(dt.time, *CLOCK),
    dt.timedelta: _fields(dt.timedelta, "days", "seconds", "microseconds"),
    dt.timezone: dt.timezone.__getinitargs__,  # type: ignore[attr-defined]
    zoneinfo.ZoneInfo: _fields(zoneinfo.ZoneInfo, "key"),
    PurePath: PurePath.__str__,
    BaseException: _fields(BaseException, "args", "__cause__", "__context__"),
}
UNORDERED = (set, frozenset)
MAPPINGS = (collections.OrderedDict, collections.defaultdict, dict)
BASES = frozenset((*READERS, *UNORDERED, *MAPPINGS))


def base_of(kind: type) -> type:
    """The type that a class builds on, as far as it is known; else `object`."""
    return next((base for base in kind.__mro__ if base in BASES), object)


def field_names(kind: type) -> tuple[str, ...]:
    """Those of a named tuple, which two classes of one name need not share; none for other classes."""
    found = next((vars(owner)["_fields"] for owner in kind.__mro__ if "_fields" in vars(owner)), ())
    plain = type(found) is tuple and all(type(name) is str for name in found)
    return found if plain and issubclass(kind, tuple) else ()


def items(output: Any, base: type) -> list[tuple[Any, Any]]:
    """Keys and values of a dict, in its order; an OrderedDict's is not that of the dict below."""
    found = list(dict.items(output))
    if base is not collections.OrderedDict:
        return found
    values = {id(key): value for key, value in found}
    return [(key, values[id(key)]) for key in collections.OrderedDict.__iter__(output)]


def factory(output: Any) -> Any:
    """What a defaultdict makes of a key that it does not have."""
    return _FACTORY(output)[0]


def entries(output: Any) -> list[Any]:
    """Those of a set, in no order."""
    return list(set.__iter__(output) if issubclass(type(output), set) else frozenset.__iter__(output))


def attributes(output: Any, base: type) -> list[dict[str, Any]] | None:
    """What its classes add to `base`: a dict and slots, where there is something in them; None if there is more."""
    kind = type(output)
    slots = list(_slots(kind, base))
    if not _explained(kind, base, len(slots)):
        return None
    found = [_own_dict(output, kind), {name: value for name, field in slots for value in _value(field, output)}]
    return [each for each in found if each]


def _slots(kind: type, base: type) -> Iterator[tuple[str, Any]]:
    for owner in kind.__mro__:
        if owner is base or owner in BASES:
            return
        for name, field in vars(owner).items():
            if type(field) is types.MemberDescriptorType and name not in NOT_STATE:
                yield name, field


def _value(field: Any, output: Any) -> list[Any]:
    """In a list, which is empty for a slot that was never set."""
    try:
        return [field.__get__(output)]
    except AttributeError:
        return []


def _own_dict(output: Any, kind: type) -> dict[str, Any]:
    for owner in kind.__mro__:
        field: Any = vars(owner).get("__dict__")
        if type(field) in DESCRIPTORS:
            found = field.__get__(output)
            return found if type(found) is dict else {}
    return {}


def _explained(kind: type, base: type, slots: int) -> bool:
    """Whether dict, weak references and slots are all that instances have beside those of `base`."""
    flags = kind.__flags__
    own_dict = kind.__dictoffset__ != 0 and not flags & DICT_BEFORE and not base.__dictoffset__
    own_references = kind.__weakrefoffset__ > 0 and not flags & WEAKREF_BEFORE and not base.__weakrefoffset__
    size = base.__basicsize__ + POINTER * (slots + own_dict + own_references)
    return kind.__basicsize__ <= size and kind.__itemsize__ == base.__itemsize__
