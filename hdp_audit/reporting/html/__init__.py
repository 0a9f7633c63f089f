"""One offline HTML file: no script, no outside reference, pictures in SVG, light and dark, under a megabyte."""

from __future__ import annotations

import datetime as dt
from typing import TYPE_CHECKING

from hdp_audit.reporting.html.detail import LEVELS, MOST_BYTES

if TYPE_CHECKING:
    from hdp_audit.model.report import AuditReport
    from hdp_audit.reporting.format import Options


class Html:
    """For people: one page."""

    def file(self, name: str) -> str:
        """`report.html`."""
        return f"{name}.html"

    def render(self, report: AuditReport, options: Options) -> str:
        """The whole file."""
        return report_html(report, today=options.today)


def report_html(report: AuditReport, *, today: dt.date | None = None) -> str:
    """The richest page that is small enough."""
    from hdp_audit.reporting.html.material import Material
    from hdp_audit.reporting.html.page import page

    text, material = "", Material(report, today)
    for detail in LEVELS:
        text = page(material, detail)
        if len(text.encode("utf-8", errors="replace")) <= MOST_BYTES:
            break
    return text
