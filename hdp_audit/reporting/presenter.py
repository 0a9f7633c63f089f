"""What `print(report)`, `report.to_html()` and a notebook show; renderers are loaded when they are needed."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hdp_audit.model.report import AuditReport


class ReportPresenter:
    """The report as a screen of text, as the page of report.html, and as that page inside a notebook."""

    def screen(self, report: AuditReport) -> str:
        """Text of 72 columns without control sequences."""
        from hdp_audit.reporting.screen import screen

        return screen(report)

    def page(self, report: AuditReport) -> str:
        """What `run` writes as report.html."""
        from hdp_audit.reporting.html import report_html

        return report_html(report)

    def cell(self, report: AuditReport) -> str:
        """The page in a frame of its own: its style must not reach the notebook, nor the notebook's the page."""
        from html import escape

        frame = 'sandbox="" style="width: 100%; height: 42rem; border: 0" title="hdp-audit report"'
        return f'<iframe {frame} srcdoc="{escape(self.page(report))}"></iframe>'
