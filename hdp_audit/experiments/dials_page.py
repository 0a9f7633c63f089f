"""Who wins at which stop of a dial, as Markdown."""

from __future__ import annotations

from itertools import groupby

from hdp_audit.experiments.tables import NAMES, Json, figure, table

METRIC_WORDS = {"pac": "error quantile", "mse": "mean square"}
SHOWN = ("hp", "a", "prop", "uni")


def dials_section(dials: list[Json]) -> list[str]:
    """A heading, what the tables show, and one table a dial."""
    parts = [
        "## Open choices that decide the winner",
        "The paper leaves these choices open, and most of them decide which of its six algorithms wins. The rows above "
        "use the value in bold. Errors are geometric means over "
        f"{dials[0]['draws']} draws of the demands; behind the winner stands its error over the runner-up's (for mean "
        "squares the ratio of their roots) with a 99% interval over the draws. Two names: the interval holds 1.",
    ]
    for dial in dials:
        parts += [f"### {dial['row']}: {dial['turns']}", f"{in_words(dial)} Used: {used(dial)}.", _table(dial)]
    return parts


def used(dial: Json) -> str:
    """The value of the row's table, and why."""
    return f"{dial['used']:g} ({dial['why']})"


def in_words(dial: Json) -> str:
    """The winners from the first stop to the last, for both metrics."""
    return " ".join(f"Winner by {words}: {runs(dial, metric)}." for metric, words in METRIC_WORDS.items())


def decisive_table(dials: list[Json]) -> str:
    """The dials along which the winner changes."""
    lines = [
        [dial["row"], dial["turns"], f"{dial['used']:g}", *(runs(dial, metric) for metric in METRIC_WORDS)]
        for dial in dials
        if decisive(dial)
    ]
    return table(["row", "choice", "used", *(f"winner by {words}" for words in METRIC_WORDS.values())], lines)


def winner(point: Json) -> str:
    """The best of the six; with the runner-up where the draws do not decide between them."""
    names = [point["best"]] if point["high"] < 1 else sorted((point["best"], point["second"]))
    return " or ".join(NAMES[name] for name in names)


def decisive(dial: Json) -> bool:
    """Whether the winner changes along the dial."""
    return any(
        len({winner(point) for point in dial["points"] if point["metric"] == metric}) > 1 for metric in METRIC_WORDS
    )


def runs(dial: Json, metric: str) -> str:
    """`A at 0.25 to 1, HP at 1.25 to 3`."""
    words = []
    for name, run in groupby((p for p in dial["points"] if p["metric"] == metric), key=winner):
        stops = [f"{point['stop']:g}" for point in run]
        words.append(f"{name} at {stops[0]}" + (f" to {stops[-1]}" if len(stops) > 1 else ""))
    return ", ".join(words)


def _table(dial: Json) -> str:
    lines = []
    stops = dict.fromkeys(point["stop"] for point in dial["points"])
    for stop in stops:
        line = [f"**{stop:g}**" if stop == dial["used"] else f"{stop:g}"]
        for point in (point for point in dial["points"] if point["stop"] == stop):
            line += [figure(point["errors"][key]) for key in SHOWN]
            line.append(f"{winner(point)}, {point['ratio']:.2f} ({point['low']:.2f} to {point['high']:.2f})")
        lines.append(line)
    words = [f"{name}, {letter}" for letter in "PE" for name in (*(NAMES[key] for key in SHOWN), "winner")]
    return table(["value", *words], lines)
