"""hdp-audit list: the catalog."""

from __future__ import annotations

import click

from hdp_audit.cli.writing import echo_text, stdout_console


@click.command("list", short_help="The catalog of reference mechanisms.")
@click.option("--task", type=click.Choice(["mean", "frequency"]), help="Only what estimates this.")
def list_catalog(task: str | None) -> None:
    """Show the reference mechanisms that can be named in a spec."""
    from hdp_audit.reporting.catalog import catalog_text

    echo_text(catalog_text(task, stdout_console()))
