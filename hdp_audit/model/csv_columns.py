"""Columns of a CSV file, read strictly: a file that can be read in two ways is refused, with the row."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

REPORTED = 10
_MORE = "write decimals with a point (0.5, not 0,5) and put text with a comma in quotes"
_FEWER = "give every column a field, an empty one where there is nothing to say"


class BadColumns(Exception):
    """Why a file cannot be read, one line a problem; texts of the file are not in it, as they may be data."""


@dataclass(frozen=True)
class Columns:
    """The texts of the columns asked for, the line of the file on which each record begins, and blank lines between."""

    rows: NDArray[np.int64]
    texts: dict[str, list[str]]
    blank: list[int]


def read_header(path: Path) -> list[str]:
    """The names in row 1, without the spaces around them."""
    first = next((record for _, record in _records(path)), None)
    if not first:
        what = "the file is empty" if first is None else "row 1 is blank"
        raise BadColumns(f"{path.name}: {what}; give a first line with the names of the columns, then one row per user")
    return [name.strip() for name in first]


def read_columns(path: Path, names: Sequence[str]) -> Columns:
    """These columns, each of which the header must have once; blank lines are passed over, but counted."""
    header = read_header(path)
    for name in names:
        if header.count(name) > 1:
            raise BadColumns(f"{path.name} row 1: {header.count(name)} columns are called {name!r}; rename all but one")
    places = [header.index(name) for name in names]
    rows, blank = [1], []
    texts: list[list[str]] = [[] for _ in names]
    ragged: list[str] = []
    width, records = len(header), _records(path)
    next(records)
    for row, record in records:
        if len(record) == width:
            rows.append(row)
            for kept, place in zip(texts, places, strict=True):
                kept.append(record[place])
        elif record:
            ragged.append(f"{path.name} row {row}: {_ragged(len(record), width)}")
        else:
            blank.append(row)
    if ragged:
        raise BadColumns(listed(ragged, path.name))
    between = [row for row in blank if row < rows[-1]]
    return Columns(np.array(rows[1:], dtype=np.int64), dict(zip(names, texts, strict=True)), between)


def separator_problem(path: Path, header: list[str]) -> str | None:
    """What to say where columns are separated by something else than commas."""
    for mark, word in ((";", "semicolons"), ("\t", "tabs"), ("|", "bars")):
        if any(mark in name for name in header):
            return (
                f"{path.name} row 1: columns are separated by {word}; separate them by commas, and write decimals with "
                "a point (0.5, not 0,5)"
            )
    return None


def listed(lines: list[str], source: str) -> str:
    """The first of them, and how many more there are."""
    more = [f"... and {len(lines) - REPORTED} more rows of {source}"] if len(lines) > REPORTED else []
    return "\n".join([*lines[:REPORTED], *more])


def _records(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Records with the line of the file on which each begins."""
    try:
        with path.open(newline="", encoding="utf-8-sig") as stream:
            reader, row = csv.reader(stream, strict=True), 1
            for record in reader:
                yield row, record
                row = reader.line_num + 1
    except UnicodeDecodeError:
        raise BadColumns(f"{path.name}: is no text in UTF-8; give a readable CSV file in UTF-8") from None
    except csv.Error as why:
        raise BadColumns(f"{path.name} row {row}: {why}; give a readable CSV file in UTF-8") from None
    except OSError as why:
        raise BadColumns(f"{path.name}: {why.strerror}; give a readable CSV file in UTF-8") from None


def _ragged(count: int, width: int) -> str:
    fields = "1 field" if count == 1 else f"{count} fields"
    return f"{fields} where the header has {width}; {_MORE if count > width else _FEWER}"
