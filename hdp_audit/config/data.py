"""The section [data]: the user's own data as a further base dataset; it never goes into a report."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.config.demands import existing_file
from hdp_audit.config.section import Section
from hdp_audit.config.spec import Mechanism
from hdp_audit.errors import InvalidInput

_REPORTED = 10
Rows = tuple[NDArray[Any], int]  # values, and the row of the first


def read_data(section: Section, folder: Path, mechanism: Mechanism | None, users: int | None) -> NDArray[Any] | None:
    """The data, checked against the task and the number of demands."""
    column = section.text("column") if section.has("column") else None
    path = existing_file(section, folder, (".csv", ".npy")) if section.has("file") else None
    if "file" not in section.table:
        section.missing('has no file; give one, such as file = "salaries.csv"')
    section.finish()
    if path is None:
        return None
    try:
        values, first = _csv(path, column) if path.suffix.lower() == ".csv" else _npy(path)
    except InvalidInput as why:
        section.problems.add(section.place("file"), str(why))
        return None
    if users is not None and values.size != users:
        section.wrong("file", f"it holds {values.size} values, but there are {users} demands; give one for each user")
    return None if mechanism is None else _allowed(section, path.name, values, first, mechanism)


def _allowed(
    section: Section, source: str, values: NDArray[Any], first: int, mechanism: Mechanism
) -> NDArray[Any] | None:
    match mechanism.task:
        case "mean":
            good, allowed = (values >= 0) & (values <= 1), "a number from 0 to 1"
        case "frequency":
            most = (mechanism.categories or 1) - 1
            good = (values >= 0) & (values <= most) & (values == np.floor(values))
            allowed = f"a whole number from 0 to {most}"
        case _:
            good, allowed = np.isfinite(values), "a finite number"
    bad = np.flatnonzero(~good)
    for i in bad[:_REPORTED]:
        section.problems.add(f"{source} row {i + first}", f"a value is not allowed; give {allowed}")
    if bad.size > _REPORTED:
        section.problems.add(source, f"... and {bad.size - _REPORTED} more rows")
    if bad.size:
        return None
    return values.astype(np.int64) if mechanism.task == "frequency" else values


def _npy(path: Path) -> Rows:
    try:
        array = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError, MemoryError) as why:
        raise InvalidInput(f"{path.name}: {why}; give a one-dimensional .npy array of numbers") from None
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiu" or array.ndim != 1:
        raise InvalidInput(f"{path.name}: no list of real numbers; give a one-dimensional .npy array of numbers")
    return array.astype(np.float64), 1


def _csv(path: Path, column: str | None) -> Rows:
    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            rows = list(csv.reader(stream))
    except (OSError, UnicodeDecodeError, csv.Error) as why:
        raise InvalidInput(f"{path.name}: {why}; give a readable CSV file in UTF-8") from None
    header = [name.strip() for name in rows[0]] if rows else []
    if column is None and len(header) == 1:
        column = header[0]
    if (column or "value") not in header:
        found = ", ".join(repr(name) for name in header) or "none"
        raise InvalidInput(f"{path.name}: no column {column or 'value'!r}; its columns are {found}; name one: column")
    place = header.index(column or "value")
    body = rows[1:]
    while body and not body[-1]:
        body.pop()
    return np.array([_number(record[place] if len(record) > place else "") for record in body], dtype=np.float64), 2


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        return float("nan")
