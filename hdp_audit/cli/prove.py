"""hdp-audit prove: the ledger."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from hdp_audit.cli.exits import NOT_DONE, PASSED, REFUTED
from hdp_audit.cli.writing import echo_text, stdout_console, write_text

if TYPE_CHECKING:
    from hdp_audit.proofs.entry import Result


@click.command(short_help="Check every statement of the theory.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.option("--markdown", type=click.Path(path_type=Path), help="Write the ledger to this Markdown file.")
@click.argument("ids", nargs=-1)
def prove(as_json: bool, markdown: Path | None, ids: tuple[str, ...]) -> None:
    """Check the theory: each statement of the paper and of ours, how it was checked, and whether it holds.

    IDS name single entries. Exit code 1 if a statement fails, 2 if a tool that a proof needs is missing. Where coqc is
    installed it checks three statements whole; the ledger does not need it.
    """
    from hdp_audit.proofs.coq import check
    from hdp_audit.proofs.ledger import run_ledger
    from hdp_audit.proofs.render import ledger_json, ledger_markdown
    from hdp_audit.reporting.ledger import ledger_text, trouble_lines

    results = run_ledger(ids or None)
    if markdown is not None:
        write_text(markdown, ledger_markdown(results))
    if as_json:
        click.echo(ledger_json(results))
    else:
        echo_text(ledger_text(results, stdout_console()))
        for line in trouble_lines(results):
            click.echo(line, err=True)
    assistant = None if ids else check()
    if assistant is not None:
        click.echo(assistant.words, err=as_json or assistant.status == "failed")
    sys.exit(REFUTED if assistant is not None and assistant.status == "failed" else ledger_code(results))


def ledger_code(results: Sequence[Result]) -> int:
    """A statement that fails goes before one whose tool is missing."""
    if any(result.status == "failed" for result in results):
        return REFUTED
    return PASSED if all(result.passed for result in results) else NOT_DONE
