"""reports/paper is what the package makes: deterministic content is computed again, pages follow from their JSON."""

from __future__ import annotations

import json
import math
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from hdp_audit.experiments import command, dials, figure, frequency, mean, measure, rows, sharp, turbo
from hdp_audit.experiments.algorithms import BY_KEY
from hdp_audit.experiments.dataset import Dataset
from hdp_audit.experiments.families import families
from hdp_audit.experiments.price import price
from hdp_audit.experiments.results import Row, rows_of
from hdp_audit.experiments.sharp import levels_and_promises, study_checks
from hdp_audit.experiments.study import everything
from hdp_audit.experiments.summary import summary_page

FOLDER = Path(__file__).parents[2] / "reports" / "paper"
SEED = 1
DATASETS = [*rows.frequency_datasets(SEED), *rows.mean_datasets(SEED)]
MEASURED_AGAIN = [dataset for dataset in DATASETS if not dataset.weakly or dataset.key == "mean-w"]
FIXED = ("algorithm", "label", "catalog", "leaks", "ours", "paper", "guaranteed", "exact", "level")
MEASURED = ("value", "low", "high", "trials")
SLOW = ("hull", "sm", "sm-realised", "ldp")  # seconds a cell, or minutes
# Committed floats have six significant digits: rounding moves them by up to 5·10⁻⁶ of their value. Draws are the same
# on every machine, but exp and log may differ in the last bit and BLAS sums in another order; the search for a level
# sees a flat minimum only to about √(2⁻⁵²) = 1.5·10⁻⁸. Demands changed by a last bit each and summed in another order
# move no guarantee, exact error or level by more than 10⁻⁷. Ten times that is left beside the rounding.
CLOSE = 5e-6 + 1e-6


