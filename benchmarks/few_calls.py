"""Few calls: how soon claims fall, how often they fall wrongly, and what the power of a pass is worth.

    python benchmarks/few_calls.py SECTION [--count N] [--first M] [--jobs 2]

`scale`: a Laplace mean that divides by its true size, on one row against two (the datasets differ in one user): calls
to refute it at 95%. `training`: the two audits of examples/private-training. `alarms`: vectors with exactly as much
noise as was promised, at confidence 0.5; among them one that tells everybody's datum at once with probability δ.
`power`: noise too small by the factor that a pass names. A run replaces its rows in few_calls.json and writes
few_calls.md.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy

import argparse
import json
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from tables import page

from hdp_audit import ApproximateDP, GaussianDP, PureDP, Vector, audit
from hdp_audit.audits.game import play
from hdp_audit.model.given_pairs import given_pair
from hdp_audit.model.neighbours import Replace
from hdp_audit.model.task import Custom
from hdp_audit.targets.custom import Encoded
from hdp_audit.targets.streams import stream
from hdp_audit.targets.subject import Subject

RESULTS = Path(__file__).with_suffix(".json")
EXAMPLE = Path(__file__).parents[1] / "examples" / "private-training"
FIRST, USERS, CALLS = 900_000, 60, 60
DELTA = 1e-3


class BySize:
    """Σ/n + Laplace(1/(n·ε)): enough where n never changes."""

    name = "by_size"

    def __init__(self, epsilon: float) -> None:
        self._epsilon = epsilon

    def __call__(self, data: Any, epsilon: Any, rng: np.random.Generator) -> float:
        return float(self.batch(data, epsilon, rng, 1)[0])

    def batch(self, data: Any, _epsilon: Any, rng: np.random.Generator, size: int) -> Any:
        return np.mean(data) + rng.laplace(0.0, 1.0 / (self._epsilon * len(data)), size)


def calls_by_size(epsilon: float, budget: int, seed: int) -> float:
    """Of the game, until it refutes; inf where it does not."""
    promise = PureDP([epsilon, epsilon])
    pair = given_pair(0, (np.array([0.0]), np.array([0.0, 1.0]), [1]), promise, Replace())
    mechanism = Encoded(BySize(epsilon), [pair.first, pair.second], stream(0, "custom"))
    subject = Subject(mechanism, promise, Custom(), "by_size")
    subject.width = mechanism.width
    game = play(subject, [pair], budget, 0.95 * 0.05, seed, "pair")
    return game.calls if game.wealth.refutes else float("inf")


def scale(seeds: range, each: Any) -> list[dict[str, Any]]:
    rows = []
    for epsilon, budget in ((0.01, 1_000_000), (0.1, 1_000_000), (0.01, 1000), (0.1, 1000)):
        found = np.array(list(each(partial(calls_by_size, epsilon, budget), seeds)))
        told = {"ε": epsilon, "budget": budget, "seeds": len(seeds), "refuted": int(np.isfinite(found).sum())}
        rows.append(told | {"median calls": float(np.quantile(found, 0.5, method="higher"))})
    return rows


def trained(name: str, seed: int) -> tuple[str, int]:
    sys.path.insert(0, str(EXAMPLE))
    module = __import__(name)
    mu = np.where(np.arange(120) < 80, 0.5, 1.0)
    options: dict[str, Any] = {"task": "vector-mean", "domain": Vector(40), "budget": 150, "detect": 6.0}
    report = audit(module.train, promise=GaussianDP(mu), seed=seed, **options)
    return report.verdict, report.calls


def training(seeds: range, each: Any) -> list[dict[str, Any]]:
    rows = []
    for name in ("training", "forgetful"):
        found = list(each(partial(trained, name), seeds))
        verdicts = [verdict for verdict, _ in found]
        counts = {verdict: verdicts.count(verdict) for verdict in ("pass", "inconclusive", "fail")}
        calls = int(np.median([calls for _, calls in found]))
        rows.append({"function": name, "seeds": len(seeds), **counts, "median trainings": calls})
    return rows


def laplace(data: Any, rng: np.random.Generator, factor: float) -> Any:
    return data.sum(axis=0) + rng.laplace(0.0, 2.0 / factor, data.shape[1])


def normal(data: Any, rng: np.random.Generator, factor: float) -> Any:
    return data.sum(axis=0) + rng.normal(0.0, 2.0 / factor, data.shape[1])


def telling(data: Any, rng: np.random.Generator, factor: float) -> Any:
    """Everybody's datum at once with probability δ."""
    if rng.random() < DELTA:
        return 1e6 * data.sum(axis=0)
    return laplace(data, rng, factor)


