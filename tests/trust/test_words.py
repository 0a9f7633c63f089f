"""What is said to a user is true, and says what was given, what is allowed and what to do."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hdp_audit import audit
from hdp_audit.distinguishers.cells import counted
from hdp_audit.distinguishers.ramps import laplace_ramp, ramp
from hdp_audit.distinguishers.scores import learn_score
from hdp_audit.model import PrivacyClaim
from hdp_audit.runs.differences import brief, differences
from hdp_audit.targets import reads
from hdp_audit.targets.python import Target
from hdp_audit.targets.sources import Sources
from tests.cli.specs import REFERENCE, TARGET, document, invoke, written

QUICK = ("--jobs", 1, "--quiet")
SMALL = TARGET.replace("detect = 5", "detect = 20").replace("budget = 4000", "budget = 1000")


# Folders


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="needs /proc")
def test_a_folder_that_cannot_be_made_is_named_with_the_reason(tmp_path: Path) -> None:
    spec = written(tmp_path, REFERENCE)
    done = invoke("run", spec, "--out", "/proc/foo", *QUICK)
    assert done.exit_code == 2
    assert "--out /proc/foo: the folder cannot be made (No such file or directory); choose another" in done.output
    assert "resume" not in done.output


def test_a_file_in_the_place_of_the_folder_is_named(tmp_path: Path) -> None:
    spec = written(tmp_path, REFERENCE)
    done = invoke("run", spec, "--out", tmp_path / "release.py", *QUICK)
    assert done.exit_code == 2
    assert "release.py: the folder cannot be made (there is a file of this name)" in done.output


# Files that a mechanism reads by itself

TUNED = """
import json, pathlib
HERE = pathlib.Path(__file__).parent
def private_mean(data, epsilon, rng):
    scale = json.loads((HERE / 'conf.json').read_text())
    (HERE / 'count.txt').open("a").write("+")
    (HERE / 'count.txt').read_text()
    return float((0.5 * data.sum() + rng.laplace(scale=scale)) / (0.5 * data.size))
