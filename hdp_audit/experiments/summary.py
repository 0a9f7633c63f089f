"""reports/paper/README.md: the result on one page, made from the five JSON files."""

from __future__ import annotations

from statistics import median

from hdp_audit.experiments.dials_page import decisive_table
from hdp_audit.experiments.tables import Json, cells_of, figure, row_name, table, value_of

SHOWN = (("hp", "HP"), ("a", "A"), ("sharp", "sharp"), ("hull", "hull"), ("anchored", "anchored"))
ANCHORED = """**The anchored rule (new).** What lies above the saturation level is never spent; the paper calls it free
privacy. `anchored` spends it. An anchor y₁ with weights min(ε, ρ) takes the first part of every demand; an opinion y₂
with weights min((ε − ρ)₊, ρ₂) takes what is left; y₂ moved into the box y₁ ± h, h = b₁·q_k(β), is released.
User i loses min(ε_i, ρ) + min((ε_i − ρ)₊, ρ₂) ≤ ε_i. The answer lies within h of y₁, so its worst quantile is at most
the anchor's plus h. At sharp's own level that is at most twice sharp's guarantee, because sharp's error quantile is at
least that of its noise alone, which is h; the best ρ does no worse. Where y₁ errs by less than h the truth lies in the
box, and moving into a convex set that holds the truth never increases an error: there the answer errs no more than y₂.
Levels are chosen from the demands alone. Names: `hpf-cp-anchored`, `hpf-ce-anchored`, `hpm-cp-anchored`,
`hpm-ce-anchored`. Proved in the ledger: `anchored-budget`, `anchored-box`, `anchored-square`, `anchored-twice`."""


def summary_page(documents: dict[str, Json]) -> str:
    """One page."""
    rows = [*documents["frequency"]["rows"], *documents["mean"]["rows"]]
    quick = " **Quick version.**" if any(document["quick"] for document in documents.values()) else ""
    own = f", own.md by `{documents['own']['command']}`" if "own" in documents else ""
    parts = [
        "# Private estimation with correlated demands: the experiments run again",
        "A re-run of the tables and figures of Chaudhuri and Courtade, *Private Estimation when Data and Privacy "
        "Demands are Correlated* (FORC 2025), on closely related public data, with intervals, exact error laws and "
        f"worst-case guarantees; and a study of mechanisms with explicit constants.{quick}",
        f"Everything here is made by `hdp-audit experiments --seed {documents['mean']['seed']}`{own}.",
        "## Result",
        "\n".join(f"{i}. {words}" for i, words in enumerate(_findings(documents, rows), 1)),
        "## Errors and guarantees, 95% quantile",
        "Error on the row's data, and in brackets what is guaranteed: whatever the data in rows C, for data in random "
        "order in rows W. HP is the paper's variant for the row, sharp ours for the same setting; hull and anchored "
        "are made for C.",
        _table(rows),
        "![the price of safety](mean-price.svg)",
        "## A rule between",
        ANCHORED,
        "## Winners that depend on what the paper leaves open",
        "Each of these numbers is a choice of ours, made where the paper gives none; the winner among its six "
        "algorithms depends on it. Row 10000, C uses a slope of 1.5, chosen so that HPM wins as printed; with weaker "
        "ties A wins. Errors, intervals and reasons are on the pages of frequencies and means.",
        decisive_table([*documents["frequency"]["dials"], *documents["mean"]["dials"]]),
        "## What could not be met, and why",
        "\n".join(f"- {words}" for words in _differences(documents)),
        "## Pages",
        "\n".join(
            f"- [{words}]({name}.md)"
            for name, words in (
                ("frequency", "Frequencies, twelve rows"),
                ("mean", "Means, six rows"),
                ("figure-1", "Figure 1"),
                ("turbo", "Faster variants"),
                ("sharp", f"The study over {len(documents['sharp']['families'])} demand families"),
                ("own", "The salary rows on single salaries, from a file that is not part of the package"),
            )
            if name in documents
        ),
    ]
    return "\n\n".join(parts) + "\n"


def _table(rows: list[Json]) -> str:
    lines = []
    for row in (row for row in rows if row["metric"] == "pac"):
        cells = cells_of(row)
        lines.append([f"{row['task']}: {row_name(row)}", *(_entry(cells.get(key)) for key, _ in SHOWN)])
    return table(["row", *(words for _, words in SHOWN)], lines)


def _entry(cell: Json | None) -> str:
    return "–" if cell is None else f"{figure(value_of(cell))} ({figure(cell['guaranteed'])})"


