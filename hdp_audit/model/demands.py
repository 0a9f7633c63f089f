"""The privacy demands of n users: one number from 0 (never use my datum) to inf (my datum is public) each."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hdp_audit.errors import InvalidDemands
from hdp_audit.model.demand_files import Table, read_csv, read_npy, read_parquet
from hdp_audit.model.first_lines import FirstLines
from hdp_audit.model.frozen import frozen, numbers
from hdp_audit.model.names import Names
from hdp_audit.model.number_texts import DEMAND


@dataclass(frozen=True, eq=False)
class PrivacyDemands:
    """One demand ε per user, in the order given.

    Made by `from_values`, `from_csv` and their like, which refuse what is no demand and say where it stands.

    Args:
        values: The demands, from 0 to inf.
        ids: Names of the users, if there are any; any sequence is kept as one that equals it and takes little memory.
        rows: The row of each in its source, from 1; a CSV's header is row 1.
        source: Where they come from, for messages.
        label: The name of their column, for messages.
        tiers: What each user's tier is called, if there are names; kept like ids.

    Example:
        >>> from hdp_audit import PrivacyDemands
        >>> demands = PrivacyDemands.from_values([0.1, 0.5, float("inf")])
        >>> len(demands), demands.values.max()
        (3, np.float64(inf))
    """

    values: NDArray[np.float64]
    ids: Sequence[str] | None
    rows: NDArray[np.int64]
    source: str = "demands"
    label: str = "epsilon"
    tiers: Sequence[str] | None = None

    def __post_init__(self) -> None:
        values = numbers(self.values)
        rows = np.asarray(self.rows, dtype=np.int64)
        if values.ndim != 1:
            raise InvalidDemands(f"{self.source}: {values.ndim} dimensions; give one number for each user")
        if values.size == 0:
            raise InvalidDemands(f"{self.source}: no demands; give at least one row")
        if rows.shape != values.shape or (self.ids is not None and len(self.ids) != values.size):
            raise InvalidDemands(f"{self.source}: {values.size} demands, but as many ids or rows are missing")
        if self.tiers is not None and len(self.tiers) != values.size:
            raise InvalidDemands(f"{self.source}: {values.size} demands, but {len(self.tiers)} names of tiers")
        _refuse_bad(values, rows, self.source, self.label)
        ids, tiers = (None if names is None else Names.of(names) for names in (self.ids, self.tiers))
        if ids is not None:
            _refuse_twins(ids, rows, self.source)
        self._keep(values, ids, rows, tiers)

    def _keep(self, values: NDArray[np.float64], ids: Names | None, rows: NDArray[np.int64], tiers: object) -> None:
        kept = {"values": frozen(values, np.float64), "ids": ids, "rows": frozen(rows, np.int64), "tiers": tiers}
        for name, value in kept.items():
            object.__setattr__(self, name, value)

    def __reduce__(self) -> tuple[object, tuple[object, ...]]:
        """Made anew where it arrives: a pickled array forgets that it is read-only. It was checked before."""
        return _arrived, (type(self), self.values, self.ids, self.rows, self.source, self.label, self.tiers)

    def __len__(self) -> int:
        return int(self.values.size)

    @classmethod
    def from_values(
        cls, values: Iterable[float] | NDArray[np.float64], ids: Sequence[str] | None = None
    ) -> "PrivacyDemands":
        """Demands held in memory; rows count from 1."""
        try:
            array = np.asarray(values if isinstance(values, np.ndarray) else list(values), dtype=np.float64)
        except (TypeError, ValueError) as problem:
            raise InvalidDemands(f"demands: {problem}; {DEMAND}") from None
        rows = np.arange(1, array.shape[0] + 1 if array.ndim else 1)
        return cls(array, ids, rows)

    @classmethod
    def from_csv(cls, path: str | Path, column: str = "epsilon") -> "PrivacyDemands":
        """A CSV file with a header; columns `id` and `tier`, if there, name users and tiers."""
        return cls._of(read_csv(Path(path), column))

    @classmethod
    def from_npy(cls, path: str | Path) -> "PrivacyDemands":
        """A one-dimensional numpy array of numbers; rows count from 1."""
        return cls._of(read_npy(Path(path)))

    @classmethod
    def from_parquet(cls, path: str | Path, column: str = "epsilon") -> "PrivacyDemands":
        """A Parquet file; needs the extra `parquet`. Rows count from 1."""
        return cls._of(read_parquet(Path(path), column))

    @classmethod
    def from_file(cls, path: str | Path, column: str = "epsilon") -> "PrivacyDemands":
        """By suffix: .csv, .npy or .parquet."""
        match Path(path).suffix.lower():
            case ".csv":
                return cls.from_csv(path, column)
            case ".npy":
                return cls.from_npy(path)
            case ".parquet":
                return cls.from_parquet(path, column)
            case other:
                raise InvalidDemands(f"{path}: suffix {other!r}; demands are read from .csv, .npy or .parquet")

    @classmethod
    def _of(cls, table: Table) -> "PrivacyDemands":
        return cls(table.values, table.ids, table.rows, table.source, table.label, table.tiers)


def _arrived(
    kind: type[PrivacyDemands],
    values: NDArray[np.float64],
    ids: Names | None,
    rows: NDArray[np.int64],
    source: str,
    label: str,
    tiers: Names | None,
) -> PrivacyDemands:
    """Demands from another process, which has checked them."""
    demands = object.__new__(kind)
    demands._keep(values, ids, rows, tiers)
    object.__setattr__(demands, "source", source)
    object.__setattr__(demands, "label", label)
    return demands


def _refuse_bad(values: NDArray[np.float64], rows: NDArray[np.int64], source: str, label: str) -> None:
    bad = np.flatnonzero(~(values >= 0))
    told = FirstLines(source)
    told.add((f"{source} row {rows[i]}: {label} = {values[i]:g}; {DEMAND}" for i in bad), bad.size)
    if told:
        raise InvalidDemands(str(told))


def _refuse_twins(ids: Names, rows: NDArray[np.int64], source: str) -> None:
    """Two demands of one user would contradict each other; ids stay out of messages, as they may be names."""
    first = ids.codes()
    again = np.flatnonzero(first != np.arange(first.size))
    told = FirstLines(source)
    told.add(
        (f"{source} row {rows[i]}: its id is that of row {rows[first[i]]}, too; give each id once" for i in again),
        again.size,
    )
    if told:
        raise InvalidDemands(str(told))
