"""The section [data]: the user's own data as a further base dataset. No text of the file gets into a message."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.config.data_values import Filling
from hdp_audit.config.demands import existing_file, refuse_column
from hdp_audit.config.join import joined
from hdp_audit.config.section import Section
from hdp_audit.config.spec import Mechanism
from hdp_audit.errors import InvalidInput
from hdp_audit.model import PrivacyDemands
from hdp_audit.model.csv_columns import BadColumns, Reader, read_header, separator_problem
from hdp_audit.model.domain import Categories, Domain, Unit
from hdp_audit.model.names import PIECE, Names
from hdp_audit.model.number_texts import number_of
from hdp_audit.model.table import Table
from hdp_audit.model.vector import Vector


@dataclass(frozen=True, eq=False)
class Rows:
    """Values of a file, the row of each, and the users' ids where the file has them."""

    values: NDArray[Any]
    rows: NDArray[np.int64]
    ids: Names | None = None


@dataclass(frozen=True, eq=False)
class Read:
    """The columns of a file as values; the row of each, and ids."""

    columns: dict[str, Filling]
    rows: NDArray[np.int64]
    ids: Names | None = None


def read_data(
    section: Section,
    folder: Path,
    mechanism: Mechanism | None,
    demands: PrivacyDemands | None,
    domain: Domain | None = None,
) -> tuple[NDArray[Any] | None, tuple[str, ...]]:
    """The data in the order of the demands, checked against the domain, and what `check` should say of the order."""
    column = section.text("column") if section.has("column") else None
    path = existing_file(section, folder, (".csv", ".npy")) if section.has("file") else None
    if "file" not in section.table:
        section.missing('has no file; give one, such as file = "salaries.csv"')
    refuse_column(section, path)
    section.finish()
    allowed = _domain(section, mechanism, domain)
    if path is None or allowed is None:
        return None, ()
    try:
        found = _read(path, column, allowed)
    except (InvalidInput, BadColumns) as why:
        for line in str(why).splitlines():
            section.problems.add(section.place("file"), line)
        return None, ()
    values = _values(section, found, allowed)
    if demands is None or values is None:
        return None, ()
    return joined(section, path.name, Rows(values, found.rows, found.ids), demands)


def _domain(section: Section, mechanism: Mechanism | None, domain: Domain | None) -> Domain | None:
    """What the values may be; None where no file can hold them, or where that is not known."""
    if mechanism is None:
        return None
    if domain is not None and not isinstance(domain, Vector):
        return domain
    match mechanism.task:
        case "mean" | "sum":
            return Unit()
        case "count":
            return Categories(2)
        case "frequency":
            return Categories(mechanism.categories) if mechanism.categories else None
    pairs = mechanism.pairs is not None
    why = "a custom task has its data in its pairs" if pairs else "vectors and draws of strategies are not read yet"
    section.missing(f"is for numbers, labels and tables of them; {why}")
    return None


def _read(path: Path, column: str | None, domain: Domain) -> Read:
    table = isinstance(domain, Table)
    if table and (column is not None or path.suffix.lower() != ".csv"):
        raise InvalidInput(f"{path.name}: a table is read from a .csv with its columns by name; leave `column` out")
    if path.suffix.lower() != ".csv":
        return _npy(path, domain)
    header = read_header(path)
    names = list(domain.columns) if isinstance(domain, Table) else [_column(path, header, column)]
    absent = [name for name in names if name not in header]
    if absent:
        raise InvalidInput(f"{path.name}: no column {absent[0]!r}; give one for each column of the domain")
    columns = domain.columns if isinstance(domain, Table) else {names[0]: domain}
    filling = {name: Filling(each, path.name, _where(domain, name)) for name, each in columns.items()}
    named = "id" in header and "id" not in names
    reader, rows, ids = Reader(path, [*names, "id"] if named else names), list[NDArray[np.int64]](), list[Names]()
    for piece in reader:
        rows.append(piece.rows)
        ids.extend([Names.of(piece.texts["id"])] if named else [])
        for name in names:
            filling[name].add(piece.rows, piece.texts[name])
    if reader.blank:
        raise InvalidInput(f"{path.name} row {reader.blank}: the line is blank; give a value for each user")
    everybody = np.concatenate(rows or [np.zeros(0, dtype=np.int64)])
    return Read(filling, everybody, Names.joined(ids) if named else None)


def _where(domain: Domain, column: str) -> str:
    return f", column {column!r}" if isinstance(domain, Table) else ""


def _values(section: Section, found: Read, domain: Domain) -> NDArray[Any] | None:
    """All values, or None where one is not allowed."""
    fine = [each.told(section) for each in found.columns.values()]
    if not all(fine):
        return None
    if isinstance(domain, Table):
        return domain.made({name: each.values for name, each in found.columns.items()})
    (only,) = found.columns.values()
    return only.values


def _npy(path: Path, domain: Domain) -> Read:
    try:
        array = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError, MemoryError):
        raise InvalidInput(f"{path.name}: cannot be read; give a one-dimensional .npy array of numbers") from None
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiu" or array.ndim != 1:
        raise InvalidInput(f"{path.name}: no list of real numbers; give a one-dimensional .npy array of numbers")
    filling, rows = Filling(domain, path.name), np.arange(1, array.size + 1)
    for start in range(0, array.size, PIECE):
        filling.add(rows[start : start + PIECE], array[start : start + PIECE].astype(np.float64))
    return Read({"": filling}, rows)


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
