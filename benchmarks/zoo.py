"""The classics of the field: their true loss, the lower bound that we find, and what DP-Sniper published.

    python benchmarks/zoo.py [--calls 4000000] [--seed 190001] [--only NAME ...]

A finished row replaces its older self in zoo.json, and zoo.md is written anew.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from classic_laws import EPSILON, Classic, classics
from ideal_calls import FIRST, kept, prepared
from numpy.typing import NDArray
from tables import page

from hdp_audit.audits.game import draw_round
from hdp_audit.distinguishers.features import Features
from hdp_audit.distinguishers.witness import learn_witness
from hdp_audit.evidence.binomial import loss_lower

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]

RESULTS = Path(__file__).with_suffix(".json")
SIGNIFICANCE = 0.1  # as the peers
LEARNED, CHOSEN = 0.25, 0.25  # of the calls; the others count how often the event comes, and on which dataset
MOST_LEARNED = 400_000  # a score is learned from
CHUNK = 200_000  # drawn at once
MOST_LISTED = 64  # outputs that are counted one by one
FEWEST, PLACES = 400, 120  # calls in an event at least, and events tried on either side
AIMED = 0.6  # of the true loss: what the rule is learned to exceed
ENDLESS = 4.0 * EPSILON  # the same where no loss bounds it
PUBLISHED = {  # logistic and neural where both are told; confidence 0.9, about 200 million samples a mechanism
    "Laplace": "0.0968, 0.0976",
    "NoisyHist1": "0.0978",
    "NoisyHist2": "4.60",
    "NoisyMax1": "0.0925",
    "NoisyMax3": "0.2488",
    "NoisyMax4": "0.353",
    "SVT1": "0.0858",
    "SVT4": "0.170",
    "SVT5": "1.761",
    "SVT6": "0.272",
    "RAPPOR": "0.301",
    "one-time RAPPOR": "0.600",
    "20 parallel Laplace": "0.035",
    "prefix sum": "0.577",
}
SIEGE = {"Laplace": "0.0847 (100,000), 0.0980 (1.3 million)"}
INTRODUCTION = (
    "Made by `benchmarks/zoo.py` from `classic_laws.py`: DP-Sniper's suite at ε = 0.1 (NoisyMax, sparse vectors and "
    "RAPPOR from their descriptions).",
    "*True* is the loss over all pairs of datasets. *Ours*: a lower bound at confidence 0.9 on the pair that is known "
    "to tell most; a score is learned on the first calls (400,000 at most), an event (scores beyond a threshold) is "
    "chosen on a quarter of them, and judged on all others by one exact interval: one bound in ten may lie above the "
    "truth. "
    "DP-Sniper's figures are those of its published logs, at the same confidence, with about 200 million samples a "
    "mechanism, pairs searched for; Delta-Siege's, where the same mechanism was run, our own runs of it.",
)


@dataclass(frozen=True, eq=False)
class Listed:
    """A score for each of a few outputs that there are, 0 for any other: how often each came with either coin."""

    values: Floats
    scores: Floats

    @classmethod
    def of(cls, table: Floats, coins: Coins) -> Listed | None:
        """None where outputs are several numbers, or too many different ones."""
        if table.shape[1] > 2 or np.unique(table[:10_000, 0]).size > MOST_LISTED:
            return None
        values, places = np.unique(table[:, 0], return_inverse=True)
        ones, zeros = (np.bincount(places[side], minlength=values.size) + 0.5 for side in (coins, ~coins))
        odds, error = np.log(ones / zeros), np.sqrt(1.0 / ones + 1.0 / zeros)
        return cls(values, np.sign(odds) * np.maximum(np.abs(odds) - error, 0.0))

    def __call__(self, table: Floats) -> Floats:
        """The score of each row."""
        places = np.minimum(np.searchsorted(self.values, table[:, 0]), self.values.size - 1)
        return np.where(self.values[places] == table[:, 0], self.scores[places], 0.0)


@dataclass(frozen=True)
class Event:
    """Scores beyond a threshold, from above (1) or from below (−1); `threshold` is of the score times the side."""

    side: float
    threshold: float

    def counts(self, scores: Floats, coins: Coins) -> tuple[int, int]:
        """(right, made): how often it was there, and how often then on the dataset it speaks for."""
        inside = self.side * scores >= self.threshold
        return int(np.count_nonzero(inside & (coins == (self.side > 0)))), int(np.count_nonzero(inside))


def bound(classic: Classic, calls: int, seed: int) -> float:
    """What is lost at least, by a score that was learned on the first calls, and an event chosen on the next ones."""
    aimed = AIMED * classic.true if math.isfinite(classic.true) else ENDLESS
    subject, pair = prepared(classic, min(aimed, 20.0))
    learned, chosen = int(min(LEARNED * calls, MOST_LEARNED)), int(CHOSEN * calls)
    table, coins = draw_round(subject, pair, learned, seed, "zoo", "learned")
    features = Features.fitted(table)
    listed = Listed.of(table, coins)
    if listed is None:
        given = calls, SIGNIFICANCE, features.independent, pair.limit
        rule = learn_witness(features(table), coins, *given, grids=features.grids)

    def drawn(size: int, *names: str | int) -> tuple[Floats, Coins]:
        outputs, tossed = draw_round(subject, pair, size, seed, "zoo", *names)
        return (rule.scores(features(outputs)) if listed is None else listed(outputs)), tossed

    parts = [drawn(size, "chosen", number) for number, size in enumerate(_chunks(chosen))]
    event = best_event(np.concatenate([part[0] for part in parts]), np.concatenate([part[1] for part in parts]))
    counts = [
        event.counts(*drawn(size, "judged", number)) for number, size in enumerate(_chunks(calls - learned - chosen))
    ]
    right, made = np.sum(counts, axis=0)
    return max(float(loss_lower(int(right), int(made), SIGNIFICANCE)), 0.0) if made else 0.0


def best_event(scores: Floats, coins: Coins) -> Event:
    """The one that would give the best bound on these calls; it is judged on others."""
    found = []
    for side in (1.0, -1.0):
        ordered = np.sort(side * scores)
        places = ordered.size - np.geomspace(FEWEST, ordered.size, PLACES).astype(np.int64)
        events = [Event(side, float(threshold)) for threshold in np.unique(ordered[places])]
        found += [(float(loss_lower(*event.counts(scores, coins), SIGNIFICANCE)), event) for event in events]
    return max(found, key=lambda each: each[0])[1]


def _chunks(calls: int) -> list[int]:
    return [min(CHUNK, calls - start) for start in range(0, calls, CHUNK)]


def measured(name: str, calls: int, seed: int) -> dict[str, Any]:
    """One mechanism."""
    classic = classics()[name]
    found = bound(classic, calls, seed)
    return {
        "mechanism": name,
        "published as private": "no, it is not" if classic.broken else "yes",
        "true": f"{classic.true:.3g}" if math.isfinite(classic.true) else "∞",
        "ours": f"{found:.3g}",
        "calls": f"{calls:,}",
        "DP-Sniper": PUBLISHED.get(name, "–"),
        "Delta-Siege": SIEGE.get(name, "–"),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--calls", type=int, default=4_000_000)
    parser.add_argument("--seed", type=int, default=FIRST)
    parser.add_argument("--only", nargs="+", choices=[*PUBLISHED], default=[*PUBLISHED], metavar="NAME")
    given = parser.parse_args()
    for name in given.only:
        row = measured(name, given.calls, given.seed)
        print(row, flush=True)
        text = page("The classics of the field", INTRODUCTION, {"Lower bounds on the loss": kept(row, RESULTS)})
        RESULTS.with_suffix(".md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
