"""The program as a user starts it."""

from __future__ import annotations

import subprocess
import sys

from click.testing import CliRunner

import hdp_audit
from hdp_audit.cli import main
from mechanisms import names
from tests.cli.specs import invoke_program


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603 - our own program
        [sys.executable, "-m", "hdp_audit", *arguments], capture_output=True, text=True, check=False
    )


def test_help_needs_no_spec_and_exits_zero() -> None:
    done = run("--help")
    assert done.returncode == 0
    assert "list" in done.stdout


def test_version_is_the_packages() -> None:
    assert hdp_audit.__version__ in run("--version").stdout


def test_list_names_every_mechanism_one_a_line() -> None:
    lines = CliRunner().invoke(main, ["list"]).output.splitlines()
    assert [line.split("\t")[0] for line in lines] == names()
    assert all(len(line.split("\t")) == 3 for line in lines)


def test_list_can_be_narrowed_to_a_task() -> None:
    output = CliRunner().invoke(main, ["list", "--task", "mean"]).output
    assert "hpm-cp" in output
    assert "hpf-cp" not in output


def test_an_unknown_command_exits_two_without_a_traceback() -> None:
    done = run("lsit")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


def test_a_crash_of_ours_exits_two_with_a_sentence() -> None:
    def crash() -> None:
        raise RuntimeError("no such luck")

    done = invoke_program(crash)
    assert done.exit_code == 2
    assert done.output.startswith("hdp-audit: RuntimeError: no such luck\n")
    assert "Traceback" not in done.output
