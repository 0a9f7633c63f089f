"""The report of a run: its fields, its limits, and what is never in it."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from xml.etree import ElementTree as ET

import numpy as np
import pytest
from jsonschema import Draft202012Validator

from hdp_audit import audit
from hdp_audit.audits.users import LEAST_TRIAL, MOST_SUSPECTS
from hdp_audit.model import PrivacyClaim
from hdp_audit.reporting.report_json import SCHEMA
from hdp_audit.search.screening import LEAST_NOISE_DRAWS
from hdp_audit.search.tiers import tiers
from tests.cli.specs import ODD, QUICK, TARGET, document, invoke, written

MEAN = """
[mechanism]
target = "release.py:{name}"
task = "mean"

[demands]
file = "demands.csv"

[data]
file = "salaries.csv"

[privacy]
detect = 5

[run]
budget = 4000
"""
SECRET = "0.73519264"  # noqa: S105 - a salary that must not come out


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The reports of a sound mechanism on a file of demands with ids, infinity and 0, and on the user's own data."""
    folder = tmp_path_factory.mktemp("real")
    demands = [0.1] * 8 + [0.5] * 8 + ["inf", 0]
    lines = "".join(f"user-{place},{demand}\n" for place, demand in enumerate(demands))
    (folder / "demands.csv").write_text(f"id,epsilon\n{lines}")
    (folder / "salaries.csv").write_text("salary\n" + f"{SECRET}\n" * len(demands))
    done = invoke("run", written(folder, MEAN.format(name="private_mean")), "--out", folder / "out", *QUICK)
    assert done.exit_code in (0, 1, 3), done.output
    return folder / "out"


def test_a_real_report_has_the_contracts_fields_and_keeps_the_shipped_schema(real: Path) -> None:
    found = document(real)
    Draft202012Validator(json.loads(SCHEMA.read_text())).validate(found)
    top = {"schema_version", "verdict", "confidence", "seed", "subjects", "findings", "totals", "environment"}
    assert top <= set(found)
    assert (found["schema_version"], found["confidence"], found["seed"]) == (2, 0.999, 1)
    assert {"calls", "seconds"} <= set(found["totals"])
    # The budget, 3,000 for the behaviour, and what single users take beyond a small share: the noise and every suspect
    on_top = 3000 + LEAST_NOISE_DRAWS + MOST_SUSPECTS * LEAST_TRIAL
    assert 4000 <= found["totals"]["calls"] <= 4000 + on_top
    assert 0 < found["totals"]["seconds"] < 600
    fields = "id subject kind verdict evidence users claimed lower upper detectable calls witness message waiver"
    assert all(set(fields.split()) <= set(finding) for finding in found["findings"])


def test_subjects_sum_up_their_demands_with_infinity_as_a_word(real: Path) -> None:
    (subject,) = document(real)["subjects"]
    assert (subject["name"], subject["task"], subject["source"]) == ("release.py:private_mean", "mean", "python")
    assert subject["demands"] == {"users": 18, "min": 0, "max": "inf", "public": 1, "zero": 1}


def test_there_is_a_finding_for_every_distinct_demand_and_a_tested_pass_says_what_it_would_have_seen(
    real: Path,
) -> None:
    found = document(real)["findings"]
    assert {f["claimed"] for f in found if "/privacy/tier/" in f["id"]} == {0, 0.1, 0.5}
    tested = [f for f in found if (f["kind"], f["verdict"], f["evidence"]) == ("privacy", "pass", "tested")]
    assert tested
    assert all(f["detectable"] is not None for f in tested)
    assert {f["verdict"] for f in found} <= {"pass", "fail", "error", "inconclusive"}
    calls = [f["calls"] for f in found if "/privacy/tier/" in f["id"]]
    assert min(calls) > 0
    assert sum(calls) <= document(real)["totals"]["calls"]


def test_every_user_has_a_line_with_position_row_and_id(real: Path) -> None:
    assert "users.csv.gz" in {file.name for file in real.iterdir()}
    with gzip.open(real / "users.csv.gz", "rt", encoding="utf-8", newline="") as stream:
        lines = list(csv.DictReader(stream))
    told = [(line["user"], line["row"], line["id"]) for line in lines]
    assert told == [(str(place), str(place + 2), f"user-{place}") for place in range(18)]
    assert [line["demand"] for line in lines[15:]] == ["0.5", "inf", "0.0"]


def test_the_users_own_data_are_in_no_file_of_a_report(real: Path) -> None:
    for file in real.iterdir():
        content = file.read_bytes()
        text = gzip.decompress(content) if file.suffix == ".gz" else content
        assert SECRET[:6].encode() not in text, file.name


@pytest.mark.parametrize("users", [33, 1000])
def test_many_distinct_demands_make_at_most_32_tiers_of_everybody_who_is_not_public(users: int) -> None:
    epsilon = np.append(np.linspace(0, 3, users) ** 4, np.inf)
    found = tiers(epsilon)
    assert len(found) <= 32
    assert np.sort(np.concatenate(found)).tolist() == list(range(users))
    sizes = [tier.size for tier in found if epsilon[tier].min() > 0]
    assert max(sizes) - min(sizes) <= 1  # bins of quantiles


def test_up_to_32_distinct_demands_are_tiers_of_their_own() -> None:
    epsilon = np.repeat(np.linspace(0, 3, 32) ** 4, np.arange(1, 33))
    assert [(np.unique(epsilon[tier]).size, tier.size) for tier in tiers(epsilon)] == [(1, n) for n in range(1, 33)]


def test_at_most_200_users_are_named_and_listed() -> None:
    def no_noise(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
        return float(data.mean())

    claim = PrivacyClaim(floating_point="off")
    report = audit(no_noise, epsilon=[0.5] * 300, task="mean", budget=20_000, privacy=claim)
    named = [finding for finding in report.findings if "/privacy/user/" in finding.id]
    assert 1 <= len(named) <= 200
    assert max(len(finding.users) for finding in report.findings) <= 200
    assert all(finding.users == (int(finding.id.rsplit("/", 1)[1]),) for finding in named)


def test_a_waived_failure_is_skipped_in_junit_and_its_error_is_not(tmp_path: Path) -> None:
    waiver = '\n[[waive]]\nfinding = "{}"\nreason = "known"\nuntil = 2999-12-31\n'
    for name, tag in (("no_noise", "skipped"), ("raises", "error")):
        text, folder = TARGET.format(name=name), tmp_path / name
        folder.mkdir()
        spec, code = written(folder, text), (folder / "release.py").read_text() + ODD
        (folder / "release.py").write_text(code)
        invoke("run", spec, "--out", folder / "out", *QUICK)
        bad = [f["id"] for f in document(folder / "out")["findings"] if f["verdict"] in ("fail", "error")]
        spec.write_text(text + "".join(waiver.format(finding) for finding in bad))
        done = invoke("run", spec, "--out", folder / "out", *QUICK, "--allow-inconclusive")
        assert done.exit_code == (0 if tag == "skipped" else 2), done.output
        root = ET.parse(folder / "out" / "report.junit.xml").getroot()  # noqa: S314 - our own file
        assert {child.tag for case in root.iter("testcase") for child in case} - {"system-out"} == {tag}
