"""`hdp-audit check SPEC` and `init`: what a few calls show."""

from __future__ import annotations

import itertools
import json
import re
import sys
import time
from pathlib import Path

import pytest

from hdp_audit.audits.enough import cost, detectable_losses
from hdp_audit.audits.plan import plan
from hdp_audit.audits.users import UsersCheck, foreseen_single
from hdp_audit.config import case_of, read_spec
from tests.cli.specs import REFERENCE, TARGET, invoke, written

KEYS = {
    "mechanism": "target reference command task categories pairs neighbours timeout inert",
    "demands": "file column values standard distribution low high users seed",
    "data": "file",
    "privacy": "detect detect_single beyond floating_point",
    "accuracy": "setting metric beta bound tolerance",
    "optimality": "",
    "run": "confidence budget seed",
    "waive": "finding reason until",
}
FUNCTIONS = {
    "raises": ("raise ValueError('out of luck')", 2, "out of luck"),
    "shape": ("return [0.5, 0.5]", 2, "wrong shape"),
    "nan": ("return float('nan')", 2, "NaN"),
    "ends": ("import os; os._exit(3)", 2, "ended its process"),
    "constant": ("return float(data.mean())", 1, "constant between calls"),
    "dull": ("return 0.5", 0, "nothing to audit"),
    "ignores": ("import numpy as np; return float(np.random.default_rng().laplace())", 0, "the rng is ignored"),
    "state": (
        "global count; count += 1; return float(data.mean() + rng.laplace() + count)",
        0,
        "state is carried over, but not their data",
    ),
    "tells": (
        "global count; told, count = count, data.mean(); return float(data.mean() + rng.laplace() + 100 * told)",
        1,
        "tells the data of the call before it",
    ),
    "keeps": (
        "kept = globals().setdefault('kept', {}); return kept.setdefault(data.tobytes(), data.mean() + rng.laplace())",
        2,
        "the same data always give the same output",
    ),
}


@pytest.mark.many(2)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_a_few_calls_find_it(tmp_path: Path, name: str) -> None:
    body, code, words = FUNCTIONS[name]
    spec = written(tmp_path, TARGET.format(name=name))
    (tmp_path / "release.py").write_text(f"count = 0\ndef {name}(data, epsilon, rng):\n    {body}\n")
    done = invoke("check", spec)
    assert words in done.output
    assert done.exit_code == code, done.output


def test_a_sound_spec_says_what_its_budget_sees_and_what_detect_costs(tmp_path: Path) -> None:
    started = time.monotonic()
    done = invoke("check", written(tmp_path, REFERENCE))
    assert time.monotonic() - started < 20  # seconds, on a busy machine too
    assert done.exit_code == 0, done.output
    case = case_of(read_spec(tmp_path / "hdp-audit.toml"))
    (sight,) = detectable_losses(case, 0.999, 4000)
    assert f"  ε = 0.5 (10 users): {sight.factor:.3g}\n" in done.output
    assert f"detect = 5 in every tier costs about {cost(case, 0.999, 5):,} calls, which this budget has" in done.output


COUNTED = """
def counted(data, epsilon, rng):
    tell(1)
    return float(rng.random())

def tell(size):
    with open("calls.txt", "a") as stream:
        stream.write(f"{size}\\n")
"""
BATCHED = """
def batch(data, epsilon, rng, size):
    tell(size)
    return rng.random(size)

counted.batch = batch
"""


@pytest.mark.parametrize("code", [COUNTED, COUNTED + BATCHED])
def test_check_calls_the_mechanism_a_few_times(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: str) -> None:
    spec = written(tmp_path, TARGET.format(name="counted"))
    (tmp_path / "release.py").write_text(code)
    monkeypatch.chdir(tmp_path)
    done = invoke("check", spec)
    assert done.exit_code == 0, done.output
    outputs = [int(line) for line in (tmp_path / "calls.txt").read_text().splitlines()]
    assert len(outputs) <= 100
    assert sum(outputs) <= 500


@pytest.mark.many(2)
@pytest.mark.parametrize("reference", ['"hpm-cp"', '"hpf-cp"\ncategories = 3', '"hpf-cp"\ncategories = 5'])
def test_what_check_foresees_is_what_the_run_reports(tmp_path: Path, reference: str) -> None:
    spec = written(tmp_path, REFERENCE.replace('"hpm-cp"', reference))
    case = case_of(read_spec(spec))
    invoke("run", spec, "--out", tmp_path / "out", "--jobs", 1, "--quiet")
    findings = json.loads((tmp_path / "out" / "report.json").read_text())["findings"]
    found = next(entry["detectable"] for entry in findings if "/privacy/tier/" in entry["id"])
    assert detectable_losses(case, 0.999, 4000)[0].loss == pytest.approx(found, rel=1e-6)
    needed = cost(case, 0.999, 1.2)
    assert needed is not None
    assert (
        detectable_losses(case, 0.999, needed)[0].factor
        <= 1.2
        < detectable_losses(case, 0.999, int(needed / 1.2))[0].factor
    )


