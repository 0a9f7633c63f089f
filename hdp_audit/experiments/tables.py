"""Markdown from an experiment's JSON: a pure function, so that a committed table can be checked against its data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hdp_audit.experiments.paper import COLUMNS

Json = dict[str, Any]
NAMES = {
    "hp": "HP",
    "a": "A",
    "prop": "Prop",
    "uni": "UNI",
    "sm": "SM",
    "ldp": "LDP",
    "sm-realised": "SM, realised (leaks)",
    "turbo": "turbo",
    "threshold": "threshold",
    "sharp": "**sharp**",
    "centred": "**centred**",
    "hull": "**hull**",
    "anchored": "**anchored**",
}


def figure(value: float | str | None, digits: int = 3) -> str:
    """A number as people read it; a dash for none."""
    if value is None:
        return "–"
    if isinstance(value, str):
        return "∞" if value == "inf" else value
    if value == 0 or 1e-3 <= abs(value) < 1e4:
        return f"{value:.{digits}g}"
    mantissa, exponent = f"{value:.{digits - 1}e}".split("e")
    return f"{mantissa}e{int(exponent)}"


def table(headings: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    """A Markdown table, numbers to the right."""
    marks = ["---"] + ["---:"] * (len(headings) - 1)
    rows = [headings, marks, *lines]
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def head(document: Json) -> list[str]:
    """Title, command and notes."""
    quick = " This is the quick version: few trials, wide intervals." if document["quick"] else ""
    return [
        f"# {document['title']}",
        f"Made by `{document['command']}`.{quick}",
        "\n".join(f"- {note}" for note in document["notes"]),
    ]


def checks(document: Json) -> list[str]:
    """The claims and whether they hold."""
    if not document["checks"]:
        return []
    lines = [
        f"- **{'holds' if c['holds'] else 'does not hold'}**: {c['claim']}. {c['detail']}." for c in document["checks"]
    ]
    return ["## Checks", "\n".join(lines)]


def row_name(row: Json) -> str:
    """As the paper's first column."""
    return f"{row['label']}, {'P' if row['metric'] == 'pac' else 'E'}"


def value_of(cell: Json | None) -> float | None:
    """Exact where known, else measured."""
    if cell is None:
        return None
    if cell["exact"] is not None:
        return float(cell["exact"])
    return float(cell["measured"]["value"]) if cell["measured"] else None


def cells_of(row: Json) -> dict[str, Json]:
    """The cells by algorithm."""
    return {cell["algorithm"]: cell for cell in row["cells"]}


def overview(rows: Sequence[Json], ours: Sequence[str]) -> str:
    """Ours with the paper's figure in brackets, then our algorithms."""
    lines = []
    for row in rows:
        cells = cells_of(row)
        line = [f"{row['choice']}: {row_name(row)}" if "choice" in row else row_name(row)]
        for key in COLUMNS:
            paper = cells[key]["paper"] if key in cells else None
            line.append(figure(value_of(cells.get(key))) + (f" ({paper})" if paper else ""))
        lines.append(line + [figure(value_of(cells.get(key))) for key in ours])
    return table(["row", *(NAMES[key] for key in COLUMNS), *(NAMES[key] for key in ours)], lines)


def details(row: Json) -> str:
    """All that is known of one row."""
    lines = []
    for cell in row["cells"]:
        found = cell["measured"]
        interval = f"{figure(found['low'])} to {figure(found['high'])}" if found else "–"
        lines.append(
            [
                f"{NAMES[cell['algorithm']]} `{cell['catalog']}`",
                figure(found["value"] if found else None),
                interval,
                str(found["trials"]) if found else "–",
                figure(cell["exact"]),
                figure(cell["guaranteed"]),
                cell["paper"] or "–",
                figure(cell["level"]),
            ]
        )
    headings = ["algorithm", "measured", "99% interval", "trials", "exact", "guaranteed", "paper", "level"]
    return table(headings, lines)


def table_page(document: Json) -> str:
    """The page of `frequency`, `mean` and a user's own file."""
    ours = (
        ("sharp", "centred", "hull", "anchored")
        if document["experiment"] != "mean"
        else ("sharp", "centred", "anchored")
    )
    parts = head(document)
    parts += [
        "## Ours, with the paper's figure in brackets",
        "P is the 95% error quantile, E the mean squared error; exact where the error's law is known, else measured. "
        "HP is HPF or HPM in the variant of the row's setting and metric.",
        overview(document["rows"], ours),
        f"![measured errors, intervals and guarantees]({document['experiment']}.svg)",
    ]
    if document["variations"]:
        tried = [key for key in ours if any(key in cells_of(row) for row in document["variations"])]
        parts += ["## What the paper leaves open, varied", overview(document["variations"], tried)]
    if "price" in document:
        parts.append("![error on the salaries against the guarantee](mean-price.svg)")
    parts += checks(document)
    parts.append("## Data, and how they differ from the paper's")
    seen: dict[str, str] = {}
    for row in document["rows"]:
        seen.setdefault(
            row["label"], f"- **{row['label']}** ({row['users']} users): {row['differs']} *{row['source']}*"
        )
    parts.append("\n".join(seen.values()))
    parts.append("## Every row")
    for row in document["rows"]:
        parts += [f"### {row_name(row)}", details(row)]
    return "\n\n".join(parts) + "\n"


def figure_page(document: Json) -> str:
    """The page of `figure-1`."""
    parts = [*head(document), "![both panels](figure-1.svg)"]
    for panel, words in (("a", "(a) Correlated, −log MSE"), ("b", "(b) Weakly correlated, −log q95")):
        groups = document["panels"][panel]
        names = [bar["algorithm"] for bar in groups[0]["bars"]]
        lines = []
        for group in groups:
            bars = {bar["algorithm"]: bar for bar in group["bars"]}
            lines.append(
                [group["label"]]
                + [f"{bars[n]['ours']:.2f}" + (f" ({bars[n]['paper']:.2f})" if bars[n]["paper"] else "") for n in names]
            )
        parts += [f"## {words}", table(["dataset", *(NAMES[name] for name in names)], lines)]
    return "\n\n".join(parts) + "\n"


def turbo_page(document: Json) -> str:
    """The page of `turbo`."""
    parts = [*head(document), "![error quantiles](turbo.svg)"]
    for panel in document["panels"]:
        lines = []
        for entry in panel["algorithms"]:
            q = entry["q95"]
            spread = " ".join(figure(value) for value in entry["quantiles"])
            interval = f"{figure(q['low'])} to {figure(q['high'])}"
            name = f"{NAMES[entry['algorithm']]} `{entry['catalog']}`"
            lines.append(
                [name, figure(q["value"]), interval, spread, figure(entry["guaranteed"]), figure(entry["level"])]
            )
        headings = ["algorithm", "q95", "99% interval", "5, 25, 50, 75, 95%", "guaranteed", "level"]
        parts += [f"## {panel['label']}", panel["differs"], table(headings, lines)]
    return "\n\n".join([*parts, *checks(document)]) + "\n"
