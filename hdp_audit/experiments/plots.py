"""The SVG plots of the tables and of the paper's figures; pure functions of an experiment's JSON."""

from __future__ import annotations

from hdp_audit.experiments.drawing import LINE, STYLE, Lines, diamond
from hdp_audit.experiments.tables import NAMES, Json, cells_of, figure, row_name, value_of
from hdp_audit.reporting.svg import LogPanel, page, text

LABELS = {key: name.strip("*") for key, name in NAMES.items()} | {"sm-realised": "SM realised"}
OURS = ("sharp", "centred", "hull", "anchored")
WIDTH, GAP = 250, 112


def legend(x: float, y: float, entries: tuple[tuple[str, str], ...]) -> str:
    """Small samples with words."""
    shapes = []
    for kind, words in entries:
        if kind == "diamond":
            shapes.append(diamond(x + 5, y - 4, words))
        elif kind == "mark":
            shapes.append(f'<line class="mark" x1="{x + 5}" x2="{x + 5}" y1="{y - 10}" y2="{y + 2}"/>')
        elif kind.startswith("fill") or kind in ("better", "worse"):
            shapes.append(f'<rect class="{kind}" x="{x}" y="{y - 9}" width="12" height="10" rx="2"/>')
        else:
            shapes.append(f'<circle class="{kind}" cx="{x + 5}" cy="{y - 4}" r="3.6"/>')
        shapes.append(text(x + 17, y, words))
        x += 38 + 6.0 * len(words)
    return "".join(shapes)


def _style(key: str) -> tuple[str, str]:
    if key == "sm-realised":
        return "dot-leak", "bar-leak"
    return ("dot-two", "bar-two") if key in OURS else ("dot-one", "bar")


def _panel(row: Json, left: float, top: float) -> str:
    cells = cells_of(row)
    values = [value_of(cell) or 1.0 for cell in cells.values()] + [
        c["guaranteed"] for c in cells.values() if c["guaranteed"]
    ]
    values += [float(cell["paper"]) for cell in cells.values() if cell["paper"]]
    shown = Lines(left, top, WIDTH, tuple(cells), (0.7 * min(v for v in values if v > 0), 1.3 * min(max(values), 1.2)))
    metric = "95% error quantile" if row["metric"] == "pac" else "mean squared error"
    parts = [shown.frame(row_name(row), LABELS, metric)]
    for key, cell in cells.items():
        dot, bar = _style(key)
        value, found = value_of(cell), cell["measured"]
        if cell["guaranteed"]:
            parts.append(shown.tick(key, cell["guaranteed"], f"guaranteed {figure(cell['guaranteed'])}"))
        if found:
            parts.append(shown.interval(key, found["low"], found["high"], bar))
        if value:
            parts.append(shown.dot(key, value, dot, f"{LABELS[key]}: {figure(value)}"))
        if cell["paper"]:
            parts.append(shown.diamond(key, float(cell["paper"]), f"paper: {cell['paper']}"))
    return "".join(parts)


