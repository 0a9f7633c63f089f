"""False alarms, and bounds above the truth, where (ε, δ), zCDP and Gaussian promises are kept and no more than kept.

    python benchmarks/curve_alarms.py wealth [--count 10000] [--only TEXT]
    python benchmarks/curve_alarms.py bounds [--count 4000] [--only TEXT]
    python benchmarks/curve_alarms.py games [--count 400] [--minutes 10] [--only TEXT]
    python benchmarks/curve_alarms.py audits [--count 100] [--minutes 10] [--only TEXT]

`wealth`: counts are drawn from the law of a known event and put into the game's wealth, which is looked at 40 times; no
rule is learned, so all alarms are the bets' own. `bounds`: the same, and the lower bound at the end. `games`: whole
games on mechanisms, rules learned, then the measurement. `audits`: whole audits of the same; refuted counts those
where any claim fell, confirmed or not. A run replaces its rows in curve_alarms.json and writes
curve_alarms.md. Limits are Clopper and Pearson's, 95% on two sides; a low limit above what is allowed is a mistake.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy: other jobs have their own processor

import argparse
import json
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from curve_laws import MECHANISMS, PROMISES, Law, laws
from numpy.typing import NDArray
from scipy.stats import beta
from tables import page

from hdp_audit import audit
from hdp_audit.audits.game import play
from hdp_audit.evidence.bets import Bet
from hdp_audit.evidence.e_process import goal
from hdp_audit.evidence.wealth import Tally, Wealth, log_of
from hdp_audit.model.promise import Limit
from hdp_audit.model.task import task_of
from hdp_audit.targets.subject import Subject

RESULTS = Path(__file__).with_suffix(".json")
CONFIDENCES = (0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
DRAWS, LOOKS = 2_000, 40
SHORT = 150  # draws before a bound: few enough that counts recur, so that each bound is computed once
CALLS = 1_500
WHOLE = (
    "Gaussian shift, one user",
    "Gaussian shift as zCDP, one user",
    "reveal or answer, one user",
    "one event, group",
)
CHUNK = 500
SEED = 20260


def limits(found: int, count: int) -> dict[str, Any]:
    """The rate and its Clopper–Pearson limits."""
    low = float(beta.ppf(0.025, found, count - found + 1)) if found else 0.0
    high = float(beta.ppf(0.975, found + 1, count - found)) if found < count else 1.0
    return {"rate": round(found / count, 5), "low": round(low, 5), "high": round(high, 5)}


def drawn_counts(law: Law, draws: int, count: int, rng: np.random.Generator) -> NDArray[np.int64]:
    """(right, wrong) of so many draws, `count` times."""
    chances = [law.right, law.wrong, max(1.0 - law.right - law.wrong, 0.0)]
    return rng.multinomial(draws, chances, count)[:, :2]


def alarms(limit: Limit, law: Law, significance: float, count: int, rng: np.random.Generator) -> int:
    """How many of the wealths are past 1/significance at any look."""
    bet, each, found = Bet.of(limit, law.touching, law.sides), DRAWS // LOOKS, 0
    for start in range(0, count, CHUNK):
        size = min(CHUNK, count - start)
        steps = drawn_counts(law, each, size * LOOKS, rng).reshape(size, LOOKS, 2).cumsum(axis=1)
        tally = Tally(steps[..., 0], steps.sum(axis=2), each * np.arange(1, LOOKS + 1)[None, :])
        logs = log_of(limit, ((bet, tally),), DRAWS, significance)
        found += int(np.count_nonzero(logs.max(axis=1) >= goal(significance)))
    return found


def wealth(count: int, only: str, _minutes: float) -> Iterator[dict[str, Any]]:
    for number, (name, (kind, users, law)) in enumerate(laws().items()):
        for confidence in CONFIDENCES if name.startswith(only) else ():
            rng, level = np.random.default_rng([SEED, number, round(100 * confidence)]), round(1.0 - confidence, 6)
            found = alarms(PROMISES[kind].group(users), law, level, count, rng)
            row = {"law": name, "promise": kind, "allowed": level, "wealths": count, "alarms": found}
            yield row | limits(found, count)


@lru_cache(maxsize=100_000)
def bound(limit: Limit, bet: Bet, significance: float, right: int, made: int) -> float:
    """The game's own, after so many guesses."""
    return Wealth(limit, SHORT, significance).after(right, made, SHORT, bet).loss_lower


def bounds(count: int, only: str, _minutes: float) -> Iterator[dict[str, Any]]:
    for number, (name, (kind, users, law)) in enumerate(laws().items()):
        for confidence in (0.5, 0.8, 0.95) if name.startswith(only) else ():
            rng, level = np.random.default_rng([SEED, 1, number, round(100 * confidence)]), round(1.0 - confidence, 6)
            limit = PROMISES[kind].group(users)
            bet = Bet.of(limit, law.touching, law.sides)
            given = drawn_counts(law, SHORT, count, rng).tolist()
            lower = np.array([bound(limit, bet, level, right, right + wrong) for right, wrong in given])
            found = int(np.count_nonzero(lower > limit.strength))
            row = {"law": name, "promise": kind, "allowed": level, "bounds": count, "above_the_truth": found}
            yield row | limits(found, count) | {"median": round(float(np.median(lower)), 4), "truth": limit.strength}


