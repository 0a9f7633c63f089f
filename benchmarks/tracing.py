"""What tracing says of mechanisms whose losses are known, and of correct ones made at random.

    python benchmarks/tracing.py known [--jobs 2]
    python benchmarks/tracing.py generated [--count 300] [--first M] [--jobs 2]
    python benchmarks/tracing.py faults [--jobs 2]

`known`: every pair of the collection in tests/tracing/zoo, whose losses were derived apart. `generated`: correct
mechanisms made at random, each on its pairs. `faults`: the planted faults, by whole traces. A run replaces its rows in
tracing.json and writes tracing.md.
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
        told = Counter(kind for kinds in pool.map(known if section == "known" else generated, items) for kind in kinds)
    what = "mechanisms" if section == "known" else "seeds"
    return [
        {what: len(items), "pairs": sum(told.values()), "said": said, "count": n} for said, n in sorted(told.items())
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("section", choices=["known", "generated", "faults"])
    parser.add_argument("--count", type=int, default=300)
    parser.add_argument("--first", type=int, default=1_000)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    results[given.section] = measured(given.section, given.count, given.first, given.jobs)
    RESULTS.write_text(json.dumps(results, indent=1) + "\n")
    introduction = [
        "Made by `benchmarks/tracing.py`. Generated seeds begin where no rule and no constant was ever tried."
    ]
    RESULTS.with_suffix(".md").write_text(page("Tracing", introduction, results))


if __name__ == "__main__":
    main()
