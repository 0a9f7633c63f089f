"""The section [data]: the user's own data as a further base dataset. No text of the file gets into a message."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.config.demands import existing_file, refuse_column
from hdp_audit.config.join import joined
from hdp_audit.config.section import Section
from hdp_audit.config.spec import Mechanism
from hdp_audit.errors import InvalidInput
from hdp_audit.model import PrivacyDemands
from hdp_audit.model.csv_columns import BadColumns, read_columns, read_header, separator_problem
from hdp_audit.model.number_texts import number_of
from hdp_audit.model.vocabulary import ESTIMATED

_REPORTED = 10


@dataclass(frozen=True, eq=False)
class Rows:
    """Values of a file, the row of each, and the users' ids where the file has them."""

    values: NDArray[Any]
    rows: NDArray[np.int64]
    ids: tuple[str, ...] | None = None


def read_data(
    section: Section, folder: Path, mechanism: Mechanism | None, demands: PrivacyDemands | None
) -> tuple[NDArray[Any] | None, tuple[str, ...]]:
    """The data in the order of the demands, checked against the task, and what `check` should say about the order."""
    column = section.text("column") if section.has("column") else None
    path = existing_file(section, folder, (".csv", ".npy")) if section.has("file") else None
    if "file" not in section.table:
        section.missing('has no file; give one, such as file = "salaries.csv"')
    refuse_column(section, path)
    section.finish()
    if mechanism is not None and mechanism.task not in ESTIMATED:
        why = "a custom task has its data in its pairs" if mechanism.task == "custom" else "vectors are not read yet"
        section.missing(f'is for task = "mean" and "frequency"; {why}')
        return None, ()
    if path is None:
        return None, ()
    try:
        found = _csv(path, column) if path.suffix.lower() == ".csv" else _npy(path)
    except (InvalidInput, BadColumns) as why:
        for line in str(why).splitlines():
            section.problems.add(section.place("file"), line)
        return None, ()
    values = None if mechanism is None else _allowed(section, path.name, found, mechanism)
    if demands is None or values is None:
        return None, ()
    return joined(section, path.name, Rows(values, found.rows, found.ids), demands)


def _allowed(section: Section, source: str, found: Rows, mechanism: Mechanism) -> NDArray[Any] | None:
    values = found.values
    if mechanism.task == "frequency":
        most = (mechanism.categories or 1) - 1
        good = (values >= 0) & (values <= most) & (values == np.floor(values))
        allowed = f"a whole number from 0 to {most}"
    else:
        good, allowed = (values >= 0) & (values <= 1), "a number from 0 to 1"
    bad = np.flatnonzero(~good)
    for i in bad[:_REPORTED]:
        section.problems.add(f"{source} row {found.rows[i]}", f"a value is not allowed; give {allowed}")
    if bad.size > _REPORTED:
        section.problems.add(source, f"... and {bad.size - _REPORTED} more rows")
    if bad.size:
        return None
    return values.astype(np.int64) if mechanism.task == "frequency" else values + 0.0  # -0 is 0


def _npy(path: Path) -> Rows:
    try:
        array = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError, MemoryError):
        raise InvalidInput(f"{path.name}: cannot be read; give a one-dimensional .npy array of numbers") from None
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiu" or array.ndim != 1:
        raise InvalidInput(f"{path.name}: no list of real numbers; give a one-dimensional .npy array of numbers")
    return Rows(array.astype(np.float64), np.arange(1, array.size + 1))


def _csv(path: Path, column: str | None) -> Rows:
    header = read_header(path)
    name = _column(path, header, column)
    named = "id" in header and name != "id"
    found = read_columns(path, [name, "id"] if named else [name])
    if found.blank:
        raise InvalidInput(f"{path.name} row {found.blank[0]}: the line is blank; give a value for each user")
    numbers = [number_of(text) for text in found.texts[name]]
    values = np.array([float("nan") if number is None else number for number in numbers], dtype=np.float64)
    return Rows(values, found.rows, tuple(found.texts["id"]) if named else None)


def _column(path: Path, header: list[str], column: str | None) -> str:
    """The name of the column; what else stands in row 1 is not shown, as it may be data."""
    if column is not None and column in header:
        return column
    if any(number_of(name) is not None for name in header):
        raise InvalidInput(f"{path.name} row 1: holds a number; put the names of the columns into the first line")
    if column is None and len(header) == 1 and header[0]:
        separated = separator_problem(path, header)
        if separated is not None:
            raise InvalidInput(separated)
        return header[0]
    wanted = column or "value"
    if wanted not in header:
        count = "1 column" if len(header) == 1 else f"{len(header)} columns"
        absent = f"{path.name}: no column {wanted!r} among its {count}; name one of them: column = ..."
        raise InvalidInput(separator_problem(path, header) or absent)
    return wanted
