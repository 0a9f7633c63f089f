"""All reports into one folder; a file is whole or not there."""

from __future__ import annotations

import datetime as dt
import os
import secrets
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from hdp_audit.errors import InvalidInput
from hdp_audit.reporting.format import Options
from hdp_audit.reporting.formats import registered

if TYPE_CHECKING:
    from hdp_audit.model.demands import PrivacyDemands
    from hdp_audit.model.report import AuditReport


# A file that was not there, never one behind a link; the last two are not known everywhere.
NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_BINARY", 0)


def write_reports(
    report: AuditReport,
    out: Path,
    *,
    allow_inconclusive: bool = False,
    name: str = "report",
    demands: Mapping[str, PrivacyDemands] | None = None,
    today: dt.date | None = None,
) -> list[Path]:
    """Every registered format's file in `out`, which is made where it is missing."""
    options = Options(allow_inconclusive=allow_inconclusive, today=today, demands=demands or {})
    contents = {form.file(name): form.render(report, options) for form in registered()}
    try:
        out.mkdir(parents=True, exist_ok=True)
        return [written_whole(out / file, partial(_put, content)) for file, content in contents.items()]
    except OSError as problem:
        raise InvalidInput(f"{out}: {problem.strerror or problem}; give a folder that can be written") from None


def _put(content: str | bytes | Callable[[BinaryIO], None], file: BinaryIO) -> None:
    if callable(content):
        content(file)
    else:
        file.write(content.encode("utf-8", errors="replace") if isinstance(content, str) else content)


def written_whole(path: Path, fill: Callable[[BinaryIO], None]) -> Path:
    """Beside its place first, then moved: a reader never sees half of it."""
    beside = path.with_name(f".{path.name}.{secrets.token_hex(8)}")
    handle = os.open(beside, NEW, 0o666)  # the umask says who may read it
    try:
        with os.fdopen(handle, "wb") as file:
            fill(file)
        beside.replace(path)  # a link at that place is replaced, not followed
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    return path
