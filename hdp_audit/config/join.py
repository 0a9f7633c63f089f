"""Whose datum is whose: by id where demands and data have ids, else by position."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.config.section import Section
from hdp_audit.model import PrivacyDemands
from hdp_audit.model.first_lines import REPORTED, FirstLines
from hdp_audit.model.names import Names

if TYPE_CHECKING:
    from hdp_audit.config.data import Rows


def joined(
    section: Section, source: str, data: Rows, demands: PrivacyDemands
) -> tuple[NDArray[Any] | None, tuple[str, ...]]:
    """The values in the order of the demands, and what a user should know about it; None where it cannot be done."""
    if data.ids is not None and demands.ids is not None:
        return _by_id(section, source, data, data.ids, demands, Names.of(demands.ids)), ()
    if data.values.size != len(demands):
        size, users = data.values.size, len(demands)
        section.wrong("file", f"it holds {size} values, but there are {users} demands; give one for each user")
        return None, ()
    if data.ids is None and demands.ids is None:
        return data.values, ()
    only = source if demands.ids is None else demands.source
    return data.values, (f"data and demands are joined by position: only {only} has ids",)


def _by_id(
    section: Section, source: str, data: Rows, ids: Names, demands: PrivacyDemands, wanted: Names
) -> NDArray[Any] | None:
    """Ids stay out of messages: those of the data are data, too."""
    codes = wanted.codes(ids)
    own, theirs = codes[: len(wanted)], codes[len(wanted) :]  # each of `own` once, or they would be no demands
    places = np.full(codes.size, -1)
    places[theirs[::-1]] = np.arange(theirs.size)[::-1]  # where each stands first among the data
    rows, told = data.rows, FirstLines(source)
    again = np.flatnonzero(places[theirs] != np.arange(theirs.size))
    said = (f"{source} row {rows[at]}: its id is that of row {rows[places[theirs[at]]]}, too" for at in again)
    told.add(said, again.size)
    unknown = np.flatnonzero(theirs >= own.size)
    told.add((f"{source} row {rows[at]}: its id is in no row of {demands.source}" for at in unknown), unknown.size)
    missing = np.flatnonzero(places[own] < 0)
    said = (f"{demands.source} row {demands.rows[at]}: its id is in no row of {source}" for at in missing)
    told.add(said, missing.size)
    for line in told.kept:
        section.problems.add("", f"{line}; data are joined to demands by id: give each id once in either file")
    if told.count > REPORTED:
        section.problems.add(source, f"... and {told.count - REPORTED} more rows")
    return None if told else data.values[places[own]]
