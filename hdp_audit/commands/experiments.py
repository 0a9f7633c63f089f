"""hdp-audit experiments: the paper's tables and figures."""

from __future__ import annotations

import importlib
from pathlib import Path

import click

from hdp_audit.errors import HdpAuditError

OUT = Path("reports/experiments")


@click.command(short_help="The paper's tables and figures again.")
@click.argument("name", required=False)
@click.option("--out", type=click.Path(path_type=Path), default=OUT, show_default=True, help="Folder of the files.")
@click.option("--quick", is_flag=True, help="Fewer repetitions: minutes become seconds, and curves get rougher.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=1, show_default=True, help="Of all randomness.")
@click.option("--data", "data_file", type=click.Path(path_type=Path), help="A file of salaries instead of the paper's.")
def experiments(name: str | None, out: Path, quick: bool, seed: int, data_file: Path | None) -> None:
    """Repeat the paper's experiments: all of them, or the one called NAME."""
    try:
        found = importlib.import_module("hdp_audit.experiments.command")
    except ModuleNotFoundError as why:
        raise HdpAuditError(f"the experiments are not part of this installation (no module {why.name})") from None
    said: list[int] = []

    def progress(what: str, share: float) -> None:
        tenth = int(10 * share)
        if not said or tenth > said[-1]:
            said.append(tenth)
            click.echo(f"{share:.0%} {what}", err=True)

    for path in found.experiments(name, out, quick, seed=seed, data_file=data_file, progress=progress):
        click.echo(str(path))