def test_what_check_foresees_of_one_user_alone_is_what_the_run_reports(tmp_path: Path) -> None:
    spec = written(tmp_path, REFERENCE.replace("detect = 5", "detect = 5\ndetect_single = 2"))
    invoke("run", spec, "--out", tmp_path / "out", "--jobs", 1, "--quiet")
    findings = json.loads((tmp_path / "out" / "report.json").read_text())["findings"]
    (found,) = (entry for entry in findings if entry["id"].endswith("/privacy/single"))
    case = case_of(read_spec(spec))
    (users,) = (one for one in plan([case], confidence=0.999, budget=4000, seed=1) if isinstance(one, UsersCheck))
    factor = foreseen_single(case.promise, False, users.share)
    assert factor == pytest.approx(found["detectable"] / found["claimed"])
    assert found["verdict"] == "inconclusive"


def test_a_mechanism_that_uses_public_data_alone_is_not_accused(tmp_path: Path) -> None:
    text = REFERENCE.replace('reference = "hpm-cp"', 'reference = "sm"\ntask = "mean"')
    done = invoke("check", written(tmp_path, re.sub("values = .*", 'values = [0.5, "inf", 0]', text)))
    assert done.exit_code == 0, done.output
    assert "little or no noise" in done.output


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("release.py:privat_mean", "has no 'privat_mean'"),
        ("release.py:np", "cannot be called"),
        ("absent.py:f", "no file 'absent.py'"),
        ("no.such.package:f", "cannot be imported"),
        ("release.py", "give"),
    ],
)
def test_what_cannot_be_loaded_exits_two_and_says_why(tmp_path: Path, target: str, words: str) -> None:
    spec = written(tmp_path, TARGET.replace("release.py:{name}", target))
    for command in ("check", "run"):
        done = invoke(command, spec, *(["--out", tmp_path / "out"] if command == "run" else []))
        assert done.exit_code == 2
        assert words in done.output


def test_init_writes_a_spec_that_is_sound_and_never_overwrites(tmp_path: Path) -> None:
    path = tmp_path / "hdp-audit.toml"
    assert invoke("init", path).exit_code == 0
    again = invoke("init", path)
    assert again.exit_code == 2
    assert "is there already" in again.output
    done = invoke("check", path)
    assert done.exit_code == 0, done.output
    ran = invoke("run", path, "--budget", 20_000, "--out", tmp_path / "out", "--quiet")
    assert ran.exit_code == 0, ran.output


def test_init_explains_every_key_of_a_spec_in_a_comment(tmp_path: Path) -> None:
    invoke("init", tmp_path / "hdp-audit.toml")
    lines = (tmp_path / "hdp-audit.toml").read_text(encoding="utf-8").splitlines()
    for section, keys in KEYS.items():
        start = next(i for i, line in enumerate(lines) if re.match(rf"(# )?\[+{section}\]", line))
        body = "\n".join(itertools.takewhile(lambda line: not re.match(r"(# )?\[", line), lines[start + 1 :]))
        for key in keys.split():
            assert re.search(rf"\b{key}\b", body), f"[{section}] {key}"
    said = [line for line in lines if " = " in line]
    assert sum("#" in line for line in said) > 0.8 * len(said)


SEEDED = """#!{python} -S
import json, random, sys
for line in sys.stdin:
    request = json.loads(line)
    random.seed({seed})
    print(json.dumps({{"id": request["id"], "outputs": [random.random() for _ in range(request["size"])]}}), flush=True)
"""


@pytest.mark.parametrize(("seed", "told"), [('request["seed"]', False), ('min(request["seed"], 2**52)', True)])
def test_a_program_that_cuts_off_its_seeds_is_noticed(tmp_path: Path, seed: str, told: bool) -> None:
    (tmp_path / "release").write_text(SEEDED.format(python=sys.executable, seed=seed))
    (tmp_path / "release").chmod(0o755)
    spec = written(tmp_path, TARGET.replace('target = "release.py:{name}"', 'command = ["./release"]'))
    done = invoke("check", spec)
    assert done.exit_code == 0, done.output
    assert ("cuts off large seeds" in done.output) is told


def test_a_program_with_noise_of_its_own_is_told_so_and_not_of_an_rng(tmp_path: Path) -> None:
    (tmp_path / "release").write_text(SEEDED.format(python=sys.executable, seed="None"))
    (tmp_path / "release").chmod(0o755)
    done = invoke("check", written(tmp_path, TARGET.replace('target = "release.py:{name}"', 'command = ["./release"]')))
    assert "it draws noise of its own, findings cannot be replayed" in done.output
    assert "the rng is ignored" not in done.output


def test_a_batch_of_another_size_is_noticed(tmp_path: Path) -> None:
    spec = written(tmp_path, TARGET.format(name="short"))
    code = "def short(data, epsilon, rng):\n    return rng.random()\n"
    (tmp_path / "release.py").write_text(
        code + "short.batch = lambda data, epsilon, rng, size: rng.random(min(size, 50))\n"
    )
    done = invoke("check", spec)
    assert done.exit_code == 2
    assert "an array of shape (50,) instead of 100 outputs, each a number" in done.output
