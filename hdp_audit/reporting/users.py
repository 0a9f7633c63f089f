"""users.csv.gz: every user's own figures, one line each."""

from __future__ import annotations

import csv
import gzip
import io
import math
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from hdp_audit.reporting.verdicts import named

if TYPE_CHECKING:
    from hdp_audit.model.demands import PrivacyDemands
    from hdp_audit.model.report import AuditReport
    from hdp_audit.model.subject import Floats, SubjectSummary
    from hdp_audit.reporting.format import Options

# Digits that give the number back, six where it was measured, and whole numbers.
FIGURES: dict[str, Callable[[float], str]] = {
    "demand": repr,
    "exact": repr,
    "estimate": "{:.6g}".format,
    "error": "{:.6g}".format,
    "detectable_loss_alone": "{:.6g}".format,
    "shared_by": "{:.0f}".format,
    "traced": repr,
}
FORMULAS = ("=", "+", "-", "@", "\t", "\r", "\n", "＝", "＋", "－", "＠")  # OWASP: CSV injection
PIECE = 1 << 14  # users whose texts are in memory at one time
HEADINGS = ("subject", "user", "row", "id", *FIGURES)


class Users:
    """For spreadsheets and scripts: every user's own figures."""

    def file(self, name: str) -> str:  # noqa: ARG002 (one per folder)
        """`users.csv.gz`, whatever the report is called."""
        return "users.csv.gz"

    def render(self, report: AuditReport, options: Options) -> Callable[[BinaryIO], None]:
        """What writes the file, compressed, as it makes it."""
        return partial(write_users, report, demands=options.demands)


def write_users(report: AuditReport, file: BinaryIO, demands: Mapping[str, PrivacyDemands] | None = None) -> None:
    """The same bytes for the same report; `demands` by subject tell rows and ids of the user's own file."""
    with (
        gzip.GzipFile(filename="", fileobj=file, mode="wb", compresslevel=4, mtime=0) as packed,
        io.TextIOWrapper(packed, encoding="utf-8", errors="replace", newline="") as lines,
    ):
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(HEADINGS)
        for subject in report.subjects:
            writer.writerows(_rows(subject, (demands or {}).get(subject.name)))


def _rows(subject: SubjectSummary, source: PrivacyDemands | None) -> Iterator[tuple[object, ...]]:
    """Line by line; texts of a few users are in memory at one time."""
    if subject.figures is None:
        return
    users = subject.figures.demand.size
    found = {name: getattr(subject.figures, name) for name in FIGURES}
    known = source if source is not None and len(source) == users else None
    name = _defused(named(subject.name, 300))
    for start in range(0, users, PIECE):
        some = slice(start, min(start + PIECE, users))
        count = some.stop - start
        columns = [_column(found[figure], some, digits) for figure, digits in FIGURES.items()]
        rows = [""] * count if known is None else known.rows[some].tolist()
        ids = [""] * count if known is None or known.ids is None else known.ids[some]
        yield from zip([name] * count, range(start, some.stop), rows, map(_defused, ids), *columns, strict=True)


def _defused(text: str) -> str:
    """With a quote before what a spreadsheet would take for a formula; numbers of ours are no texts.

    A bare carriage return would end the line for some readers: Python's writer does not quote it.
    """
    plain = text.replace("\r", "\\r")
    return f"'{plain}" if text.startswith(FORMULAS) else plain


def _column(values: Floats | None, some: slice, digits: Callable[[float], str]) -> list[str]:
    """Of some users; nothing where nothing is known. Figures that many share are put into words once."""
    if values is None:
        return [""] * (some.stop - some.start)
    own = np.ascontiguousarray(values[some], dtype=np.float64)
    distinct, places = np.unique(own.view(np.int64), return_inverse=True)  # bits: -0 is not 0
    if distinct.size > own.size // 2:
        return _words(own, digits)
    words: list[str] = np.array(_words(distinct.view(np.float64), digits), dtype=object)[places].tolist()
    return words


def _words(values: Floats, digits: Callable[[float], str]) -> list[str]:
    return ["" if math.isnan(value) else digits(value) for value in values.tolist()]
