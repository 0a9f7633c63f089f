"""Which known id somebody may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Collection


def near(finding: str, known: Collection[str]) -> str:
    """The ids that are most like this one; else what ids look like."""
    found = difflib.get_close_matches(finding, known, n=3)
    if found:
        return f"did you mean {' or '.join(repr(name) for name in found)}?"
    return f"give an id as report.json has it, such as {min(known, key=_commonest)!r}"


def _commonest(finding: str) -> tuple[bool, str]:
    return "/privacy/" not in finding, finding
