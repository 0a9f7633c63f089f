"""Columns of a CSV file, read strictly and piece by piece: a file that can be read in two ways is refused, with the
row.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.csv_blocks import blocks, fields_of
from hdp_audit.model.first_lines import FirstLines

_MORE = "write decimals with a point (0.5, not 0,5) and put text with a comma in quotes"
_FEWER = "give every column a field, an empty one where there is nothing to say"
_PIECE = 1 << 16  # records that are Python objects at one time
Record = tuple[int, list[str]]


class BadColumns(Exception):
    """Why a file cannot be read, one line a problem; texts of the file are not in it, as they may be data."""


@dataclass(frozen=True)
class Piece:
    """Some records: the line of the file on which each begins, and its texts by column."""

    rows: NDArray[np.int64]
    texts: dict[str, list[str]]


def read_header(path: Path) -> list[str]:
    """The names in row 1, without the spaces around them."""
    first = next((record for _, record in _records(path)), None)
    if not first:
        what = "the file is empty" if first is None else "row 1 is blank"
        raise BadColumns(f"{path.name}: {what}; give a first line with the names of the columns, then one row per user")
    return [name.strip() for name in first]


class Reader:
    """These columns, each of which the header must have once, piece by piece.

    Blank lines are passed over; `blank` is the first that has a record behind it, once all have been read. Records of
    another width are told then.
    """

    def __init__(self, path: Path, names: Sequence[str]) -> None:
        header = read_header(path)
        for name in names:
            if header.count(name) > 1:
                raise BadColumns(
                    f"{path.name} row 1: {header.count(name)} columns are called {name!r}; rename all but one"
                )
        self._path, self._width = path, len(header)
        self._places = {name: header.index(name) for name in names}
        self._ragged = FirstLines(path.name)
        self._first_blank = self._last = 0

    @property
    def blank(self) -> int | None:
        """Of the file as far as it was read."""
        return self._first_blank if 0 < self._first_blank < self._last else None

    def __iter__(self) -> Iterator[Piece]:
        try:
            for start, row, block in blocks(self._path):
                fields = fields_of(block, self._width)
                if fields is not None:
                    yield self._piece(np.arange(row, row + len(fields) // self._width), fields)
                elif b'"' in block:  # a record may go on in the next block
                    yield from self._pieces(_records(self._path, start, row))
                    break
                else:
                    yield from self._pieces(_parsed(self._path, _lines(block), row))
        except OSError as why:
            raise _unreadable(self._path, why) from None
        if self._ragged:
            raise BadColumns(str(self._ragged))

    def _piece(self, rows: NDArray[np.int64], fields: list[str]) -> Piece:
        """All fields, record by record; the header is none."""
        self._last, begin = int(rows[-1]), int(rows[0] == 1)
        width = self._width
        texts = {name: fields[begin * width + place :: width] for name, place in self._places.items()}
        return Piece(rows[begin:], texts)

    def _pieces(self, records: Iterable[Record]) -> Iterator[Piece]:
        rows: list[int] = []
        fields: list[str] = []
        for row, record in records:
            if len(record) == self._width:
                rows.append(row)
                fields.extend(record)
            elif record:
                self._ragged.add([f"{self._path.name} row {row}: {_ragged(len(record), self._width)}"], 1)
            else:
                self._first_blank = self._first_blank or row
            if len(rows) == _PIECE:
                yield self._piece(np.array(rows), fields)
                rows, fields = [], []
        if rows:
            yield self._piece(np.array(rows), fields)


def separator_problem(path: Path, header: list[str]) -> str | None:
    """What to say where columns are separated by something else than commas."""
    for mark, word in ((";", "semicolons"), ("\t", "tabs"), ("|", "bars")):
        if any(mark in name for name in header):
            return (
                f"{path.name} row 1: columns are separated by {word}; separate them by commas, and write decimals with "
                "a point (0.5, not 0,5)"
            )
    return None


def _records(path: Path, start: int = 0, row: int = 1) -> Iterator[Record]:
    """Records with the line of the file on which each begins, from that byte and that line on."""
    try:
        encoding = "utf-8" if start else "utf-8-sig"
        with path.open("rb") as stream, io.TextIOWrapper(stream, encoding=encoding, newline="") as lines:
            stream.seek(start)
            yield from _parsed(path, lines, row)
    except OSError as why:
        raise _unreadable(path, why) from None


def _parsed(path: Path, lines: Iterable[str], row: int) -> Iterator[Record]:
    reader, before = csv.reader(lines, strict=True), row - 1
    try:
        for record in reader:
            yield row, record
            row = before + reader.line_num + 1
    except UnicodeDecodeError:
        raise BadColumns(f"{path.name}: is no text in UTF-8; give a readable CSV file in UTF-8") from None
    except csv.Error as why:
        raise BadColumns(f"{path.name} row {row}: {why}; give a readable CSV file in UTF-8") from None


def _lines(block: bytes) -> io.TextIOWrapper:
    return io.TextIOWrapper(io.BytesIO(block), encoding="utf-8", newline="")


def _unreadable(path: Path, why: OSError) -> BadColumns:
    return BadColumns(f"{path.name}: {why.strerror}; give a readable CSV file in UTF-8")


def _ragged(count: int, width: int) -> str:
    fields = "1 field" if count == 1 else f"{count} fields"
    return f"{fields} where the header has {width}; {_MORE if count > width else _FEWER}"
