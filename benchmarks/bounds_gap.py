"""How far the best guarantee and the best impossibility are apart: upper over lower in every cell.

    python benchmarks/bounds_gap.py [--categories 10 2 12] [--beta 0.05]

All eight cells (frequency or mean, correlated or weakly correlated, PAC or MSE) on the six standard demands. A ratio of
1 means that nobody can do better. A run replaces its numbers of categories in bounds_gap.json and writes
bounds_gap.md.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy

import argparse
import json
import time
from pathlib import Path
from typing import Any

from tables import page

from hdp_audit.theory import Cell, cells
from mechanisms.standard import STANDARD, standard_demands

RESULTS = Path(__file__).with_suffix(".json")
SHORT = {"frequency": "freq.", "mean": "mean", "correlated": "corr.", "weakly-correlated": "weak"}
INTRODUCTION = [
    "Made by `benchmarks/bounds_gap.py`. Guarantee over impossibility, both theorems, on the standard demands at\n"
    "β = 0.05; 1 means that nobody can do better. For k = 10 the two bounds, the mechanism and the argument follow.",
]
DETAILED = "10"


def short(cell: Cell) -> str:
    """The cell's place as a heading."""
    return f"{SHORT[cell.task]} {SHORT[cell.setting]} {cell.metric.upper()}"


def measured(name: str, categories: int, beta: float) -> list[dict[str, Any]]:
    start = time.perf_counter()
    found = cells(standard_demands(name), categories, beta)
    print(f"k = {categories}, {name}: {time.perf_counter() - start:.1f} s", flush=True)
    return [
        {
            "demands": name,
            "cell": short(cell),
            "upper": float(f"{cell.upper.value:.5g}"),
            "lower": float(f"{cell.lower.value:.5g}"),
            "ratio": round(cell.ratio, 3),
            "mechanism": cell.mechanism,
            "argument": cell.lower.method,
        }
        for cell in found
    ]


def ratios(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """One row for each demand vector, one column for each cell."""
    names = list(dict.fromkeys(row["demands"] for row in rows))
    return [{"demands": name} | {row["cell"]: row["ratio"] for row in rows if row["demands"] == name} for name in names]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--categories", type=int, nargs="+", default=[10, 2, 12])
    parser.add_argument("--beta", type=float, default=0.05)
    options = parser.parse_args()
    known = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    for k in options.categories:
        known[str(k)] = [row for name in STANDARD for row in measured(name, k, options.beta)]
    RESULTS.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    sections: dict[str, Any] = {f"k = {k}": ratios(rows) for k, rows in known.items()}
    if DETAILED in known:
        sections[f"The bounds at k = {DETAILED}"] = known[DETAILED]
    text = page("Guarantee over impossibility", INTRODUCTION, sections)
    RESULTS.with_suffix(".md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
