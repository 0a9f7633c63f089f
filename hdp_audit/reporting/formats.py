"""Every format in which reports are written. A new one is a class with `file` and `render`, and a line here."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hdp_audit.errors import InvalidInput
from hdp_audit.reporting.html import Html
from hdp_audit.reporting.junit import JUnit
from hdp_audit.reporting.markdown import Markdown
from hdp_audit.reporting.report_json import Json
from hdp_audit.reporting.sarif import Sarif
from hdp_audit.reporting.users import Users

if TYPE_CHECKING:
    from hdp_audit.reporting.format import Format

_formats: list[Format] = [Json(), Html(), JUnit(), Sarif(), Markdown(), Users()]


def registered() -> tuple[Format, ...]:
    """All formats, in the order in which their files are written."""
    return tuple(_formats)


def register(added: Format) -> None:
    """Write this format as well, from now on; its file must not be another format's."""
    name = added.file("report")
    if name in (known.file("report") for known in _formats):
        raise InvalidInput(f"a format that writes {name} is registered already; give the file another name")
    _formats.append(added)


def unregister(removed: Format) -> None:
    """Do not write this format any more."""
    _formats.remove(removed)
