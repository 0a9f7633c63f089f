"""How often the accuracy and optimality auditors err, and what they cost: counted over seeds.

    python benchmarks/accuracy_operating.py [section ...] [--seeds 200] [--out DIR]

Each section rewrites its part of accuracy_operating.json in DIR (this folder), and accuracy_operating.md is made from
all of it. All sections without a name; minutes at 200 seeds on one core:

    coverage    1   intervals hold the truth as often as they say (accuracy_laws.py)
    power       2   the excess that the built-in suite sees, and its upper ends (accuracy_laws.py)
    alarms      3   false alarms in all eight cells
    misses      2   excesses that pass, in all eight cells
    faults      1   too much noise, biased weights, wrong clip, forgotten category, wrong law
    optimality  9   the cheat who tells the truth, and honest mechanisms
    exact       1   exact law against Monte Carlo, 100 random HPM cases (accuracy_laws.py)
    cells       1   every catalog name in every cell, once
    cost        2   n = 17,000, k = 10, 100,000 trials against shuffles alone (accuracy_laws.py)
"""

from __future__ import annotations

import argparse
import json
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
from accuracy_laws import cost, coverage, exact, power, reference
from numpy.typing import NDArray
from subjects import subject_of

from hdp_audit.audits.accuracy import audit_accuracy
from hdp_audit.audits.claimed import claimed_bound
from hdp_audit.audits.optimality import audit_optimality
from hdp_audit.audits.share import Share
from hdp_audit.model.claim import AccuracyClaim, OptimalityClaim
from hdp_audit.model.finding import Finding
from hdp_audit.model.vocabulary import METRICS, SETTINGS
from hdp_audit.targets.reference import Audited, names, standard_demands
from hdp_audit.targets.subject import Subject
from mechanisms.broken import FAULTS

Row = dict[str, Any]
Floats = NDArray[np.float64]

SEEDS = 200
HERE = Path(__file__).parent
CELLS = [(s, m) for s in SETTINGS for m in METRICS]
TASKS: list[tuple[str, int | None]] = [("mean", None), ("frequency", 3)]


def counted(audits: Iterator[Finding]) -> dict[str, int]:
    return dict(Counter(finding.verdict for finding in audits))


def attaining(task: str, k: int | None) -> Subject:
    """Equal demands: no bias, and noise far from the ends, so that theorem, exact law and draws coincide."""
    return reference("uni", np.full(60, 2.0), task, k)


def alarms(seeds: int) -> list[Row]:
    """Mechanisms that attain their theorem, audited at significance 0.05 with all of 6000 calls: how often refuted.

    `once`: by the first trial, which alone keeps the rate; `fail`: by the second too.
    """
    rows = []
    for task, k in TASKS:
        for setting, metric in CELLS:
            claim = AccuracyClaim(setting, metric, tolerance=1.01)
            shares = (Share(6_000, 0.05, 0.95, seed) for seed in range(seeds))
            found = [audit_accuracy(attaining(task, k), claim, s).findings[0] for s in shares]
            once = sum(one.verdict == "fail" or "refuted once" in one.message for one in found) / seeds
            row = {"task": task, "setting": setting, "metric": metric, "allowed": 0.05, "once": once}
            rows.append(row | _rates(counted(iter(found))))
    return rows


def misses(seeds: int) -> list[Row]:
    """An error of exactly tolerance × the claimed bound, with calls enough for a verdict: how often it passes."""
    rows = []
    for task, k in TASKS:
        for setting, metric in CELLS:
            plain = AccuracyClaim(setting, metric, tolerance=1.2)
            bound, _ = claimed_bound(attaining(task, k), plain)
            claim = AccuracyClaim(setting, metric, bound=bound / 1.2, tolerance=1.2)
            calls = 30_000 if metric == "mse" else 16_000
            shares = (Share(calls, 0.001, 0.999, seed) for seed in range(seeds))
            verdicts = counted(audit_accuracy(attaining(task, k), claim, s).findings[0] for s in shares)
            rows.append({"task": task, "setting": setting, "metric": metric, "allowed": 0.2, **_rates(verdicts)})
    return rows


def faults(seeds: int) -> list[Row]:
    """Planted mistakes, claimed to keep a theorem that the honest form keeps; 10,000 calls at significance 0.001."""
    rows = []
    listed = ("too-much-noise", "biased-weights", "wrong-clip", "forgotten-category", "heavy-tails")
    for name in listed:
        control = FAULTS[name]
        for metric in METRICS:
            claim = AccuracyClaim("correlated", metric, bound="hpm-a" if name == "biased-weights" else "uni")
            verdicts = counted(
                audit_accuracy(
                    subject_of(control, control.epsilon, control.categories, name),
                    claim,
                    Share(10_000, 1e-3, 0.999, seed),
                ).findings[0]
                for seed in range(seeds)
            )
            rows.append({"mechanism": name, "metric": metric, **_rates(verdicts)})
    return rows


