"""`hdp-audit run SPEC SPEC ...`: one report with one confidence, and nothing that vanishes."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from hdp_audit.cli.show import run_command
from hdp_audit.config.problems import InvalidSpec
from hdp_audit.config.several import short_names, specs_in
from hdp_audit.reporting.places import spot_of
from hdp_audit.reporting.rebuilt import rebuilt
from hdp_audit.runs import together
from hdp_audit.runs.job import Job
from hdp_audit.runs.perform import Performed, RunOptions, perform
from hdp_audit.runs.several import jobs_of, share_of
from hdp_audit.runs.together import FURTHER
from tests.cli.specs import REFERENCE, TARGET, invoke

HELPED = "import helper\n\ndef release(data, epsilon, rng):\n    return helper.release(data, epsilon, rng)\n"
QUIET = (
    "import numpy as np\n\ndef release(data, epsilon, rng):\n    return float(data.mean() + rng.laplace(scale=20.0))\n"
)
LOUD = "def release(data, epsilon, rng):\n    return float(data.mean())\n"
SPEC = TARGET.format(name="release")


def put(folder: Path, spec: str, helper: str, file: str = "hdp-audit.toml") -> Path:
    """A spec whose mechanism imports a module `helper` beside it."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "release.py").write_text(HELPED, encoding="utf-8")
    (folder / "helper.py").write_text(helper, encoding="utf-8")
    (folder / file).write_text(spec, encoding="utf-8")
    return folder / file


def waived(finding: str) -> str:
    return f'{SPEC}\n[[waive]]\nfinding = "{finding}"\nreason = "known"\nuntil = 2999-01-01\n'


@pytest.fixture(scope="module")
def two_specs(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result, dict[str, Any]]:
    """The same address in two folders, one with noise and one without, whose modules have the same names."""
    top = tmp_path_factory.mktemp("several")
    specs = [put(top / "quiet", SPEC, QUIET), put(top / "loud", SPEC, LOUD)]
    done = invoke("run", *specs, "--out", top / "out", "--jobs", 1, "--budget", 1000)
    return top, done, dict(json.loads((top / "out" / "report.json").read_text(encoding="utf-8")))


READS = pytest.mark.xdist_group("several")


@READS
def test_of_modules_with_one_name_each_spec_has_its_own(two_specs: tuple[Path, Result, dict[str, Any]]) -> None:
    """One fails and one does not, under names of their own, in one report."""
    _, done, found = two_specs
    assert done.exit_code == 1, done.output
    assert [subject["name"] for subject in found["subjects"]] == [
        "release.py:release (quiet/hdp-audit.toml)",
        "release.py:release (loud/hdp-audit.toml)",
    ]
    failed = {finding["subject"] for finding in found["findings"] if finding["verdict"] == "fail"}
    assert failed == {"release.py:release (loud/hdp-audit.toml)"}
    assert any(finding["id"].startswith("release@quiet/hdp-audit.toml/privacy") for finding in found["findings"])


@READS
def test_the_error_is_shared_and_the_report_has_the_whole(two_specs: tuple[Path, Result, dict[str, Any]]) -> None:
    _, _, found = two_specs
    parts = [1 - entry["confidence"] for entry in found["environment"]["specs"]]
    assert found["confidence"] == 0.999
    assert math.fsum(parts) <= 1 - found["confidence"]
    assert math.fsum(parts) == pytest.approx(1 - found["confidence"])
    assert found["totals"]["calls"] >= sum(finding["calls"] > 0 for finding in found["findings"])


