"""The command line. Heavy libraries load inside the commands that need them."""

from __future__ import annotations

import click

from hdp_audit import __version__
from hdp_audit.cli.bounds import bounds
from hdp_audit.cli.catalog import list_catalog
from hdp_audit.cli.check import check
from hdp_audit.cli.compare import compare
from hdp_audit.cli.dossier import dossier, verify
from hdp_audit.cli.exits import Program
from hdp_audit.cli.experiments import experiments
from hdp_audit.cli.history import history
from hdp_audit.cli.init import init
from hdp_audit.cli.prove import prove
from hdp_audit.cli.replay import replay
from hdp_audit.cli.run import run


@click.group(cls=Program, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="hdp-audit")
def main() -> None:
    """Find out whether an implementation keeps heterogeneous differential privacy.

    Each user i was promised a privacy loss of at most their own demand: hdp-audit measures it.
    """


for _command in (run, check, init, list_catalog, bounds, prove, compare, replay, dossier, verify, history, experiments):
    main.add_command(_command)
