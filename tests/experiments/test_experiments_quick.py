"""The quick version: files, checks that few trials can decide, progress, and mistakes."""

from __future__ import annotations

import json
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from hdp_audit.errors import InvalidInput
from hdp_audit.experiments import NAMES, dials, experiments, frequency, mean, measure, sharp
from hdp_audit.experiments.families import families

pytestmark = pytest.mark.xdist_group("experiments")  # one worker runs them all once


# Each takes the quick version's path; what its checks say here needs no trials.
FEW = measure.Effort(trials=100, slow=4, permuted=4)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[Path], list[float]]:
    """All five; of the families every third (both shapes), of the dials two of each task (C and W) with one draw."""
    folder, heard = tmp_path_factory.mktemp("paper"), []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sharp, "families", lambda quick: families(quick)[::3])
        patch.setattr(dials, "QUICK_DRAWS", 1)
        patch.setattr(dials, "QUICK_EFFORT", FEW)
        patch.setattr(frequency, "FREQUENCY_DIALS", dials.FREQUENCY_DIALS[:2])
        patch.setattr(mean, "MEAN_DIALS", dials.MEAN_DIALS[1:3])
        patch.setattr(measure, "LIGHTEST", FEW)
        for module in (measure, frequency, mean):
            patch.setattr(module, "QUICK", FEW)
        paths = experiments(None, out=folder, quick=True, progress=lambda _, share: heard.append(share))
    return folder, paths, heard


def test_every_experiment_writes_its_page_its_data_and_its_plots(written: tuple[Path, list[Path], list[float]]) -> None:
    folder, paths, _ = written
    assert set(paths) == set(folder.iterdir())
    for name in NAMES:
        assert json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["quick"] is True
        assert (folder / f"{name}.md").exists()
    for plot in folder.glob("*.svg"):
        root = ET.fromstring(plot.read_text(encoding="utf-8"))  # noqa: S314 - our own file
        assert root.tag.endswith("svg")
        assert "prefers-color-scheme: dark" in plot.read_text(encoding="utf-8")


def test_what_needs_no_trials_holds_in_the_quick_version_too(written: tuple[Path, list[Path], list[float]]) -> None:
    folder = written[0]
    for name in ("frequency", "mean", "sharp"):
        checks = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))["checks"]
        theorems = [check for check in checks if "theorem" in check["claim"] or "at most twice" in check["claim"]]
        assert theorems
        assert all(check["holds"] for check in theorems)


def test_progress_only_moves_forward_and_ends_at_one(written: tuple[Path, list[Path], list[float]]) -> None:
    heard = np.array(written[2])
    assert heard.size > 100
    assert np.all(np.diff(heard) >= -1e-12)
    assert heard[-1] == 1.0


def test_figure_and_table_share_their_trials(written: tuple[Path, list[Path], list[float]]) -> None:
    assert frequency.table(1, FEW) is frequency.table(1, FEW)


def test_a_seed_gives_the_same_errors_again_and_another_does_not() -> None:
    from hdp_audit.experiments.rows import synthetic_mean

    dataset = synthetic_mean(1, "correlated")
    effort = measure.Effort(50, 5, 5)
    runs = [measure.errors("hpm-cp", dataset, "pac", effort, seed) for seed in (1, 1, 2)]
    np.testing.assert_array_equal(runs[0], runs[1])
    assert not np.array_equal(runs[0], runs[2])


def test_an_unknown_name_and_a_folder_that_cannot_be_made_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="frequency, mean, figure-1"):
        experiments("table-1", out=tmp_path, quick=True)
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(InvalidInput, match="cannot be made"):
        experiments("mean", out=tmp_path / "file" / "folder", quick=True)


def test_own_salaries_are_written_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "QUICK", FEW)
    pay = np.exp(np.random.default_rng(1).normal(10.5, 1.0, 400))
    np.save(tmp_path / "pay.npy", pay)
    paths = experiments("mean", out=tmp_path / "out", quick=True, data_file=tmp_path / "pay.npy")
    assert {path.name for path in paths} == {"own.json", "own.md", "own.svg"}
    assert "pay.npy" not in (tmp_path / "out" / "own.md").read_text(encoding="utf-8")
