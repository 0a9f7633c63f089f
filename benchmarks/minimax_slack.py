"""Our bounds against the true minimax error of a few users, found by linear programming over all mechanisms.

    python benchmarks/minimax_slack.py [--seed 1] [--jobs 1]

Means of 1 to 4 users, frequencies of 2 to 4 categories, demands from 0 to infinity, correlated and weakly correlated
data, PAC at four error probabilities and MSE. `violations` must be 0. Slack: truth over lower bound and upper bound
over truth, medians of those comparisons in which the bound below is positive. For squares of frequencies the truth is
known as a bracket, whose upper end is taken. Writes minimax_slack.json and minimax_slack.md.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy

import argparse
import json
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from statistics import median
from typing import Any

from tables import page

from hdp_audit.model.vocabulary import Task
from tests.oracles.minimax_cases import BETAS, STEPS, Comparison, Demands, compare, some_demands

RESULTS = Path(__file__).with_suffix(".json")
# (categories, users, how many vectors); the mean square of frequencies takes seconds each
MEANS = ((1, 9), (2, 12), (3, 12), (4, 12))
FREQUENCIES = ((2, 3, 6), (3, 1, 4), (3, 2, 8), (3, 3, 3), (4, 1, 4), (4, 2, 6), (4, 3, 1))
Job = tuple[Demands, int, Task, int]
INTRODUCTION = [
    "Made by `benchmarks/minimax_slack.py`. The truth is the least worst error of all mechanisms, by linear\n"
    "programming; lower ≤ truth ≤ upper must hold in every comparison. Slack: medians, 1 is none; `no bound` counts\n"
    "comparisons in which the lower bound is 0 and the truth is not.",
]


def jobs(seed: int) -> Iterator[Job]:
    for users, count in MEANS:
        for demands in some_demands(users, count, seed):
            yield demands, 2, Task.MEAN, 48
    for categories, users, count in FREQUENCIES:
        for demands in some_demands(users, count, seed):
            yield demands, categories, Task.FREQUENCY, STEPS[categories]


def solved(job: Job) -> list[Comparison]:
    return compare(*job, BETAS)


def row(name: tuple[str, int, str, str], found: list[Comparison]) -> dict[str, Any]:
    known = [one for one in found if one.lower > 0]
    meant = [one for one in found if one.truth.high > 1e-5]
    return {
        "task": name[0],
        "categories": name[1],
        "setting": name[2],
        "metric": name[3],
        "comparisons": len(found),
        "violations": sum(not one.holds for one in found),
        "truth over lower": round(median(one.truth.high / one.lower for one in known), 3),
        "upper over truth": round(median(one.upper / one.truth.high for one in meant), 3),
        "no bound": sum(one.lower <= 0 for one in meant),
    }


def rows(found: list[Comparison]) -> list[dict[str, Any]]:
    places: dict[tuple[str, int, str, str], list[Comparison]] = {}
    for one in found:
        problem = one.problem
        name = (problem.task.value, problem.categories, problem.setting.value, problem.metric.value)
        places.setdefault(name, []).append(one)
    return [row(name, group) for name, group in sorted(places.items())]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    options = parser.parse_args()
    start = time.perf_counter()
    with ProcessPoolExecutor(options.jobs) as pool:
        found = [one for part in pool.map(solved, jobs(options.seed)) for one in part]
    for one in found:
        if not one.holds:
            print("violated:", one)
    table = rows(found)
    print(f"{len(found)} comparisons in {time.perf_counter() - start:.0f} s")
    RESULTS.write_text(json.dumps(table, indent=1) + "\n", encoding="utf-8")
    total = {"comparisons": len(found), "violations": sum(not one.holds for one in found)}
    text = page("Bounds against the truth", INTRODUCTION, {"All": [total], "By cell": table})
    RESULTS.with_suffix(".md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
