"""hdp-audit check: can the spec be read, does the mechanism answer, and what would its budget detect?"""

from __future__ import annotations

import shutil
import sys
import textwrap
from pathlib import Path

import click

from hdp_audit.cli.exits import INCONCLUSIVE, NOT_DONE, PASSED, REFUTED
from hdp_audit.cli.here import DEFAULT, HOW, spec_here
from hdp_audit.errors import HdpAuditError


@click.command(short_help="Try a spec: does it work? what would its budget detect?")
@click.argument("spec", type=click.Path(path_type=Path), required=False)
@click.option("--traceback", is_flag=True, help="Every frame of an exception of the mechanism.")
def check(spec: Path | None, traceback: bool) -> None:
    """Validate SPEC (hdp-audit.toml here), call its mechanism a few times, and say what the budget can detect.

    Exit code 1: the calls alone refute a promise; 2: the spec or the mechanism cannot be used; 3: the budget
    lacks the power that the claims ask for.
    """
    from hdp_audit.runs.identify import identified
    from hdp_audit.runs.job import job_of
    from hdp_audit.runs.readiness import Readiness, heading, readiness

    codes = {
        Readiness.READY: PASSED,
        Readiness.REFUTED: REFUTED,
        Readiness.UNUSABLE: NOT_DONE,
        Readiness.LACKING: INCONCLUSIVE,
    }
    spec = spec or spec_here()
    if spec is None:
        raise HdpAuditError(f"no SPEC is given and no {DEFAULT} is in this folder; {HOW}")
    job = identified(job_of(spec))
    _say(f"{spec}: {heading(job)}")
    found = readiness(job, _say, traceback=traceback)
    _say(f"{found.value} (exit code {codes[found]})")
    sys.exit(codes[found])


def _say(line: str) -> None:
    from hdp_audit.reporting.numbers import printable

    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else None
    for part in fitted(printable(line), width):
        click.echo(part)


def fitted(line: str, width: int | None) -> list[str]:
    """A sentence on lines that a terminal of this width has room for; as it is where there is none."""
    if width is None or len(line) <= width:
        return [line]
    indent = line[: len(line) - len(line.lstrip())] + "  "
    return textwrap.wrap(line, width, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False)
