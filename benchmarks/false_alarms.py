"""False alarms on mechanisms whose loss is exactly what was promised, for single users and for groups.

    python benchmarks/false_alarms.py games [--count 5000] [--first M] [--jobs 2] [--only TEXT]
    python benchmarks/false_alarms.py audits [--count 300] [--first M] [--jobs 2] [--only TEXT]

`games`: one game of the auditor on all of its base datasets, then the measurement of what it found; a refutation, or a
lower bound above the truth, is a false alarm. `audits`: whole audits at confidence 0.5, low enough to count. A run
replaces its rows in false_alarms.json, one after another, and writes false_alarms.md. Every count stands beside what
the promise allows. `--only`: rows whose name ("mean, one user, 0.05") begins so.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy: two processes with two threads each are slower

import argparse
import json
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from subjects import subject_of
from tables import page

from hdp_audit.api import audit
from hdp_audit.audits.game import play
from hdp_audit.model import PrivacyClaim

Floats = NDArray[np.float64]
RESULTS = Path(__file__).with_suffix(".json")
FIRST = 500_000
CALLS = 1_500
DEMANDS = np.repeat([0.25, 0.5, 1.0], [8, 4, 3])
CATEGORIES = 5  # four or more: one base dataset more


class TightMean:
    """Σ ε_i x_i + Laplace(1): everybody loses exactly their demand, and every group the sum of its demands."""

    __name__ = "tight-mean"

    def __call__(self, data: Floats, epsilon: Floats, rng: np.random.Generator) -> float:
        return float(self.batch(data, epsilon, rng, 1)[0])

    def batch(self, data: Floats, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
        return data @ epsilon + rng.laplace(0.0, 1.0, size)

    def many(self, datasets: Floats, epsilon: Floats, rng: np.random.Generator) -> Floats:
        return datasets @ epsilon + rng.laplace(0.0, 1.0, len(datasets))


class TightCounts:
    """Σ ε_i e_{x_i}/2 + Laplace(1) for each category: exactly tight whichever categories users are moved between."""

    __name__ = "tight-counts"

    def __call__(self, data: Any, epsilon: Floats, rng: np.random.Generator) -> Floats:
        return self.batch(data, epsilon, rng, 1)[0]

    def batch(self, data: Any, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
        totals = np.bincount(data, weights=epsilon / 2.0, minlength=CATEGORIES)
        return totals + rng.laplace(0.0, 1.0, (size, CATEGORIES))

    def many(self, datasets: Any, epsilon: Floats, rng: np.random.Generator) -> Floats:
        totals = np.stack([(datasets == j) @ epsilon / 2.0 for j in range(CATEGORIES)], axis=1)
        return totals + rng.laplace(0.0, 1.0, totals.shape)


class TightChoice:
    """One bit with logistic odds: no output tells more than the demand, and where one is rare its loss comes close."""

    __name__ = "tight-choice"

    def __call__(self, data: Floats, epsilon: Floats, rng: np.random.Generator) -> float:
        return float(self.batch(data, epsilon, rng, 1)[0])

    def batch(self, data: Floats, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
        """1 with odds e^{Σ ±ε_i/2·2}: moving user i from 0 to 1 multiplies the odds by e^{ε_i}, and by no more."""
        odds = float(data @ epsilon) - 0.5 * float(epsilon.sum())
        return (rng.random(size) < 1.0 / (1.0 + np.exp(-odds))).astype(np.float64)


MECHANISMS: dict[str, tuple[Callable[[], Any], int | None]] = {
    "mean": (TightMean, None),
    "counts": (TightCounts, CATEGORIES),
    "choice": (TightChoice, None),
}
MOVED = {"one user": [8], "mixed group": [0, 1, 9, 12]}
# A strict significance, at which arms that share their noise were seen to fail; and one at which alarms can be counted.
GAMES = (
    *(("counts", moved, 0.001) for moved in MOVED),
    *(("mean", moved, significance) for moved in MOVED for significance in (0.001, 0.05)),
    *(("choice", moved, 0.05) for moved in MOVED),
)


def one_game(seed: int, kind: str, moved: str, significance: float) -> tuple[bool, bool]:
    """(refuted, lower bound above the truth)."""
    make, categories = MECHANISMS[kind]
    subject = subject_of(make(), DEMANDS, categories)
    users = np.array(MOVED[moved])
    pairs = [subject.pair(base, users) for base in subject.bases()]
    game = play(subject, pairs, CALLS, significance, seed, "tier/0")
    measured = play(subject, [game.pair], CALLS, significance, seed, "tier/0/extent", measuring=True, after=game)
    return game.wealth.refutes, measured.wealth.loss_lower > game.claimed


def games(count: int, first: int, jobs: int, only: str) -> Iterator[dict[str, Any]]:
    with ProcessPoolExecutor(jobs) as pool:
        for number, (kind, moved, significance) in enumerate(GAMES):
            if not f"{kind}, {moved}, {significance}".startswith(only):
                continue
            seeds = range(first + number * count, first + (number + 1) * count)
            work = partial(one_game, kind=kind, moved=moved, significance=significance)
            found = list(pool.map(work, seeds, chunksize=50))
            row = {"mechanism": kind, "moved": moved, "significance": significance, "games": count}
            row |= {"allowed": round(significance * count, 1), "refuted": sum(one for one, _ in found)}
            yield row | {"bounds_above_the_truth": sum(above for _, above in found)}


def one_audit(seed: int, kind: str) -> tuple[bool, bool]:
    """(verdict fail or error, some lower bound above the truth)."""
    make, categories = MECHANISMS[kind]
    task = "mean" if categories is None else "frequency"
    claim = PrivacyClaim(floating_point="off")  # noise in doubles: its bits are another matter
    given = {"task": task, "categories": categories, "privacy": claim, "confidence": 0.5, "budget": 12_000}
    report = audit(make(), epsilon=DEMANDS, seed=seed, **given)
    above = any(f.lower is not None and f.claimed is not None and f.lower.value > f.claimed for f in report.findings)
    return report.verdict in ("fail", "error"), above


def audits(count: int, first: int, jobs: int, only: str) -> Iterator[dict[str, Any]]:
    with ProcessPoolExecutor(jobs) as pool:
        for number, kind in enumerate(MECHANISMS):
            if not kind.startswith(only):
                continue
            seeds = range(first + number * count, first + (number + 1) * count)
            found = list(pool.map(partial(one_audit, kind=kind), seeds, chunksize=5))
            row = {"mechanism": kind, "confidence": 0.5, "audits": count, "allowed": count // 2}
            row["fail_or_error"] = sum(one for one, _ in found)
            yield row | {"bounds_above_the_truth": sum(above for _, above in found)}


def saved(section: str, row: dict[str, Any]) -> None:
    """Into the JSON and the page, in the place of the row with the same mechanism and setting."""
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    keys = ("mechanism", "moved", "significance")
    others = [old for old in results.get(section, []) if any(old.get(key) != row.get(key) for key in keys)]
    results[section] = [*others, row]
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    introduction = ["Made by `benchmarks/false_alarms.py`."]
    text = page("False alarms on exactly tight mechanisms", introduction, results)
    RESULTS.with_suffix(".md").write_text(text, encoding="utf-8")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("section", choices=["games", "audits"])
    parser.add_argument("--count", type=int)
    parser.add_argument("--first", type=int, default=FIRST)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    work, usual = {"games": (games, 5000), "audits": (audits, 300)}[options.section]
    for row in work(options.count or usual, options.first, options.jobs, options.only):
        print(row, flush=True)
        saved(options.section, row)


if __name__ == "__main__":
    main()
