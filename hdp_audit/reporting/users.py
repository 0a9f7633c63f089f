"""users.csv.gz: every user's own figures, one line each."""

from __future__ import annotations

import csv
import gzip
import io
import math
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, BinaryIO

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
HEADINGS = ("subject", "user", "row", "id", *FIGURES)


class Users:
    """For spreadsheets and scripts: every user's own figures."""

    def file(self, name: str) -> str:  # noqa: ARG002 (one per folder)
        """`users.csv.gz`, whatever the report is called."""
        return "users.csv.gz"

    def render(self, report: AuditReport, options: Options) -> bytes:
        """The whole file, compressed."""
        packed = io.BytesIO()
        write_users(report, packed, options.demands)
        return packed.getvalue()


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
    if subject.figures is None:
        return iter(())
    users = range(subject.figures.demand.size)
    found = {name: getattr(subject.figures, name) for name in FIGURES}
    columns = [
        [""] * len(users) if found[name] is None else _words(found[name], digits) for name, digits in FIGURES.items()
    ]
    known = source is not None and len(source) == len(users)
    rows = source.rows.tolist() if known and source is not None else [""] * len(users)
    ids = list(source.ids) if known and source is not None and source.ids is not None else [""] * len(users)
    name = _defused(named(subject.name, 300))
    return zip([name] * len(users), users, rows, map(_defused, ids), *columns, strict=True)


def _defused(text: str) -> str:
    """With a quote before what a spreadsheet would take for a formula; numbers of ours are no texts.

    A bare carriage return would end the line for some readers: Python's writer does not quote it.
    """
    plain = text.replace("\r", "\\r")
    return f"'{plain}" if text.startswith(FORMULAS) else plain


def _words(values: Floats, digits: Callable[[float], str]) -> list[str]:
    """Nothing where nothing is known."""
    return ["" if math.isnan(value) else digits(value) for value in values.tolist()]