def one_game(name: str, significance: float, seed: int) -> tuple[bool, bool]:
    """(refuted, lower bound above the truth)."""
    mechanism, kind, users = MECHANISMS[name]
    subject = Subject(mechanism, PROMISES[kind], task_of(None))
    pairs = [subject.pair(base, users) for base in subject.bases()]
    game = play(subject, pairs, CALLS, significance, seed, "tier/0")
    measured = play(subject, [game.pair], CALLS, significance, seed, "tier/0/extent", measuring=True, after=game)
    return game.wealth.refutes, measured.wealth.loss_lower > game.claimed


def games(count: int, only: str, minutes: float) -> Iterator[dict[str, Any]]:
    """Every row gets the same share of the time."""
    rows = [(name, level) for name in MECHANISMS if name.startswith(only) for level in (0.5, 0.05)]
    for number, (name, level) in enumerate(rows):
        end, found = time.monotonic() + 60.0 * minutes / len(rows), []
        while len(found) < count and time.monotonic() < end:
            found.append(one_game(name, level, SEED + 100_000 * number + len(found)))
        refuted, above = (sum(each[i] for each in found) for i in (0, 1))
        row = {"mechanism": name, "allowed": level, "games": len(found), "refuted": refuted}
        row |= limits(refuted, len(found)) | {"bounds_above_the_truth": above}
        yield row | {f"bounds_{key}": value for key, value in limits(above, len(found)).items()}


def one_audit(name: str, significance: float, seed: int) -> tuple[bool, bool, bool]:
    """(a claim refuted, and confirmed, a lower bound above the truth) in a whole audit; bits are not looked at."""
    mechanism, kind, _ = MECHANISMS[name]
    options: dict[str, Any] = {"task": "mean", "budget": CALLS, "floating_point": "off", "seed": seed}
    report = audit(mechanism, promise=PROMISES[kind], confidence=1.0 - significance, **options)
    claims = [finding for finding in report.findings if finding.kind == "privacy"]
    confirmed = any(finding.verdict == "fail" for finding in claims)
    refuted = confirmed or any("refuted once" in finding.message for finding in claims)
    bounds = [finding for finding in claims if finding.lower is not None and finding.claimed is not None]
    return refuted, confirmed, any(finding.lower.value > finding.claimed for finding in bounds)  # type: ignore[union-attr,operator]


def audits(count: int, only: str, minutes: float) -> Iterator[dict[str, Any]]:
    """Every row gets the same share of the time."""
    rows = [(name, level) for name in WHOLE if name.startswith(only) for level in (0.5, 0.2, 0.05)]
    for number, (name, level) in enumerate(rows):
        end, found = time.monotonic() + 60.0 * minutes / len(rows), list[tuple[bool, bool, bool]]()
        while len(found) < count and time.monotonic() < end:
            found.append(one_audit(name, level, SEED + 7_000_000 + 100_000 * number + len(found)))
        refuted, confirmed, above = (sum(each[i] for each in found) for i in (0, 1, 2))
        row = {"mechanism": name, "allowed": level, "audits": len(found), "refuted": refuted, "confirmed": confirmed}
        yield row | limits(refuted, len(found)) | {"bounds_above_the_truth": above}


def saved(section: str, row: dict[str, Any]) -> None:
    """Into the JSON and the page, in the place of the row with the same law and setting."""
    results = json.loads(RESULTS.read_text(encoding="utf-8")) if RESULTS.exists() else {}
    keys = ("law", "mechanism", "allowed")
    rows = results.get(section, [])
    same = [i for i, old in enumerate(rows) if all(old.get(key) == row.get(key) for key in keys)]
    rows = [row if i in same else old for i, old in enumerate(rows)] if same else [*rows, row]
    results[section] = rows
    RESULTS.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    introduction = [
        "Made by `benchmarks/curve_alarms.py`. Every law and mechanism here loses exactly what was promised, but that "
        "zCDP's curve allows more than any Gaussian shift loses. `allowed` is the significance; `low` and `high` are "
        "Clopper and Pearson's limits of the rate, 95% on two sides.",
        "`wealth` and `bounds` draw counts of a known event, so they test the bets; `games` learn their rules, too. "
        "`audits` are whole ones: any claim of the report refuted, with new samples or without, and any bound above "
        "the truth.",
    ]
    text = page("False alarms where curves are promised", introduction, results)
    RESULTS.with_suffix(".md").write_text(text, encoding="utf-8")


SECTIONS = {"wealth": (wealth, 10_000), "bounds": (bounds, 4_000), "games": (games, 10_000), "audits": (audits, 100)}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("section", choices=list(SECTIONS))
    parser.add_argument("--count", type=int)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--only", default="")
    options = parser.parse_args()
    work, usual = SECTIONS[options.section]
    for row in work(options.count or usual, options.only, options.minutes):
        print(row, flush=True)
        saved(options.section, row)


if __name__ == "__main__":
    main()