def _findings(documents: dict[str, Json], rows: list[Json]) -> list[str]:
    held = [check for document in documents.values() for check in document["checks"]]
    holding = sum(check["holds"] for check in held)
    ratios = sorted(_ratio(row, "sharp", "hp") for row in rows)
    better = sum(ratio < 1 for ratio in ratios)
    promise = sorted(_promise(row, "sharp", "hp") for row in rows)
    salary = next(row for row in rows if row["dataset"] == "uc-mean-c" and row["metric"] == "pac")
    agnostic, anchored, sharp = (cells_of(salary)[key] for key in ("a", "anchored", "sharp"))
    study = documents["sharp"]
    duel = [e for e in study["plane"] if e["duel"] == "sharp-C / HP-C"]
    wins, losses, whole = (sum(entry[key] for entry in duel) for key in ("wins", "losses", "families"))
    between = next(check["detail"] for check in held if check["topic"] == "single level")
    return [
        f"The paper's tables are reproduced where it gives enough to do so: {holding} of {len(held)} checks hold, each "
        "printed with its figures on the experiment's page; those that do not are named below.",
        f"**Explicit constants pay.** On {better} of {len(rows)} rows the `sharp` weights err less than the paper's "
        f"variant for that row: {ratios[0]:.2f} to {ratios[-1]:.2f} times its error (median {median(ratios):.2f}), and "
        f"guarantee {promise[0]:.2f} to {promise[-1]:.2f} times what it guarantees (mean squares as their roots). "
        f"On correlated data, over {len(study['families'])} demand families, three kinds of data, "
        f"{len(study['kappas'])} strengths of correlation and both metrics: {wins} wins, {losses} losses, "
        f"{whole - wins - losses} undecided.",
        "**No simplex weights guarantee less**, on any row or family: a theorem, recomputed for every weighting here.",
        f"**The agnostic rule A is not safe.** On salaries' mean it errs by {figure(value_of(agnostic))}, but "
        f"guarantees only {figure(agnostic['guaranteed'])}; `sharp` errs by {figure(value_of(sharp))} and guarantees "
        f"{figure(sharp['guaranteed'])}.",
        f"**`anchored` is both**: error {figure(value_of(anchored))}, guaranteed {figure(anchored['guaranteed'])}. "
        "It puts the paper's free privacy to work, and for correlated data its guaranteed quantile is never more than "
        f"twice sharp's. A level between sharp's and A's does less: {between}.",
    ]


def _ratio(row: Json, first: str, second: str) -> float:
    cells = cells_of(row)
    root = 1.0 if row["metric"] == "pac" else 0.5
    return float(((value_of(cells[first]) or 0.0) / (value_of(cells[second]) or 1.0)) ** root)


def _promise(row: Json, first: str, second: str) -> float:
    cells = cells_of(row)
    root = 1.0 if row["metric"] == "pac" else 0.5
    return float((cells[first]["guaranteed"] / cells[second]["guaranteed"]) ** root)


def _beaten(variations: list[Json]) -> str:
    """How many other readings of the synthetic correlated rows keep the order of sharp and HP."""
    rules = [row for row in variations if row["rule"] is not None]
    better = sum(_ratio(row, "sharp", "hp") < 1 for row in rules)
    return f"{len(rules)} readings are tabulated; sharp errs less than HP under {better} of them."


def _open(check: Json, dials: list[Json]) -> str:
    """A hint where the check is about a row whose data are a choice of ours."""
    mine = check["dataset"] in {dial["dataset"] for dial in dials}
    return " The paper does not give this row's data and demands: the table above says who wins when." if mine else ""


def _differences(documents: dict[str, Json]) -> list[str]:
    failed = [c for document in documents.values() for c in document["checks"] if not c["holds"]]
    dials = [dial for name in ("frequency", "mean") for dial in documents[name]["dials"]]
    words = [
        f"{c['claim']}: does not hold here. {c['detail'][0].upper()}{c['detail'][1:]}.{_open(c, dials)}" for c in failed
    ]
    return [
        *words,
        *documents["mean"]["contradictions"],
        "The printed UNI figures are those of noise that is not clipped to [0, 1], with errors above 1 counted as 1, "
        "although the algorithm clips; ours are clipped.",
        "The correlated synthetic rows cannot be met digit by digit: the paper does not give their distributions. "
        f"{_beaten(documents['frequency']['variations'])}",
        "SM as the paper runs it, with the realised sample size, does not keep the demands when a record is replaced, "
        "which is the paper's definition; it is shown apart, marked as leaking.",
    ]
