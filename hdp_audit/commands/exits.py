"""Exit codes, and the group that turns every mistake into a sentence."""

from __future__ import annotations

import datetime as dt
import os
import sys
import traceback
from typing import TYPE_CHECKING, Any

import click

from hdp_audit.errors import HdpAuditError

if TYPE_CHECKING:
    from hdp_audit.model import AuditReport

PASSED, REFUTED, NOT_DONE, INCONCLUSIVE, INTERRUPTED = 0, 1, 2, 3, 130


class Program(click.Group):
    """A user's mistake ends in a sentence and exit code 2, never in a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")  # a terminal without ε must not end the run
        try:
            return super().invoke(ctx)
        except HdpAuditError as mistake:
            complain(str(mistake))
            ctx.exit(NOT_DONE)
        except KeyboardInterrupt:
            complain("interrupted")
            ctx.exit(INTERRUPTED)
        except (click.exceptions.ClickException, click.exceptions.Exit, click.exceptions.Abort, BrokenPipeError):
            raise
        except Exception as bug:
            complain(f"{type(bug).__name__}: {bug}\nthis is a bug in hdp-audit; HDP_AUDIT_DEBUG=1 shows where")
            if os.environ.get("HDP_AUDIT_DEBUG"):
                traceback.print_exc()
            ctx.exit(NOT_DONE)


def complain(message: str) -> None:
    """To stderr, line by line, without anything that steers a terminal."""
    for line in message.splitlines():
        plain = "".join(letter if letter.isprintable() else "�" for letter in line)
        click.echo(f"hdp-audit: {plain}", err=True)


def exit_code(report: AuditReport, *, allow_inconclusive: bool = False, today: dt.date | None = None) -> int:
    """1 before 2 before 3; a failure whose waiver holds does not count, a report without findings is no job done."""
    day = today or dt.date.today()
    open_fails = [f for f in report.findings if f.verdict == "fail" and not (f.waiver and f.waiver.holds(day))]
    found = {finding.verdict for finding in report.findings}
    if open_fails:
        return REFUTED
    if "error" in found or not found:
        return NOT_DONE
    return INCONCLUSIVE if "inconclusive" in found and not allow_inconclusive else PASSED
