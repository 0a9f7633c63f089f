"""Commands on a narrow terminal: they can be copied."""

from __future__ import annotations

import shlex
import subprocess

import pytest

from hdp_audit.reporting.folded import command_lines, folded

COMMAND = shlex.join(
    ["hdp-audit", "replay", "my reports/report.json", "--finding", "it's/privacy/tier/0.05", "--spec", "a.toml"]
)


@pytest.mark.parametrize("width", [1, 30, 40, 60, 72, 500])
def test_a_shell_reads_a_folded_command_as_the_same_words(width: int) -> None:
    lines = folded(COMMAND, width)
    said = subprocess.run(  # noqa: S603
        ["sh", "-c", "printf '%s|' " + "\n".join(lines)],  # noqa: S607
        capture_output=True,
        text=True,
        check=True,
    )
    assert said.stdout.split("|")[:-1] == shlex.split(COMMAND)
    assert width < 60 or all(len(line) <= width for line in lines)


def test_a_command_that_fits_or_goes_to_a_file_stays_on_its_line() -> None:
    assert command_lines("  replay:", COMMAND, None) == command_lines("  replay:", COMMAND, 200)
    assert command_lines("  replay:", COMMAND, None) == [f"  replay: {COMMAND}"]
    assert command_lines("  replay:", COMMAND, 72)[0] == "  replay:"
    assert max(map(len, command_lines("  replay:", COMMAND, 72))) <= 72
