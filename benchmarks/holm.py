"""What Holm's step-down over the claims of a report gains, and how often it errs.

    python benchmarks/holm.py gain [--count 100] [--first M] [--jobs 2]
    python benchmarks/holm.py alarms [--count 300] [--first M] [--jobs 2]
    python benchmarks/holm.py coins [--count 20000] [--first M]

`gain`: audits of mechanisms that break some promises by far and others by little, with and without the step-down on the
same draws. `alarms`: audits at confidence 0.5 in which some claims are false and the others exactly tight; a tight
claim that falls is a false alarm, before its confirmation and after. `coins`: the same for the e-processes alone, whose
rule is known, looked at after every guess. A run replaces its rows in holm.json and writes holm.md.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy

import argparse
import gc
import json
from concurrent.futures import ProcessPoolExecutor
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import expit
from tables import page

from hdp_audit import engine
from hdp_audit.audits.case import Case
from hdp_audit.audits.share import ClaimTest
from hdp_audit.audits.step_down import stepped_levels
from hdp_audit.evidence.wealth import Wealth
from hdp_audit.model import PrivacyClaim, PrivacyDemands
from hdp_audit.model.promise import PureLimit
from hdp_audit.model.task import Custom, Mean

RESULTS = Path(__file__).with_suffix(".json")
FIRST = 700_000
TIERS = np.repeat([0.25, 0.5, 1.0, 2.0], [8, 6, 4, 3])
# by how much each tier loses more than it demands
FACTORS = {"one tier by far": [2.5, 1.15, 1.15, 1.15], "three tiers by far": [2.5, 2.5, 2.5, 1.15]}
# the losses of pairs that may lose 1
LOSSES = {"one pair by far": [3.0] + [1.35] * 5, "five pairs by far": [3.0] * 5 + [1.35]}
TIGHT = {"one of six false": [3.0] + [1.0] * 5, "five of six false": [3.0] * 5 + [1.0]}
UNSURE = 0.5  # the confidence at which false alarms are common enough to be counted


class Weighted:
    """Σ f_i·ε_i·x_i + Laplace(1), f_i the factor of the user's tier: everybody loses f_i·ε_i, groups the sum."""

    def __init__(self, factors: list[float]) -> None:
        self.weights = TIERS * np.repeat(factors, [8, 6, 4, 3])

    def __call__(self, data: Any, _epsilon: Any, rng: np.random.Generator) -> float:
        return float(self.batch(data, _epsilon, rng, 1)[0])

    def batch(self, data: Any, _epsilon: Any, rng: np.random.Generator, size: int) -> Any:
        return np.round(data @ self.weights + rng.laplace(0.0, 1.0, size), 6)


class Answers:
    """One bit for each pair of datasets, which tells it as far as the pair's loss allows."""

    def __init__(self, losses: list[float]) -> None:
        self.losses = losses

    def __call__(self, data: tuple[int, int], _epsilon: Any, rng: np.random.Generator) -> int:
        pair, side = data
        return int(rng.random() < expit(self.losses[pair] if side else -self.losses[pair]))

    def pairs(self) -> list[Any]:
        return [((pair, 0), (pair, 1), [0]) for pair in range(len(self.losses))]


def by_tiers(factors: list[float]) -> Case:
    claim = PrivacyClaim(floating_point="off")
    return Case.of("tiers", partial(Weighted, factors), PrivacyDemands.from_values(TIERS), Mean(), privacy=claim)


def by_pairs(losses: list[float]) -> Case:
    target, demands = Answers(losses), PrivacyDemands.from_values([1.0])
    return Case.of("pairs", lambda: target, demands, Custom(), privacy=PrivacyClaim(), pairs=target.pairs)


def audited(case: Case, confidence: float, budget: int, seed: int) -> dict[str, Any]:
    """Refuted claims with and without the step-down, and the claims that fell before any confirmation."""
    checks = engine.plan([case], confidence=confidence, budget=budget, seed=seed)
    before = engine.run_checks(checks)
    after = engine.step_down(checks, before)
    tests = [test for outcome in before.values() for test in outcome.tests]
    levels = stepped_levels(tests, sum(check.share.significance for check in checks))
    return {
        "own": [test.finding for test in tests if test.tried],
        "fell": [test.finding for test in tests if test.tried or test.finding in levels],
        "without": [test.finding for test in tests if test.refuted],
        "with": [test.finding for outcome in after.values() for test in outcome.tests if test.refuted],
        "calls": [sum(outcome.calls for outcome in some.values()) for some in (before, after)],
        "claims": len(tests),
    }


def _gain(name: str, seed: int) -> dict[str, Any]:
    if name in FACTORS:
        return audited(by_tiers(FACTORS[name]), 0.999, 12_000, seed)
    return audited(by_pairs(LOSSES[name]), 0.999, 4_000, seed)


