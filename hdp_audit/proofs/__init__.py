"""The ledger: what the suite relies on, machine-checked. Independent of `mechanisms`, `theory` and `tracing`."""

from hdp_audit.proofs.entry import Entry, Evidence, Method, Result, Status, Strength
from hdp_audit.proofs.labels import coverage
from hdp_audit.proofs.ledger import all_entries, run_entry, run_ledger
from hdp_audit.proofs.render import ledger_json, ledger_markdown

__all__ = [
    "Entry",
    "Evidence",
    "Method",
    "Result",
    "Status",
    "Strength",
    "all_entries",
    "coverage",
    "ledger_json",
    "ledger_markdown",
    "run_entry",
    "run_ledger",
]
