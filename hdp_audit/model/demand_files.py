"""Files of demands as columns of numbers: CSV, NPY, Parquet. What comes from outside is hostile: nothing is
unpickled.
"""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.errors import InvalidDemands

_REPORTED = 10
_ALLOWED = "a demand is a number from 0 to inf"


@dataclass(frozen=True)
class Table:
    """One column of numbers with the source's row numbers and, if it has them, user ids."""

    values: NDArray[np.float64]
    ids: tuple[str, ...] | None
    rows: NDArray[np.int64]
    source: str
    label: str


def read_csv(path: Path, column: str) -> Table:
    """A header line, then one record a user; blank lines are passed over, but counted."""
    header = _csv_header(path)
    place = _place(header, column, path.name)
    where = header.index("id") if "id" in header and column != "id" else None
    rows, texts, ids = _csv_columns(path, place, where)
    return Table(_numbers(texts, rows, path.name, column), ids, rows, path.name, column)


def _csv_columns(
    path: Path, place: int, where: int | None
) -> tuple[NDArray[np.int64], list[str], tuple[str, ...] | None]:
    """Row numbers, the column's texts, ids. Records are dropped as they come: a million lists would burden
    memory.
    """
    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            reader = csv.reader(stream)
            next(reader)
            if where is None:
                both = [record[place] for record in reader]
            else:
                both = [record[place] + "\0" + record[where] for record in reader]
            lines = reader.line_num
    except IndexError:
        return _ragged_columns(path, place, where)
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        raise _unreadable(path, problem) from None
    if lines != len(both) + 1:
        return _ragged_columns(path, place, where)
    texts = both if where is None else [text.partition("\0")[0] for text in both]
    ids = None if where is None else tuple(text.partition("\0")[2] for text in both)
    return np.arange(2, len(texts) + 2), texts, ids


def _ragged_columns(
    path: Path, place: int, where: int | None
) -> tuple[NDArray[np.int64], list[str], tuple[str, ...] | None]:
    """The slow way, for files with blank or short lines, or records of several lines."""
    with path.open(newline="", encoding="utf-8-sig") as stream:
        body = [(row, record) for row, record in _numbered(stream) if record][1:]
    rows = np.array([row for row, _ in body], dtype=np.int64)
    texts = [record[place] if len(record) > place else "" for _, record in body]
    if where is None:
        return rows, texts, None
    return rows, texts, tuple(record[where] if len(record) > where else "" for _, record in body)


def _numbered(stream: Iterable[str]) -> Iterator[tuple[int, list[str]]]:
    """Records with the line of the file on which each begins."""
    reader, row = csv.reader(stream), 1
    for record in reader:
        yield row, record
        row = reader.line_num + 1


def _csv_header(path: Path) -> list[str]:
    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            return [name.strip() for name in next(csv.reader(stream), [])]
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        raise _unreadable(path, problem) from None


def _unreadable(path: Path, problem: Exception) -> InvalidDemands:
    return InvalidDemands(f"{path.name}: {problem}; give a readable CSV file in UTF-8")


def read_npy(path: Path) -> Table:
    """A .npy array of numbers, loaded without pickle."""
    try:
        array = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError) as problem:
        raise InvalidDemands(f"{path.name}: {problem}; give a one-dimensional .npy array of numbers") from None
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiu":
        raise InvalidDemands(f"{path.name}: no array of real numbers; give a one-dimensional .npy array of numbers")
    rows = np.arange(1, array.shape[0] + 1 if array.ndim else 1)
    return Table(array.astype(np.float64), None, rows, path.name, "epsilon")


def read_parquet(path: Path, column: str) -> Table:
    """A Parquet column, through pyarrow, which is an extra."""
    try:
        parquet: Any = __import__("pyarrow.parquet", fromlist=["parquet"])
    except ImportError:
        raise InvalidDemands(
            f"{path.name}: reading Parquet needs pyarrow; install the extra: pip install 'hdp-audit[parquet]'"
        ) from None
    try:
        table = parquet.read_table(path)
    except (OSError, ValueError) as problem:
        raise InvalidDemands(f"{path.name}: {problem}; give a Parquet file") from None
    _place(list(table.column_names), column, path.name)
    entries = table.column(column).to_pylist()
    rows = np.arange(1, len(entries) + 1)
    texts = ["" if entry is None else str(entry) for entry in entries]
    has_ids = "id" in table.column_names and column != "id"
    ids = tuple(str(name) for name in table.column("id").to_pylist()) if has_ids else None
    return Table(_numbers(texts, rows, path.name, column), ids, rows, path.name, column)


def _place(header: list[str], column: str, source: str) -> int:
    if column not in header:
        found = ", ".join(repr(name) for name in header) or "none"
        raise InvalidDemands(f"{source}: no column {column!r}; its columns are {found}; name one of them")
    return header.index(column)


def _numbers(texts: list[str], rows: NDArray[np.int64], source: str, label: str) -> NDArray[np.float64]:
    try:
        values = np.array(list(map(float, texts)), dtype=np.float64)
    except ValueError:
        values = None
    # float() takes "1_000"; a demands file that holds one is more likely damaged than clever.
    if values is not None and bool((values >= 0).all()) and not any("_" in text for text in texts):
        return values
    bad = [(row, text) for row, text in zip(rows.tolist(), texts, strict=True) if not _is_demand(text)]
    lines = [f"{source} row {row}: {label} = {text.strip() or 'nothing'}; {_ALLOWED}" for row, text in bad[:_REPORTED]]
    if len(bad) > _REPORTED:
        lines.append(f"... and {len(bad) - _REPORTED} more rows of {source}")
    raise InvalidDemands("\n".join(lines))


def _is_demand(text: str) -> bool:
    try:
        return float(text) >= 0 and "_" not in text
    except ValueError:
        return False
