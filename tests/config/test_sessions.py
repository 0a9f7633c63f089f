"""[mechanism] session: who asks, and every way to get it wrong."""

from __future__ import annotations

from pathlib import Path

import pytest

from hdp_audit.config import case_of, read_spec
from hdp_audit.config.case import sources_of
from hdp_audit.config.load import OF_SESSIONS
from hdp_audit.config.problems import InvalidSpec

SPEC = """
[mechanism]
{mechanism}
task = "{task}"

[demands]
values = [1, 2]

[privacy]
{more}
"""
ASKED = 'target = "s.py:Service"\nsession = "a.py:analyst"'


def written(folder: Path, mechanism: str = ASKED, task: str = "mean", more: str = "") -> Path:
    """A spec beside a service and an analyst."""
    (folder / "s.py").write_text("class Service:\n    def __init__(self, data, epsilon, rng):\n        pass\n")
    (folder / "a.py").write_text("def analyst(service):\n    return 1\ndef pairs():\n    yield [0, 0], [1, 0], [0]\n")
    path = folder / "hdp-audit.toml"
    path.write_text(SPEC.format(mechanism=mechanism, task=task, more=more))
    return path


@pytest.mark.parametrize(
    ("mechanism", "task"), [(ASKED, "mean"), (f'{ASKED}\npairs = "a.py:pairs"', "custom")], ids=["mean", "custom"]
)
def test_a_session_is_read_and_counts_among_the_files_of_the_run(tmp_path: Path, mechanism: str, task: str) -> None:
    spec = read_spec(written(tmp_path, mechanism, task))
    assert spec.mechanism.title == "s.py:Service, asked by a.py:analyst"
    assert set(sources_of(spec).files()) == {"s.py", "a.py"}
    assert OF_SESSIONS in spec.notes
    case = case_of(spec)
    assert case.session
    assert case.name == "Service"
    assert case.mechanism()([0, 0], [1, 2], None) == 1


@pytest.mark.parametrize(
    ("mechanism", "more", "words"),
    [
        ('command = ["./release"]\nsession = "a.py:analyst"', "", "needs a target, and this is a command"),
        ('reference = "hpm-cp"\nsession = "a.py:analyst"', "", "needs a target, and this is a reference"),
        ('target = "s.py:Service"\nsession = "analyst"', "", 'session = "analyst"; give "package.module:attribute"'),
        ('target = "s.py:Service"\nsession = 3', "", "session = 3; give a text in quotes"),
        ('session = "a.py:analyst"', "", "give exactly one of target, command and reference"),
        (ASKED, "[accuracy]\nbound = 0.1", "a session has privacy alone"),
        (ASKED, "[optimality]", "a session has privacy alone"),
    ],
)
def test_what_a_session_cannot_be_is_told_with_its_line(tmp_path: Path, mechanism: str, more: str, words: str) -> None:
    with pytest.raises(InvalidSpec) as refused:
        read_spec(written(tmp_path, mechanism, more=more))
    told = [line for line in str(refused.value).splitlines() if words in line]
    assert told
    assert "hdp-audit.toml line" in told[0]