def _alarm(name: str, seed: int) -> dict[str, Any]:
    return audited(by_pairs(TIGHT[name]), UNSURE, 1_000, seed)


def gain(each: Any, count: int, first: int) -> list[dict[str, Any]]:
    rows = []
    for name in (*FACTORS, *LOSSES):
        found = list(each(partial(_gain, name), range(first, first + count)))
        calls = np.array([one["calls"] for one in found]).sum(axis=0)
        rows.append(
            {
                "mechanism": name,
                "audits": count,
                "claims refuted without": sum(len(one["without"]) for one in found),
                "with": sum(len(one["with"]) for one in found),
                "audits in which a claim fell by the step-down alone": sum(one["fell"] != one["own"] for one in found),
                "of these confirmed": sum(len(one["with"]) > len(one["without"]) for one in found),
                "calls, ratio": round(float(calls[1] / calls[0]), 3),
            }
        )
    return rows


def alarms(each: Any, count: int, first: int) -> list[dict[str, Any]]:
    rows = []
    for name, losses in TIGHT.items():
        tight = {f"pairs/privacy/pair/{pair}" for pair, loss in enumerate(losses) if loss <= 1.0}
        found = list(each(partial(_alarm, name), range(first, first + count)))

        def wrong(which: str, found: Any = found, tight: Any = tight) -> int:
            return sum(bool(tight & set(one[which])) for one in found)

        rows.append(
            {
                "claims": name,
                "confidence": UNSURE,
                "audits": count,
                "allowed": (1 - UNSURE) * count,
                "a tight claim past its own share": wrong("own"),
                "past its level": wrong("fell"),
                "refuted without the step-down": wrong("without"),
                "refuted with it": wrong("with"),
            }
        )
    return rows


def coins(count: int, first: int) -> list[dict[str, Any]]:
    import statsmodels.stats.multitest  # noqa: F401 - before the freeze

    gc.freeze()  # statsmodels collects garbage at every call
    return [_coins(false, count, np.random.default_rng(first)) for false in (0, 1, 3, 5)]


@lru_cache
def _wealths(guesses: int, share: float) -> Any:
    """By guesses made and right ones."""
    start, table = Wealth(PureLimit(1.0), guesses, share), np.full((guesses + 1, guesses + 1), -np.inf)
    for made in range(guesses + 1):
        table[made, : made + 1] = [start.after(right, made).log for right in range(made + 1)]
    return table


def _coins(false: int, count: int, rng: np.random.Generator) -> dict[str, Any]:
    """Six claims of loss 1 on 200 guesses; of false ones every guess is right, of the others as many as allowed."""
    claims, guesses, share = 6, 200, (1 - UNSURE) / 6
    table, own, fell = _wealths(guesses, share), 0, 0
    for _ in range(count):
        chance = np.where(np.arange(claims) < false, 1.0, expit(1.0))
        right = np.cumsum(rng.random((guesses, claims)) < chance, axis=0)
        largest = table[np.arange(1, guesses + 1)[:, None], right].max(axis=0).tolist()
        past = [one >= -np.log(share) for one in largest]
        tests = [ClaimTest(str(i), share, largest[i], past[i], past[i]) for i in range(claims)]
        alarm = any(past[false:])
        own += alarm
        fell += alarm or any(int(name) >= false for name in stepped_levels(tests, 1 - UNSURE))
    return {
        "false claims of six": false,
        "families": count,
        "allowed": (1 - UNSURE) * count,
        "a tight claim past its own share": own,
        "past its level": fell,
    }


SECTIONS = {"gain": (gain, 100), "alarms": (alarms, 300), "coins": (coins, 20_000)}
INTRODUCTION = [
    "Made by `benchmarks/holm.py`. With and without: on the same draws.",
    "`gain`: confidence 0.999; some promises are broken by far (2.5 times a tier's demand, a loss of 3 where 1 was\n"
    "promised), others by little (1.15 times, 1.35). `alarms` and `coins`: confidence 0.5, so that half of the\n"
    "reports may have a false alarm. A claim falls by its wealth, and is refuted when new samples confirm that.",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("section", choices=list(SECTIONS))
    parser.add_argument("--count", type=int)
    parser.add_argument("--first", type=int, default=FIRST)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    run, usual = SECTIONS[options.section]
    count = options.count or usual
    if run is coins:
        rows = coins(count, options.first)
    else:
        with ProcessPoolExecutor(options.jobs) as pool:
            rows = run(partial(pool.map, chunksize=4), count, options.first)
    known = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    known[options.section] = rows
    RESULTS.write_text(json.dumps(known, indent=1) + "\n", encoding="utf-8")
    text = page("Holm's step-down", INTRODUCTION, {name: known[name] for name in SECTIONS if name in known})
    RESULTS.with_suffix(".md").write_text(text, encoding="utf-8")
    print(json.dumps(rows, indent=1))


if __name__ == "__main__":
    main()
