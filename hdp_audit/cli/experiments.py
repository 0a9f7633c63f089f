"""hdp-audit experiments: the paper's tables and figures."""

from __future__ import annotations

from pathlib import Path

import click

OUT = Path("reports/paper")


@click.command(short_help="The paper's tables and figures again.")
@click.argument("name", required=False)
@click.option("--out", type=click.Path(path_type=Path), default=OUT, show_default=True, help="Folder of the files.")
@click.option("--quick", is_flag=True, help="Fewer repetitions: minutes become seconds, and curves get rougher.")
@click.option("--seed", type=click.IntRange(0, 2**63 - 1), default=1, show_default=True, help="Of all randomness.")
@click.option("--data", "data_file", type=click.Path(path_type=Path), help="A file of salaries instead of the paper's.")
@click.option("--quiet", is_flag=True, help="Only the files' names, no progress.")
def experiments(name: str | None, out: Path, quick: bool, seed: int, data_file: Path | None, quiet: bool) -> None:
    """Repeat the paper's experiments: all of them, or the one called NAME."""
    from rich.console import Console

    from hdp_audit.experiments import command
    from hdp_audit.runs.portion import portion

    with portion(Console(stderr=True, highlight=False), quiet) as progress:
        paths = command.experiments(name, out, quick, seed=seed, data_file=data_file, progress=progress)
    for path in paths:
        click.echo(str(path))
