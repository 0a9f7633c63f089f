"""What `pytest --fast` leaves out: `slow.txt`, and how it is made from measured costs.

python -m tests.slow costs.jsonl
"""

from __future__ import annotations

import json
import sys
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import TypeVar

ALLOWANCE, CASE = 0.1, 0.3  # seconds of a processor: for all cases of a test, and for the first of them
LIST = Path(__file__).with_name("slow.txt")

Item = TypeVar("Item")


def kept(cases: Sequence[Item], seconds: float) -> Sequence[Item]:
    """The cases of a test that fit into its allowance at `seconds` each, spread evenly."""
    if seconds > CASE:
        return []
    number = min(len(cases), max(1, int(ALLOWANCE / seconds))) if seconds else len(cases)
    return [cases[index * len(cases) // number] for index in range(number)]


def listed() -> dict[str, float]:
    """Seconds that one case of each listed test takes."""
    lines = LIST.read_text(encoding="utf-8").splitlines()
    return {name: float(seconds) for seconds, name in map(str.split, lines)}


def written(costs: dict[str, list[float]]) -> str:
    """A line for each test whose cases take more than the allowance together: seconds a case, and its name."""
    slow = {name: sum(found) / len(found) for name, found in costs.items() if sum(found) > ALLOWANCE}
    return "".join(f"{seconds:.3f} {name}\n" for name, seconds in sorted(slow.items()))


def main(file: Path) -> None:
    """Rewrites the list."""
    costs: dict[str, list[float]] = defaultdict(list)
    for line in file.read_text(encoding="utf-8").splitlines():
        name, seconds = json.loads(line)
        costs[name].append(seconds)
    LIST.write_text(written(costs), encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
