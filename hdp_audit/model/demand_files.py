"""Files of demands as columns of numbers: CSV, NPY, Parquet. What comes from outside is hostile: nothing is
unpickled.
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.errors import InvalidDemands
from hdp_audit.model.csv_columns import BadColumns, listed, read_columns, read_header, separator_problem
from hdp_audit.model.number_texts import is_lost, no_demand, number_of

BESIDE = ("id", "tier")  # columns that name users, and tiers


@dataclass(frozen=True)
class Table:
    """One column of numbers with the source's row numbers and, if it has them, user ids."""

    values: NDArray[np.float64]
    ids: tuple[str, ...] | None
    rows: NDArray[np.int64]
    source: str
    label: str
    tiers: tuple[str, ...] | None = None


def read_csv(path: Path, column: str) -> Table:
    """A header line, then one record a user; columns `id` and `tier`, if there are any, name users and tiers."""
    try:
        header = read_header(path)
        _refuse_absent(header, column, path.name, separator_problem(path, header))
        beside = [name for name in BESIDE if name in header and name != column]
        found = read_columns(path, [column, *beside])
    except BadColumns as why:
        raise InvalidDemands(str(why)) from None
    if not found.rows.size:
        raise InvalidDemands(f"{path.name}: has a header, but no row; give one row for each user")
    values = _numbers(found.texts[column], found.rows, path.name, column)
    ids, tiers = (tuple(found.texts[name]) if name in beside else None for name in BESIDE)
    return Table(values, ids, found.rows, path.name, column, tiers)


def read_npy(path: Path) -> Table:
    """A .npy array of numbers, loaded without pickle."""
    try:
        array = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError, MemoryError) as problem:
        raise InvalidDemands(f"{path.name}: {problem}; give a one-dimensional .npy array of numbers") from None
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiu":
        raise InvalidDemands(f"{path.name}: no array of real numbers; give a one-dimensional .npy array of numbers")
    with np.errstate(over="ignore", under="ignore"):
        values = array.astype(np.float64)
    if values.ndim == 1:
        lost = np.flatnonzero((np.isinf(values) & np.isfinite(array)) | ((values == 0) & (array != 0)))
        _refuse([f"{path.name} row {row + 1}: epsilon = {no_demand(str(array[row]))}" for row in lost], path.name)
    rows = np.arange(1, array.shape[0] + 1 if array.ndim else 1)
    return Table(values, None, rows, path.name, "epsilon")


def read_parquet(path: Path, column: str) -> Table:
    """A Parquet column, through pyarrow, which is an extra."""
    try:
        parquet: Any = __import__("pyarrow.parquet", fromlist=["parquet"])
    except ImportError:
        raise InvalidDemands(
            f"{path.name}: reading Parquet needs pyarrow; install the extra: pip install 'hdp-audit[parquet]'"
        ) from None
    try:
        names = list(parquet.read_schema(path).names)
        beside = _beside(names, column, path.name)
        table = parquet.read_table(path, columns=[column, *beside])
    except (OSError, ValueError) as problem:
        raise InvalidDemands(f"{path.name}: {problem}; give a Parquet file") from None
    texts = ["" if entry is None else str(entry) for entry in table.column(column).to_pylist()]
    rows = np.arange(1, len(texts) + 1)
    ids, tiers = (_texts(table.column(name).to_pylist()) if name in beside else None for name in BESIDE)
    return Table(_numbers(texts, rows, path.name, column), ids, rows, path.name, column, tiers)


def _texts(entries: list[Any]) -> tuple[str, ...]:
    return tuple("" if entry is None else str(entry) for entry in entries)


def _beside(names: list[str], column: str, source: str) -> list[str]:
    _refuse_absent(names, column, source, None)
    for name in (column, *BESIDE):
        if names.count(name) > 1:
            raise InvalidDemands(f"{source}: {names.count(name)} columns are called {name!r}; rename all but one")
    return [name for name in BESIDE if name in names and name != column]


def _refuse_absent(header: list[str], column: str, source: str, separated: str | None) -> None:
    if column in header:
        return
    found = ", ".join(repr(name) for name in header) or "none"
    raise InvalidDemands(separated or f"{source}: no column {column!r}; its columns are {found}; name one of them")


def _numbers(texts: list[str], rows: NDArray[np.int64], source: str, label: str) -> NDArray[np.float64]:
    try:
        values = np.array(list(map(float, texts)), dtype=np.float64)
    except ValueError:
        values = None
    # float() takes "1_000" and "٣"; a demands file that holds one is more likely damaged than clever.
    plain = all(text.isascii() and "_" not in text for text in texts)
    if values is not None and plain and bool((values >= 0).all()):
        odd = np.flatnonzero((values == 0) | np.isinf(values)).tolist()
        if not any(is_lost(texts[place], float(values[place])) for place in odd):
            return values
    return _numbers_one_by_one(texts, rows, source, label)


def _numbers_one_by_one(texts: list[str], rows: NDArray[np.int64], source: str, label: str) -> NDArray[np.float64]:
    bad = [(row, text) for row, text in zip(rows.tolist(), texts, strict=True) if not _is_demand(text)]
    _refuse([f"{source} row {row}: {label} = {no_demand(text)}" for row, text in bad], source)
    return np.array([number_of(text) for text in texts], dtype=np.float64)


def _refuse(lines: list[str], source: str) -> None:
    if lines:
        raise InvalidDemands(listed(lines, source))


def _is_demand(text: str) -> bool:
    number = number_of(text)
    return number is not None and number >= 0
