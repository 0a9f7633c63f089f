"""The committed ledger is what the checks say today."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hdp_audit.proofs.entry import Result
from hdp_audit.proofs.render import ledger_markdown

LEDGER = Path(__file__).parents[2] / "reports" / "ledger.md"


def test_reports_ledger_is_not_stale(results: Sequence[Result]) -> None:
    """Regenerate with: hdp-audit prove --markdown reports/ledger.md."""
    assert LEDGER.read_text(encoding="utf-8") == ledger_markdown(results)
