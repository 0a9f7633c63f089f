"""Files of demands as columns of numbers: CSV, NPY, Parquet. What comes from outside is hostile: nothing is
unpickled. They are read piece by piece, so that texts of a few users are in memory at one time.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.errors import InvalidDemands
from hdp_audit.model.csv_columns import BadColumns, Reader, read_header, separator_problem
from hdp_audit.model.first_lines import FirstLines
from hdp_audit.model.names import Names
from hdp_audit.model.number_texts import no_demand, number_of, numbers_at_once

BESIDE = ("id", "tier")  # columns that name users, and tiers
_PIECE = 1 << 16  # users


@dataclass(frozen=True)
class Table:
    """One column of numbers with the source's row numbers and, if it has them, user ids."""

    values: NDArray[np.float64]
    ids: Names | None
    rows: NDArray[np.int64]
    source: str
    label: str
    tiers: Names | None = None


@dataclass
class _Filling:
    """A table as it grows, and the rows that hold no demand."""

    source: str
    label: str
    beside: list[str]
    values: list[NDArray[np.float64]] = field(default_factory=list)
    rows: list[NDArray[np.int64]] = field(default_factory=list)
    names: dict[str, list[Names]] = field(default_factory=lambda: {name: [] for name in BESIDE})

    def __post_init__(self) -> None:
        self.bad = FirstLines(self.source)

    def add(self, rows: NDArray[np.int64], given: list[str] | NDArray[Any], names: dict[str, list[str]]) -> None:
        """Some users more."""
        values = _values(given)
        if values is None:
            values = self._checked(rows, given)
        self.values.append(values)
        self.rows.append(rows)
        for name in self.beside:
            self.names[name].append(Names.of(names[name]))

    def table(self) -> Table:
        """The whole, or an error that names what is wrong."""
        if self.bad:
            raise InvalidDemands(str(self.bad))
        rows = np.concatenate(self.rows or [np.zeros(0, dtype=np.int64)])
        values = np.concatenate(self.values or [np.zeros(0)])
        ids, tiers = (Names.joined(self.names[name]) if name in self.beside else None for name in BESIDE)
        return Table(values, ids, rows, self.source, self.label, tiers)

    def _checked(self, rows: NDArray[np.int64], given: Iterable[Any]) -> NDArray[np.float64]:
        """One by one; nothing of them counts if one is bad."""
        texts = list(map(str, given))
        bad = [place for place, text in enumerate(texts) if not _is_demand(text)]
        lines = (f"{self.source} row {rows[place]}: {self.label} = {no_demand(texts[place])}" for place in bad)
        self.bad.add(lines, len(bad))
        return np.array([] if bad else [number_of(text) for text in texts], dtype=np.float64)


def read_csv(path: Path, column: str) -> Table:
    """A header line, then one record a user; columns `id` and `tier`, if there are any, name users and tiers."""
    try:
        header = read_header(path)
        _refuse_absent(header, column, path.name, separator_problem(path, header))
        beside = [name for name in BESIDE if name in header and name != column]
        filling = _Filling(path.name, column, beside)
        for piece in Reader(path, [column, *beside]):
            filling.add(piece.rows, piece.texts[column], piece.texts)
    except BadColumns as why:
        raise InvalidDemands(str(why)) from None
    table = filling.table()
    if not table.rows.size:
        raise InvalidDemands(f"{path.name}: has a header, but no row; give one row for each user")
    return table


def read_npy(path: Path) -> Table:
    """A .npy array of numbers, loaded without pickle."""
    try:
        array = np.load(path, allow_pickle=False)
    except (OSError, ValueError, EOFError, MemoryError) as problem:
        raise InvalidDemands(f"{path.name}: {problem}; give a one-dimensional .npy array of numbers") from None
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fiu":
        raise InvalidDemands(f"{path.name}: no array of real numbers; give a one-dimensional .npy array of numbers")
    rows = np.arange(1, array.shape[0] + 1 if array.ndim else 1)
    if array.ndim != 1:
        return Table(array.astype(np.float64), None, rows, path.name, "epsilon")
    values = np.empty(array.size)
    bad = FirstLines(path.name)
    for start in range(0, array.size, _PIECE):
        given = array[start : start + _PIECE]
        with np.errstate(over="ignore", under="ignore"):
            told = values[start : start + _PIECE] = given.astype(np.float64)
        lost = start + np.flatnonzero((np.isinf(told) & np.isfinite(given)) | ((told == 0) & (given != 0)))
        bad.add((f"{path.name} row {row + 1}: epsilon = {no_demand(str(array[row]))}" for row in lost), lost.size)
    if bad:
        raise InvalidDemands(str(bad))
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
        with parquet.ParquetFile(path) as file:
            beside = _beside(list(file.schema_arrow.names), column, path.name)
            filling, row = _Filling(path.name, column, beside), 1
            for batch in file.iter_batches(_PIECE, columns=[column, *beside]):
                names = {name: list(_texts(batch.column(name).to_pylist())) for name in beside}
                filling.add(np.arange(row, row + batch.num_rows), _given(batch.column(column)), names)
                row += batch.num_rows
    except (OSError, ValueError) as problem:
        raise InvalidDemands(f"{path.name}: {problem}; give a Parquet file") from None
    return filling.table()


def _given(column: Any) -> list[str] | NDArray[Any]:
    """Numbers of a machine as an array; anything else as texts, an empty one for nothing."""
    if str(column.type) in ("double", "float", "int64", "int32") and not column.null_count:
        return np.asarray(column.to_numpy(zero_copy_only=False))
    return list(_texts(column.to_pylist()))


def _texts(entries: list[Any]) -> Iterator[str]:
    return ("" if entry is None else str(entry) for entry in entries)


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


def _values(given: list[str] | NDArray[Any]) -> NDArray[np.float64] | None:
    """All as numbers at once; None where one may be no demand."""
    if isinstance(given, np.ndarray):
        numbers = given.astype(np.float64)
        return numbers if bool((numbers >= 0).all()) else None
    values = numbers_at_once(given)
    return values if values is not None and bool((values >= 0).all()) else None


def _is_demand(text: str) -> bool:
    number = number_of(text)
    return number is not None and number >= 0
