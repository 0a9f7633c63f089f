"""Pages from an experiment's JSON: pure functions, so that a committed page can be checked against its data."""

from __future__ import annotations

from collections.abc import Sequence

from hdp_audit.experiments.dials_page import dials_section
from hdp_audit.experiments.paper import COLUMNS
from hdp_audit.experiments.tables import OURS, Json, cells_of, checks, figure, head, name_of, row_name, table, value_of


def overview(rows: Sequence[Json], ours: Sequence[str], last: Sequence[str] = ()) -> str:
    """Ours with the paper's figure in brackets, then our algorithms, then a last column where one is given."""
    lines = []
    for place, row in enumerate(rows):
        cells = cells_of(row)
        line = [f"{row['choice']}: {row_name(row)}" if "choice" in row else row_name(row)]
        for key in COLUMNS:
            paper = cells[key]["paper"] if key in cells else None
            line.append(figure(value_of(cells.get(key))) + (f" ({paper})" if paper else ""))
        lines.append(line + [figure(value_of(cells.get(key))) for key in ours] + list(last[place : place + 1]))
    headings = ["row", *(name_of(key) for key in COLUMNS), *(name_of(key) for key in ours)]
    return table(headings + (["winner"] if last else []), lines)


def winners(rows: Sequence[Json]) -> list[str]:
    """The best of the paper's six on each row; all whose 99% intervals reach below the best one's upper end."""
    found = []
    for row in rows:
        cells = [cell for key, cell in cells_of(row).items() if key in COLUMNS]
        _, high = _ends(min(cells, key=lambda cell: value_of(cell) or 0.0))
        found.append(" or ".join(name_of(cell["algorithm"]) for cell in cells if _ends(cell)[0] <= high))
    return found


def _ends(cell: Json) -> tuple[float, float]:
    if cell["exact"] is not None:
        return cell["exact"], cell["exact"]
    return cell["measured"]["low"], cell["measured"]["high"]


def details(row: Json) -> str:
    """All that is known of one row."""
    lines = []
    for cell in row["cells"]:
        found = cell["measured"]
        interval = f"{figure(found['low'])} to {figure(found['high'])}" if found else "–"
        lines.append(
            [
                f"{name_of(cell['algorithm'])} `{cell['catalog']}`",
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
    ours = tuple(key for key in OURS if any(key in cells_of(row) for row in document["rows"]))
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
        parts += [
            "## What the paper leaves open, varied",
            "The last column is the winner among the paper's six; several where 99% intervals overlap.",
            overview(document["variations"], tried, winners(document["variations"])),
        ]
    if "dials" in document:
        parts += dials_section(document["dials"])
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
        parts += [f"## {words}", table(["dataset", *(name_of(name) for name in names)], lines)]
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
            name = f"{name_of(entry['algorithm'])} `{entry['catalog']}`"
            lines.append(
                [name, figure(q["value"]), interval, spread, figure(entry["guaranteed"]), figure(entry["level"])]
            )
        headings = ["algorithm", "q95", "99% interval", "5, 25, 50, 75, 95%", "guaranteed", "level"]
        parts += [f"## {panel['label']}", panel["differs"], table(headings, lines)]
    return "\n\n".join([*parts, *checks(document)]) + "\n"
