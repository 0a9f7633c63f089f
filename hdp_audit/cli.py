"""The command line. Heavy libraries load inside the commands that need them."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from hdp_audit import __version__
from hdp_audit.errors import HdpAuditError

if TYPE_CHECKING:
    from hdp_audit.model import PrivacyDemands
    from hdp_audit.theory.cells import Cell

REFUTED, NOT_DONE, INCONCLUSIVE = 1, 2, 3


class Program(click.Group):
    """A user's mistake ends in a sentence and exit code 2, never in a traceback."""

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except HdpAuditError as mistake:
            click.echo(f"hdp-audit: {mistake}", err=True)
            ctx.exit(NOT_DONE)


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="hdp-audit")
def main() -> None:
    """Find out whether an implementation keeps heterogeneous differential privacy.

    Each user i was promised a privacy loss of at most their own demand: hdp-audit measures it.
    """


@main.command("list")
@click.option("--task", type=click.Choice(["mean", "frequency"]), help="Only what estimates this.")
def list_catalog(task: str | None) -> None:
    """Show the reference mechanisms that can be named in a spec."""
    from hdp_audit.render.catalog import show_catalog

    show_catalog(task)


@main.command()
@click.option("--epsilon", "file", type=click.Path(path_type=Path), help="Demands: .csv, .npy or .parquet.")
@click.option("--column", default="epsilon", show_default=True, help="The column of a .csv or .parquet file.")
@click.option("--standard", help="Standard demands by name instead of a file, such as tiers.")
@click.option("--categories", type=int, default=10, show_default=True, help="Categories of the frequencies.")
@click.option("--beta", type=float, default=0.05, show_default=True, help="Error probability of the PAC bounds.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--plot", type=click.Path(path_type=Path), help="Write error against level to this SVG file.")
def bounds(
    file: Path | None,
    column: str,
    standard: str | None,
    categories: int,
    beta: float,
    as_json: bool,
    plot: Path | None,
) -> None:
    """Say how well these demands allow to estimate: what is guaranteed, and what nobody can beat.

    All eight cells: frequencies and means, correlated and weakly correlated data, error quantile (PAC) and mean
    squared error.
    """
    from hdp_audit.render import bounds as render
    from hdp_audit.theory.cells import cells

    demands = _demands(file, column, standard)
    found = cells(demands, categories=categories, beta=beta)
    if plot is not None:
        _write_plot(plot, demands, found)
    if as_json:
        click.echo(json.dumps(render.as_json(demands, found, categories, beta), indent=1, ensure_ascii=False))
    else:
        render.show_bounds(demands, found, categories, beta)


@main.command()
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--markdown", type=click.Path(path_type=Path), help="Write the ledger to this Markdown file.")
@click.argument("ids", nargs=-1)
def prove(as_json: bool, markdown: Path | None, ids: tuple[str, ...]) -> None:
    """Check the theory: each statement of the paper and of ours, how it was checked, and whether it holds.

    IDS name single entries. Exit code 1 if a statement fails, 2 if a tool that a proof needs is missing.
    """
    from hdp_audit.proofs.ledger import run_ledger
    from hdp_audit.proofs.render import ledger_json, ledger_markdown
    from hdp_audit.render.ledger import show_ledger

    results = run_ledger(ids or None)
    if markdown is not None:
        _write(markdown, ledger_markdown(results))
    if as_json:
        click.echo(ledger_json(results))
    else:
        show_ledger(results)
    if any(result.status == "failed" for result in results):
        sys.exit(REFUTED)
    if any(not result.passed for result in results):
        sys.exit(NOT_DONE)


def _demands(file: Path | None, column: str, standard: str | None) -> PrivacyDemands:
    from hdp_audit.model import PrivacyDemands

    if (file is None) == (standard is None):
        raise HdpAuditError("give demands either as --epsilon FILE or as --standard NAME")
    if file is not None:
        return PrivacyDemands.from_file(file, column=column)
    from hdp_audit.reference import standard_demands

    return standard_demands(str(standard))


def _write_plot(path: Path, demands: PrivacyDemands, found: list[Cell]) -> None:
    from hdp_audit.render.levels import levels_svg
    from hdp_audit.theory.sweep import sweep

    title = f"Guaranteed error against saturation level, {len(demands)} users"
    _write(path, levels_svg(found, [sweep(demands.values, cell.problem) for cell in found], title))


def _write(path: Path, content: str) -> None:
    try:
        path.write_text(content, encoding="utf-8")
    except OSError as why:
        raise HdpAuditError(
            f"{path}: cannot be written ({why.strerror}); give a path in a folder that exists"
        ) from None
