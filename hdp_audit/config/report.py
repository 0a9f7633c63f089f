"""The section [report]: whose report it is, and what its owner states."""

from __future__ import annotations

from collections.abc import Iterable

from hdp_audit.config.section import Section
from hdp_audit.model.identity import LONGEST, NAMES, Identity
from hdp_audit.model.statements import QUESTIONS


def read_identity(section: Section) -> Identity:
    """The identity; what is wrong is noted and left out."""
    told = _texts(section, NAMES)
    stated: dict[str, str] = {}
    if section.has("statements"):
        table = section.table["statements"]
        if isinstance(table, dict):
            path = (*section.path, "statements")
            below = Section(table, path, section.source, section.lines, section.problems)
            stated = _texts(below, QUESTIONS)
            below.finish()
        else:
            section.wrong("statements", "write [report.statements] and a text for each topic below")
    section.finish()
    return Identity(**told, statements=stated)


def _texts(section: Section, keys: Iterable[str]) -> dict[str, str]:
    """What is given, as texts that are not too long."""
    given = {key: section.text(key) for key in keys}
    found = {}
    for key, words in given.items():
        if words is not None and len(words) > LONGEST:
            section.wrong(key, f"this has {len(words):,} letters; give at most {LONGEST:,}")
        elif words is not None:
            found[key] = words
    return found
