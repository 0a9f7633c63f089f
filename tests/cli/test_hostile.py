"""What comes from outside is hostile: names, stderr, processes that die."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

from click.testing import CliRunner

import hdp_audit
from hdp_audit.cli import main
from tests.cli.specs import TARGET, invoke, written

PROGRAM = """
import json, sys
sys.stderr.write("\\x1b]0;owned\\x07\\x1b[31mred alert\\x1b[0m\\n")
sys.stderr.flush()
for line in sys.stdin:
    request = json.loads(line)
    if max(request["data"]) > 0:
        sys.exit(7)
    print(json.dumps({"id": request["id"], "outputs": [0.5] * request["size"]}), flush=True)
"""


def test_a_mechanism_that_takes_its_process_down_is_a_finding_and_the_rest_is_kept(tmp_path: Path) -> None:
    spec, out = written(tmp_path, TARGET.format(name="ends")), tmp_path / "out"
    (tmp_path / "release.py").write_text("import os\ndef ends(data, epsilon, rng):\n    os._exit(3)\n")
    done = invoke("run", spec, "--out", out, "--jobs", 1, "--quiet")
    assert done.exit_code == 2, done.output
    found = json.loads((out / "report.json").read_text())
    errors = [entry for entry in found["findings"] if entry["verdict"] == "error"]
    assert [entry["id"] for entry in errors] == ["ends/behaviour/call/ended"]
    assert "the process died" in errors[0]["message"]
    assert {entry["verdict"] for entry in found["findings"] if entry["kind"] == "privacy"} == {"inconclusive"}


def test_a_program_that_dies_on_some_data_is_reported_without_its_control_sequences(tmp_path: Path) -> None:
    (tmp_path / "release").write_text(f"#!{sys.executable} -S\n{PROGRAM}")
    (tmp_path / "release").chmod(0o755)
    text = TARGET.replace('target = "release.py:{name}"', 'command = ["./release"]\ntimeout = "5s"')
    text = text.replace("budget = 4000", "budget = 200")
    spec, out = written(tmp_path, text), tmp_path / "out"
    done = invoke("run", spec, "--out", out, "--jobs", 1)
    assert done.exit_code == 1, done.output  # that it ends tells the data
    text = (out / "report.json").read_text()
    assert "ended with exit code 7" in text
    assert "red alert" in text
    assert re.search(r"this happened in [\d,]+ of [\d,]+ calls", text)
    assert "\\u001b" not in text
    assert "\x1b" not in done.output


def test_a_program_that_kills_its_parent_ends_no_check(tmp_path: Path) -> None:
    (tmp_path / "release").write_text("#!/bin/sh\nkill -9 $PPID\n")
    (tmp_path / "release").chmod(0o755)
    text = TARGET.replace('target = "release.py:{name}"', 'command = ["./release"]\nprotocol = "once"')
    command = [sys.executable, "-m", "hdp_audit", "check", str(written(tmp_path, text))]
    paths = {"PYTHONPATH": str(Path(hdp_audit.__file__).parents[1])}
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **paths})  # noqa: S603 - ours
    assert done.returncode == 2, done.stdout + done.stderr
    assert "error: the mechanism ended its process" in done.stdout


def test_a_message_of_the_mechanism_does_not_steer_the_terminal(tmp_path: Path) -> None:
    spec = written(tmp_path, TARGET.format(name="red"))
    (tmp_path / "release.py").write_text("def red(data, epsilon, rng):\n    raise ValueError('\\x1b[31mred')\n")
    done = CliRunner().invoke(main, ["check", str(spec)], color=True)
    assert "red" in done.output
    assert "\x1b" not in done.output


def test_a_name_that_is_a_script_does_not_get_into_the_page(tmp_path: Path) -> None:
    folder = tmp_path / "<script>alert(1)<"
    folder.mkdir()
    spec, out = (
        written(tmp_path, TARGET.format(name="x").replace("release.py", "<script>alert(1)</script>.py")),
        tmp_path,
    )
    folder.joinpath("script>.py").write_text("def x(data, epsilon, rng):\n    return 0.5\n")
    done = invoke("run", spec, "--out", out / "out", "--jobs", 1, "--quiet", "--allow-inconclusive")
    assert done.exit_code == 0, done.output
    assert "<script>" in json.loads((out / "out" / "report.json").read_text())["subjects"][0]["name"]
    assert "<script" not in (out / "out" / "report.html").read_text()
