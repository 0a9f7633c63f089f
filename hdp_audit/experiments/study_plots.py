"""The study's pictures: the plane of spread and correlation, and levels against A's."""

from __future__ import annotations

import math

from hdp_audit.experiments.drawing import STYLE
from hdp_audit.experiments.plots import legend
from hdp_audit.experiments.tables import Json
from hdp_audit.reporting.svg import LogPanel, page, text

SIDE = 34
STRONGEST = math.log(4.0)  # a ratio of 4 or ¼ has full colour


def plane_svg(document: Json, metric: str = "pac") -> str:
    """A grid of 5 × 5 cells for each duel (columns) and kind of data (rows); the number is the median ratio."""
    plane = [entry for entry in document["plane"] if entry["metric"] == metric]
    duels = list(dict.fromkeys(entry["duel"] for entry in plane))
    kinds = list(dict.fromkeys(entry["data"] for entry in plane))
    spreads, kappas = document["spreads"], document["kappas"]
    width, height = max(SIDE * len(kappas), 110), SIDE * len(spreads)
    parts = [
        STYLE,
        text(24, 26, "Median ratio of 95% error quantiles over demand families", "title"),
        legend(24, 48, (("better", "the first has less error"), ("worse", "the second has less"))),
    ]
    for row, kind in enumerate(kinds):
        for column, duel in enumerate(duels):
            left, top = 86 + column * (width + 34), 96 + row * (height + 70)
            mine = [e for e in plane if (e["duel"], e["data"]) == (duel, kind)]
            parts += [_cell(e, left, top, spreads, kappas) for e in mine]
            parts.append(text(left, top - 8, duel, "title"))
            parts += [
                text(left + SIDE * (i + 0.5), top + height + 13, f"{kappa:g}", "small", "middle")
                for i, kappa in enumerate(kappas)
            ]
            if column == 0:
                parts += _left_axis(kind, left, top, height, spreads)
            parts.append(text(left + width / 2, top + height + 27, "correlation κ", "small faint", "middle"))
    return page(100 + len(duels) * (width + 34), 90 + len(kinds) * (height + 70), "Spread and correlation", parts)


def _left_axis(kind: str, left: float, top: float, height: float, spreads: list[float]) -> list[str]:
    ticks = [
        text(left - 6, top + height - SIDE * (i + 0.5) + 4, f"{spread:g}", "small", "end")
        for i, spread in enumerate(spreads)
    ]
    at, middle = left - 34, top + height / 2
    turned = (
        f'<g transform="rotate(-90 {at} {middle})">{text(at, middle, "spread of log ε", "small faint", "middle")}</g>'
    )
    other = left - 54
    name = f'<g transform="rotate(-90 {other} {middle})">{text(other, middle, kind, "title", "middle")}</g>'
    return [*ticks, turned, name]


def _cell(entry: Json, left: float, top: float, spreads: list[float], kappas: list[float]) -> str:
    x = left + SIDE * kappas.index(entry["kappa"])
    y = top + SIDE * (len(spreads) - 1 - spreads.index(entry["spread"]))
    strength = min(abs(math.log(entry["ratio"])) / STRONGEST, 1.0) * 0.85
    style = "better" if entry["ratio"] < 1 else "worse"
    square = f'x="{x}" y="{y}" width="{SIDE}" height="{SIDE}"'
    ratio = f"{entry['ratio']:.2f}" if entry["ratio"] < 9.95 else f"{entry['ratio']:.0f}"
    return f'<rect class="{style}" {square} fill-opacity="{strength:.2f}"/><rect class="cell" {square}/>' + text(
        x + SIDE / 2, y + SIDE / 2 + 4, ratio, "small", "middle"
    )


def levels_svg(document: Json) -> str:
    """Every family's level against its spread, for the paper's and the sharp variants; A's ρ = 1 as a line."""
    roles = (("c", "HPF, correlated"), ("c-sharp", "sharp, correlated"), ("w", "HPF, weak"), ("w-sharp", "sharp, weak"))
    entries = tuple(
        (f"dot-{name}", f"centre {c:g}") for name, c in zip(("one", "two", "three"), _centres(document), strict=False)
    )
    parts = [
        STYLE,
        text(24, 26, "Best level ρ of every demand family; dashed: A's soft level of 1", "title"),
        legend(24, 48, entries),
    ]
    every = [float(f["frequency pac"]["level"][role]) for f in document["families"] for role, _ in roles]
    span = (0.6 * min(every), 1.6 * max(max(every), 1.0))
    for place, (role, words) in enumerate(roles):
        panel = LogPanel(70 + place * 270, 86, 215, 260, (0.38, 5.6), span)
        parts.append(panel.frame(words, "spread of log ε"))
        parts.append(panel.level_line(1.0, "limit"))
        for family in document["families"]:
            style = ("one", "two", "three")[_centres(document).index(family["centre"]) % 3]
            level = float(family["frequency pac"]["level"][role])
            nudge = 1.0 + 0.05 * (_centres(document).index(family["centre"]) - 1)
            tip = f"{family['shape']}, {family['users']} users: {level:.3g}"
            parts.append(
                panel.dot(family["spread"] * nudge, level, f"dot-{style} faint", tip).replace('r="4"', 'r="2.6"')
            )
    return page(4 * 270 + 50, 400, "Levels", parts)


def _centres(document: Json) -> list[float]:
    return sorted({family["centre"] for family in document["families"]})
