"""The program in a real pseudo-terminal."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import hdp_audit
from tests.cli.specs import REFERENCE, invoke, written

pty = pytest.importorskip("pty")
COLOUR = "\x1b[1;3"  # bold and a colour, as every verdict has


def seen(spec: Path, out: Path, **more: str) -> str:
    """An audit in a terminal."""
    return shown(["run", str(spec), "--jobs", "1", "--out", str(out)], **more)


def shown(words: list[str], **more: str) -> str:
    """Everything that the program writes to a terminal of 100 columns."""
    ours, theirs = pty.openpty()
    keep = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    paths = {"PYTHONPATH": str(Path(hdp_audit.__file__).parents[1]), "TERM": "xterm", "COLUMNS": "100"}
    command = [sys.executable, "-m", "hdp_audit", *words]
    settings = {**keep, **paths, **more}
    with subprocess.Popen(command, stdout=theirs, stderr=theirs, stdin=theirs, env=settings) as process:  # noqa: S603
        os.close(theirs)
        text = b""
        while piece := _read(ours):
            text += piece
        process.wait(timeout=60)
    os.close(ours)
    assert process.returncode == 0, text
    return text.decode()


def _read(handle: int) -> bytes:
    try:
        return os.read(handle, 1 << 16)
    except OSError:  # Linux says so when the other side has closed
        return b""


def test_a_terminal_gets_a_bar_a_table_and_the_seed(tmp_path: Path) -> None:
    text = seen(written(tmp_path, REFERENCE), tmp_path / "out", COLUMNS="120")
    plain = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)
    assert re.search(
        r"hpm-cp/privacy/users .*[1-9]/[1-9] [0-9,]+ calls evidence [0-9]+% of what refutes .* left", plain
    )
    assert "━" in text
    assert "│" in text
    assert "seed 1" in text
    assert "\x1b[" in text


def test_no_color_is_respected(tmp_path: Path) -> None:
    text = seen(written(tmp_path, REFERENCE), tmp_path / "out", NO_COLOR="1")
    codes = [code for code in text.split("\x1b[")[1:] if code.split("m")[0].replace(";", "").isdigit()]
    colours = {part for code in codes for part in code.split("m")[0].split(";")}
    assert not {str(number) for number in range(30, 38)} & colours


def test_experiments_show_a_bar_with_percentage_and_time_left(tmp_path: Path) -> None:
    text = shown(["experiments", "turbo", "--quick", "--out", str(tmp_path)])
    assert "━" in text
    assert "100%" in text
    assert "left" in text
    assert "turbo: (10000, 5), C" in text
    assert "turbo.json" in text.rsplit("left", 1)[1]


def test_quiet_experiments_show_the_files_alone(tmp_path: Path) -> None:
    text = shown(["experiments", "turbo", "--quick", "--quiet", "--out", str(tmp_path)])
    assert [Path(line).name for line in text.split()] == ["turbo.json", "turbo.md", "turbo.svg"]


def test_in_a_pipe_experiments_say_a_line_every_tenth(tmp_path: Path) -> None:
    done = invoke("experiments", "turbo", "--quick", "--out", tmp_path)
    assert [line.split("%")[0] for line in done.stderr.splitlines()] == ["25", "50", "75", "100"]
    assert [Path(line).name for line in done.stdout.split()] == ["turbo.json", "turbo.md", "turbo.svg"]
