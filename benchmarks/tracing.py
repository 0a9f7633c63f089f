"""What tracing says of mechanisms whose losses are known, and of correct ones made at random.

    python benchmarks/tracing.py known [--jobs 2]
    python benchmarks/tracing.py generated [--count 300] [--first M] [--jobs 2]
    python benchmarks/tracing.py faults [--jobs 2]
    python benchmarks/tracing.py curves [--count 300] [--first M] [--jobs 2]

`known`: every pair of the collection in tests/tracing/zoo, whose losses were derived apart. `generated`: correct
mechanisms made at random, each on its pairs. `faults`: the planted faults, by whole traces. `curves`: mechanisms with
normal and Laplace noise made at random, correct and with a thousandth less noise, under every promise that they keep.
A run replaces its rows in tracing.json and writes tracing.md.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy

import argparse
import json
import time
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
from tables import page

from hdp_audit import trace
from hdp_audit.tracing.loss import PairLoss
from mechanisms.broken import FAULTS
from tests.tracing import curves
from tests.tracing.known import found
from tests.tracing.zoo import ENTRIES
from tests.tracing.zoo.entry import Entry, Pair
from tests.tracing.zoo.generated import correct_mechanisms

RESULTS = Path(__file__).with_suffix(".json")
NEAR = 1e-6


def kind(entry: Entry, pair: Pair) -> str:
    """How what is said lies to the truth."""
    truth, said = entry.losses[pair], found(entry, pair)
    if truth is None:
        return "truth unknown"
    if not said.traced:
        return "not traced"
    if said.lower > truth * (1 + NEAR) + 1e-12 and not entry.upper:
        return "WRONG: an event above the truth"
    if said.upper < truth * (1 - NEAR) - 1e-12 and not entry.upper:
        return "WRONG: an alignment below the truth"
    return "exact" if said.exact else "bounded from above" if said.upper < np.inf else "bounded from below"


def known(number: int) -> list[str]:
    entry = ENTRIES[number]
    return [kind(entry, pair) for pair in entry.losses]


def generated(seed: int) -> list[str]:
    entry = correct_mechanisms(seed)
    said = [(pair, found(entry, pair)) for pair in entry.losses]
    return ["ACCUSED" if one.lower > entry.demands[pair[0]] * (1 + NEAR) else _within(one) for pair, one in said]


def _within(said: PairLoss) -> str:
    return "exact" if said.exact else "traced" if said.traced else "not traced"


def curve(seed: int) -> list[str]:
    """Correct, with any processing; and with a thousandth less normal noise, where the output shows it."""
    one, bare = curves.made(seed), curves.made(seed, plain=True, laws=("normal",))
    told = []
    for promise in curves.kept(one):
        said = curves.traced(one(), promise, one.data)
        told.append(
            f"correct, {promise.kind}: " + ("ACCUSED" if said.breaks else "within" if said.within else "undecided")
        )
    for promise in curves.kept(bare):
        said = curves.traced(bare(0.999), promise, bare.data)
        told.append(f"noise × 0.999, {promise.kind}: " + ("breaks" if said.breaks else "not found"))
    return told


def fault(name: str) -> dict[str, Any]:
    planted = FAULTS[name]
    started = time.process_time()
    said = trace(planted, epsilon=planted.epsilon, task=planted.task, categories=planted.categories, calls=50_000)
    took = time.process_time() - started
    user = said.worst.user if said.worst is not None else 0
    return {
        "name": name,
        "breaks privacy": "privacy" in planted.breaks,
        "said": "breaks" if said.breaks else "within" if said.within else "undecided",
        "loss": f"{said.worst.found.lower if said.breaks and said.worst else np.nan:.9g}",
        "true loss of that user": f"{planted.loss(planted.epsilon)[user]:.9g}",
        "calls": said.calls,
        "processor s": round(took, 2),
    }


def measured(section: str, count: int, first: int, jobs: int) -> list[dict[str, Any]]:
    with ProcessPoolExecutor(jobs) as pool:
        if section == "faults":
            return list(pool.map(fault, FAULTS))
        items = range(len(ENTRIES)) if section == "known" else range(first, first + count)
        work = {"known": known, "generated": generated, "curves": curve}[section]
        told = Counter(kind for kinds in pool.map(work, items) for kind in kinds)
    what = "mechanisms" if section == "known" else "seeds"
    return [
        {what: len(items), "pairs": sum(told.values()), "said": said, "count": n} for said, n in sorted(told.items())
    ]


def summary(faults: list[dict[str, Any]]) -> list[str]:
    """How many planted faults are decided by tracing alone, how fast, and how many correct promises are accused."""
    broken = [row for row in faults if row["breaks privacy"]]
    if not broken:
        return []
    found = [row for row in broken if row["said"] == "breaks"]
    quick = sum(row["processor s"] < 2 for row in found)
    exact = sum(row["loss"] == row["true loss of that user"] or _near(row) for row in found)
    wrong = sum(row["said"] == "breaks" for row in faults if not row["breaks privacy"])
    return [
        f"Of {len(broken)} planted faults that break privacy {len(found)} are decided by tracing alone, {quick} of "
        f"them within 2 s of a processor, {exact} with the exact loss; of {len(faults) - len(broken)} that do not, "
        f"{wrong} are accused."
    ]


def _near(row: dict[str, Any]) -> bool:
    one, two = float(row["loss"]), float(row["true loss of that user"])
    return abs(one - two) <= NEAR * two


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("section", choices=["known", "generated", "faults", "curves"])
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--first", type=int, default=1_000)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    results[given.section] = measured(given.section, given.count, given.first, given.jobs)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    introduction = [
        "Made by `benchmarks/tracing.py`. Generated seeds begin where no rule and no constant was ever tried.",
        *summary(results.get("faults", [])),
    ]
    RESULTS.with_suffix(".md").write_text(page("Tracing", introduction, results))


if __name__ == "__main__":
    main()
