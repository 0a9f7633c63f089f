"""Calls until a broken promise that is a curve is refuted: whole games, events learned, beside the best bet's limit.

    python benchmarks/curve_power.py [--seeds 20] [--first M]

Normal outputs, one user unless it says otherwise, confidence 0.999. `limit` is log(1000) over what the best bet on the
best event of a grid gains in a draw, both known beforehand: no test of this kind can do with 3% less on average.
`limits`: what any bet and any test needs where an (ε, δ) promise has a fifth too little noise, by the size of the
group (curve_limits.py). Writes curve_power.json and .md.
"""

from __future__ import annotations

import os

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy

import argparse
import json
from pathlib import Path
from typing import Any

import numpy as np
from curve_limits import best_bet_of_all, best_event, calls_of_any_test
from tables import page

from hdp_audit.audits.game import play
from hdp_audit.audits.power_gaussian import best_bet
from hdp_audit.model.approximate import ApproximateDP, ApproximateLimit
from hdp_audit.model.gaussian import GaussianDP, GaussianLimit
from hdp_audit.model.promise import Promise
from hdp_audit.model.task import Mean
from hdp_audit.model.zcdp import ZCDP
from hdp_audit.targets.subject import Subject

RESULTS = Path(__file__).with_suffix(".json")
SIGNIFICANCE = 1e-3
FIRST = 720_000
KEPT = ApproximateLimit(1.0, 1e-5).gaussian()  # the shift that just keeps (1, 1e-5)
SHORT_OF_NOISE = KEPT / 0.8  # the shift where σ is a fifth too small
# name, promise to those who are moved, the true shift in standard deviations, budget, calls that were asked for
ROWS: list[tuple[str, Promise, float, int, int | None]] = [
    ("Gaussian, μ 1 → 2", GaussianDP([1.0]), 2.0, 2_000, 400),
    ("Gaussian, μ 1 → 1.25", GaussianDP([1.0]), 1.25, 20_000, 4_000),
    ("Gaussian, μ 0.1 → 0.2", GaussianDP([0.1]), 0.2, 100_000, 25_000),
    ("Gaussian, μ 3 → 3.75", GaussianDP([3.0]), 3.75, 20_000, None),
    ("zCDP, ρ 0.5 → 2", ZCDP([0.5]), 2.0, 20_000, None),
    ("(1, 1e-5), half of the noise", ApproximateDP([1.0], 1e-5), 2.0 * KEPT, 200_000, None),
    ("(1, 1e-5), a fifth less noise", ApproximateDP([1.0], 1e-5), SHORT_OF_NOISE, 400_000, 20_000),
    ("the same, three users together", ApproximateDP([1.0] * 3, 1e-5), 3.0 * SHORT_OF_NOISE, 4_000_000, None),
]
GROUPS = range(1, 9)


class Normal:
    """The datum, in standard deviations, and normal noise."""

    __name__ = "normal"

    def __init__(self, shift: float) -> None:
        self.shift = shift

    def __call__(self, data: Any, *given: Any) -> float:
        return float(self.batch(data, *given, 1)[0])

    def batch(self, data: Any, *given: Any) -> Any:
        *_, rng, size = given
        return self.shift * data[0] + rng.normal(size=size)


def measured(name: str, promise: Promise, shift: float, budget: int, asked: int | None, seeds: range) -> dict[str, Any]:
    """Calls of games on one pair."""
    subject = Subject(Normal(shift), promise, Mean(), "normal")
    pair = subject.pair(subject.bases()[0], np.arange(promise.strengths.size))
    games = [play(subject, [pair], budget, SIGNIFICANCE, seed, "power") for seed in seeds]
    calls = [game.calls if game.wealth.refutes else np.inf for game in games]
    gain, _ = best_bet(pair.limit, shift)
    median = float(np.median(calls))
    return {
        "promise": name,
        "asked": asked,
        "median_calls": int(median) if median < np.inf else None,
        "refuted": int(np.isfinite(calls).sum()),
        "games": len(calls),
        "budget": budget,
        "limit": round(-np.log(SIGNIFICANCE) / gain),
    }


def limits_of(users: int) -> dict[str, Any]:
    """The fewest calls for (1, 1e-5) and a fifth less noise, if so many users are moved together."""
    limit, shift = ApproximateDP([1.0] * users, 1e-5).group(np.arange(users)), users * SHORT_OF_NOISE
    return {
        "users": users,
        "ε": limit.strength,
        "δ": float(f"{limit.leaked:.4g}"),
        "true_δ": float(f"{float(GaussianLimit(shift).delta(limit.strength)):.4g}"),
        "best_event": round(-np.log(SIGNIFICANCE) / best_event(limit, shift)),
        "best_bet": round(-np.log(SIGNIFICANCE) / best_bet_of_all(limit, shift)[0]),
    }


INTRODUCTION = [
    "Made by `benchmarks/curve_power.py`; median calls of games at confidence 0.999. `limit` is log(1000) over what "
    "the best of a grid of events and bets gains in a call, up to 3% more than the best of all needs.",
    "`limits` is about (1, 1e-5) with normal noise a fifth too small, which was asked for within 20,000 calls. Users "
    "who are moved together are promised ε and δ and have the true δ at that ε. The calls are log(1000) over what a "
    "bet on this group gains in a call: `best_event` that of a rule which guesses or abstains, with the best event "
    "and stake known; `best_bet` the likelihood ratio to the nearest laws that keep the promise, which no bet on "
    "this group exceeds.",
    "No test of any kind can do it with fewer than {any} calls, whoever is moved between whichever data: noise that is "
    "normal up to 2.68 standard deviations and falls exponentially beyond keeps even pure ε = 1, for all users and "
    "groups, and is so near to the faulty noise that so many calls are needed to refute at significance 0.001 in every "
    "second run (`benchmarks/curve_limits.py` has the proof). This holds for one number a call; a vector of which "
    "each user moves a part of their own tells as much of each of them at once.",
]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--first", type=int, default=FIRST)
    options = parser.parse_args()
    rows = []
    for row in ROWS:
        rows.append(measured(*row, range(options.first, options.first + options.seeds)))
        print(rows[-1], flush=True)
    least = round(calls_of_any_test(1.0, SHORT_OF_NOISE, SIGNIFICANCE))
    found = {"calls": rows, "limits": [limits_of(users) for users in GROUPS]}
    kept = found | {"any_test": least}
    RESULTS.write_text(json.dumps(kept, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    introduction = [text.format(any=f"{least:,}") for text in INTRODUCTION]
    text = page("Calls to refute promises that are curves", introduction, found)
    RESULTS.with_suffix(".md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