@READS
def test_places_and_replays_name_the_spec_of_the_finding(two_specs: tuple[Path, Result, dict[str, Any]]) -> None:
    top, done, found = two_specs
    report = rebuilt(found)
    bad = next(finding for finding in report.findings if finding.verdict == "fail")
    spot = spot_of(report, bad)
    assert spot is not None
    assert spot.path == "loud/release.py"  # outside of a repository: from the folder that the specs have in common
    assert f"--spec {top}/loud/hdp-audit.toml" in done.output
    again = invoke("replay", top / "out/report.json", "--finding", bad.id, "--spec", top / "loud/hdp-audit.toml")
    assert again.exit_code == 0, again.output
    other = invoke("replay", top / "out/report.json", "--finding", bad.id, "--spec", top / "quiet/hdp-audit.toml")
    assert other.exit_code == 2
    assert "the finding comes from loud/hdp-audit.toml" in other.output


@READS
def test_a_resumed_run_and_a_baseline_give_the_same_report(two_specs: tuple[Path, Result, dict[str, Any]]) -> None:
    top, _, found = two_specs
    specs = [top / "quiet/hdp-audit.toml", top / "loud/hdp-audit.toml"]
    more = ["--jobs", 1, "--budget", 1000, "--resume", "--baseline", top / "out/report.json"]
    assert (top / "out" / FURTHER.format(2)).is_file()
    again = invoke("run", *specs, "--out", top / "out", *more)
    assert again.exit_code == 1, again.output
    now = json.loads((top / "out/report.json").read_text(encoding="utf-8"))
    assert now["findings"] == found["findings"]
    other = invoke("run", *reversed(specs), "--out", top / "out", *more)
    assert other.exit_code == 2
    assert "belongs to another run" in other.output


def test_what_cannot_be_audited_is_an_error_and_hides_no_other_spec(tmp_path: Path) -> None:
    broken = put(tmp_path / "broken", SPEC, "1 / 0\n")
    done = invoke("run", broken, put(tmp_path / "loud", SPEC, LOUD), "--out", tmp_path / "out", "--jobs", 1, "--quiet")
    assert done.exit_code == 1, done.output
    found = json.loads((tmp_path / "out/report.json").read_text(encoding="utf-8"))["findings"]
    assert {"error", "fail"} <= {finding["verdict"] for finding in found}


def test_waivers_name_findings_as_their_own_spec_alone_would(tmp_path: Path) -> None:
    first = put(tmp_path / "a", waived("release/privacy/curve"), LOUD)
    jobs, _ = jobs_of([first, put(tmp_path / "b", SPEC, LOUD)], None, None)
    assert [waiver.finding for waiver in jobs[0].waivers] == ["release@a/hdp-audit.toml/privacy/curve"]
    assert not jobs[1].waivers


@pytest.mark.parametrize(
    ("first", "second", "words"),
    [
        ("seed = 3", "seed = 4", "seed = 3"),
        ("confidence = 0.9", "confidence = 0.99", "confidence = 0.9"),
    ],
)
def test_numbers_that_disagree_are_told_with_both_files(tmp_path: Path, first: str, second: str, words: str) -> None:
    specs = [put(tmp_path / "a", SPEC + first, LOUD), put(tmp_path / "b", SPEC + second, LOUD)]
    with pytest.raises(InvalidSpec, match=words) as told:
        jobs_of(specs, None, None)
    assert all(str(path) in str(told.value) for path in specs)
    assert jobs_of(specs, 1, 0.95)[1] == 0.95


def test_reports_with_two_owners_are_refused(tmp_path: Path) -> None:
    specs = [put(tmp_path / "a", SPEC, LOUD), put(tmp_path / "b", SPEC + '\n[report]\nowner = "Us"\n', LOUD)]
    with pytest.raises(InvalidSpec, match=r"differ in \[report\]"):
        jobs_of(specs, None, None)


def test_problems_of_all_specs_are_told_at_once(tmp_path: Path) -> None:
    specs = [put(tmp_path / name, SPEC + f"{name} = 1", LOUD) for name in ("left", "right")]
    done = invoke("run", *specs, "--out", tmp_path / "out")
    assert done.exit_code == 2
    assert all(f"{path}:" in done.output for path in specs)
    assert "'left'" in done.output
    assert "'right'" in done.output


