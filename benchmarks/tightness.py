"""How tight the privacy auditor is: lower bounds on known losses and curves, the cost of stopping early; with peers.

    python benchmarks/tightness.py [SECTION ...] [--seeds 50] [--first M] [--sizes N ...] [--tasks NAME ...]
                                   [--kept FILE]

Sections (all by default): bounds, siege, anytime, curves. Every finished row replaces its older self in
tightness.json, and tightness.md is written anew. N is per dataset; each of 2N runs flips a fair coin between the two
datasets, and all methods of a row see the same runs. The peers (jax-privacy, privacy-estimates, dp_auditorium) are no
dependencies: where one is not installed its column is empty and the run says so. tightness_methods.py has the tasks
and the rivals, tightness_curves.py and tightness_curve_peers.py those of promises that are curves,
tightness_tables.py the tables.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri
from subjects import subject_of, zero_or_one
from tightness_curve_peers import NORMAL_LAW, asked, best_of_auditorium, curve_peers
from tightness_curves import CURVES, Task, intervals, known, learned, measured
from tightness_methods import TASKS, Peer, Rounds, known_event, laplace, peers, true_score, two_intervals
from tightness_tables import HORIZONS, written

from hdp_audit.audits.fixed import measure
from hdp_audit.audits.game import play
from hdp_audit.evidence.binomial import guess_share, right_at_most

Floats = NDArray[np.float64]
Row = dict[str, Any]

RESULTS = Path(__file__).with_suffix(".json")
SIEGE = {  # the figures that Delta-Siege printed at 90%
    100_000: (0.0847, 0.9876, 2.895, 0.964, 1.884),
    1_300_000: (0.0980, 0.9949, 2.988, 0.980, 1.988),
}
ONE_RUN_MOST = 100_000  # the time of jax-privacy's one-run bound grows with N times its thresholds
SIGNIFICANCE = 0.001  # of the refutations
CLAIMS, TIMES = (0.1, 1.0, 3.0), (1.25, 2.0)
GRID = 1.03
FIRST = 101_000  # of the seeds: no rule and no constant was ever tried on these


def timed(function: Callable[[], Any]) -> tuple[float, float]:
    start = time.perf_counter()
    return float(function()), time.perf_counter() - start


def one_seed(task: str, size: int, seed: int, significance: float, rivals: dict[str, Peer]) -> dict[str, Any]:
    """(bound, seconds without drawing) by method."""
    rng = np.random.default_rng([seed, size, list(TASKS).index(task)])
    rounds = Rounds(TASKS[task][0], 2 * size, rng)
    coins, score = rounds.coins, true_score(rounds.outputs)
    ones, zeros = score[coins], score[~coins]
    found = {
        "ours": timed(lambda: measure(rounds.draw, 2 * size, significance).lower),
        "known event": timed(lambda: known_event(score, coins, significance)),
        "two-interval oracle": timed(lambda: two_intervals(ones, zeros, significance)),
    }
    for name, peer in rivals.items():
        if name != "jax-privacy, one run" or size <= ONE_RUN_MOST:
            found[name] = timed(lambda peer=peer: peer(ones, zeros, significance))  # type: ignore[misc]
    return found


def summary(task: str, size: int, seeds: range, significance: float, rivals: dict[str, Peer]) -> Row:
    truth = TASKS[task][1]
    runs = [one_seed(task, size, seed, significance, rivals) for seed in seeds]
    bounds = {name: [run[name][0] for run in runs] for name in runs[0]}
    medians = {name: float(np.median(values)) for name, values in bounds.items()}
    return {
        "runs_per_dataset": size,
        "task": task,
        "truth": truth,
        "confidence": 1 - significance,
        "first_seed": seeds.start,
        "seeds": len(seeds),
        "median": {name: round(value, 5) for name, value in medians.items()},
        "gap_over_known": round((truth - medians["ours"]) / (truth - medians["known event"]), 3),
        "above_truth": {name: int((np.array(values) > truth).sum()) for name, values in bounds.items()},
        "seconds": {name: float(f"{np.median([run[name][1] for run in runs]):.2g}") for name in runs[0]},
    }


def seeds_of(options: argparse.Namespace) -> range:
    return range(options.first, options.first + options.seeds)


def bounds(options: argparse.Namespace) -> Iterator[Row]:
    for size in options.sizes or (10_000, 100_000, 1_000_000):
        for task in options.tasks or TASKS:
            yield summary(task, size, seeds_of(options), 0.05, peers())


def siege(options: argparse.Namespace) -> Iterator[Row]:
    for size in options.sizes or SIEGE:
        for task in options.tasks or TASKS:
            row = summary(task, size, seeds_of(options), 0.1, {})
            printed = SIEGE[size][list(TASKS).index(task)]
            yield {**row, "delta_siege": printed, "reached": row["median"]["ours"] >= printed - 0.001}


class Shifted:
    """x + Laplace noise of one true loss."""

    def __init__(self, loss: float) -> None:
        self.loss = loss

    def __call__(self, data: Floats, epsilon: Floats, rng: np.random.Generator) -> float:
        return float(self.batch(data, epsilon, rng, 1)[0])

    def batch(self, data: Floats, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:  # noqa: ARG002
        return data[0] + rng.laplace(0.0, 1.0 / self.loss, size)


def fixed_calls(claim: float, truth: float, seeds: range) -> int:
    """The fewest calls, to a factor GRID, at which the fixed-sample bound exceeds the claim in the median seed."""

    @lru_cache
    def refutes(power: int) -> bool:
        calls = round(GRID**power)
        drawn = (Rounds(laplace(truth), calls, np.random.default_rng([seed, 77])) for seed in seeds)
        return bool(np.median([measure(rounds.draw, calls, SIGNIFICANCE).lower for rounds in drawn]) > claim)

    p, q = right_at_most([claim, truth])
    guess = (ndtri(SIGNIFICANCE) / (q - p)) ** 2 * q * (1 - q) / guess_share(truth)
    low = high = round(np.log(guess) / np.log(GRID))
    while refutes(low):
        low -= 2
    while not refutes(high):
        high += 2
    high = min(power for power in range(low + 1, high + 1) if refutes(power))
    return round(GRID**high)


def anytime_calls(claim: float, truth: float, calls: int, seeds: range) -> tuple[float, int]:
    """(median calls until the wealth refutes, infinite where it does not; how often it does)."""
    subject = subject_of(Shifted(truth), np.array([claim]), None, "shifted")
    pair = zero_or_one(claim)
    games = [play(subject, [pair], calls, SIGNIFICANCE, seed, "tightness") for seed in seeds]
    spent = [game.calls if game.wealth.refutes else np.inf for game in games]
    return float(np.median(spent)), int(np.isfinite(spent).sum())


def anytime(options: argparse.Namespace) -> Iterator[Row]:
    seeds = seeds_of(options)
    for claim in CLAIMS:
        for times in TIMES:
            fixed = fixed_calls(claim, times * claim, seeds)
            row: Row = {"claim": claim, "truth": times * claim, "first_seed": seeds.start, "seeds": len(seeds)}
            row["fixed_calls"] = fixed
            for horizon in HORIZONS:
                calls, refuted = anytime_calls(claim, times * claim, round(horizon * fixed), seeds)
                reached = bool(np.isfinite(calls))
                row[f"horizon {horizon:g}"] = {
                    "calls": int(calls) if reached else None,
                    "ratio": round(calls / fixed, 2) if reached else None,
                    "refuted": refuted,
                }
            yield row


def peers_asked(task: Task, size: int, number: int) -> list[str]:
    """The peers' bounds on ε at δ; those that hold for normal noise alone beside the game's on μ."""
    normal = {"ε": False, "μ": True}.get(task.name[0])
    return [name for name in curve_peers() if normal == (name in NORMAL_LAW) and asked(name, size, number)]


def one_curve(
    task: Task, size: int, seed: int, number: int, significance: float, before: dict[str, float]
) -> dict[str, float]:
    """Bounds by method, those that are known already among them."""
    always, runs = learned(task, 2 * size, significance, seed)
    found = dict(before)
    if not found:
        found["ours"] = measured(task, runs, significance, seed)
        found |= {"ours, at all times": always, "known event": known(task, runs, significance, seed)}
        if task.name.startswith("ε"):
            found["two-interval oracle"] = intervals(task, runs, significance)
    for name in peers_asked(task, size, number):
        if name not in found:
            found[name] = float(curve_peers()[name](task, runs, significance))
    return found


class Kept:
    """What each seed gave, in a file (or nowhere) that is read before a seed is run, so that a run can go on."""

    def __init__(self, file: Path | None) -> None:
        self._file = file
        lines = file.read_text(encoding="utf-8").splitlines() if file and file.exists() else []
        self._found = {tuple(key): found for key, found in map(json.loads, lines)}

    def __call__(self, task: Task, size: int, seed: int, number: int) -> dict[str, float]:
        key = (task.name, size, seed)
        before = self._found.get(key, {})
        if not {"ours", *peers_asked(task, size, number)} <= set(before):
            self._found[key] = one_curve(task, size, seed, number, 0.05, before)
            if self._file:
                with self._file.open("a", encoding="utf-8") as file:
                    file.write(json.dumps([key, self._found[key]], ensure_ascii=False) + "\n")
        return self._found[key]


def curves(options: argparse.Namespace) -> Iterator[Row]:
    """A row is written after every tenth seed and after the last."""
    seeds, kept = seeds_of(options), Kept(options.kept)
    for size in options.sizes or (10_000, 100_000):
        for count in sorted({*range(10, len(seeds), 10), len(seeds)}):
            for task in (CURVES[name] for name in options.tasks or CURVES):
                runs = [kept(task, size, seed, number) for number, seed in enumerate(seeds[:count])]
                yield curve_row(task, size, seeds.start, runs)


def curve_row(task: Task, size: int, first: int, runs: list[dict[str, float]]) -> Row:
    values = {name: [run[name] for run in runs if name in run] for name in runs[0]}
    medians = {name: float(np.median(found)) for name, found in values.items()}
    row: Row = {"runs_per_dataset": size, "task": task.name, "truth": round(task.truth, 4)}
    row |= {"first_seed": first, "seeds": len(runs)}
    row["median"] = {name: round(value, 5) for name, value in medians.items()}
    row["gap_over_known"] = round((task.truth - medians["ours"]) / (task.truth - medians["known event"]), 3)
    row["above_truth"] = int((np.array(values["ours"]) > task.truth).sum())
    row["dp_auditorium at best"] = best_of_auditorium(task, size, 0.05) if task.name[0] == "ε" else None
    return row


SECTIONS = {"bounds": bounds, "siege": siege, "anytime": anytime, "curves": curves}
KEYS = dict.fromkeys(SECTIONS, ("runs_per_dataset", "task")) | {"anytime": ("claim", "truth")}


def saved(section: str, row: Row) -> dict[str, list[Row]]:
    """All rows so far, this one in the place of its older self."""
    rows: dict[str, list[Row]] = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    keys = KEYS[section]
    others = [old for old in rows.get(section, []) if any(old[key] != row[key] for key in keys)]
    order = {task: number for number, task in enumerate([*TASKS, *CURVES])}
    rows[section] = sorted([*others, row], key=lambda r: [order.get(r[key], r[key]) for key in keys])
    RESULTS.write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", metavar="SECTION")
    parser.add_argument("--seeds", type=int, default=50)
    parser.add_argument("--first", type=int, default=FIRST)
    parser.add_argument("--sizes", type=int, nargs="+", default=[])
    parser.add_argument("--tasks", nargs="+", choices=[*TASKS, *CURVES], default=[])
    parser.add_argument("--kept", type=Path, help="of `curves`: each seed's figures, to go on where a run stopped")
    options = parser.parse_args()
    if not set(options.sections) <= set(SECTIONS):
        parser.error(f"sections {options.sections}; choose from {', '.join(SECTIONS)}")
    for section in options.sections or SECTIONS:
        for row in SECTIONS[section](options):
            print(section, json.dumps(row), flush=True)
            RESULTS.with_suffix(".md").write_text(written(saved(section, row)), encoding="utf-8")


if __name__ == "__main__":
    main()
