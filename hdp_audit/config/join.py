"""Whose datum is whose: by id where demands and data have ids, else by position."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.config.section import Section
from hdp_audit.model import PrivacyDemands

if TYPE_CHECKING:
    from hdp_audit.config.data import Rows

_REPORTED = 10


def joined(
    section: Section, source: str, data: Rows, demands: PrivacyDemands
) -> tuple[NDArray[Any] | None, tuple[str, ...]]:
    """The values in the order of the demands, and what a user should know about it; None where it cannot be done."""
    if data.ids is not None and demands.ids is not None:
        return _by_id(section, source, data, data.ids, demands, demands.ids), ()
    if data.values.size != len(demands):
        size, users = data.values.size, len(demands)
        section.wrong("file", f"it holds {size} values, but there are {users} demands; give one for each user")
        return None, ()
    if data.ids is None and demands.ids is None:
        return data.values, ()
    only = source if demands.ids is None else demands.source
    return data.values, (f"data and demands are joined by position: only {only} has ids",)


def _by_id(
    section: Section,
    source: str,
    data: Rows,
    ids: Sequence[str],
    demands: PrivacyDemands,
    wanted: Sequence[str],
) -> NDArray[Any] | None:
    """Ids stay out of messages: those of the data are data, too."""
    places = {name: place for place, name in reversed(list(enumerate(ids)))}
    known = set(wanted)  # each once, or they would be no demands
    rows, own = data.rows, demands.rows
    told = [
        *(f"{source} row {rows[at]}: its id is that of row {rows[to]}, too" for at, to in _again(ids, places)),
        *(
            f"{source} row {rows[at]}: its id is in no row of {demands.source}"
            for at, name in enumerate(ids)
            if name not in known
        ),
        *(
            f"{demands.source} row {own[at]}: its id is in no row of {source}"
            for at, name in enumerate(wanted)
            if name not in places
        ),
    ]
    for line in told[:_REPORTED]:
        section.problems.add("", f"{line}; data are joined to demands by id: give each id once in either file")
    if len(told) > _REPORTED:
        section.problems.add(source, f"... and {len(told) - _REPORTED} more rows")
    return None if told else data.values[np.array([places[name] for name in wanted], dtype=np.int64)]


def _again(names: Sequence[str], first: dict[str, int]) -> Iterable[tuple[int, int]]:
    """(place, place of the first) of every name that was there before."""
    return ((place, first[name]) for place, name in enumerate(names) if first[name] != place)
