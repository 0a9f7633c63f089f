"""`hdp-audit run SPEC`: exit codes, files, gates."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import Result

from hdp_audit.runs.budget import FIRST
from hdp_audit.targets.executors import cores
from tests.cli.specs import REFERENCE, TARGET, invoke, written

READS = pytest.mark.xdist_group("refuted")  # one worker has the report


def report(out: Path) -> dict[str, Any]:
    return dict(json.loads((out / "report.json").read_text(encoding="utf-8")))


@pytest.fixture(scope="module")
def refuted(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Result]:
    """The reports of a mechanism without noise, and what was said, made once."""
    folder = tmp_path_factory.mktemp("refuted")
    out = folder / "out"
    return out, invoke("run", written(folder, TARGET.format(name="no_noise")), "--out", out, "--jobs", 1)


def test_a_sound_mechanism_exits_zero_and_writes_every_report(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = invoke("run", written(tmp_path, REFERENCE), "--out", out, "--jobs", 1)
    assert done.exit_code == 0, done.output
    assert out.is_dir(), done.output
    names = {"html", "json", "junit.xml", "sarif", "md"}
    assert {f"report.{name}" for name in names} | {"users.csv.gz", "journal.jsonl"} == {f.name for f in out.iterdir()}
    assert report(out)["verdict"] == "pass"


def test_the_seed_and_a_line_to_repeat_the_run_are_always_printed(tmp_path: Path) -> None:
    """And nothing more while it runs, where it is quiet."""
    spec, out = written(tmp_path, REFERENCE), tmp_path / "out"
    for quiet in ([], ["--quiet"]):
        output = invoke("run", spec, "--out", out, "--jobs", 1, "--seed", 7, *quiet).output
        assert f"hdp-audit run {spec} --seed 7 --confidence 0.999 --budget 4000" in output
        assert ("[1/" in output) is not bool(quiet)


@READS
def test_a_mechanism_without_noise_exits_one_with_a_replay_line(refuted: tuple[Path, Result]) -> None:
    out, done = refuted
    assert done.exit_code == 1, done.output
    assert f"hdp-audit replay {out}/report.json --finding" in done.output


@READS
def test_the_report_holds_no_paths_and_names_its_subject_by_the_spec(refuted: tuple[Path, Result]) -> None:
    found = report(refuted[0])
    assert found["subjects"][0]["name"] == "release.py:no_noise"
    assert all(entry["subject"] == "release.py:no_noise" for entry in found["findings"])
    assert all(entry["id"].startswith("no_noise/") for entry in found["findings"])
    assert str(refuted[0].parent) not in json.dumps(found)
    for name in ("spec_sha256", "demands_sha256", "mechanism_sha256"):
        assert len(found["environment"][name]) == 64


def test_a_mechanism_without_an_rng_is_marked_not_replayable(tmp_path: Path) -> None:
    spec = written(tmp_path, TARGET.format(name="alone").replace('task = "mean"', 'task = "mean"\ninert = "allow"'))
    (tmp_path / "release.py").write_text("def alone(data, epsilon):\n    return 0.5\n")
    done = invoke("run", spec, "--out", tmp_path / "out", "--jobs", 1, "--quiet")
    assert done.exit_code == 0, done.output
    assert report(tmp_path / "out")["environment"]["replayable"] is False


def test_too_little_power_exits_three_unless_that_is_allowed(tmp_path: Path) -> None:
    spec = written(tmp_path, REFERENCE.replace("detect = 5", "detect = 1.001"))
    for more, code in (([], 3), (["--allow-inconclusive"], 0)):
        done = invoke("run", spec, "--out", tmp_path / "out", "--jobs", 1, "--quiet", *more)
        assert done.exit_code == code, done.output
        junit = (tmp_path / "out" / "report.junit.xml").read_text(encoding="utf-8")
        assert ("<failure" in junit) == (code == 3)  # JUnit says the same


def test_one_job_and_two_give_the_same_report(tmp_path: Path) -> None:
    spec = written(tmp_path, REFERENCE)
    found = []
    for jobs in (1, 2):
        out = tmp_path / str(jobs)
        invoke("run", spec, "--out", out, "--jobs", jobs, "--quiet")
        found.append(report(out))
    for entry in found:
        entry["totals"].pop("seconds")
        entry["environment"].pop("date")
        entry["environment"].pop("seconds_by_check")
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("options", "asked"),
    [((), ("local", cores())), (("--jobs", 3), ("local", 3)), (("--jobs", 1, "--executor", "dask=tcp://x:1"), None)],
)
def test_jobs_and_executor_are_those_of_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[object, ...], asked: tuple[str, int] | None
) -> None:
    seen: list[tuple[str, int]] = []

    def spied(text: str, jobs: int, *_: object, **__: object) -> Any:
        seen.append((text, jobs))
        return contextlib.nullcontext(map)

    monkeypatch.setattr("hdp_audit.runs.perform.executor", spied)
    assert invoke("run", written(tmp_path, REFERENCE), "--out", tmp_path / "out", "--quiet", *options).exit_code == 0
    assert seen == [asked or ("dask=tcp://x:1", 1)]


def test_a_budget_in_seconds_is_recorded_as_calls(tmp_path: Path) -> None:
    out = tmp_path / "out"
    done = invoke("run", written(tmp_path, REFERENCE), "--out", out, "--jobs", 1, "--budget", "0.2s", "--quiet")
    assert done.exit_code in (0, 3), done.output  # how many calls fit depends on the machine
    environment = report(out)["environment"]
    assert environment.get("budget", 0) >= FIRST
    assert environment["budget_asked"] == "0.2s"


@pytest.mark.parametrize("option", [("--budget", "0"), ("--budget", "soon"), ("--confidence", "1.5"), ("--jobs", "0")])
def test_bad_options_exit_two(tmp_path: Path, option: tuple[str, str]) -> None:
    assert invoke("run", written(tmp_path, REFERENCE), *option).exit_code == 2


def test_an_unknown_executor_exits_two(tmp_path: Path) -> None:
    done = invoke("run", written(tmp_path, REFERENCE), "--out", tmp_path / "out", "--executor", "cloud")
    assert done.exit_code == 2
    assert "dask" in done.output


def test_a_missing_spec_exits_two_and_says_how_to_get_one(tmp_path: Path) -> None:
    done = invoke("run", tmp_path / "absent.toml")
    assert done.exit_code == 2
    assert "hdp-audit init" in done.output


WAIVER = """
[[waive]]
finding = "{finding}"
reason = "known, mended in the next release"
until = {until}
"""


def failing(out: Path) -> list[str]:
    return [entry["id"] for entry in report(out)["findings"] if entry["verdict"] == "fail"]


@READS
def test_waived_failures_exit_zero_until_their_date_and_one_after(tmp_path: Path, refuted: tuple[Path, Result]) -> None:
    text, out = TARGET.format(name="no_noise"), refuted[0]
    for until, code in (("2999-12-31", 0), ("2020-01-01", 1)):
        waivers = "".join(WAIVER.format(finding=name, until=until) for name in failing(out))
        spec = written(tmp_path, text + waivers)
        done = invoke("run", spec, "--out", tmp_path / until, "--jobs", 1, "--quiet", "--allow-inconclusive")
        assert done.exit_code == code, done.output
        assert report(tmp_path / until)["verdict"] == "fail"
        assert any(entry["waiver"] for entry in report(tmp_path / until)["findings"])


def test_a_waiver_that_names_no_finding_exits_two(tmp_path: Path) -> None:
    spec = written(tmp_path, REFERENCE + WAIVER.format(finding="hpm-cp/behaviour/drift", until="2999-12-31"))
    done = invoke("run", spec, "--out", tmp_path / "out", "--jobs", 1, "--quiet")
    assert done.exit_code == 2
    assert "names no finding" in done.output


def test_a_mistake_in_waivers_or_baseline_hides_no_refuted_claim(tmp_path: Path) -> None:
    """1 before 2."""
    text = TARGET.format(name="no_noise")
    spec = written(tmp_path, text + WAIVER.format(finding="no_noise/behaviour/drift", until="2999-12-31"))
    done = invoke("run", spec, "--out", tmp_path / "out", "--jobs", 1, "--quiet")
    assert done.exit_code == 1, done.output
    assert "names no finding" in done.output
    other = json.loads((tmp_path / "out" / "report.json").read_text())
    (tmp_path / "other.json").write_text(json.dumps({**other, "subjects": []}))
    options = ("--jobs", 1, "--quiet", "--baseline", tmp_path / "other.json")
    done = invoke("run", written(tmp_path, text), "--out", tmp_path / "out", *options)
    assert done.exit_code == 1, done.output
    assert "the reports are about different things" in done.output


def test_a_baseline_that_is_no_report_exits_two_before_the_run(tmp_path: Path) -> None:
    spec = written(tmp_path, REFERENCE)
    done = invoke("run", spec, "--out", tmp_path / "out", "--baseline", spec)
    assert done.exit_code == 2
    assert not (tmp_path / "out").exists()


def test_a_regression_against_a_baseline_exits_one(tmp_path: Path) -> None:
    spec, old, out = written(tmp_path, TARGET.format(name="private_mean")), tmp_path / "old", tmp_path / "out"
    invoke("run", spec, "--out", old, "--jobs", 1, "--quiet")
    baseline = old / "report.json"
    same = invoke("run", spec, "--out", out, "--jobs", 1, "--quiet", "--baseline", baseline)
    assert same.exit_code == 0, same.output
    assert "no regression" in same.output
    assert invoke("compare", baseline, out / "report.json").exit_code == 0
    worse = json.loads(baseline.read_text())
    for finding in worse["findings"]:
        if finding["kind"] == "privacy" and finding["evidence"] == "tested":
            finding["verdict"] = "fail"
    (tmp_path / "worse.json").write_text(json.dumps({**worse, "verdict": "fail"}))
    compared = invoke("compare", baseline, tmp_path / "worse.json")
    assert compared.exit_code == 1, compared.output
    assert "worse: " in compared.output
    options = ("--jobs", 1, "--quiet", "--baseline", baseline, "--confidence", 0.99)
    lowered = invoke("run", spec, "--out", out, *options)
    assert lowered.exit_code == 1, lowered.output
    assert "worse: confidence was lowered" in lowered.output
    assert report(out)["verdict"] == "pass"
