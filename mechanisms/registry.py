"""The catalog's entries by name, in the order in which they were registered; a test may add its own."""

from __future__ import annotations

import difflib
from typing import Any

from mechanisms.catalog_entry import Entry
from mechanisms.errors import InvalidInput

_ENTRIES: dict[str, Entry[Any]] = {}


def register(entry: Entry[Any]) -> Entry[Any]:
    """Add a mechanism to the catalog; from then on it is built, listed and audited like any other."""
    if entry.name in _ENTRIES:
        raise InvalidInput(f"the catalog has a mechanism called {entry.name!r} already; give another name")
    _ENTRIES[entry.name] = entry
    return entry


def withdraw(name: str) -> None:
    """Take a mechanism out of the catalog again."""
    entry(name)
    del _ENTRIES[name]


def entries(task: str | None = None) -> list[Entry[Any]]:
    """Every entry, or those that do the task of this name."""
    return [each for each in _ENTRIES.values() if task is None or each.does(task)]


def entry(name: str) -> Entry[Any]:
    """The entry of that name, or an error with the names that come close."""
    if isinstance(name, str) and name in _ENTRIES:
        return _ENTRIES[name]
    near = difflib.get_close_matches(name, _ENTRIES, n=3) if isinstance(name, str) else []
    hint = f"did you mean {' or '.join(near)}?" if near else f"the names are {', '.join(_ENTRIES)}"
    raise InvalidInput(f"no mechanism is called {name!r}; {hint}")