TIGHT: dict[str, tuple[Any, Any, Vector]] = {
    "Laplace, ε = 1": (laplace, PureDP([1.0] * USERS), Vector(USERS, "l1")),
    "Laplace and a leak of all, (1, 0.001)": (telling, ApproximateDP([1.0] * USERS, DELTA), Vector(USERS, "l1")),
    "normal, μ = 1": (normal, GaussianDP([1.0] * USERS), Vector(40)),
}


def verdict_of(label: str, factor: float, confidence: float, seed: int) -> tuple[str, float]:
    release, promise, domain = TIGHT[label]

    def mechanism(data: Any, *given: Any) -> Any:
        return release(data, given[-1], factor)

    options: dict[str, Any] = {"task": "vector-mean", "domain": domain, "budget": CALLS, "detect": 16.0}
    report = audit(mechanism, promise=promise, seed=seed, confidence=confidence, **options)
    (finding,) = (finding for finding in report.findings if finding.kind == "privacy")
    once = finding.verdict == "fail" or "refuted once" in finding.message
    return ("once" if once and finding.verdict != "fail" else finding.verdict), finding.detectable / finding.claimed


def alarms(seeds: range, each: Any) -> list[dict[str, Any]]:
    rows = []
    for label in TIGHT:
        found = [verdict for verdict, _ in each(partial(verdict_of, label, 1.0, 0.5), seeds)]
        told = {"mechanism": label, "seeds": len(seeds), "refuted once": found.count("once") + found.count("fail")}
        rows.append(told | {"and confirmed": found.count("fail"), "allowed": len(seeds) // 2})
    return rows


def power(seeds: range, each: Any) -> list[dict[str, Any]]:
    rows = []
    for label in TIGHT:
        named = [factor for _, factor in each(partial(verdict_of, label, 1.0, 0.999), range(seeds[0], seeds[0] + 10))]
        factor = float(np.median(named))
        found = [verdict for verdict, _ in each(partial(verdict_of, label, factor, 0.999), seeds)]
        told = {"mechanism": label, "calls": CALLS, "factor named": round(factor, 3), "seeds": len(seeds)}
        rows.append(told | {"refuted": found.count("fail"), "said": "80%"})
    return rows


SECTIONS = {"scale": (scale, 50), "training": (training, 20), "alarms": (alarms, 200), "power": (power, 40)}
TITLES = {
    "scale": "A Laplace mean by its true size, one row against two, 95%",
    "training": "examples/private-training, 150 trainings, confidence 0.999",
    "alarms": f"Exactly tight, {CALLS} calls, {USERS} users, confidence 0.5",
    "power": "Noise too small by the factor that a pass names, confidence 0.999",
}


def markdown(results: dict[str, Any]) -> str:
    told = "Made by `benchmarks/few_calls.py`. Calls of `scale` are those of the game, without its confirmation."
    return page("Few calls", [told], {TITLES[name]: results[name] for name in SECTIONS if name in results})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("section", choices=list(SECTIONS))
    parser.add_argument("--count", type=int)
    parser.add_argument("--first", type=int, default=FIRST)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    work, usual = SECTIONS[given.section]
    seeds = range(given.first, given.first + (given.count or usual))
    with ProcessPoolExecutor(given.jobs) as pool:
        rows = work(seeds, pool.map)
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    results[given.section] = rows
    RESULTS.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n")
    RESULTS.with_suffix(".md").write_text(markdown(results))
    for row in rows:
        print(row)


if __name__ == "__main__":
    main()
