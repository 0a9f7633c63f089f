"""Two states of this repository on the same audits and seeds: what is refuted, how soon, false alarms, processor time.

    python benchmarks/before_after.py measure before --tree DIRECTORY [--seeds 5] [--only PART ...]
    python benchmarks/before_after.py measure after
    python benchmarks/before_after.py page

A tree is another checkout of the repository (`git worktree add DIRECTORY COMMIT`); without one, this one. Parts are
`faults` (planted, at 30,000 calls) and `correct` (mechanisms of the catalog, at 20,000). Tracing is off, as it decides
most faults by itself. Finished rows are kept in before_after.json; a run goes on where it stopped.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from statistics import median
from typing import Any

from tables import page

Row = dict[str, Any]

RESULTS = Path(__file__).with_suffix(".json")
HERE = Path(__file__).parents[1]
FIRST = 115_000  # of the seeds, as of privacy_operating
CALLS = {"faults": 30_000, "correct": 20_000}
INTRODUCTION = (
    "Made by `benchmarks/before_after.py`, same audits and seeds: *before* the search, *after* it. Calls are those "
    "until the first claim fell, confirmation not counted; seconds are of the processor, the median over seeds, all "
    "calls of the search included. Everything that changed in between counts, not the search alone; of so few calls "
    "what an audit begins with is a large part.",
)


def audits(part: str) -> Iterator[tuple[str, Any, dict[str, Any]]]:
    """(name, mechanism, what else an audit takes)."""
    from privacy_trials import SMALL, correct_mechanisms

    from mechanisms.broken import FAULTS

    if part == "faults":
        for name, fault in FAULTS.items():
            if fault.breaks & {"privacy", "replay"}:
                yield name, fault, {"epsilon": fault.epsilon, "task": fault.task, "categories": fault.categories}
        return
    for name, correct in correct_mechanisms().items():
        task = "mean" if correct.categories is None else "frequency"
        yield name, correct.mechanism(name), {"epsilon": SMALL, "task": task, "categories": correct.categories}


def measured(part: str, name: str, mechanism: Any, given: dict[str, Any], seed: int) -> Row:
    """One audit."""
    from privacy_trials import until_refuted

    from hdp_audit import audit
    from hdp_audit.model import PrivacyClaim

    claim, started = PrivacyClaim(floating_point="off", trace="off"), time.process_time()
    report = audit(mechanism, budget=CALLS[part], seed=seed, privacy=claim, **given)
    seconds = time.process_time() - started
    failing = [finding for finding in report.findings if finding.verdict == "fail"]
    calls = min((until_refuted(finding) for finding in failing), default=None)
    return {"part": part, "name": name, "seed": seed, "failed": bool(failing), "calls": calls, "seconds": seconds}


def measure(state: str, tree: Path, seeds: int, parts: list[str]) -> None:
    """Every row that is not there yet; rules come from the tree."""
    sys.path[:0] = [str(tree), str(tree / "benchmarks")]
    for part in parts:
        for seed in range(FIRST, FIRST + seeds):
            for name, mechanism, given in audits(part):
                kept = _kept()
                if any((r["state"], r["part"], r["name"], r["seed"]) == (state, part, name, seed) for r in kept):
                    continue
                row = {"state": state, **measured(part, name, mechanism, given, seed)}
                RESULTS.write_text(json.dumps([*kept, row], indent=0) + "\n", encoding="utf-8")
                print(row, flush=True)


def _kept() -> list[Row]:
    return json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else []


def written() -> None:
    """The page, of all seeds that both states have."""
    rows = _kept()
    keys = [{(r["part"], r["name"], r["seed"]) for r in rows if r["state"] == state} for state in ("before", "after")]
    both = [r for r in rows if (r["part"], r["name"], r["seed"]) in keys[0] & keys[1]]
    sections, ratios = {}, []
    for part in dict.fromkeys(r["part"] for r in both):
        sections[part] = []
        for name in dict.fromkeys(r["name"] for r in both if r["part"] == part):
            own = {
                s: [r for r in both if (r["state"], r["part"], r["name"]) == (s, part, name)]
                for s in ("before", "after")
            }
            times = {s: median(r["seconds"] for r in found) for s, found in own.items()}
            ratios.append(times["after"] / times["before"])
            row: Row = {"mechanism": name, "seeds": len(own["before"])}
            row |= {f"failed, {s}": sum(r["failed"] for r in found) for s, found in own.items()}
            if part == "faults":
                row |= {
                    f"calls, {s}": int(median([r["calls"] for r in found if r["failed"]] or [0]))
                    for s, found in own.items()
                }
            row |= {f"seconds, {s}": round(value, 2) for s, value in times.items()}
            sections[part].append(row | {"ratio": round(ratios[-1], 2)})
    told = f"The median of the ratios of processor time is {median(ratios):.2f}."
    text = page("Before the search and after it", (*INTRODUCTION, told), sections)
    RESULTS.with_suffix(".md").write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("what", choices=["measure", "page"])
    parser.add_argument("state", nargs="?", choices=["before", "after"], default="after")
    parser.add_argument("--tree", type=Path, default=HERE)
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--only", nargs="+", choices=[*CALLS], default=[*CALLS], metavar="PART")
    given = parser.parse_args()
    if given.what == "page":
        written()
    else:
        measure(given.state, given.tree.resolve(), given.seeds, given.only)


if __name__ == "__main__":
    main()
