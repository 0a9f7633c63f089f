"""In which line of a TOML text a key stands: tomllib does not say."""

from __future__ import annotations

import re
from collections.abc import Mapping

Path = tuple[str | int, ...]

_HEADER = re.compile(r"^\s*(\[\[?)\s*([^\[\]]+?)\s*\]\]?\s*(#.*)?$")
_KEY = re.compile(r"""^\s*((?:[\w-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[\w-]+|"[^"]*"|'[^']*'))*)\s*=""")
_QUOTES = ('"""', "'''")


def key_lines(text: str) -> Mapping[Path, int]:
    """Line numbers by path: ("run", "seed"), ("waive", 0, "until")."""
    found: dict[Path, int] = {}
    table: Path = ()
    counts: dict[Path, int] = {}
    inside = ""  # the quotes of a string that runs over several lines
    for number, line in enumerate(text.splitlines(), start=1):
        if inside:
            inside = "" if inside in line else inside
            continue
        header, key = _HEADER.match(line), _KEY.match(line)
        if header:
            table = _parts(header[2])
            if header[1] == "[[":
                counts[table] = counts.get(table, -1) + 1
                table = (*table, counts[table])
            found.setdefault(table, number)
        elif key:
            found.setdefault((*table, *_parts(key[1])), number)
        inside = next((quote for quote in _QUOTES if line.count(quote) % 2), "")
    return found


def line_of(lines: Mapping[Path, int], path: Path) -> int | None:
    """The line of the key, or of the nearest table around it."""
    for length in range(len(path), 0, -1):
        if path[:length] in lines:
            return lines[path[:length]]
    return None


def _parts(dotted: str) -> Path:
    return tuple(part.strip().strip("\"'") for part in dotted.split("."))
