"""Every key of a spec does what the contract says, through the program."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hdp_audit.config import read_spec
from tests.cli.specs import QUICK, REFERENCE, TARGET, document, invoke, written

TEN = "values = [0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.5]"
LAW = np.array([0.5] * 6 + [1.0] * 4 + [0.0, np.inf])


def audited(folder: Path, text: str, code: int | None = None) -> dict[str, Any]:
    done = invoke("run", written(folder, text), "--out", folder / "out", *QUICK)
    assert code is None or done.exit_code == code, done.output
    assert (folder / "out" / "report.json").exists(), done.output
    return document(folder / "out")


def verdicts(report: dict[str, Any]) -> dict[str, str]:
    return {finding["id"].split("/", 1)[1]: finding["verdict"] for finding in report["findings"]}


# [demands]


@pytest.mark.parametrize(
    ("demands", "summary"),
    [
        ('standard = "tiers"', {"users": 1000, "min": 0, "max": "inf", "public": 5, "zero": 5}),
        ('values = [0, 0.1, 1, "inf"]', {"users": 4, "min": 0, "max": "inf", "public": 1, "zero": 1}),
        (
            'distribution = "uniform"\nlow = 0.5\nhigh = 0.5\nusers = 30\nseed = 2',
            {"users": 30, "min": 0.5, "max": 0.5, "public": 0, "zero": 0},
        ),
        (
            'distribution = "log-uniform"\nlow = 0\nhigh = 0\nusers = 30',
            {"users": 30, "min": 1, "max": 1, "public": 0, "zero": 0},
        ),
    ],
)
def test_demands_by_name_by_value_and_by_distribution_are_those_of_the_report(
    tmp_path: Path, demands: str, summary: dict[str, Any]
) -> None:
    report = audited(tmp_path, REFERENCE.replace(TEN, demands))
    assert report["subjects"][0]["demands"] == summary


def test_standard_tiers_are_those_of_the_mathematics(tmp_path: Path) -> None:
    values, counts = np.unique(
        read_spec(written(tmp_path, REFERENCE.replace(TEN, 'standard = "tiers"'))).demands.values, return_counts=True
    )
    assert dict(zip(values.tolist(), counts.tolist(), strict=True)) == {0: 5, 0.02: 100, 0.5: 800, 2: 90, np.inf: 5}


def saved(folder: Path, kind: str) -> str:
    """The same demands in a file of every kind."""
    names = [f"user-{i}" for i in range(LAW.size)]
    if kind == "npy":
        np.save(folder / "demands.npy", LAW)
    elif kind == "csv":
        lines = "".join(f"{name},{value}\n" for name, value in zip(names, LAW, strict=True))
        (folder / "demands.csv").write_text(f"id,eps\n{lines}")
    else:
        import pyarrow as pa
        from pyarrow import parquet

        parquet.write_table(pa.table({"id": names, "eps": LAW}), folder / "demands.parquet")
    return f'file = "demands.{kind}"' + ("" if kind == "npy" else '\ncolumn = "eps"')


@pytest.mark.parametrize("kind", ["csv", "npy", "parquet"])
def test_a_file_of_demands_of_any_kind_is_read_and_its_ids_are_carried(tmp_path: Path, kind: str) -> None:
    text = REFERENCE.replace(TEN, saved(tmp_path, kind))
    demands = read_spec(written(tmp_path, text)).demands
    np.testing.assert_array_equal(demands.values, LAW)
    assert demands.ids == (None if kind == "npy" else tuple(f"user-{i}" for i in range(LAW.size)))
    assert audited(tmp_path, text)["subjects"][0]["demands"]["users"] == LAW.size


# [privacy]


@pytest.mark.parametrize(("how", "code", "verdict"), [("fail", 1, "fail"), ("warn", 0, "pass"), ("off", 0, None)])
def test_a_leak_through_bits_fails_warns_or_is_not_looked_for(
    tmp_path: Path, how: str, code: int, verdict: str | None
) -> None:
    text = TARGET.format(name="in_doubles").replace('floating_point = "off"', f'floating_point = "{how}"')
    report = audited(tmp_path, text.replace("budget = 4000", "budget = 40000"), code)
    assert verdicts(report).get("float/bits") == verdict


@pytest.mark.parametrize(
    ("single", "code", "verdict"), [('"report"', 0, None), ("1.01", 3, "inconclusive"), ("20", 0, "pass")]
)
def test_one_user_alone_binds_only_where_a_factor_is_given(
    tmp_path: Path, single: str, code: int, verdict: str | None
) -> None:
    text = TARGET.format(name="private_mean").replace("detect = 5", f"detect = 5\ndetect_single = {single}")
    assert verdicts(audited(tmp_path, text, code)).get("privacy/single") == verdict
    checked = invoke("check", tmp_path / "hdp-audit.toml")
    assert checked.exit_code == code, checked.output
    assert ("one user alone is named from" in checked.output) == (verdict is not None)


# [data]


def test_own_data_are_a_further_dataset_that_is_attacked(tmp_path: Path) -> None:
    text = TARGET.format(name="picky") + '\n[data]\nfile = "data.csv"\n'
    spec = written(tmp_path, text)
    (tmp_path / "data.csv").write_text("x\n" + "0.4375\n" * 10)
    (tmp_path / "release.py").write_text(
        "def picky(data, epsilon, rng):\n"
        "    return float(data.mean() + rng.laplace() * (0.2 if 0.4375 not in data else 0))\n"
    )
    done = invoke("run", spec, "--out", tmp_path / "out", *QUICK)
    assert done.exit_code == 1, done.output
    guilty = [f["witness"]["base"] for f in document(tmp_path / "out")["findings"] if f["verdict"] == "fail"]
    assert "the data given" in guilty


# [accuracy] and [optimality]


def accuracy(folder: Path, body: str, mechanism: str = 'target = "release.py:private_mean"') -> str:
    """The verdict on an accuracy claim and nothing else."""
    text = TARGET.format(name="private_mean").replace('target = "release.py:private_mean"', mechanism)
    text = re.sub(r"\[privacy\].*?\[run\]", f"[accuracy]\n{body}\n\n[run]", text, flags=re.DOTALL)
    report = audited(folder, text.replace("budget = 4000", "budget = 10_000"))
    assert len(verdicts(report)) == 1
    ((found, verdict),) = verdicts(report).items()
    setting, metric = found.split("/")[1:]
    assert f'setting = "{setting}"' in body or setting == "correlated"
    assert f'metric = "{metric}"' in body or metric == "pac"
    return verdict


@pytest.mark.parametrize(
    ("body", "verdict"),
    [
        ("bound = 0.8", "pass"),
        ("bound = 0.3", "fail"),  # Laplace noise of scale 0.2 exceeds 0.3 with probability 0.22, not 0.05
        ("bound = 0.3\nbeta = 0.4", "pass"),
        ('metric = "mse"\nbound = 0.2', "pass"),
        ('metric = "mse"\nbound = 0.02', "fail"),
        ('setting = "weakly-correlated"\nbound = 0.8', "pass"),
        ('bound = "hpm-cp"\ntolerance = 1.0001', "inconclusive"),
    ],
)
@pytest.mark.many(2)
def test_an_accuracy_claim_is_judged_by_its_keys(tmp_path: Path, body: str, verdict: str) -> None:
    assert accuracy(tmp_path, body) == verdict
    checked = invoke("check", tmp_path / "hdp-audit.toml")
    assert checked.exit_code == (3 if verdict == "inconclusive" else 0), checked.output
    lacks = "which this budget lacks" in checked.output
    assert lacks == (verdict == "inconclusive"), checked.output


def test_an_explicit_bound_is_the_theorem_of_a_reference_mechanism(tmp_path: Path) -> None:
    assert accuracy(tmp_path, 'bound = "explicit"', 'reference = "hpm-cp"') == "pass"


@pytest.mark.parametrize(("name", "verdict"), [("no_noise", "fail"), ("private_mean", "pass")])
def test_nobody_beats_the_lower_bound(tmp_path: Path, name: str, verdict: str) -> None:
    text = re.sub(r"\[privacy\].*?\[run\]", "[optimality]\n\n[run]", TARGET.format(name=name), flags=re.DOTALL)
    found = verdicts(audited(tmp_path, text.replace("budget = 4000", "budget = 20_000")))
    assert set(found.values()) == {verdict}
    assert invoke("check", tmp_path / "hdp-audit.toml").exit_code in (0, 1)  # the budget is not what lacks


def test_check_and_run_agree_on_too_few_calls_to_refute_the_truth(tmp_path: Path) -> None:
    text = re.sub(r"\[privacy\].*?\[run\]", "[optimality]\n\n[run]", TARGET, flags=re.DOTALL).format(
        name="private_mean"
    )
    text = text.replace("0.5", "2.5").replace("budget = 4000", "budget = 1000\nconfidence = 0.999999")
    assert set(verdicts(audited(tmp_path, text, 3)).values()) == {"inconclusive"}
    assert invoke("check", tmp_path / "hdp-audit.toml").exit_code == 3


# [run]


def test_the_numbers_of_a_run_are_the_specs_unless_the_command_line_says_otherwise(tmp_path: Path) -> None:
    text = REFERENCE.replace("budget = 4000", "budget = 4000\nconfidence = 0.99\nseed = 5")
    first = audited(tmp_path, text)
    assert (first["confidence"], first["seed"], first["environment"]["budget"]) == (0.99, 5, 4000)
    more = ("--confidence", 0.9, "--seed", 6, "--budget", 5000)
    invoke("run", tmp_path / "hdp-audit.toml", "--out", tmp_path / "out", *QUICK, *more)
    second = document(tmp_path / "out")
    assert (second["confidence"], second["seed"], second["environment"]["budget"]) == (0.9, 6, 5000)
    assert {f["lower"]["confidence"] for f in second["findings"] if f["lower"]} == {0.9}
