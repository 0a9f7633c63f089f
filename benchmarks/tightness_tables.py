"""The tables of tightness.md, from the rows of tightness.json."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tightness_methods import PEERS

Row = dict[str, Any]
HORIZONS = (1.5, 4.0)  # calls that the anytime game is given, over those that the fixed sample needs
TIMED_AT = 100_000


def table(heads: list[str], rows: list[list[Any]]) -> str:
    lines = [heads, ["---"] * len(heads), *rows]
    return "\n".join("| " + " | ".join("" if cell is None else str(cell) for cell in line) + " |" for line in lines)


def shown(value: float | None) -> str | None:
    return None if value is None else f"{value:.4f}"


def bounds_table(rows: list[Row]) -> str:
    columns = ("ours", "known event", "two-interval oracle", *PEERS)
    heads = ["N", "task", "truth", *columns, "gap/known", "above truth", "first seed"]
    cells = [
        [row["runs_per_dataset"], row["task"], row["truth"]]
        + [shown(row["median"].get(name)) for name in columns]
        + [row["gap_over_known"], f"{row['above_truth']['ours']} of {row['seeds']}", row["first_seed"]]
        for row in rows
    ]
    return table(heads, cells)


def siege_table(rows: list[Row]) -> str:
    heads = ["N", "task", "truth", "ours", "known event", "Delta-Siege", "reached", "above truth", "first seed"]
    cells = [
        [row["runs_per_dataset"], row["task"], row["truth"]]
        + [shown(row["median"][name]) for name in ("ours", "known event")]
        + [row["delta_siege"], "yes" if row["reached"] else "no"]
        + [f"{row['above_truth']['ours']} of {row['seeds']}", row["first_seed"]]
        for row in rows
    ]
    return table(heads, cells)


def anytime_table(rows: list[Row]) -> str:
    heads = ["claim", "truth", "fixed calls", "seeds", "first seed"]
    for horizon in HORIZONS:
        heads += [f"anytime calls, at most {horizon:g} ×", "ratio", "refuted"]
    cells = []
    for row in rows:
        line = [row["claim"], row["truth"], row["fixed_calls"], row["seeds"], row["first_seed"]]
        for horizon in HORIZONS:
            found = row[f"horizon {horizon:g}"]
            line += [found["calls"] or "more", found["ratio"] or f"> {horizon:g}", found["refuted"]]
        cells.append(line)
    return table(heads, cells)


def time_table(rows: list[Row]) -> str:
    heads = ["task", "ours, seconds", *(f"ours / {name}" for name in PEERS)]
    cells = []
    for row in (row for row in rows if row["runs_per_dataset"] == TIMED_AT):
        seconds = row["seconds"]
        ratios = [f"{seconds['ours'] / seconds[name]:.3g}" if seconds.get(name) else None for name in PEERS]
        cells.append([row["task"], seconds["ours"], *ratios])
    return table(heads, cells)


def written(rows: dict[str, list[Row]]) -> str:
    text = [
        "# How tight the privacy auditor is",
        "Made by `benchmarks/tightness.py`. N is per dataset, 2N runs in all.",
    ]
    for section, (title, words, made) in TEXTS.items():
        found = rows.get("bounds" if section == "time" else section)
        if found:
            text += [f"## {title}", words, made(found)]
    return "\n\n".join(text) + "\n"


TEXTS: dict[str, tuple[str, str, Callable[[list[Row]], str]]] = {
    "bounds": (
        "Lower bounds at 95%",
        "Medians over seeds; all methods of a row see the same runs. Ours learns its rule within the 2N runs. Known "
        "event: the game with the best event given. The oracle has the best event and two Clopper–Pearson intervals. "
        "The peers are given the true likelihood-ratio score: jax-privacy with its default correction over all "
        "thresholds, with a split in halves, and with its one-run bound (δ = 1e-12, up to N = 100,000); "
        "privacy-estimates, which takes guesses, is given the best threshold too (Jeffreys intervals). gap/known: "
        "(truth − ours)/(truth − known event).",
        bounds_table,
    ),
    "siege": (
        "Lower bounds at 90% against Delta-Siege",
        "Medians over seeds against the figures that Delta-Siege printed (one run each); reached: within 0.001.",
        siege_table,
    ),
    "anytime": (
        "The price of anytime validity",
        "Calls to refute a claim on Laplace noise at significance 0.001. Fixed: the fewest calls, to a factor 1.03, at "
        "which the fixed-sample bound exceeds the claim in the median seed. Anytime: the median calls at which the "
        "game that may stop at any time does, given at most 1.5 and 4 times the fixed number. Refuted: in how many "
        "seeds.",
        anytime_table,
    ),
    "time": (
        "Time",
        "Median seconds without drawing at N = 100,000, one process; the peers are given their score, ours learns it.",
        time_table,
    ),
}
