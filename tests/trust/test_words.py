"""What is said to a user is true, and says what was given, what is allowed and what to do."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.specs import TARGET, document, invoke, written

QUICK = ("--jobs", 1, "--quiet")
SMALL = TARGET.replace("detect = 5", "detect = 20").replace("budget = 4000", "budget = 1000")
TUNED = """
import json, pathlib
HERE = pathlib.Path(__file__).parent
{top}
def private_mean(data, epsilon, rng):
    {inside}
    return float((0.5 * data.sum() + rng.laplace(scale=scale)) / (0.5 * data.size))
"""
READ = "scale = json.loads((HERE / 'conf.json').read_text())"


@pytest.mark.parametrize(("top", "inside"), [(READ, "pass"), ("", READ)], ids=["loaded", "called"])
def test_neither_resume_nor_replay_where_a_file_that_the_mechanism_reads_has_changed(
    tmp_path: Path, top: str, inside: str
) -> None:
    spec, out = written(tmp_path, SMALL.format(name="private_mean")), tmp_path / "out"
    (tmp_path / "release.py").write_text(TUNED.format(top=top, inside=inside))
    (tmp_path / "conf.json").write_text("1.0")
    replay = ("replay", out / "report.json", "--finding", "private_mean/privacy/tier/0.5", "--spec", spec)
    assert invoke("run", spec, "--out", out, *QUICK).exit_code == 0
    assert set(document(out)["environment"]["files"]) == {"release.py", "conf.json"}
    assert invoke("run", spec, "--out", out, *QUICK, "--resume").exit_code == 0
    assert invoke(*replay).exit_code == 0
    (tmp_path / "conf.json").write_text("0.0")
    for again in (("run", spec, "--out", out, *QUICK, "--resume"), replay):
        done = invoke(*again)
        assert done.exit_code == 2, done.output
        assert "conf.json has changed" in done.output
        assert "does not repeat itself" not in done.output
