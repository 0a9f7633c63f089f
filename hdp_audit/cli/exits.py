"""Exit codes, and the group that turns every end into one of them and every mistake into a sentence."""

from __future__ import annotations

import contextlib
import datetime as dt
import os
import signal
import sys
import threading
import traceback
from collections.abc import Iterator
from types import FrameType
from typing import TYPE_CHECKING, Any

import click

from hdp_audit.cli.messages import complain
from hdp_audit.cli.output import patient_output
from hdp_audit.cli.usage import unknown_command, usage_problem
from hdp_audit.errors import HdpAuditError
from hdp_audit.runs.launcher import unseen_by_workers
from hdp_audit.targets.failures import words_of
from hdp_audit.targets.interrupts import AskedToEnd, deaf
from hdp_audit.targets.orphans import adopt, end_orphans

if TYPE_CHECKING:
    from hdp_audit.model import AuditReport

PASSED, REFUTED, NOT_DONE, INCONCLUSIVE, INTERRUPTED = 0, 1, 2, 3, 130
ENDING = ("SIGTERM", "SIGHUP")


class Program(click.Group):
    """A user's mistake ends in a sentence and exit code 2, never in a traceback; 1 is only ever what a command says."""

    def main(self, *arguments: Any, **options: Any) -> Any:
        """Run a command line and exit."""
        ours = not arguments and options.get("args") is None  # the process is this program, not a test that calls it
        if ours:
            adopt()
        with patient_output() as output, _interruptible() if ours else contextlib.nullcontext(), unseen_by_workers():
            code = self._code(*arguments, **{**options, "standalone_mode": False})
            unheard = output.why()
            if unheard is not None:
                complain(f"the output could not be written ({unheard})")
                code = code if code in (REFUTED, INTERRUPTED) else NOT_DONE
            if ours:
                deaf()
                end_orphans()
        sys.exit(code)

    def invoke(self, ctx: click.Context) -> int:
        """Run a command; its exit code."""
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")  # a terminal without ε must not end the run
        try:
            super().invoke(ctx)
        except SystemExit as end:
            return PASSED if end.code is None else end.code if isinstance(end.code, int) else NOT_DONE
        except (click.exceptions.ClickException, click.exceptions.Exit):
            raise
        except (KeyboardInterrupt, click.exceptions.Abort):
            complain("interrupted")
            return INTERRUPTED
        except HdpAuditError as mistake:
            complain(str(mistake))
            return NOT_DONE
        except BaseException as bug:
            return _bug(bug)
        return PASSED

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that the first word names; the nearest is offered where there is none."""
        if not ctx.resilient_parsing and self.get_command(ctx, args[0]) is None and not args[0].startswith("-"):
            raise HdpAuditError(unknown_command(args[0], self.list_commands(ctx)))
        return super().resolve_command(ctx, args)

    def _code(self, *arguments: Any, **options: Any) -> int:
        """What click does around a command can end in many ways too."""
        try:
            code = super().main(*arguments, **options)
            return code if isinstance(code, int) else PASSED
        except click.exceptions.ClickException as mistake:
            _refuse(mistake)
            return NOT_DONE
        except (KeyboardInterrupt, click.exceptions.Abort):
            complain("interrupted")
            return INTERRUPTED
        except SystemExit as end:  # completion for a shell, or a pipe that click found closed
            return NOT_DONE if end.code else PASSED
        except BaseException as bug:
            return _bug(bug)


def _refuse(mistake: click.ClickException) -> None:
    """In one line; click's own words are for a command line that asks for help by saying nothing."""
    helps = getattr(click.exceptions, "NoArgsIsHelpError", ())
    if isinstance(mistake, click.UsageError) and not isinstance(mistake, helps):
        complain(usage_problem(mistake))
    else:
        mistake.show()


def exit_code(report: AuditReport, *, allow_inconclusive: bool = False, today: dt.date | None = None) -> int:
    """1 before 2 before 3; what a waiver holds for does not count, a report without findings is no job done."""
    from hdp_audit.reporting.verdicts import waived

    found = {finding.verdict for finding in report.findings if not waived(finding, today)}
    if "fail" in found:
        return REFUTED
    if "error" in found or not report.findings:
        return NOT_DONE
    return INCONCLUSIVE if "inconclusive" in found and not allow_inconclusive else PASSED


def _bug(bug: BaseException) -> int:
    """A sentence; a disk that is full, or a file that cannot be read, is no bug of ours."""
    ours = "" if isinstance(bug, OSError) else "\nthis is a bug in hdp-audit; HDP_AUDIT_DEBUG=1 shows where"
    complain(f"{words_of(bug)}{ours}")
    if os.environ.get("HDP_AUDIT_DEBUG"):
        traceback.print_exc()
    return NOT_DONE


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """A request to end is what Ctrl-C is: what was done is saved. What somebody else has set stays as it is."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [number for name in ENDING if (number := getattr(signal, name, None)) is not None]
    taken = [number for number in numbers if signal.getsignal(number) is signal.SIG_DFL]
    for number in taken:
        signal.signal(number, _interrupt)
    try:
        yield
    finally:
        for number in taken:
            signal.signal(number, signal.SIG_DFL)


def _interrupt(_signal: int, _frame: FrameType | None) -> None:
    raise AskedToEnd
