"""Calls until a claim falls on a known pair, beside those of a bet that knows both laws: at most four times as many?

    python benchmarks/ideal_calls.py [--seeds 5] [--first M] [--only NAME ...]

Both win 10 nats. Ours knows the pair and nothing else: its rule is learned from the calls that it counts. A finished
row replaces its older self in ideal_calls.json, and ideal_calls.md is written anew.
"""

from __future__ import annotations

import argparse
import json
import math
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from classic_laws import Classic, classics, ideal
from tables import page

from hdp_audit import PureDP
from hdp_audit.audits.game import play
from hdp_audit.model.given_pairs import given_pair
from hdp_audit.model.neighbours import NeighbourPair
from hdp_audit.model.task import Custom
from hdp_audit.targets.subject import Subject

Row = dict[str, Any]

RESULTS = Path(__file__).with_suffix(".json")
SIGNIFICANCE = math.exp(-10.0)
MOST = 8.0  # times the ideal calls, at which a game gives up
FIRST = 190_001  # of the seeds: no rule was ever tried on these
ASKED = {  # what is claimed, and of which mechanism, at epsilon = 0.7
    "prefix sum": 3.5,
    "NoisyMax3": 0.7,
    "NoisyMax4": 0.7,
    "SVT4": 0.7,
    "SVT6": 0.7,
    "RAPPOR": 0.2,
    "one-time RAPPOR": 0.4,
    "covariance": 0.5,
}
INTRODUCTION = (
    "Made by `benchmarks/ideal_calls.py` from the mechanisms of `classic_laws.py` at ε = 0.7 (RAPPOR and the pair of "
    "numbers whose covariance alone tells have settings of their own).",
    "*Ideal*: calls in which a bet on the coin wins 10 nats on average that knows both laws, uses every output, and "
    "bets against the nearest chance that the claim allows; no rule and no event can do better. *Ours*: calls of a "
    "game on the same pair until its wealth passes 10 nats, learning included; one that is not there after eight times "
    "the ideal gives up.",
)


class Answers:
    """A classic mechanism as the auditor calls it."""

    def __init__(self, classic: Classic) -> None:
        self._draw = classic.draw

    def __call__(self, data: Any, _epsilon: Any, rng: np.random.Generator) -> Any:
        """One output."""
        return self._draw(data, rng, 1)[0]

    def batch(self, data: Any, _epsilon: Any, rng: np.random.Generator, size: int) -> Any:
        """Many."""
        return self._draw(data, rng, size)


def prepared(classic: Classic, claimed: float) -> tuple[Subject, NeighbourPair]:
    """One user, who is promised this, and the two datasets."""
    promise = PureDP([claimed])
    subject = Subject(Answers(classic), promise, Custom(), classic.name)
    subject.width = classic.width
    return subject, given_pair(0, (classic.first, classic.second, [0]), promise)


def spent(classic: Classic, claimed: float, calls: int, seed: int) -> int | None:
    """Calls until the claim fell; None where it did not."""
    game = play(*_listed(prepared(classic, claimed)), calls, SIGNIFICANCE, seed, "ideal")
    return next((made for made, log in game.path if log >= game.wealth.goal), None)


def _listed(given: tuple[Subject, NeighbourPair]) -> tuple[Subject, list[NeighbourPair]]:
    return given[0], [given[1]]


def measured(name: str, seeds: Sequence[int]) -> Row:
    """One mechanism."""
    classic, claimed = classics(0.7)[name], ASKED[name]
    least = ideal(classic, claimed)
    found = [spent(classic, claimed, int(MOST * least), seed) for seed in seeds]
    calls = [math.inf if each is None else each for each in found]
    times = sorted(each / least for each in calls)
    return {
        "mechanism": name,
        "claimed": claimed,
        "loses": round(classic.true, 3) if math.isfinite(classic.true) else "∞",
        "ideal": round(least),
        "ours, median": _words(median(calls)),
        "times the ideal": _words(median(times), 2),
        "least to most": f"{_words(times[0], 2)} to {_words(times[-1], 2)}",
        "refuted": f"{sum(each is not None for each in found)} of {len(found)}",
    }


def _words(value: float, digits: int = 0) -> str:
    return f"{value:,.{digits}f}" if math.isfinite(value) else "–"


def kept(row: Row, path: Path = RESULTS) -> list[Row]:
    """All rows so far, this one in the place of its older self."""
    rows = json.loads(path.read_text(encoding="utf-8")) if path.exists() else []
    by_name = {each["mechanism"]: each for each in rows} | {row["mechanism"]: row}
    path.write_text(json.dumps(list(by_name.values()), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return list(by_name.values())


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--seeds", type=int, default=5)
    parser.add_argument("--first", type=int, default=FIRST)
    parser.add_argument("--only", nargs="+", choices=[*ASKED], default=[*ASKED], metavar="NAME")
    given = parser.parse_args()
    for name in given.only:
        row = measured(name, range(given.first, given.first + given.seeds))
        print(row, flush=True)
        text = page("How many calls a learned rule takes", INTRODUCTION, {"Calls until 10 nats are won": kept(row)})
        RESULTS.with_suffix(".md").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
