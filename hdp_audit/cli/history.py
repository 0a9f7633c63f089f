"""hdp-audit history: many reports over time."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hdp_audit.cli.messages import complain
from hdp_audit.errors import InvalidInput

if TYPE_CHECKING:
    from hdp_audit.model.report import AuditReport

OUT = Path("history.html")
UNDATED = "undated"


@click.command(short_help="Many reports over time: what changed, and how sure that is.")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--out", type=click.Path(path_type=Path), default=OUT, show_default=True, help="The page.")
def history(folder: Path, out: Path) -> None:
    """Read every report.json in and below FOLDER and write one page with each claim's figures over time.

    A drift is stated where two intervals of a claim share no point, with the probability that any such statement is
    wrong.
    """
    from hdp_audit.cli.writing import write_text
    from hdp_audit.reporting.history.page import history_page
    from hdp_audit.reporting.history.series import drift_words, summary
    from hdp_audit.reporting.history.series import history as history_of
    from hdp_audit.reporting.numbers import printable

    found = history_of(_reports(folder))
    write_text(out, history_page(found))
    for one in found.drifting:
        click.echo(printable(f"{'worse' if one.worse else 'better'}: {one.id}: {drift_words(one, found.dates)}"))
    click.echo(printable(summary(found)))
    click.echo(printable(f"written to {out}"))


def _reports(folder: Path) -> list[tuple[str, AuditReport]]:
    """By date, then by path; what is no report is named and left out. A copy counts once."""
    from hdp_audit.reporting.rebuilt import rebuilt
    from hdp_audit.reporting.report_json import read_report

    found, seen = [], set()
    for path in sorted(folder.rglob("report*.json")) if folder.is_dir() else []:
        try:
            content = path.read_bytes()
            report = rebuilt(read_report(path), str(path))
        except (OSError, InvalidInput) as why:
            complain(f"left out: {why}")
            continue
        if content not in seen:
            date = report.environment.get("date")
            found.append((str(date) if isinstance(date, str) else UNDATED, str(path), report))
        seen.add(content)
    if not found:
        raise InvalidInput(f"{folder}: no report in or below it; give a folder with report.json files that `run` wrote")
    found.sort(key=lambda one: (one[0] != UNDATED, one[0], one[1]))  # reports without a date are older than the field
    return [(date, report) for date, _, report in found]