def table_svg(document: Json) -> str:
    """A panel for each row of a table, two a line: the dataset's two metrics side by side."""
    rows = document["rows"]
    height = LINE * max(len(row["cells"]) for row in rows) + 8 + 66
    columns = 4 if len(rows) > 6 else 2
    entries = (
        ("dot-one", "paper's algorithms, ours measured"),
        ("dot-two", "our algorithms"),
        ("dot-leak", "leaks"),
        ("diamond", "paper's figure"),
        ("mark", "guaranteed"),
    )
    parts = [
        STYLE,
        text(24, 26, f"{document['title']}: errors, 99% intervals, guarantees", "title"),
        legend(24, 50, entries),
    ]
    for place, row in enumerate(rows):
        line, column = divmod(place, columns)
        parts.append(_panel(row, 98 + column * (WIDTH + GAP), 88 + line * height))
    lines = -(-len(rows) // columns)
    return page(columns * (WIDTH + GAP) + 10, 60 + lines * height, document["title"], parts)


def figure_svg(document: Json) -> str:
    """Both panels of figure 1, one under the other, three datasets each."""
    entries = (("fill-one", "paper's algorithms"), ("fill-two", "ours"), ("diamond", "paper's table"))
    parts = [STYLE, text(24, 26, "Figure 1, run again: higher is better", "title"), legend(300, 26, entries)]
    bottom = 70.0
    for panel, words in (("a", "correlated, −log MSE"), ("b", "weakly correlated, −log q95")):
        for column, group in enumerate(document["panels"][panel]):
            names = tuple(bar["algorithm"] for bar in group["bars"])
            top = max(max(bar["ours"], bar["paper"] or 0.0) for bar in group["bars"]) * 1.08
            shown = Lines(80 + column * (WIDTH + 80), bottom, WIDTH, names, (0.0, top), logarithmic=False)
            parts.append(shown.frame(f"({panel}) {group['label']}", LABELS, words))
            for bar in group["bars"]:
                style = "fill-two" if bar["algorithm"] in OURS else "fill-one"
                parts.append(shown.box(bar["algorithm"], 0.0, max(bar["ours"], 0.0), style))
                if bar["paper"] is not None:
                    parts.append(shown.diamond(bar["algorithm"], bar["paper"], f"paper: {bar['paper']:.2f}"))
        bottom += LINE * len(document["panels"][panel][0]["bars"]) + 84
    return page(3 * (WIDTH + 80) + 30, int(bottom) - 20, "Figure 1", parts)


def turbo_svg(document: Json) -> str:
    """Middle half as a bar, 5% to 95% as a line, the 95% quantile as a dot."""
    entries = (("fill-one", "middle half of the errors"), ("dot-one", "95% quantile"), ("mark", "guaranteed"))
    parts = [STYLE, text(24, 26, "Faster variants: error quantiles", "title"), legend(24, 50, entries)]
    height = LINE * 5 + 80
    for place, panel in enumerate(document["panels"]):
        line, column = divmod(place, 2)
        every = [v for e in panel["algorithms"] for v in (*e["quantiles"], e["guaranteed"])]
        names = tuple(entry["algorithm"] for entry in panel["algorithms"])
        span = (0.8 * min(every), 1.2 * max(every))
        shown = Lines(98 + column * (340 + 90), 88 + line * height, 340, names, span)
        parts.append(shown.frame(panel["label"], LABELS, "error"))
        for entry in panel["algorithms"]:
            key, (q05, q25, _, q75, q95) = entry["algorithm"], entry["quantiles"]
            dot, bar = _style(key)
            fill = "fill-two" if key in OURS else "fill-one"
            parts += [shown.interval(key, q05, q95, bar), shown.box(key, q25, q75, fill)]
            parts.append(shown.tick(key, entry["guaranteed"], f"guaranteed {figure(entry['guaranteed'])}"))
            parts.append(shown.dot(key, entry["q95"]["value"], dot, f"q95 {figure(entry['q95']['value'])}"))
    return page(2 * 430 + 40, 2 * height + 70, "Faster variants", parts)


def price_svg(document: Json) -> str:
    """Salaries: error on the data against the guarantee; the level runs along the curve."""
    curve = document["price"]
    row = next(r for r in document["rows"] if r["metric"] == "pac" and "mean" in r["dataset"])
    marked = [c for c in row["cells"] if c["guaranteed"] and c["algorithm"] not in ("turbo", "threshold")]
    xs = [p["guaranteed"] for p in curve] + [c["guaranteed"] for c in marked]
    ys = [p["error"] for p in curve] + [value_of(c) or 1.0 for c in marked]
    panel = LogPanel(90, 70, 560, 330, (0.8 * min(xs), 1.25 * max(xs)), (0.7 * min(ys), 1.4 * max(ys)))
    parts = [STYLE, panel.frame("", "guaranteed 95% error quantile, whatever the data")]
    parts.append(text(30, 26, "The price of safety: 95% error quantile on salaries against the guarantee", "title"))
    parts.append(text(30, 46, "curve: weights min(ε, ρ), the level ρ rising from UNI to Prop; lower left is better"))
    parts.append(_polyline(panel, [(p["guaranteed"], p["error"]) for p in curve]))
    for cell in marked:
        style, x, y = _style(cell["algorithm"])[0], cell["guaranteed"], value_of(cell) or 1.0
        parts.append(panel.dot(x, y, style, f"{cell['catalog']}: {figure(y)}, guaranteed {figure(x)}"))
        beside = (-8, "end") if cell["algorithm"] in ("hp", "uni") else (8, "start")
        parts.append(text(panel.x(x) + beside[0], panel.y(y) - 6, LABELS[cell["algorithm"]], "", beside[1]))
    return page(690, 445, "The price of safety", parts)


def _polyline(panel: LogPanel, points: list[tuple[float, float]]) -> str:
    path = " ".join(f"{panel.x(x):.1f},{panel.y(y):.1f}" for x, y in points)
    return f'<polyline class="curve three" points="{path}"/>'
