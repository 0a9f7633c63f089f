"""The classics of the field: their true loss, the lower bound that we find, and what DP-Sniper published.

    python benchmarks/zoo.py [--calls 1000000] [--seed 190001] [--only NAME ...]

A finished row replaces its older self in zoo.json, and zoo.md is written anew.
"""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from typing import Any

from classic_laws import EPSILON, Classic, classics
from ideal_calls import FIRST, kept, prepared
from tables import page

from hdp_audit.audits.game import draw_round, play
from hdp_audit.evidence.binomial import loss_lower

RESULTS = Path(__file__).with_suffix(".json")
SIGNIFICANCE = 0.1  # as the peers
LEARNED = 0.5  # of the calls; the others count how often the rule is right
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
    "to tell most; a rule is learned on half of the calls, and judged on the other half by one exact interval. "
    "DP-Sniper's figures are those of its published logs, at the same confidence, with about 200 million samples a "
    "mechanism, pairs searched for; Delta-Siege's, where the same mechanism was run, our own runs of it.",
)


def bound(classic: Classic, calls: int, seed: int) -> float:
    """What is lost at least, by a rule that was learned before."""
    aimed = AIMED * classic.true if math.isfinite(classic.true) else ENDLESS
    subject, pair = prepared(classic, min(aimed, 20.0))
    first = int(LEARNED * calls)
    game = play(subject, [pair], first, SIGNIFICANCE * 1e-6, seed, "zoo")  # it learns on, and is not to stop
    table, coins = draw_round(subject, pair, calls - first, seed, "zoo", "judged")
    right, made = game.witness.counts(game.features(table), coins)
    return float(loss_lower(int(right), int(made), SIGNIFICANCE))


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
    parser.add_argument("--calls", type=int, default=1_000_000)
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
