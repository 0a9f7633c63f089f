"""The command line. Heavy libraries load inside the commands that need them."""

from __future__ import annotations

import click

from hdp_audit import __version__


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
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
