"""hdp-audit compare: a gate on two reports."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from hdp_audit.cli.exits import REFUTED


@click.command(short_help="A gate on two reports: what got worse?")
@click.argument("old", type=click.Path(path_type=Path))
@click.argument("new", type=click.Path(path_type=Path))
def compare(old: Path, new: Path) -> None:
    """Say what got worse from the report.json OLD to NEW: exit code 1 where anything did."""
    from hdp_audit.regressions import compare
    from hdp_audit.reporting.report_json import read_report

    compared = compare(read_report(old), read_report(new))
    click.echo(compared.text)
    if compared.regressions:
        sys.exit(REFUTED)
