"""Pages of tables: one heading and one table a section, the columns those of its first row."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Rows = Sequence[Mapping[str, Any]]


def page(title: str, introduction: Sequence[str], sections: Mapping[str, Rows]) -> str:
    lines = [f"# {title}", ""]
    for paragraph in introduction:
        lines += [paragraph, ""]
    for name, rows in sections.items():
        lines += [f"## {name}", "", *table(rows), ""]
    return "\n".join(lines)


def table(rows: Rows) -> list[str]:
    columns = list(rows[0])
    return [_line(columns), "|" + "---|" * len(columns), *(_line(row[column] for column in columns) for row in rows)]


def _line(cells: Any) -> str:
    return "| " + " | ".join(map(_cell, cells)) + " |"


def _cell(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
