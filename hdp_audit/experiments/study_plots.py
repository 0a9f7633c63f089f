"""The study's pictures: the plane of spread and correlation, and levels against A's."""

from __future__ import annotations

import math

from hdp_audit.experiments.tables import Json
from hdp_audit.reporting.svg import Panel, Sign, box, legend, page, text, turned

SIDE = 34
STRONGEST = math.log(4.0)  # a ratio of 4 or ¼ has full colour
BETTER, WORSE = "heat c1", "heat c2"
SERIES = ("c1", "c2", "c3")
ROLES = (("c", "HPF, correlated"), ("c-sharp", "sharp, correlated"), ("w", "HPF, weak"), ("w-sharp", "sharp, weak"))


def plane_svg(document: Json, metric: str = "pac") -> str:
    """A grid of 5 × 5 cells for each duel (columns) and kind of data (rows); the number is the median ratio."""
    plane = [entry for entry in document["plane"] if entry["metric"] == metric]
    duels = list(dict.fromkeys(entry["duel"] for entry in plane))
    kinds = list(dict.fromkeys(entry["data"] for entry in plane))
    width, height = max(SIDE * len(document["kappas"]), 110), SIDE * len(document["spreads"])
    signs = (Sign("box", BETTER, "the first has less error"), Sign("box", WORSE, "the second has less"))
    title = "Median ratio of 95% error quantiles over demand families"
    parts = [text(24, 26, title, "title"), legend(24, 48, signs)]
    for row, kind in enumerate(kinds):
        top = 96 + row * (height + 70)
        parts.append(_spreads(kind, 86, top, document["spreads"]))
        for column, duel in enumerate(duels):
            mine = [entry for entry in plane if (entry["duel"], entry["data"]) == (duel, kind)]
            parts.append(_grid(document, mine, duel, (86 + column * (width + 34), top)))
    return page(100 + len(duels) * (width + 34), 90 + len(kinds) * (height + 70), "Spread and correlation", parts)


def _grid(document: Json, entries: list[Json], duel: str, corner: tuple[float, float]) -> str:
    spreads, kappas, (left, top) = document["spreads"], document["kappas"], corner
    width, bottom = SIDE * len(kappas), top + SIDE * len(spreads)
    parts = [text(left, top - 8, duel, "title")]
    parts += [_cell(entry, corner, spreads, kappas) for entry in entries]
    for place, kappa in enumerate(kappas):
        parts.append(text(left + SIDE * (place + 0.5), bottom + 13, f"{kappa:g}", anchor="middle"))
    parts.append(text(left + width / 2, bottom + 27, "correlation κ", anchor="middle"))
    return "".join(parts)


def _spreads(kind: str, left: float, top: float, spreads: list[float]) -> str:
    """The upright axis, which all grids of a row share, and the kind of data."""
    bottom = top + SIDE * len(spreads)
    ticks = [
        text(left - 6, bottom - SIDE * (place + 0.5) + 4, f"{spread:g}", anchor="end")
        for place, spread in enumerate(spreads)
    ]
    middle = (top + bottom) / 2
    return "".join([*ticks, turned(left - 34, middle, "spread of log ε"), turned(left - 54, middle, kind, "title")])


def _cell(entry: Json, corner: tuple[float, float], spreads: list[float], kappas: list[float]) -> str:
    x = corner[0] + SIDE * kappas.index(entry["kappa"])
    y = corner[1] + SIDE * (len(spreads) - 1 - spreads.index(entry["spread"]))
    strength = min(abs(math.log(entry["ratio"])) / STRONGEST, 1.0) * 0.85
    colour = BETTER if entry["ratio"] < 1 else WORSE
    ratio = f"{entry['ratio']:.2f}" if entry["ratio"] < 9.95 else f"{entry['ratio']:.0f}"
    square = box(x, y, SIDE, SIDE, colour, fill_opacity=strength) + box(x, y, SIDE, SIDE, "grid")
    return square + text(x + SIDE / 2, y + SIDE / 2 + 4, ratio, "small", "middle")


def levels_svg(document: Json) -> str:
    """Every family's level against its spread, for the paper's and the sharp variants; A's ρ = 1 as a line."""
    centres = sorted({family["centre"] for family in document["families"]})
    signs = [Sign("dot", f"dot {c}", f"centre {centre:g}") for c, centre in zip(SERIES, centres, strict=False)]
    title = "Best level ρ of every demand family; dashed: A's soft level of 1"
    parts = [text(24, 26, title, "title"), legend(24, 48, signs)]
    every = [_level(family, role) for family in document["families"] for role, _ in ROLES]
    span = (0.6 * min(every), 1.6 * max(*every, 1.0))
    for place, (role, words) in enumerate(ROLES):
        panel = Panel.log((70 + place * 270, 86), (215, 260), (0.38, 5.6), span)
        parts += [panel.frame(words, "spread of log ε"), panel.across(1.0, "limit")]
        parts += [_family(panel, family, role, centres.index(family["centre"])) for family in document["families"]]
    return page(4 * 270 + 50, 400, "Levels", parts)


def _family(panel: Panel, family: Json, role: str, centre: int) -> str:
    level, nudge = _level(family, role), 1.0 + 0.05 * (centre - 1)
    tip = f"{family['shape']}, {family['users']} users: {level:.3g}"
    style = f"dot {SERIES[centre % len(SERIES)]} faint"
    return panel.dot(family["spread"] * nudge, level, style, tip, radius=2.6)


def _level(family: Json, role: str) -> float:
    return float(family["frequency pac"]["level"][role])
