"""Verdicts on a list of mechanisms that promise (ε, δ), zCDP or Gaussian privacy, correct ones and usual mistakes.

    python benchmarks/promise_zoo.py [--seeds 20] [--first M] [--cases TEXT ...]

`--cases` takes those whose name has one of the texts in it. Every finished row replaces its older self in
promise_zoo.json, or goes on with it where its seeds begin with the next one, and promise_zoo.md is written anew. The
list is tests/promises/zoo.py: its losses are derived there by hand, and again by sums over cells in zoo_laws.py, which
tests/promises/test_zoo.py compares.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
from tables import page

sys.path.append(str(Path(__file__).parents[1]))

from tests.promises.zoo import CASES, Case
from tests.promises.zoo_laws import best_bet_calls

Row = dict[str, Any]

RESULTS = Path(__file__).with_suffix(".json")
FIRST = 118_000  # of the seeds: no rule and no constant was ever tried on these
INTRODUCTION = (
    "Made by `benchmarks/promise_zoo.py`; whole audits at confidence 0.999. The list is `tests/promises/zoo.py`.",
    "Promised and lost are those of the user whose loss was derived: μ, ρ, or δ at the promised ε. The best bet knows "
    "the pair and the event: log(1000) over its growth per call. An audit has to find both, for all tiers, within its "
    "budget, and keeps some of it for confirmation and bounds. Right: a broken promise that is refuted, or a kept one "
    "that is not; how many of those pass, and how many are inconclusive for want of power, is beside it. Where the "
    "best bet needs more calls than the budget has nobody can be right, and that is said in its place.",
)
OUT_OF_REACH = "out of reach"


def promised(case: Case) -> str:
    values = [f"{float(column[case.user]):.3g}" for column in case.promise.columns.values()]
    return f"{case.promise.kind} {', '.join(values)}"


def summary(case: Case, seeds: range) -> Row:
    start = time.process_time()
    verdicts = Counter(case.audited(seed).verdict for seed in seeds)
    refuted = verdicts["fail"]
    ideal = best_bet_calls(case.promise, case.user, case.law())
    return {
        "mechanism": case.name,
        "promised": promised(case),
        "neighbours": case.neighbours.name,
        "loses": f"{case.loses:.3g}",
        "keeps": "yes" if case.keeps else "no",
        "best bet's calls": round(ideal) if np.isfinite(ideal) else "–",
        "budget": case.budget,
        "right": _right(case, len(seeds), refuted, ideal),
        "of": len(seeds),
        "refuted": refuted,
        "passed": verdicts["pass"],
        "inconclusive": verdicts["inconclusive"],
        "seconds each": float(f"{(time.process_time() - start) / len(seeds):.2g}"),
        "first seed": seeds.start,
    }


def _right(case: Case, seeds: int, refuted: int, ideal: float) -> int | str:
    if case.keeps:
        return seeds - refuted
    return refuted if ideal <= case.budget else OUT_OF_REACH


def together(old: Row, new: Row) -> Row:
    """Both, if the new one goes on with the old one's seeds."""
    if (old["budget"], old["first seed"] + old["of"]) != (new["budget"], new["first seed"]):
        return new
    counts = (name for name in ("right", "of", "refuted", "passed", "inconclusive") if old[name] != OUT_OF_REACH)
    return {**old, **{name: old[name] + new[name] for name in counts}}


def saved(row: Row) -> list[Row]:
    """All rows so far in the list's order, this one in the place of its older self."""
    old = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else []
    rows = {kept["mechanism"]: kept for kept in old}
    rows[row["mechanism"]] = together(rows.get(row["mechanism"], row), row)
    found = [rows[name] for name in CASES if name in rows]
    RESULTS.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=FIRST)
    parser.add_argument("--cases", nargs="+", default=[""])
    options = parser.parse_args()
    seeds = range(options.first, options.first + options.seeds)
    for case in (case for name, case in CASES.items() if any(text in name for text in options.cases)):
        row = summary(case, seeds)
        print(json.dumps(row, ensure_ascii=False), flush=True)
        text = page("Verdicts on promises that are curves", INTRODUCTION, {"verdicts": saved(row)})
        RESULTS.with_suffix(".md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
