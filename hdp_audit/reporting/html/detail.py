"""How much a page shows. Levels are tried from the richest; the first whose page is small enough is taken."""

from __future__ import annotations

from dataclasses import dataclass

MOST_BYTES = 950_000


@dataclass(frozen=True)
class Detail:
    """Subjects in the index, with a section, with pictures; rows of a table; counterexamples; bytes of JSON."""

    index: int
    sections: int
    pictures: int
    rows: int
    failures: int
    embedded: int


LEVELS = (
    Detail(index=1000, sections=250, pictures=60, rows=250, failures=60, embedded=300_000),
    Detail(index=1000, sections=250, pictures=30, rows=40, failures=40, embedded=200_000),
    Detail(index=1000, sections=250, pictures=20, rows=12, failures=25, embedded=120_000),
    Detail(index=500, sections=150, pictures=9, rows=7, failures=20, embedded=80_000),
    Detail(index=300, sections=100, pictures=6, rows=6, failures=10, embedded=40_000),
    Detail(index=100, sections=20, pictures=4, rows=6, failures=5, embedded=20_000),
)
