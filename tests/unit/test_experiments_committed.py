"""reports/paper is what the package makes: deterministic content is computed again, pages follow from their JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hdp_audit.experiments import command, figure, rows, turbo
from hdp_audit.experiments.algorithms import BY_KEY
from hdp_audit.experiments.dataset import Dataset
from hdp_audit.experiments.families import families
from hdp_audit.experiments.price import price
from hdp_audit.experiments.results import rows_of
from hdp_audit.experiments.sharp import levels_and_promises, study_checks
from hdp_audit.experiments.study import everything
from hdp_audit.experiments.summary import summary_page

FOLDER = Path(__file__).parents[2] / "reports" / "paper"
DATASETS = [*rows.frequency_datasets(1), *rows.mean_datasets(1)]
FIXED = ("algorithm", "label", "catalog", "leaks", "ours", "paper", "guaranteed", "exact", "level")
# Other machines may round the last bits of exp and log differently; the search over levels stops at 10⁻⁹.
CLOSE = 1e-4
pytestmark = pytest.mark.skipif(not FOLDER.exists(), reason="an installed package has no reports")


def committed(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def assert_close(ours: Any, theirs: Any, where: str) -> None:
    if isinstance(ours, dict):
        assert ours.keys() == theirs.keys(), where
        for key in ours:
            assert_close(ours[key], theirs[key], f"{where}/{key}")
    elif isinstance(ours, float) and isinstance(theirs, (int, float)):
        assert ours == pytest.approx(theirs, rel=CLOSE), where
    else:
        assert (ours == theirs) or (ours == float("inf") and theirs == "inf"), where


@pytest.mark.parametrize("dataset", DATASETS, ids=[dataset.key for dataset in DATASETS])
def test_guarantees_exact_errors_levels_and_the_papers_figures_are_current(dataset: Dataset) -> None:
    """All but hull, whose search takes seconds; `5-c` is done with it."""
    table = committed("frequency" if dataset.task == "frequency" else "mean")
    wanted = [key for key in BY_KEY if key != "hull" or dataset.key == "5-c"]
    for row in rows_of(dataset, None, 1, wanted):
        stored = next(r for r in table["rows"] if (r["dataset"], r["metric"]) == (row.dataset, row.metric))
        assert (row.label, row.users, row.source, row.differs) == tuple(
            stored[key] for key in ("label", "users", "source", "differs")
        )
        cells = {cell["algorithm"]: cell for cell in stored["cells"]}
        for cell in row.cells:
            ours = {key: getattr(cell, key) for key in FIXED}
            assert_close(ours, {key: cells[cell.algorithm][key] for key in FIXED}, f"{row.dataset} {row.metric}")


def test_the_price_of_safety_is_current() -> None:
    for ours, theirs in zip(price(1), committed("mean")["price"], strict=True):
        assert_close(ours, theirs, "price")


def test_turbo_levels_and_guarantees_are_current() -> None:
    stored = {panel["dataset"]: panel["algorithms"] for panel in committed("turbo")["panels"]}
    for dataset in turbo.datasets(1):
        for entry, other in zip(turbo.panel(dataset, None, 1)["algorithms"], stored[dataset.key], strict=True):
            assert_close(entry, {key: other[key] for key in entry}, dataset.key)


def test_the_studys_families_are_current() -> None:
    """Every 25th of the 225 families."""
    grid, stored = families(quick=False), committed("sharp")["families"]
    assert len(grid) == len(stored) >= 200
    for place in range(0, len(grid), 25):
        assert_close(levels_and_promises(grid[place], everything(grid[place])), stored[place], grid[place].name)


def test_the_studys_checks_follow_from_its_data() -> None:
    document = committed("sharp")
    found = [(check.claim, check.holds, check.detail) for check in study_checks(document)]
    assert found == [(check["claim"], check["holds"], check["detail"]) for check in document["checks"]]


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
                assert 2.718281828459045 ** -bar["ours"] == pytest.approx(error, rel=CLOSE)


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
    assert failing == ["10000, C, mse: the winner among the paper's six is the paper's"]
