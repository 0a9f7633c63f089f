"""Operating characteristics of the privacy auditor: false alarms, misses, who is named, what `detectable` is worth.

    python benchmarks/privacy_operating.py SECTION [--seeds N] [--first M] [--jobs 2] [--only NAME;...]

Sections: correct, faults, tiers, other-faults, faint, glaring, half, single, detectable, coverage. A run replaces its
rows in privacy_operating.json and writes privacy_operating.md. privacy_trials.py says what is audited and counted.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from privacy_trials import (
    correct_mechanisms,
    one_correct,
    one_coverage,
    one_detectable,
    one_faint,
    one_fault,
    one_half,
    one_other_fault,
    one_single,
    one_tier,
)
from tables import page

from mechanisms.broken import FAINT, FAULTS

RESULTS = Path(__file__).with_suffix(".json")
FIRST = 115_000  # of the seeds: no rule and no constant was ever tried on these
GLARING = ["half-noise", "missing-factor-two", "reused-noise", "fixed-seed", "no-noise", "noiseless-empty-bin"]


def sections() -> dict[str, tuple[Callable[..., dict[str, Any]], list[Any], int]]:
    faulty = [name for name, fault in FAULTS.items() if fault.breaks & {"privacy", "replay"}]
    singles = [(0.02, 20.0, 50_000), (1.0, 20.0, 50_000), (1.0, 3.0, 100_000)]
    singles += [(epsilon, 2.0, 1_000_000) for epsilon in (0.1, 0.3, 1.0, 3.0, 8.0)]
    return {
        "correct": (one_correct, list(correct_mechanisms()), 400),
        "faults": (one_fault, faulty, 20),
        "tiers": (one_tier, [0.02, 0.5, 2.0], 20),
        "other-faults": (one_other_fault, [name for name in FAULTS if name not in faulty], 20),
        "faint": (one_faint, list(FAINT), 20),
        "glaring": (partial(one_fault, budgets=(20_000,)), GLARING, 20),
        "half": (one_half, [0.1, 0.5, 1.0, 2.0, 4.0, 6.0, 7.0], 20),
        "single": (one_single, singles, 20),
        "detectable": (one_detectable, [0.05, 0.5, 2.0, 5.0, 7.0], 200),
        "coverage": (one_coverage, [0.01, 0.1, 0.5, 1.0, 2.0, 4.0, 8.0], 1430),
    }


def markdown(results: dict[str, list[dict[str, Any]]]) -> str:
    introduction = [
        "Made by `benchmarks/privacy_operating.py`; the picture by `benchmarks/privacy_picture.py`. No rule and no "
        "constant was tried on the seeds of this page, all above 70,000.",
        "![calls of the first refutation](privacy_operating.svg)",
    ]
    return page("Operating characteristics of the privacy auditor", introduction, results)


def run(work: Callable[..., dict[str, Any]], items: Iterable[Any], seeds: range, jobs: int) -> list[dict[str, Any]]:
    rows = []
    with ProcessPoolExecutor(jobs) as pool:
        for row in pool.map(partial(work, seeds=seeds), items):
            print(row, flush=True)
            rows.append(row)
    return rows


def merged(old: list[dict[str, Any]], new: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """All rows, new ones in the place of their older selves."""
    return list(({_of(row): row for row in old} | {_of(row): row for row in new}).values())


def _of(row: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(row.get(key) for key in ("name", "epsilon", "weight"))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("section", choices=list(sections()))
    parser.add_argument("--seeds", type=int)
    parser.add_argument("--first", type=int, default=FIRST)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", help="names, separated by semicolons")
    options = parser.parse_args()
    work, items, seeds = sections()[options.section]
    if options.only:
        items = [item for item in items if str(item) in options.only.split(";")]
    rows = run(work, items, range(options.first, options.first + (options.seeds or seeds)), options.jobs)
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    results[options.section] = merged(results.get(options.section, []), rows)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    RESULTS.with_suffix(".md").write_text(markdown(results), encoding="utf-8")


if __name__ == "__main__":
    main()
