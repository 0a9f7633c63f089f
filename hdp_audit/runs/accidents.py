"""Work that came to no end of its own: its process died, or the check itself broke off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from hdp_audit.audits.check import Check
from hdp_audit.audits.share import Outcome
from hdp_audit.model import Finding
from hdp_audit.model.finding import Kind
from hdp_audit.runs.fatal import fatal_input
from hdp_audit.targets.fate import ENDED_IT, LATE, Fate

DIED, BROKE_OFF = "died", "audit"


def lost(work: Any, fate: Fate) -> Outcome:
    """The outcome of work whose process died."""
    where = f" in the check {work.name}" if isinstance(work, Check) else ""
    first = isinstance(work, Check) and work.comes_first
    if fate.why == LATE:
        return error(work, DIED, f"the mechanism {fate.words}{where}")
    witness = fatal_input(work.case) if first else {}
    return error(work, DIED, f"the process died{where}: {ENDED_IT}", witness)


def error(work: Any, what: str, message: str, witness: dict[str, object] | None = None) -> Outcome:
    """A finding that says why there is none of the check's own; a resumed run tries it again."""
    name = work.case.name if isinstance(work, Check) else str(getattr(work, "name", "mechanism"))
    where = f"{what}/{work.name}" if isinstance(work, Check) else what
    return Outcome((Finding.about(name, "behaviour", where, "error", message, facts=witness or {}),), final=False)


def accidents(check: Check) -> Iterator[tuple[Kind, str]]:
    """The findings that stand for a check which came to no end, by kind and by what they are about."""
    return (("behaviour", f"{what}/{check.name}") for what in (DIED, BROKE_OFF))