class Cheat:
    """Returns the truth."""

    def __init__(self, k: int | None) -> None:
        self.k = k

    def __call__(self, data: NDArray[Any], epsilon: Floats, rng: np.random.Generator) -> Any:
        return self.batch(data, epsilon, rng, 1)[0]

    def batch(self, data: NDArray[Any], _epsilon: Floats, _rng: np.random.Generator, size: int) -> Floats:
        if self.k is None:
            return np.full(size, data.mean())
        return np.tile(np.bincount(data, minlength=self.k) / data.size, (size, 1))


def optimality(seeds: int) -> list[Row]:
    """The cheat, and nearly optimal mechanisms, 2000 calls: significance 0.001 and 0.05."""
    demands = {name: standard_demands(name).values for name in ("equal-0.1", "tiers", "log-uniform")}
    demands["50 users"] = np.exp(np.random.default_rng(2).uniform(-3, 1, 50))
    rows = []
    for label, epsilon in demands.items():
        for task, k in TASKS:
            honest = Audited("hpm-cp-centred" if k is None else "hpf-cp-hull", epsilon, task=task, categories=k)
            for mechanism, level in ((Cheat(k), 1e-3), (honest, 0.05)):
                verdicts = Counter[str]()
                for seed in range(seeds):
                    subject = subject_of(mechanism, epsilon, k, "one")
                    outcome = audit_optimality(subject, OptimalityClaim(), Share(2000, level, 0.95, seed))
                    verdicts.update(f"{f.metric} {f.verdict}" for f in outcome.findings)
                who = "cheat" if isinstance(mechanism, Cheat) else mechanism.name
                rows.append({"demands": label, "task": task, "mechanism": who, "significance": level, **verdicts})
    return rows


def cells(_seeds: int) -> list[Row]:
    """Every catalog name in every cell: 200 mixed demands, k = 4, tolerance 1.2, 60,000 calls, confidence 0.999."""
    epsilon = np.exp(np.random.default_rng(3).uniform(-3, 2, 200))
    rows = []
    for task, k in (("mean", None), ("frequency", 4)):
        for name in names("mean" if k is None else "frequency"):
            for setting, metric in CELLS:
                claim = AccuracyClaim(setting, metric, tolerance=1.2)
                calls = 60_000 if name not in ("sm", "ldp") else 30_000
                found = audit_accuracy(reference(name, epsilon, task, k), claim, Share(calls, 1e-3, 0.999, 1)).findings[
                    0
                ]
                assert found.lower is not None
                assert found.upper is not None
                rows.append(
                    {
                        "task": task,
                        "mechanism": name,
                        "setting": setting,
                        "metric": metric,
                        "verdict": found.verdict,
                        "lower": found.lower.value,
                        "measured": found.witness["measured"],
                        "upper": found.upper.value,
                        "bound": found.claimed,
                        "exact": found.witness["exact"],
                        "slack": found.witness["slack"],
                    }
                )
    return rows


def _rates(verdicts: dict[str, int]) -> Row:
    total = sum(verdicts.values())
    return {word: verdicts.get(word, 0) / total for word in ("fail", "pass", "inconclusive")} | {"seeds": total}


SECTIONS: dict[str, Callable[[int], list[Row]]] = {
    one.__name__: one for one in (coverage, power, alarms, misses, faults, optimality, exact, cells, cost)
}


def written(results: dict[str, list[Row]]) -> str:
    """Markdown: one table a section."""
    parts = ["# How the accuracy and optimality auditors operate\n", "Made by `benchmarks/accuracy_operating.py`.\n"]
    for name, rows in results.items():
        head = list(dict.fromkeys(key for row in rows for key in row))
        lines = [f"| {' | '.join(head)} |", "|" + "---|" * len(head)]
        lines += [f"| {' | '.join(_shown(row.get(key)) for key in head)} |" for row in rows]
        said = " ".join((SECTIONS[name].__doc__ or "").split())
        parts.append(f"## {name}\n\n{said}\n\n" + "\n".join(lines) + "\n")
    return "\n".join(parts)


def _shown(value: object) -> str:
    return "" if value is None else f"{value:.4g}" if isinstance(value, float) else str(value).replace("|", "\\|")


def main(sections: list[str] | None = None) -> None:
    """The sections given, or those of the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("sections", nargs="*", choices=[[], *SECTIONS], metavar="section")
    parser.add_argument("--seeds", type=int, default=SEEDS)
    parser.add_argument("--out", type=Path, default=HERE)
    asked = parser.parse_args()
    asked.out.mkdir(parents=True, exist_ok=True)
    path = asked.out / "accuracy_operating.json"
    results: dict[str, list[Row]] = json.loads(path.read_text()) if path.exists() else {}
    for name in asked.sections or sections or list(SECTIONS):
        started = time.process_time()
        results[name] = SECTIONS[name](asked.seeds)
        print(f"{name}: {time.process_time() - started:.0f} s of one core", flush=True)
        ordered = {one: results[one] for one in SECTIONS if one in results}
        path.write_text(json.dumps(ordered, indent=1) + "\n")
        (asked.out / "accuracy_operating.md").write_text(written(ordered))


if __name__ == "__main__":
    main()
