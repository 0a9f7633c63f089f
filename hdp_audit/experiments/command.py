"""`hdp-audit experiments`: runs, and writes Markdown, JSON and SVG."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from hdp_audit.errors import InvalidInput

NAMES = ("frequency", "mean", "figure-1", "turbo", "sharp")
Told = Callable[[str, float], None]
Json = dict[str, Any]


def experiments(
    name: str | None,
    out: Path,
    quick: bool = False,
    *,
    seed: int = 1,
    data_file: Path | None = None,
    progress: Told | None = None,
) -> list[Path]:
    """Run one experiment, or all and the summary; the files written.

    `progress(what, share)` hears what is done and how much of the whole, from 0 to 1. With `data_file`, a file of
    salaries, the UC rows run on it instead and are written as `own`.
    """
    if name is not None and name not in NAMES:
        raise InvalidInput(f"no experiment is called {name!r}; the names are {', '.join(NAMES)}")
    try:
        out.mkdir(parents=True, exist_ok=True)
    except OSError as why:
        raise InvalidInput(f"{out}: cannot be made ({why.strerror}); give a folder that can be written") from None
    if data_file is not None:
        return write(_own(data_file, quick, seed, _scaled(progress, 0.0, 1.0)), out)
    chosen = NAMES if name is None else (name,)
    paths: list[Path] = []
    done, whole = 0.0, sum(SHARES[one] for one in chosen)
    for one in chosen:
        told = _scaled(progress, done / whole, (done + SHARES[one]) / whole)
        paths += write(_run(one, quick, seed, told), out)
        done += SHARES[one]
    if name is None:
        paths.append(write_summary(out))
    if progress is not None:
        progress("written", 1.0)
    return paths


# Rough shares of the time, for the progress bar.
SHARES = {"frequency": 0.48, "mean": 0.14, "figure-1": 0.01, "turbo": 0.05, "sharp": 0.32}


def _scaled(progress: Told | None, start: float, stop: float) -> Told | None:
    if progress is None:
        return None
    return lambda what, share: progress(what, start + share * (stop - start))


def _run(name: str, quick: bool, seed: int, told: Told | None) -> Json:
    from hdp_audit.experiments import figure, frequency, mean, measure, sharp, turbo

    effort, lighter = (measure.QUICK, measure.LIGHTEST) if quick else (measure.FULL, measure.LIGHTER)
    match name:
        case "frequency":
            report = frequency.frequency(seed, effort, lighter, told)
        case "mean":
            report = mean.mean(seed, effort, lighter, told)
        case "figure-1":
            report = figure.figure(seed, effort, told)
        case "turbo":
            report = turbo.turbo(seed, effort, told)
        case _:
            report = sharp.sharp(seed, 2 if quick else 4, quick, told)
    return report.as_json(seed, quick)


def _own(file: Path, quick: bool, seed: int, told: Told | None) -> Json:
    from hdp_audit.experiments import measure, rows
    from hdp_audit.experiments.report import Report
    from hdp_audit.experiments.results import rows_of_all

    effort = measure.QUICK if quick else measure.FULL
    found = rows_of_all(rows.own_salaries(file, seed), effort, seed, None, told)
    notes = ("Made from a file of salaries that is not part of the package: the UC rows on single salaries.",)
    document = Report("own", "Own salaries", notes, tuple(found)).as_json(seed, quick)
    return {**document, "command": f"hdp-audit experiments --data salaries.npy --seed {seed}"}


def write(document: Json, out: Path) -> list[Path]:
    """The JSON, its page and its plots."""
    name = document["experiment"]
    files = {f"{name}.json": dumped(document), **rendered(document)}
    return [_written(out / file, content) for file, content in files.items()]


def dumped(document: Json) -> str:
    """JSON with one line for each entry of a list: small, and readable in a diff."""
    lines = []
    for key, value in document.items():
        text = json.dumps(value, ensure_ascii=False)
        if isinstance(value, list) and value:
            text = "[\n  " + ",\n  ".join(json.dumps(entry, ensure_ascii=False) for entry in value) + "\n ]"
        lines.append(f" {json.dumps(key)}: {text}")
    return "{\n" + ",\n".join(lines) + "\n}\n"


def rendered(document: Json) -> dict[str, str]:
    """Page and plots: pure functions of the JSON."""
    from hdp_audit.experiments import pages, plots, study_page, study_plots

    name = document["experiment"]
    match name:
        case "figure-1":
            return {"figure-1.md": pages.figure_page(document), "figure-1.svg": plots.figure_svg(document)}
        case "turbo":
            return {"turbo.md": pages.turbo_page(document), "turbo.svg": plots.turbo_svg(document)}
        case "sharp":
            pictures = {
                "sharp-plane.svg": study_plots.plane_svg(document),
                "sharp-levels.svg": study_plots.levels_svg(document),
            }
            return {"sharp.md": study_page.study_page(document), **pictures}
        case _:
            files = {f"{name}.md": pages.table_page(document), f"{name}.svg": plots.table_svg(document)}
            return {**files, "mean-price.svg": plots.price_svg(document)} if "price" in document else files


def write_summary(out: Path) -> Path:
    """README.md, from the five JSON files."""
    from hdp_audit.experiments.summary import summary_page

    return _written(out / "README.md", summary_page(read_all(out)))


def read_all(out: Path) -> dict[str, Json]:
    """The JSON of every experiment in a folder, and of a user's own file where there is one."""
    found = [name for name in (*NAMES, "own") if name in NAMES or (out / "own.json").exists()]
    return {name: json.loads((out / f"{name}.json").read_text(encoding="utf-8")) for name in found}


def _written(path: Path, content: str) -> Path:
    try:
        path.write_text(content, encoding="utf-8")
    except OSError as why:
        raise InvalidInput(f"{path}: cannot be written ({why.strerror}); give a folder that can be written") from None
    return path
