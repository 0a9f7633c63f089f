"""The SVG plots of the tables and of the paper's figures; pure functions of an experiment's JSON."""

from __future__ import annotations

from hdp_audit.experiments.leaking import REALISED
from hdp_audit.experiments.tables import NAMES, OURS, Json, cells_of, figure, row_name, value_of
from hdp_audit.reporting.svg import Panel, Rows, Scale, Sign, bar, box, diamond, dot, legend, page, pole, text

LABELS = NAMES | {REALISED: "SM realised"}
WIDTH, GAP, PITCH, ROOM = 250, 112, 17, 4
PAPERS, GUARANTEED = "hollow c4", "curve c3"  # the paper's figure, and what is guaranteed


def table_svg(document: Json) -> str:
    """One panel for each row of a table, two or four side by side: the dataset's two metrics are neighbours."""
    rows = document["rows"]
    height = PITCH * max(len(row["cells"]) for row in rows) + 2 * ROOM + 70
    columns = 4 if len(rows) > 6 else 2
    signs = (
        Sign("dot", "dot c1", "paper's algorithms, as measured here"),
        Sign("dot", "dot c2", "our algorithms"),
        Sign("dot", "dot leak", "leaks"),
        Sign("diamond", PAPERS, "paper's figure"),
        Sign("pole", GUARANTEED, "guaranteed"),
    )
    title = f"{document['title']}: errors, 99% intervals, guarantees"
    parts = [text(24, 26, title, "title"), legend(24, 50, signs)]
    for place, row in enumerate(rows):
        line, column = divmod(place, columns)
        parts.append(_panel(row, 98 + column * (WIDTH + GAP), 88 + line * height))
    lines = -(-len(rows) // columns)
    return page(columns * (WIDTH + GAP) + 10, 60 + lines * height, document["title"], parts)


def _panel(row: Json, left: float, top: float) -> str:
    cells = cells_of(row)
    values = [value_of(cell) or 1.0 for cell in cells.values()]
    values += [cell["guaranteed"] for cell in cells.values() if cell["guaranteed"]]
    values += [float(cell["paper"]) for cell in cells.values() if cell["paper"]]
    ends = (0.7 * min(value for value in values if value > 0), 1.3 * min(max(values), 1.2))
    rows = _rows(ends, left, top, len(cells))
    metric = "95% error quantile" if row["metric"] == "pac" else "mean squared error"
    parts = [rows.frame(row_name(row), [LABELS[key] for key in cells], metric)]
    parts += [_cell(rows.x, rows.middle(place), cell) for place, cell in enumerate(cells.values())]
    return "".join(parts)


def _cell(x: Scale, y: float, cell: Json) -> str:
    """The guarantee, the interval, the error and the paper's figure of one algorithm."""
    colour, name = _colour(cell["algorithm"]), LABELS[cell["algorithm"]]
    value, found, parts = value_of(cell), cell["measured"], []
    if cell["guaranteed"]:
        parts.append(_guarantee(x, y, cell["guaranteed"]))
    if found:
        parts.append(_interval(x, y, found["low"], found["high"], colour))
    if value:
        parts.append(dot(x.at(value), y, f"dot {colour}", f"{name}: {figure(value)}"))
    if cell["paper"]:
        parts.append(diamond(x.at(float(cell["paper"])), y, PAPERS, f"paper: {cell['paper']}"))
    return "".join(parts)


def figure_svg(document: Json) -> str:
    """Both panels of figure 1, one under the other, three datasets each."""
    signs = (
        Sign("box", "area c1", "paper's algorithms"),
        Sign("box", "area c2", "ours"),
        Sign("diamond", PAPERS, "paper's table"),
    )
    parts = [text(24, 26, "Figure 1, run again: higher is better", "title"), legend(300, 26, signs)]
    top = 70.0
    for panel, words in (("a", "correlated, −log MSE"), ("b", "weakly correlated, −log q95")):
        for column, group in enumerate(document["panels"][panel]):
            parts.append(_bars(group, f"({panel}) {group['label']}", words, 80 + column * (WIDTH + 80), top))
        top += PITCH * len(document["panels"][panel][0]["bars"]) + 84
    return page(3 * (WIDTH + 80) + 30, top - 20, "Figure 1", parts)


def _bars(group: Json, title: str, words: str, left: float, top: float) -> str:
    entries = group["bars"]
    most = max(max(entry["ours"], entry["paper"] or 0.0) for entry in entries) * 1.08
    rows = _rows((0.0, most), left, top, len(entries), log=False)
    parts = [rows.frame(title, [LABELS[entry["algorithm"]] for entry in entries], words)]
    for place, entry in enumerate(entries):
        y = rows.middle(place)
        parts.append(_span(rows.x, y, 0.0, max(entry["ours"], 0.0), _colour(entry["algorithm"])))
        if entry["paper"] is not None:
            parts.append(diamond(rows.x.at(entry["paper"]), y, PAPERS, f"paper: {entry['paper']:.2f}"))
    return "".join(parts)


def turbo_svg(document: Json) -> str:
    """Middle half as a bar, 5% to 95% as a line, the 95% quantile as a dot."""
    signs = (
        Sign("box", "area c1", "middle half of the errors"),
        Sign("dot", "dot c1", "95% quantile"),
        Sign("pole", GUARANTEED, "guaranteed"),
    )
    parts = [text(24, 26, "Faster variants: error quantiles", "title"), legend(24, 50, signs)]
    height = PITCH * 5 + 80
    for place, panel in enumerate(document["panels"]):
        line, column = divmod(place, 2)
        parts.append(_quantiles(panel, 98 + column * 430, 88 + line * height))
    return page(2 * 430 + 40, 2 * height + 70, "Faster variants", parts)


def _quantiles(panel: Json, left: float, top: float) -> str:
    entries = panel["algorithms"]
    every = [value for entry in entries for value in (*entry["quantiles"], entry["guaranteed"])]
    rows = _rows((0.8 * min(every), 1.2 * max(every)), left, top, len(entries), width=340)
    parts = [rows.frame(panel["label"], [LABELS[entry["algorithm"]] for entry in entries], "error")]
    for place, entry in enumerate(entries):
        (q05, q25, _, q75, q95), colour = entry["quantiles"], _colour(entry["algorithm"])
        x, y, value = rows.x, rows.middle(place), entry["q95"]["value"]
        parts += [_interval(x, y, q05, q95, colour), _span(x, y, q25, q75, colour)]
        parts.append(_guarantee(x, y, entry["guaranteed"]))
        parts.append(dot(x.at(value), y, f"dot {colour}", f"q95 {figure(value)}"))
    return "".join(parts)


def price_svg(document: Json) -> str:
    """Salaries: error on the data against the guarantee; the level runs along the curve."""
    curve = document["price"]
    row = next(row for row in document["rows"] if (row["dataset"], row["metric"]) == ("uc-mean-c", "pac"))
    marked = [c for c in row["cells"] if c["guaranteed"] and c["algorithm"] not in ("turbo", "threshold")]
    xs = [p["guaranteed"] for p in curve] + [c["guaranteed"] for c in marked]
    ys = [p["error"] for p in curve] + [value_of(c) or 1.0 for c in marked]
    ends = (0.8 * min(xs), 1.25 * max(xs)), (0.7 * min(ys), 1.4 * max(ys))
    panel = Panel.log((90, 70), (560, 330), *ends)
    parts = [panel.frame("", "guaranteed 95% error quantile, whatever the data")]
    parts.append(text(30, 26, "The price of safety: 95% error quantile on salaries against the guarantee", "title"))
    words = "curve: weights min(ε, ρ), the level ρ rising from UNI to Prop; lower left is better"
    parts.append(text(30, 46, words, "axis"))
    parts.append(panel.curve([(p["guaranteed"], p["error"]) for p in curve], "c3"))
    for cell in marked:
        x, y = cell["guaranteed"], value_of(cell) or 1.0
        tip = f"{cell['catalog']}: {figure(y)}, guaranteed {figure(x)}"
        parts.append(panel.dot(x, y, f"dot {_colour(cell['algorithm'])}", tip))
        aside, anchor = (-8, "end") if cell["algorithm"] in ("hp", "uni") else (8, "start")
        parts.append(text(panel.x.at(x) + aside, panel.y.at(y) - 6, LABELS[cell["algorithm"]], "axis", anchor))
    return page(690, 445, "The price of safety", parts)


def _rows(
    ends: tuple[float, float], left: float, top: float, count: int, *, width: float = WIDTH, log: bool = True
) -> Rows:
    return Rows(Scale(*ends, left, left + width, log), top, PITCH, count, ROOM)


def _colour(algorithm: str) -> str:
    if algorithm == REALISED:
        return "leak"
    return "c2" if algorithm in OURS else "c1"


def _interval(x: Scale, y: float, low: float, high: float, colour: str) -> str:
    """At least two pixels wide."""
    return bar(x.at(low), max(x.at(high), x.at(low) + 2), y, f"range {colour}")


def _span(x: Scale, y: float, low: float, high: float, colour: str) -> str:
    return box(x.at(low), y - 5, max(x.at(high) - x.at(low), 1), 10, f"area {colour}", round_by=2)


def _guarantee(x: Scale, y: float, value: float) -> str:
    return pole(x.at(value), y - 6, y + 6, GUARANTEED, f"guaranteed {figure(value)}")
