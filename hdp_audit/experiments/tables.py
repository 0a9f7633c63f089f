"""What the pages share: numbers, tables, headings and checks as Markdown."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

Json = dict[str, Any]
NAMES = {
    "hp": "HP",
    "a": "A",
    "prop": "Prop",
    "uni": "UNI",
    "sm": "SM",
    "ldp": "LDP",
    "sm-realised": "SM, realised (leaks)",
    "turbo": "turbo",
    "threshold": "threshold",
    "sharp": "sharp",
    "centred": "centred",
    "hull": "hull",
    "anchored": "anchored",
}
OURS = ("sharp", "centred", "hull", "anchored")


def name_of(algorithm: str) -> str:
    """An algorithm in a table; ours are bold."""
    return f"**{NAMES[algorithm]}**" if algorithm in OURS else NAMES[algorithm]


def figure(value: float | str | None, digits: int = 3) -> str:
    """A number as people read it; a dash for none."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return "∞" if value == "inf" else value
    if value == 0 or 1e-3 <= abs(value) < 1e4:
        return f"{value:.{digits}g}"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def table(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table, numbers to the right."""
    marks = ["---"] + ["---:"] * (len(headings) - 1)
    rows = [headings, marks, *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def head(document: Json) -> list[str]:
    """Title, command, notes and the paper's contradictions."""
    quick = " This is the quick version: few trials, wide intervals." if document["quick"] else ""
    return [
        f"# {document['title']}",
        f"Made by `{document['command']}`.{quick}",
        "\n".join(f"- {note}" for note in (*document["notes"], *document["contradictions"])),
    ]


def checks(document: Json) -> list[str]:
    """The claims and whether they hold."""
    if not document["checks"]:
        return []
    lines = [
        f"- **{'holds' if c['holds'] else 'does not hold'}**: {c['claim']}. {c['detail']}." for c in document["checks"]
    ]
    return ["## Checks", "\n".join(lines)]


def row_name(row: Json) -> str:
    """As the paper's first column."""
    return f"{row['label']}, {'P' if row['metric'] == 'pac' else 'E'}"


def value_of(cell: Json | None) -> float | None:
    """Exact where known, else measured."""
    if cell is None:
        return None
    if cell["exact"] is not None:
        return float(cell["exact"])
    return float(cell["measured"]["value"]) if cell["measured"] else None


def cells_of(row: Json) -> dict[str, Json]:
    """The cells by algorithm."""
    return {cell["algorithm"]: cell for cell in row["cells"]}
