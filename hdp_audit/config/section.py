"""One table of the spec under a reader that notes every problem with its line and goes on."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from hdp_audit.config.lines import Path, line_of
from hdp_audit.config.literals import Lost
from hdp_audit.config.problems import Problems, did_you_mean


@dataclass
class Section:
    """A table, where it stands, and which of its keys were asked for."""

    table: Mapping[str, Any]
    path: Path
    source: str
    lines: Mapping[Path, int]
    problems: Problems
    asked: list[str] = field(default_factory=list)

    @property
    def title(self) -> str:
        """`[run]`, or `[[waive]] 2`."""
        name = ".".join(str(part) for part in self.path if isinstance(part, str))
        number = next((part for part in self.path if isinstance(part, int)), None)
        return f"[{name}]" if number is None else f"[[{name}]] {number + 1}"

    def place(self, key: str = "") -> str:
        """`hdp-audit.toml line 7: [run]`."""
        line = line_of(self.lines, (*self.path, key) if key else self.path)
        return f"{self.source} line {line}: {self.title}" if line else f"{self.source}: {self.title}"

    def wrong(self, key: str, message: str) -> None:
        """Note that a key's value is not allowed."""
        self.problems.lines.append(f"{self.place(key)} {key} = {shown(self.table.get(key))}; {message}")

    def missing(self, message: str) -> None:
        """Note that something is absent."""
        self.problems.lines.append(f"{self.place()} {message}")

    def has(self, key: str) -> bool:
        """True where the key is there; it counts as known from now on."""
        self.asked.append(key)
        return key in self.table

    def text(self, key: str) -> str | None:
        """A string that is not empty."""
        if not self.has(key):
            return None
        value = self.table[key]
        if isinstance(value, str) and value.strip():
            return value
        self.wrong(key, "give a text in quotes")
        return None

    def word(self, key: str, allowed: tuple[str, ...], default: str | None = None) -> str | None:
        """One of a few words."""
        if not self.has(key):
            return default
        value = self.table[key]
        if isinstance(value, str) and value in allowed:
            return value
        self.wrong(key, did_you_mean(str(value), allowed))
        return None

    def integer(self, key: str, default: int | None, low: int, high: int) -> int | None:
        """A whole number from `low` to `high`."""
        if not self.has(key):
            return default
        value = self.table[key]
        if isinstance(value, int) and not isinstance(value, bool) and low <= value <= high:
            return value
        self.wrong(key, f"give a whole number from {low} to {high}")
        return None

    def number(self, key: str, default: float, low: float, high: float, allowed: str) -> float:
        """A finite number from `low` to below `high`."""
        if not self.has(key):
            return default
        value = real(self.table[key])
        if value is not None and low <= value < high:
            return value
        self.wrong(key, f"give {allowed}")
        return default

    def finish(self) -> None:
        """Note the keys that nobody asked for."""
        for key in self.table:
            if key not in self.asked:
                line = line_of(self.lines, (*self.path, key))
                place = f"{self.source} line {line}" if line else self.source
                self.problems.add(place, f"unknown key {key!r} in {self.title}; {did_you_mean(key, self.asked)}")


def real(value: object) -> float | None:
    """A finite number as float; None for anything else, and for a literal that a double cannot hold."""
    if isinstance(value, (bool, Lost)) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def shown(value: object) -> str:
    """A value in an error message: short, and without anything that steers a terminal."""
    text = "true" if value is True else "false" if value is False else _quoted(value)
    text = "".join(letter if letter.isprintable() else "�" for letter in text)
    return text if len(text) <= 60 else text[:57] + "..."


def _quoted(value: object) -> str:
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, int) and abs(value) >= 10**18:
        return "a number of more than 18 digits"
    return str(value)
