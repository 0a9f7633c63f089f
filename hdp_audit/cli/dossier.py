"""hdp-audit dossier and verify: the document that people sign, and whether it is still the one that was written."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from hdp_audit.cli.exits import REFUTED

OUT = Path("dossier")


@click.command(short_help="A document to be signed, with checksums.")
@click.argument("reports", type=click.Path(path_type=Path), nargs=-1, required=True, metavar="REPORT...")
@click.option(
    "--out", type=click.Path(path_type=Path), default=Path("dossier"), show_default=True, help="A new folder."
)
@click.option("--pdf", is_flag=True, help="Also as a PDF, by a Chromium found on this machine.")
def dossier(reports: tuple[Path, ...], out: Path, pdf: bool) -> None:
    """Put one or several report.json files into one dated document, with a registry entry and checksums.

    The seal that is printed stands for every byte of the dossier: note it elsewhere, or sign the file SHA256SUMS.
    """
    import datetime as dt

    from hdp_audit.runs.dossier import write_dossier

    seal = write_dossier(reports, out, dt.date.today(), pdf=pdf)
    click.echo(f"written to {out}; seal {seal}")


@click.command(short_help="Has a dossier been edited?")
@click.argument("folder", type=click.Path(path_type=Path))
@click.option("--seal", help="As `dossier` printed it: then the checksums cannot have been replaced either.")
def verify(folder: Path, seal: str | None) -> None:
    """Check that every file of a dossier is as it was written, and that none is missing or was added.

    Exit code 1 where anything differs.
    """
    from hdp_audit.reporting.numbers import printable
    from hdp_audit.runs.dossier import checked

    found = checked(folder, seal)
    for line in found:
        click.echo(printable(line))
    if found:
        sys.exit(REFUTED)
    rest = "" if seal else "; without --seal, somebody may have replaced files and checksums together"
    click.echo(f"every file is as it was written{rest}")
