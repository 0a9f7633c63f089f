"""Rows of a table: columns of numbers and of labels, one row a user."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from hdp_audit.errors import InvalidInput
from hdp_audit.model.domain import Base, Data, Domain, Generator, Range
from hdp_audit.model.labels import Labels

MOST = 1000
EACH = 6  # values of a column that are worth moving to
ALONE = 8  # columns in which users are moved by themselves, too


@dataclass(frozen=True)
class Table(Domain):
    """A row with a value in each column; kept as a numpy array with a named field for each.

    Args:
        columns: By name: a `Range` or `Labels`.

    Example:
        >>> import numpy as np
        >>> from hdp_audit import Labels, Range, Table
        >>> people = Table({"salary": Range(0, 200_000), "city": Labels(["Berlin", "Paris"])})
        >>> people.shown(people.ends()[1])
        '(salary 200000, city Paris)'
    """

    columns: Mapping[str, Range | Labels]

    def __post_init__(self) -> None:
        if not isinstance(self.columns, Mapping) or not 1 <= len(self.columns) <= MOST:
            raise InvalidInput(f"a table without columns; give 1 to {MOST}, such as {{'salary': Range(0, 200_000)}}")
        for name, column in self.columns.items():
            if not isinstance(name, str) or not name or "\0" in name:
                raise InvalidInput(f"a column is called {name!r:.60}; give a text that is not empty")
            if not isinstance(column, (Range, Labels)):
                raise InvalidInput(f"column {name!r:.60} is {type(column).__name__}; give a range or labels")
        object.__setattr__(self, "columns", MappingProxyType(dict(self.columns)))

    def __reduce__(self) -> tuple[type[Table], tuple[dict[str, Range | Labels]]]:
        return type(self), (dict(self.columns),)

    @property
    def _dtype(self) -> np.dtype[Any]:
        return np.dtype([(name, column.everybody(1, column.ends()[0]).dtype) for name, column in self.columns.items()])

    def taken(self, data: Any) -> Data:
        """Rows from a DataFrame, a dict of columns, a list of dicts, or an array with named fields."""
        columns = {name: self._column(data, name) for name in self.columns}
        if len({column.shape for column in columns.values()}) > 1:
            raise InvalidInput("data whose columns differ in length; give one value a user in each")
        return self.made(columns)

    def _column(self, data: Any, name: str) -> Data:
        """Values are not shown."""
        try:
            found = np.asarray([row[name] for row in data] if isinstance(data, list) else data[name])
        except (KeyError, IndexError, TypeError, ValueError):
            found = None
        except Exception as why:  # polars has errors of its own
            if type(why).__module__.partition(".")[0] != "polars":
                raise
            found = None
        if found is None or found.ndim != 1:
            raise InvalidInput(f"data without a column {name!r}; give a DataFrame, a dict of lists, or a list of dicts")
        column = self.columns[name]
        if not column.allows(found):
            rows = [row for row in range(found.size) if not column.allows(found[row : row + 1])]
            raise InvalidInput(f"data, column {name!r}, row {rows[0]}: a value is not allowed; give {column.words}")
        return found

    def made(self, columns: Mapping[str, Data]) -> Data:
        """Rows from columns."""
        rows = np.empty(len(next(iter(columns.values()))), dtype=self._dtype)
        for name in self.columns:
            rows[name] = columns[name]
        return rows

    def _row(self, values: Mapping[str, Any]) -> Any:
        return self.made({name: np.array([value]) for name, value in values.items()})[0]

    def ends(self) -> tuple[Any, Any]:
        """All columns at their first end, and at the other."""
        first, second = ({name: column.ends()[at] for name, column in self.columns.items()} for at in (0, 1))
        return self._row(first), self._row(second)

    @property
    def null(self) -> Any:
        """0 in every column."""
        if not all(isinstance(column, Range) for column in self.columns.values()):
            return super().null
        return self._row({name: column.null for name, column in self.columns.items()})

    def random(self, users: int, rng: Generator) -> Data:
        """Every column by itself."""
        return self.made({name: column.random(users, rng) for name, column in self.columns.items()})

    def allows(self, data: Data) -> bool:
        """Every column."""
        names = data.dtype.names or ()
        return set(names) == set(self.columns) and all(each.allows(data[name]) for name, each in self.columns.items())

    @property
    def words(self) -> str:
        """Column by column."""
        told = "; ".join(f"{name}: {column.words}" for name, column in list(self.columns.items())[:ALONE])
        return f"rows of {len(self.columns)} columns ({told}{'; ...' if len(self.columns) > ALONE else ''})"

    def typed(self, data: Data) -> Data:
        """Columns in their order."""
        return self.made({name: data[name] for name in self.columns})

    def shown(self, value: Any) -> str:
        """Column by column."""
        told = [f"{name} {column.shown(value[name])}" for name, column in list(self.columns.items())[:ALONE]]
        return f"({', '.join(told)}{', ...' if len(self.columns) > ALONE else ''})"

    def everybody(self, users: int, value: Any) -> Data:
        """All with one row."""
        return np.full(users, value, dtype=self._dtype)

    def values(self, most: int, rng: Generator) -> list[Any]:
        """The ends, rows that leave the first end in one column alone, and others by lot."""
        low, high = self.ends()
        alone = [self._one_moved(low, name, high[name]) for name in self.columns]
        inner = [(name, each) for name, column in self.columns.items() for each in column.values(EACH, rng)[2:]]
        known = [low, high, *(alone if len(alone) > 1 else []), *(self._one_moved(low, *each) for each in inner)]
        return [*known, *self.random(max(most - len(known), 0), rng)][: max(most, 2)]

    @property
    def variety(self) -> int:
        """The ends, and every column by itself."""
        return 2 + EACH * len(self.columns)

    def _one_moved(self, row: Any, name: str, value: Any) -> Any:
        found = row.copy()
        found[name] = value
        return found

    def _bases(self, users: int, rng: Generator) -> Iterator[Base]:
        """All columns at once; and random data whose users move in one column alone."""
        yield from super()._bases(users, rng)
        if len(self.columns) == 1:
            return
        low, high = self.ends()
        for name in list(self.columns)[:ALONE]:
            moved = self._one_moved(low, name, high[name])
            yield Base(f"random data, users along {name}", self.random(users, rng), low, moved)
