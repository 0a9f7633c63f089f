"""What one thread of linear algebra for each worker saves, side by side in one run.

    python benchmarks/threads.py

Single calls with a matrix product, n = 10,000 users, by the real executor with two jobs: as it is, and with the
libraries' own choice of threads. Both take turns, three times each. Writes threads.md.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from threadpoolctl import threadpool_info

from hdp_audit.targets import executors, pool, threads

USERS, CATEGORIES, CALLS, JOBS, TURNS = 10_000, 12, 2_000, 2, 3
SHAPES = {
    "weights times one column for each of 12 categories": lambda data, rng: rng.random(USERS) @ data,
    "the 10,000 data as a 100 x 100 matrix, times its transpose": lambda data, _: _square(data[:, 0]),
}
PLACE = Path(__file__).with_suffix(".md")


def _square(data: Any) -> Any:
    table = data.reshape(100, 100)
    return table @ table.T


def calls(work: tuple[str, int]) -> int:
    """A job's part of the calls, in a worker; how many threads it was allowed."""
    shape, seed = work
    rng = np.random.default_rng(seed)
    data, product = rng.random((USERS, CATEGORIES)), SHAPES[shape]
    for _ in range(CALLS // JOBS):
        product(data, rng) + rng.laplace()
    return max(pool["num_threads"] for pool in threadpool_info())


def nothing(_: object, _fate: object = None) -> int:
    return 0


def nothing_to_set(*_given: object) -> None:
    """Instead of what prepares a worker."""


def measure(pinned: bool) -> None:
    """Print seconds and threads as JSON; in a process of its own, as workers come from a server that stays."""
    if not pinned:
        for name in threads.ONE:
            os.environ.pop(name, None)
        threads.ONE.clear()
        pool.prepare = nothing_to_set
    found = {}
    with executors.executor("local", JOBS, nothing, apart=True) as each:
        list(each(nothing, [0] * JOBS))  # workers are there
        for shape in SHAPES:
            started = time.perf_counter()
            allowed = max(each(calls, [(shape, seed) for seed in range(JOBS)]))
            found[shape] = {"seconds": time.perf_counter() - started, "threads": allowed}
    print(json.dumps(found))


def measured(kind: str) -> dict[str, Any]:
    done = subprocess.run([sys.executable, __file__, kind], capture_output=True, text=True, check=True)  # noqa: S603
    return dict(json.loads(done.stdout))


def row(shape: str, pinned: list[dict[str, Any]], unpinned: list[dict[str, Any]]) -> str:
    one, many = (statistics.median(turn[shape]["seconds"] for turn in turns) for turns in (pinned, unpinned))
    used = f"{pinned[0][shape]['threads']} and {unpinned[0][shape]['threads']}"
    return f"| {shape} | {used} | {one:.2f} s | {many:.2f} s | {many / one:.1f} |"


def main() -> None:
    turns = [(measured("pinned"), measured("unpinned")) for _ in range(TURNS)]
    pinned, unpinned = ([turn[which] for turn in turns] for which in (0, 1))
    lines = [
        f"# Threads of linear algebra: {CALLS:,} single calls, {USERS:,} users, {JOBS} jobs, {executors.cores()} cores",
        "",
        f"By `python benchmarks/threads.py`: medians of {TURNS} turns each, taken alternately in one run; load average "
        f"{os.getloadavg()[0]:.0f}, and the busier the machine, the longer threads wait for each other.",
        "",
        "| product in a call | threads of a worker | pinned | unpinned | ratio |",
        "|---|---|---|---|---|",
        *(row(shape, pinned, unpinned) for shape in SHAPES),
    ]
    PLACE.write_text("\n".join(lines) + "\n", encoding="utf-8")
    print("\n".join(lines))


if __name__ == "__main__":
    if len(sys.argv) > 1:
        measure(sys.argv[1] == "pinned")
    else:
        main()
