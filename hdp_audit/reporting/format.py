"""What a report format is: a file beside the others, made from the report alone and what the reader asked for."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, BinaryIO, Protocol

if TYPE_CHECKING:
    from hdp_audit.model.demands import PrivacyDemands
    from hdp_audit.model.report import AuditReport


@dataclass(frozen=True)
class Options:
    """What formats may depend on besides the report.

    `allow_inconclusive`: an open claim is no failure. `today`: the day on which waivers are judged; None is now.
    `demands`: by the subjects' names, for the rows and ids of the user's own file.
    """

    allow_inconclusive: bool = False
    today: dt.date | None = None
    demands: Mapping[str, PrivacyDemands] = field(default_factory=dict)


class Format(Protocol):
    """One way to write a report down."""

    def file(self, name: str) -> str:
        """The file's name, for a report called `name`."""
        ...

    def render(self, report: AuditReport, options: Options) -> str | bytes | Callable[[BinaryIO], None]:
        """The file's content, text as UTF-8; or, of a large file, what writes it."""
        ...
