"""The ledger for a terminal or a pipe; failures last, where they are seen."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from rich.markup import escape
from rich.table import Table

from hdp_audit.proofs.render import scopes
from hdp_audit.reporting.numbers import printable
from hdp_audit.reporting.printed import printed, tabbed

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from hdp_audit.proofs.entry import Result

STYLES = {"failed": "bold red", "not run": "yellow", "tested": "cyan", "paper's text corrected": "magenta"}
NAMED = 8  # entries named beside one reason; the table above has all of them


def ledger_text(results: Sequence[Result], console: Console) -> str:
    """One line per entry, a count by status, and one by what the machine checked of the claims."""
    tally = Counter(result.status for result in results)
    counted = f"{len(results)} entries: " + ", ".join(f"{count} {status}" for status, count in tally.items())
    body = printed(console, _table(results)) if console.is_terminal else tabbed(map(_row, results))
    found = scopes(results)
    return f"{body}{counted}\n" + (f"checked: {found}\n" if found else "")


def trouble_lines(results: Sequence[Result]) -> list[str]:
    """Every failure in words; one missing tool stops many entries, and is said once."""
    troubled: dict[tuple[str, str], list[str]] = {}
    for result in results:
        if not result.passed:
            troubled.setdefault((result.status, result.error), []).append(result.id)
    return [printable(f"{status}: {_listed(names)}: {error}") for (status, error), names in troubled.items()]


def _listed(names: list[str]) -> str:
    return ", ".join(names[:NAMED]) + (f" and {len(names) - NAMED} more" if len(names) > NAMED else "")


def _row(result: Result) -> tuple[str, ...]:
    entry = result.entry
    return result.id, entry.source, entry.method, result.status, entry.constant, entry.title


def _table(results: Sequence[Result]) -> Table:
    table = Table(title="The ledger", title_justify="left", header_style="bold")
    for heading in ("entry", "source", "method", "status", "constant", "what it says"):
        table.add_column(heading, overflow="fold")
    for name, source, method, status, constant, title in map(_row, results):
        table.add_row(name, source, method, f"[{STYLES.get(status, 'green')}]{status}[/]", escape(constant), title)
    return table
