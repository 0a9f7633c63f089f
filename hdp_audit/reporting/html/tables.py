"""Plain values from outside as tables: lists of records, and names with values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from hdp_audit.reporting.evidence import runs
from hdp_audit.reporting.numbers import short
from hdp_audit.reporting.verdicts import shown

LONGEST = 400
CAPTIONS = {
    "free_privacy": (
        "Free privacy",
        "Users who lose less than they allowed. A measured average is no upper limit, so it shows nothing to be free.",
    ),
    "accuracy": ("Datasets tried for accuracy", "The error on each, and in how many trials; the worst one was judged."),
    "influence": ("Influence", "What one user's datum weighs, in units of 1/n, and the tier's part of the worst bias."),
    "bias": ("Bias of the weighting", "How far correlated data can move each estimate from the true value."),
}

OPEN = ("free_privacy", "bias")


@dataclass(frozen=True)
class Grid:
    """A table with a title; `rest` rows were left out."""

    title: str
    caption: str
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    rest: int = 0
    folded: bool = False


def grids(details: Mapping[str, Any], most: int) -> list[Grid]:
    """Every list of records as a table; the columns are the keys in the order met."""
    found = []
    for key, value in details.items():
        if isinstance(value, (list, tuple)) and value and all(isinstance(entry, Mapping) for entry in value):
            head = tuple(dict.fromkeys(str(name) for entry in value for name in entry))[:12]
            rows = tuple(tuple(cell(entry.get(name)) for name in head) for entry in value[:most])
            title, caption = CAPTIONS.get(str(key), (heading(str(key)), ""))
            headings = tuple(heading(name) for name in head)
            found.append(Grid(title, caption, headings, rows, max(len(value) - most, 0), key not in OPEN))
    return found


def pairs(values: Mapping[str, Any], hidden: tuple[str, ...] = (), most: int = 60) -> list[tuple[str, str]]:
    """Names and values; what lies deeper is named `outer.inner`."""
    found: list[tuple[str, str]] = []
    for key, value in values.items():
        if key in hidden or len(found) >= most:
            continue
        if isinstance(value, Mapping):
            found += [(f"{shown(str(key), 60)}.{name}", entry) for name, entry in pairs(value, (), most - len(found))]
        elif not (isinstance(value, (list, tuple)) and value and isinstance(value[0], Mapping)):
            found.append((shown(str(key), 80), cell(value)))
    return found


def cell(value: Any) -> str:
    """A value as a person reads it."""
    if isinstance(value, np.generic):
        value = value.item()
    match value:
        case None | "":
            return "–"
        case "inf" | "-inf":
            return short(float(value))
        case bool():
            return "yes" if value else "no"
        case int():
            return f"{value:,}" if abs(value) >= 10_000 else str(value)
        case float():
            return "–" if value != value else short(value)
        case list() | tuple() | np.ndarray():
            return shown(_listed(list(value)), LONGEST)
        case _:
            return shown(str(value), LONGEST)


def heading(key: str) -> str:
    """`free_privacy` as `Free privacy`."""
    words = shown(key, 60).replace("_", " ")
    return words[:1].upper() + words[1:]


def _listed(values: list[Any]) -> str:
    if len(values) > 2 and all(isinstance(value, int) and not isinstance(value, bool) for value in values):
        found = runs(values)
        return ", ".join(found[:12]) + (f" and {len(found) - 12} more runs" if len(found) > 12 else "")
    return ", ".join(cell(value) for value in values[:20]) + (f" … ({len(values)})" if len(values) > 20 else "")