"""


def test_neither_resume_nor_replay_where_a_file_that_the_mechanism_reads_has_changed(tmp_path: Path) -> None:
    """What it writes for itself is no input of it, and may change."""
    spec, out = written(tmp_path, SMALL.format(name="private_mean")), tmp_path / "out"
    (tmp_path / "release.py").write_text(TUNED)
    (tmp_path / "conf.json").write_text("1.0")
    replay = ("replay", out / "report.json", "--finding", "private_mean/privacy/tier/0.5", "--spec", spec)
    assert invoke("run", spec, "--out", out, *QUICK).exit_code == 0
    assert set(document(out)["environment"]["files"]) == {"release.py", "conf.json"}
    assert invoke("run", spec, "--out", out, *QUICK, "--resume").exit_code == 0
    (tmp_path / "conf.json").write_text("0.0")
    for again in (("run", spec, "--out", out, *QUICK, "--resume"), replay):
        done = invoke(*again)
        assert done.exit_code == 2, done.output
        assert "conf.json has changed" in done.output
        assert "repeat itself" not in done.output


def test_only_what_is_read_beside_the_spec_or_the_mechanism_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As the audit events of a worker tell it; here they are told by hand, as a hook would outlive the test."""
    for name in ("spec/a.json", "code/b.json", "code/m.py", "code/__pycache__/m.pyc", "code/log", "code/new", "c.json"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    monkeypatch.setattr(reads, "_read", set())
    monkeypatch.setattr(reads, "_written", set())
    monkeypatch.chdir(tmp_path / "spec")
    os.mkfifo(tmp_path / "code" / "pipe")
    read, both = os.O_RDONLY, os.O_RDWR
    opened: list[tuple[Any, int]] = [("a.json", read), (b"../code/b.json", read), (3, read)]
    opened += [(str(tmp_path / "code" / name), read) for name in ("m.py", "__pycache__/m.pyc", "log", "new", "pipe")]
    opened += [("../code/log", both), ("nowhere", read), ("../c.json", read), (np.__file__, read), ("\0", read)]
    for name, flags in opened:
        reads._heard("open", (name, None, flags))
    reads._heard("os.rename", ("../code/other", "../code/new", -1, -1))
    sources = Sources(tmp_path / "spec", (Target("../code/m.py:f", tmp_path / "spec"),))
    monkeypatch.setattr("hdp_audit.targets.sources._modules", lambda: iter(()))  # those of this process are no matter
    assert set(sources.loaded()) == {"a.json", "../code/b.json", "../code/m.py"}
    assert sources.written() == {"../code/log", "../code/new"}
    assert set(sources.files(["../code/b.json"])) == {"../code/m.py", "../code/b.json"}


# Replays


def test_only_what_differs_is_shown_and_no_value_is_cut_in_the_middle() -> None:
    then = {"calls": 3, "witness": {"event": "as before", "right": 5, "users": list(range(500))}}
    now = {"calls": 3, "witness": {"event": "as before", "right": 6, "users": list(range(1, 501)), "more": None}}
    lines = list(differences(then, now))
    assert lines[0] == "witness.right: 5 then, 6 now"
    assert lines[2] == "witness.more: nothing then, null now"
    first, second = lines[1].removeprefix("witness.users: ").removesuffix(" now").split(" then, ")
    for told, start in ((first, 0), (second, 1)):
        kept, more = told.removeprefix("[").removesuffix(" more]").split(", … and ")
        numbers = [int(number) for number in kept.split(", ")]
        assert numbers == list(range(start, start + len(numbers)))
        assert len(numbers) + int(more) == 500


def test_a_long_text_is_cut_between_words_and_says_how_much_more_there_is() -> None:
    text = " ".join(f"word{number}" for number in range(200))
    told, more = brief(text).split(" … and ")
    assert told.strip('"').split() == text.split()[: len(told.split())]
    assert more == f"{200 - len(told.split())} more words"
    assert brief("a" * 1000).endswith("… and 702 more characters")


def test_numbers_that_differ_for_no_known_reason_do_not_accuse_the_mechanism_alone(tmp_path: Path) -> None:
    spec, out = written(tmp_path, REFERENCE), tmp_path / "out"
    assert invoke("run", spec, "--out", out, *QUICK).exit_code == 0
    content = document(out)
    for finding in content["findings"]:
        finding["calls"] = 1
    (out / "report.json").write_text(json.dumps(content))
    done = invoke("replay", out / "report.json", "--finding", content["findings"][0]["id"], "--spec", spec)
    assert done.exit_code == 1
    assert "calls: 1 then" in done.output
    assert "or the report was edited" in done.output


# Inert


def zero_sign(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
    return -0.0 if data.any() else 0.0


def lowest_bit(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
    bits = np.array([1.0 + rng.random()]).view(np.int64)
    return float(((bits & ~1) | int(data.any())).view(np.float64)[0])


@pytest.mark.parametrize("mechanism", [zero_sign, lowest_bit])
def test_what_is_refuted_is_not_said_to_use_no_datum(mechanism: Callable[..., Any]) -> None:
    """Both leak with certainty, so the seed does not matter."""
    report = audit(mechanism, epsilon=[0.5] * 4, task="mean", budget=3000, privacy=PrivacyClaim(detect=5))
    assert report.verdict == "fail"
    assert not [finding.id for finding in report.findings if finding.kind == "behaviour"]


# Ramps: no warning, and no evidence that is no number


def outputs_of(kind: str, coins: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    noise = rng.laplace(size=coins.size)
    if kind == "far from 0":
        return 2.0**40 + np.round((coins + noise) * 64) / 4096
    if kind == "whole numbers":
        return 2.0**52 + np.round(3 * coins + noise)
    return np.where(rng.random(coins.size) < 0.5 + 0.3 * coins, -5e-324, 0.0)


@pytest.mark.parametrize("kind", ["far from 0", "whole numbers", "negative zeros"])
def test_ramps_have_a_width_that_doubles_can_divide_by(kind: str) -> None:
    rng = np.random.default_rng(1)
    coins = rng.random(4000) < 0.5
    outputs = outputs_of(kind, coins, rng)
    coarse, fine = counted(outputs, coins, 30), counted(outputs, coins, 300)
    middle = float(np.median(outputs))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        scale = max(float(np.abs(outputs - middle).mean()), 5e-324)
        fits = [ramp(coarse, fine), laplace_ramp(fine, middle, scale), learn_score(outputs, coins, 30)]
    for fit in fits:
        assert np.isfinite(fit.evidence)
        assert np.isfinite(fit(outputs)).all()
