"""hdp-audit replay: one finding again."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import click

from hdp_audit.cli.exits import REFUTED

UNEXPLAINED = (
    "though the spec, demands, data, versions and all known files of the mechanism are the same: it does not repeat "
    "itself for the same seed, it depends on something else that has changed, or the report was edited"
)
SHOWN = ("claimed", "lower", "upper", "calls", "witness")


@click.command(short_help="Run one finding again: the same numbers.")
@click.argument("report", type=click.Path(path_type=Path))
@click.option("--finding", "name", required=True, help="The id of a finding in the report.")
@click.option("--spec", type=click.Path(path_type=Path), help="The spec; the built-in suite has none.")
@click.option("--export", "folder", type=click.Path(path_type=Path), help="Write the counterexample into this folder.")
def replay(report: Path, name: str, spec: Path | None, folder: Path | None) -> None:
    """Run one finding of a report.json again: same seed, same numbers.

    With --export both datasets, the demands, the event as a script that does not need hdp-audit, and the counts to
    expect are written.

    Exit code 1 where the numbers differ, 2 where the report belongs to another spec, program or data, or the
    mechanism ends its process.
    """
    from hdp_audit.reporting.numbers import printable
    from hdp_audit.runs.replay import replayed

    found = replayed(report, name, spec)
    then, now = found.then, found.now
    if now is None:
        click.echo(f"the finding did not come up again, {UNEXPLAINED}")
        sys.exit(REFUTED)
    lines = found.differences()
    for line in lines:
        click.echo(printable(line))
    if lines:
        click.echo(f"the numbers differ, {UNEXPLAINED}")
        sys.exit(REFUTED)
    click.echo(printable(f"the same numbers: {then['verdict']}: {then.get('message')}"))
    click.echo(json.dumps({key: now[key] for key in SHOWN}, indent=1))
    if folder is not None:
        _export(report, then["id"], spec, folder)


def _export(report: Path, name: str, spec: Path | None, folder: Path) -> None:
    """Files for somebody who does not have hdp-audit."""
    from hdp_audit.errors import InvalidInput
    from hdp_audit.reporting.report_json import read_report
    from hdp_audit.runs.export import export

    if spec is None:
        raise InvalidInput("--export is for findings about a mechanism of your own; give its --spec")
    files = export(read_report(report), name, spec, folder)
    click.echo(f"written to {folder}: {', '.join(file.name for file in files)}")
