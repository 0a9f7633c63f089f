"""Problems of a file with many rows: the first few in words, and how many there are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

REPORTED = 10


@dataclass
class FirstLines:
    """Lines of which the first are kept.

    Example:
        >>> from hdp_audit.model.first_lines import FirstLines
        >>> found = FirstLines("a.csv")
        >>> found.add((f"row {row}" for row in range(100)), 100)
        >>> str(found).splitlines()[-2:]
        ['row 9', '... and 90 more rows of a.csv']
    """

    source: str
    kept: list[str] = field(default_factory=list)
    count: int = 0

    def add(self, lines: Iterable[str], count: int) -> None:
        """So many lines more, of which only those are made that are kept."""
        self.count += count
        for line in lines if len(self.kept) < REPORTED else ():
            self.kept.append(line)
            if len(self.kept) == REPORTED:
                break

    def __bool__(self) -> bool:
        return self.count > 0

    def __str__(self) -> str:
        more = [f"... and {self.count - REPORTED} more rows of {self.source}"] if self.count > REPORTED else []
        return "\n".join([*self.kept, *more])