def committed(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def stored_row(table: Any, row: Row) -> Any:
    return next(r for r in table["rows"] if (r["dataset"], r["metric"]) == (row.dataset, row.metric))


def assert_close(ours: Any, theirs: Any, where: str) -> None:
    if isinstance(ours, dict):
        assert ours.keys() == theirs.keys(), where
        for key in ours:
            assert_close(ours[key], theirs[key], f"{where}/{key}")
    elif isinstance(ours, list):
        for place, (mine, other) in enumerate(zip(ours, theirs, strict=True)):
            assert_close(mine, other, f"{where}/{place}")
    elif isinstance(ours, float) and isinstance(theirs, (int, float)):
        assert ours == pytest.approx(theirs, rel=CLOSE), where
    else:
        assert (ours == theirs) or (ours == float("inf") and theirs == "inf"), where


@pytest.mark.many(2)
@pytest.mark.parametrize("dataset", DATASETS, ids=[dataset.key for dataset in DATASETS])
def test_guarantees_exact_errors_levels_and_the_papers_figures_are_current(dataset: Dataset) -> None:
    """All but hull, whose search takes seconds; `5-c` is done with it."""
    table = committed("frequency" if dataset.task.name == "frequency" else "mean")
    wanted = [key for key in BY_KEY if key != "hull" or dataset.key == "5-c"]
    for row in rows_of(dataset, None, SEED, wanted):
        stored = stored_row(table, row)
        assert (row.label, row.users, row.source, row.differs) == tuple(
            stored[key] for key in ("label", "users", "source", "differs")
        )
        cells = {cell["algorithm"]: cell for cell in stored["cells"]}
        for cell in row.cells:
            ours = {key: getattr(cell, key) for key in FIXED}
            assert_close(ours, {key: cells[cell.algorithm][key] for key in FIXED}, f"{row.dataset} {row.metric}")


@pytest.mark.full
@pytest.mark.many(2)
@pytest.mark.parametrize("dataset", MEASURED_AGAIN, ids=[dataset.key for dataset in MEASURED_AGAIN])
def test_trials_are_current(dataset: Dataset) -> None:
    """The same streams give the same errors, trial by trial; permuted data are slow, so of them a few cells.

    On fixed data each dataset takes a third of the algorithms, so that each of these is done on a third of the data.
    """
    table = committed("frequency" if dataset.task.name == "frequency" else "mean")
    quick = [key for key in BY_KEY if key not in SLOW]
    wanted = ("hp", "sharp") if dataset.weakly else quick[MEASURED_AGAIN.index(dataset) % 3 :: 3]
    for row in rows_of(dataset, measure.FULL, SEED, wanted):
        cells = {cell["algorithm"]: cell["measured"] for cell in stored_row(table, row)["cells"]}
        for cell in row.cells:
            ours = {key: getattr(cell.measured, key) for key in MEASURED}
            assert_close(ours, cells[cell.algorithm], f"{row.dataset} {row.metric} {cell.algorithm}")


@pytest.mark.parametrize("name", ["frequency", "mean"])
def test_the_exact_errors_of_open_choices_are_current(name: str) -> None:
    """Every third stop of the dials on fixed data, with all draws of the demands."""
    known = dials.FREQUENCY_DIALS if name == "frequency" else dials.MEAN_DIALS
    for dial, stored in zip(known, committed(name)["dials"], strict=True):
        facts = {**dial.facts, "draws": dials.DRAWS}
        assert facts == {key: stored[key] for key in facts}
        assert [point["stop"] for point in stored["points"][::2]] == list(dial.stops)
        dataset = dial.dataset(SEED, dial.used)
        assert (dial.key, dial.row) == (dataset.key, dataset.label)
        if dataset.weakly:
            continue
        for place in range(0, len(dial.stops), 3):
            found = dials.entries(dial, dial.stops[place], None, dials.DRAWS, SEED)
            for ours, theirs in zip(found, stored["points"][2 * place :], strict=False):
                errors = {key: theirs["errors"][key] for key in dials.EXACT}
                assert_close(ours["errors"], errors, f"{dial.row} {dial.turns} {theirs['stop']}")


@pytest.mark.parametrize("name", command.NAMES)
def test_every_document_states_the_command_that_made_it_and_todays_notes(name: str) -> None:
    document = committed(name)
    assert (document["seed"], document["command"]) == (SEED, f"hdp-audit experiments {name} --seed {SEED}")
    notes = {"frequency": frequency, "mean": mean, "figure-1": figure, "turbo": turbo, "sharp": sharp}[name].NOTES
    assert document["notes"][: len(notes)] == list(notes)


def test_the_price_of_safety_is_current() -> None:
    for ours, theirs in zip(price(SEED), committed("mean")["price"], strict=True):
        assert_close(ours, theirs, "price")


@pytest.mark.full
def test_turbo_panels_are_current() -> None:
    """Levels and guarantees of all, trials of those on fixed data."""
    stored = {panel["dataset"]: panel["algorithms"] for panel in committed("turbo")["panels"]}
    for dataset in turbo.datasets(SEED):
        effort = None if dataset.weakly else measure.FULL
        for entry, other in zip(turbo.panel(dataset, effort, SEED)["algorithms"], stored[dataset.key], strict=True):
            assert_close(entry, {key: other[key] for key in entry}, dataset.key)


@pytest.mark.full
def test_the_studys_families_are_current() -> None:
    """Every 53rd of the 225 families: all five shapes, all three centres, all three counts of users."""
    grid, stored = families(quick=False), committed("sharp")["families"]
    assert len(grid) == len(stored) >= 200
    for place in range(0, len(grid), 53):
        assert_close(levels_and_promises(grid[place], everything(grid[place])), stored[place], grid[place].name)


def test_the_studys_checks_follow_from_its_data() -> None:
    document = committed("sharp")
    assert [asdict(check) for check in study_checks(document)] == document["checks"]


def test_the_figure_shows_the_tables_errors() -> None:
    values = {
        (row["label"], cell["algorithm"]): cell
        for row in committed("frequency")["rows"]
        for cell in row["cells"]
        if (row["setting"], row["metric"]) in (("correlated", "mse"), ("weakly-correlated", "pac"))
    }
    for panel in committed("figure-1")["panels"].values():
        for group in panel:
            assert {bar["algorithm"] for bar in group["bars"]} <= set(figure.SHOWN)
            for bar in group["bars"]:
                cell = values[group["label"], bar["algorithm"]]
                error = cell["exact"] or cell["measured"]["value"]
                assert bar["ours"] == pytest.approx(-math.log(error), rel=CLOSE, abs=2 * CLOSE)


@pytest.mark.parametrize("name", command.NAMES)
def test_pages_and_plots_follow_from_the_json(name: str) -> None:
    document = committed(name)
    assert document["quick"] is False
    for file, content in command.rendered(document).items():
        assert (FOLDER / file).read_text(encoding="utf-8") == content, f"{file}: run `tox -e reports`"


def test_the_summary_follows_from_all_five() -> None:
    assert (FOLDER / "README.md").read_text(encoding="utf-8") == summary_page(command.read_all(FOLDER))


def test_no_report_names_a_time_a_host_or_a_path() -> None:
    suspicious = re.compile(r"\b\d\d:\d\d\b|20\d\d-\d\d-\d\d|/(tmp|home|work|root|usr)/|localhost|\bseconds\b")
    for file in FOLDER.iterdir():
        assert not suspicious.search(file.read_text(encoding="utf-8")), file.name


def test_the_claims_of_the_result_hold() -> None:
    """Failing checks are the ones that the page explains, no others."""
    failing = [c["claim"] for name in command.NAMES for c in committed(name)["checks"] if not c["holds"]]
    rows_without_the_papers_winner = ("(10000, 5), C, pac", "(10000, 5), C, mse", "10000, C, mse")
    assert failing == [
        f"{row}: the winner among the paper's six is the paper's" for row in rows_without_the_papers_winner
    ]