def test_pairs_of_two_folders_never_meet_in_one_process(tmp_path: Path) -> None:
    custom = SPEC.replace('task = "mean"', 'task = "custom"\npairs = "release.py:pairs"')
    specs = [put(tmp_path / name, custom, LOUD) for name in ("a", "b")]
    with pytest.raises(InvalidSpec, match="take each other's place"):
        jobs_of(specs, None, None)


def test_a_folder_is_its_specs_by_name_and_says_what_it_passes_over(tmp_path: Path) -> None:
    for name in ("b.toml", "a.toml"):
        (tmp_path / name).write_text(REFERENCE, encoding="utf-8")
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'x'\n", encoding="utf-8")
    (tmp_path / "torn.toml").write_text("[mechanism", encoding="utf-8")
    said: list[str] = []
    found = specs_in([tmp_path], said.append)
    assert [path.name for path in found] == ["a.toml", "b.toml", "torn.toml"]  # what is torn is told, not left out
    assert len(said) == 1
    assert "pyproject.toml" in said[0]
    assert short_names(found) == ["a.toml", "b.toml", "torn.toml"]


def test_a_folder_without_a_spec_and_a_spec_given_twice_are_refused(tmp_path: Path) -> None:
    done = invoke("run", tmp_path, "--out", tmp_path / "out")
    assert done.exit_code == 2
    assert "no spec in this folder" in done.output
    spec = put(tmp_path, REFERENCE, LOUD)
    assert "given twice" in invoke("run", spec, tmp_path, "--out", tmp_path / "out").output


@pytest.mark.parametrize("parts", [2, 3, 7, 100])
def test_shares_of_the_error_never_add_up_to_more(parts: int) -> None:
    for confidence in (0.5, 0.9, 0.999, 1 - 1e-9):
        assert parts * (1 - share_of(confidence, parts)) <= (1 - confidence) * (1 + 1e-15)


def test_an_interrupt_leaves_a_finding_for_each_spec_that_was_not_begun(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The report is written with it, and a resumed run has no trace of it."""
    specs = [put(tmp_path / name, REFERENCE, LOUD) for name in ("a", "b")]
    begun: list[str] = []

    def second_time(job: Job, how: RunOptions) -> Performed:
        begun.append(how.journal)
        if len(begun) == 2:
            raise KeyboardInterrupt
        return perform(job, how)

    monkeypatch.setattr(together, "perform", second_time)
    assert invoke("run", *specs, "--out", tmp_path / "out", "--jobs", 1).exit_code == 130
    found = json.loads((tmp_path / "out/report.json").read_text(encoding="utf-8"))["findings"]
    assert [finding["id"] for finding in found if finding["verdict"] == "inconclusive"] == [
        "hpm-cp@b/hdp-audit.toml/interrupted"
    ]
    done = invoke("run", *specs, "--out", tmp_path / "out", "--jobs", 1, "--resume")
    assert done.exit_code == 0, done.output


@pytest.mark.parametrize(("budget", "words"), [((700, None), "--budget 700"), ((None, 60.0), "--budget 60s")])
def test_the_command_has_the_budget_that_was_asked_for(
    tmp_path: Path, budget: tuple[int | None, float | None], words: str
) -> None:
    """Also of specs that were never begun; budgets of the specs' own need no words."""
    specs = [put(tmp_path / name, REFERENCE + "seed = 1\n", LOUD) for name in ("a", "b")]
    work = together.work_of(specs, None, None, budget)
    report = together.merged(work.jobs, [together._left(job) for job in work.jobs], work.confidence)
    assert words in run_command(report, specs)
    assert words in report.environment["command"]
    own = together.work_of(
        [specs[0], put(tmp_path / "c", REFERENCE.replace("4000", "50"), LOUD)], None, None, (None, None)
    )
    report = together.merged(own.jobs, [together._left(job) for job in own.jobs], own.confidence)
    assert "--budget" not in run_command(report, specs)
