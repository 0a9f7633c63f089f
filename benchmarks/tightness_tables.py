"""The tables of tightness.md, from the rows of tightness.json."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tightness_curve_peers import ANY_LAW, NORMAL_LAW
from tightness_curves import CURVES, as_epsilon
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


def peers_table(rows: list[Row]) -> str:
    """(ε, δ) alone."""
    columns = ("ours", "ours, at all times", "known event", "two-interval oracle", *ANY_LAW)
    heads = ["N", "task", "truth", *columns, "dp_auditorium at best", "above truth", "seeds"]
    cells = [
        [row["runs_per_dataset"], row["task"], row["truth"]]
        + [shown(row["median"].get(name)) for name in columns]
        + [shown(row["dp_auditorium at best"]), row["above_truth"], row["seeds"]]
        for row in rows
        if row["task"].startswith("ε")
    ]
    return table(heads, cells)


def normal_table(rows: list[Row]) -> str:
    """μ, as the ε at δ that it implies."""
    heads = ["N", "task", "truth", "ours", "known event", *NORMAL_LAW, "seeds"]
    cells = []
    for row in (row for row in rows if row["task"].startswith("μ")):
        task, median = CURVES[row["task"]], row["median"]
        own = [shown(as_epsilon(task, mu)) for mu in (row["truth"], median["ours"], median["known event"])]
        cells.append([row["runs_per_dataset"], row["task"], *own, *(shown(median.get(name)) for name in NORMAL_LAW)])
        cells[-1].append(row["seeds"])
    return table(heads, cells)


def curves_table(rows: list[Row]) -> str:
    columns = ["ours", "known event", "ours, at all times"]
    heads = ["N", "task", "truth", *columns, "gap/known", "above truth", "first seed"]
    cells = [
        [row["runs_per_dataset"], row["task"], row["truth"]]
        + [shown(row["median"].get(name)) for name in columns]
        + [row["gap_over_known"], f"{row['above_truth']} of {row['seeds']}", row["first_seed"]]
        for row in rows
    ]
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
        found = rows.get(SOURCES.get(section, section))
        if found:
            text += [f"## {title}", words, made(found)]
    return "\n\n".join(text) + "\n"


SOURCES = {"time": "bounds", "peers": "curves", "normal": "curves"}
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
    "curves": (
        "Normal noise as (ε, δ), μ and ρ: the event learned, and known",
        "Bounds at 95% from a fixed number of runs, medians over seeds, δ = 1e-5; beside them the game's, which may be "
        "looked at at any time. gap/known: (truth − ours)/(truth − known event). zCDP is tested by the curve that ρ "
        "implies, which normal noise does not reach. The known event is the best if counts are as expected; another "
        "may do better. Above truth: of ours, in how many seeds. Medians of 20 seeds err by a sixth of the gap.",
        curves_table,
    ),
    "peers": (
        "Lower bounds on ε at δ = 1e-5 of normal noise, beside the peers",
        "The same runs for all, 95%. Ours learns its event within them. jax-privacy and privacy-estimates are given "
        "the true score, the latter its best threshold too (Jeffreys intervals, which are approximate); the "
        "oracle has the best threshold and two Clopper–Pearson intervals: what a fixed sample shows with one event. "
        "jax-privacy's one-run bound chooses its threshold on half of the runs. dp_auditorium (hockey-stick tester, "
        "its default model) learns; ε in steps of 0.125, the first ten seeds; where its column is empty it was not "
        "run, as a bound takes a minute. At best: about what the best classifier would show, by its own margin.",
        peers_table,
    ),
    "normal": (
        "The same where noise is known to be normal",
        "A bound on μ, as the ε at δ = 1e-5 that it implies: valid only if the loss is that of normal noise. "
        "jax-privacy is given the true score; its f-DP bound (10 seeds) chooses a threshold on half of the runs. "
        "Its GDP bound at σ = 2, N = 10,000 is above the truth in the median seed: it drops the sign of a negative μ.",
        normal_table,
    ),
    "time": (
        "Time",
        "Median seconds without drawing at N = 100,000, one process; the peers are given their score, ours learns it.",
        time_table,
    ),
}
