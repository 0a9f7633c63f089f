"""What the parts of an output are called: by place, and in dicts by key, so that a message says `output 'count'`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from hdp_audit.targets.parts import order_of, taken_apart

LONGEST = 30  # letters of a key
SINGLE = (int, float, bool, str, bytes, type(None))


class _Unnamed(Exception):
    """Parts of something else than lists, arrays and dicts have no names."""


def part_names(output: Any, called: str) -> list[str] | None:
    """A name for each part, where some key says more than a place; None for what is no list, array or dict."""
    try:
        paths = list(_paths(output))
    except _Unnamed:
        return None
    names = [" ".join([called, *map(str, path)]) for path in paths]
    keyed = any(isinstance(step, str) for path in paths for step in path)
    return names if keyed and len(set(names)) == len(names) else None


def _paths(output: Any) -> Iterator[tuple[int | str, ...]]:
    """In the order of the parts (parts.py): of a dict sorted items, of each the key and then its value."""
    if type(output) in SINGLE or isinstance(output, np.generic):
        yield ()
    elif type(output) in (list, tuple) or (type(output) is np.ndarray and output.ndim == 1):
        for place, entry in enumerate(output):
            yield from ((place, *path) for path in _paths(entry))
    elif type(output) is dict:
        yield from _entries(output)
    else:
        raise _Unnamed


def _entries(output: dict[Any, Any]) -> Iterator[tuple[int | str, ...]]:
    items = list(output.items())
    for place in order_of([taken_apart(item) for item in items]):
        key, value = items[place]
        if type(key) not in SINGLE or len(shown := repr(key)) > LONGEST:
            raise _Unnamed
        yield (f"key {shown}",)
        yield from ((shown, *path) for path in _paths(value))
