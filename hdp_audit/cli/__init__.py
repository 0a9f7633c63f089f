"""The command line: one file per command, click and nothing else."""

from hdp_audit.cli.program import main

__all__ = ["main"]
