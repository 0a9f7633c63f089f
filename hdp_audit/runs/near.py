"""Which known id somebody may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping

from hdp_audit.model.finding import Kind


def near(finding: str, known: Mapping[str, Kind], more: Iterable[str] = ()) -> str:
    """The ids that are most like this one, of those known and of `more`; else what ids look like."""
    found = difflib.get_close_matches(finding, [*sorted(known), *more], n=3)
    if found:
        return f"did you mean {' or '.join(repr(name) for name in found)}?"
    example = min(known, key=lambda name: (known[name] != "privacy", name))
    return f"give an id as report.json has it, such as {example!r}"
