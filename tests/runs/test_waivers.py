"""Waivers by pattern: they name several findings, are shown, expire, and cannot waive everything."""

from __future__ import annotations

import datetime as dt
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from hdp_audit.cli import main
from hdp_audit.model.waiver import Waiver
from hdp_audit.runs.finish import waiver_of
from tests.reporting.sample_report import passing, tier

DAY = dt.date(2100, 1, 1)
RELEASE = (
    "def half(data, epsilon, rng):\n    return round(float(data.mean() + rng.laplace(0, 0.5 / epsilon.sum())), 5)\n"
)
SPEC = """
[mechanism]
target = "release.py:half"
task = "mean"

[demands]
values = [1, 1, 1, 2, 2, 2]

[privacy]
trace = "off"
floating_point = "off"
detect = 50

[run]
budget = 4000

[[waive]]
finding = "{finding}"
reason = "known"
until = {until}
"""


def test_a_written_out_id_goes_before_a_pattern_and_a_pattern_names_failures_alone() -> None:
    exact, pattern = Waiver("m/privacy/tier/0.5", "exact", DAY), Waiver("m/privacy/*", "pattern", DAY)
    bad = tier("m", 0.5, "fail")
    assert waiver_of(bad, (pattern, exact)) is exact
    assert waiver_of(bad, (pattern,)) is pattern
    assert waiver_of(tier("n", 0.5, "fail"), (pattern, exact)) is None
    assert waiver_of(passing().findings[0], (Waiver("*privacy*", "x", DAY),)) is None


@pytest.mark.parametrize(("given", "id_"), [("a[1]/x", "a[1]/x"), ("a/*", "a/b/c"), ("a/?", "a/b")])
def test_what_a_waiver_names(given: str, id_: str) -> None:
    assert Waiver(given, "x", DAY).names(id_)
    assert not Waiver(given, "x", DAY).names(f"z{id_}")


def run(folder: Path, finding: str, until: str = "2100-01-01") -> tuple[int, str]:
    (folder / "release.py").write_text(RELEASE)
    (folder / "hdp-audit.toml").write_text(SPEC.format(finding=finding, until=until))
    given = ["run", str(folder / "hdp-audit.toml"), "--out", str(folder / "out"), "--jobs", "1", "--quiet"]
    done = CliRunner().invoke(main, given)
    return done.exit_code, done.output


def test_a_pattern_waives_every_failing_tier_and_quiet_says_so(tmp_path: Path) -> None:
    code, output = run(tmp_path, "half/privacy/*")
    assert code == 0, output
    assert "fail (all waived)" in output
    assert output.count("(waived until 2100-01-01)") >= 2
    found = json.loads((tmp_path / "out" / "report.json").read_text())["findings"]
    assert {f["waiver"]["reason"] for f in found if f["verdict"] == "fail"} == {"known"}
    assert "skipped" in (tmp_path / "out" / "report.junit.xml").read_text()


def test_a_waiver_of_calls_that_fail_now_and_then_may_name_nothing(tmp_path: Path) -> None:
    code, output = run(tmp_path, "*/behaviour/call/raised")
    assert code == 1, output  # the tiers', and not 2


def test_an_expired_pattern_waives_nothing_and_says_so(tmp_path: Path) -> None:
    code, output = run(tmp_path, "half/privacy/*", "2020-01-01")
    assert code == 1
    assert "waiver expired on 2020-01-01" in output
    assert "all waived" not in output


@pytest.mark.parametrize(
    ("finding", "told"),
    [
        ("*", "would waive what nobody has seen"),
        ("*/*", "would waive what nobody"),
        ("half/*", "of the kinds behaviour"),
        ("other/*", "names nothing"),
    ],
)
def test_a_pattern_of_everything_or_of_nothing_is_refused(tmp_path: Path, finding: str, told: str) -> None:
    code, output = run(tmp_path, finding)
    assert code == 2
    assert told in output
