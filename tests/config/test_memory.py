"""How much memory: sizes as people write them, for functions and for programs."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hdp_audit.config import case_of, read_spec
from hdp_audit.config.memory import size
from hdp_audit.errors import HdpAuditError
from tests.cli.specs import TARGET, written


@pytest.mark.parametrize(
    ("text", "bytes_"),
    [("2GiB", 2 << 30), ("1.5 GB", 1_500_000_000), ("16MiB", 16 << 20), ("512MB", 512_000_000)]
    + [(text, None) for text in ("15MiB", "2", "2G", "-1GiB", "2gib", "9999999999GiB", "")],
)
def test_a_size_has_a_number_and_a_unit(text: str, bytes_: int | None) -> None:
    assert size(text) == bytes_


def spec(folder: Path, how: str, memory: str) -> Path:
    (folder / "release").write_text(f"#!{sys.executable}\n")
    (folder / "release").chmod(0o755)
    text = TARGET.replace('target = "release.py:{name}"', how)
    return written(folder, text.replace('task = "mean"', f'task = "mean"\n{memory}'))


def test_memory_reaches_what_is_called(tmp_path: Path) -> None:
    python = case_of(read_spec(spec(tmp_path, 'target = "release.py:private_mean"', 'memory = "2GiB"')))
    program = case_of(read_spec(spec(tmp_path, 'command = ["./release"]', 'memory = "2GiB"')))
    assert python.opened.memory == 2 << 30  # type: ignore[attr-defined]
    assert program.opened.command.memory_mb == 2048  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("memory", "words"),
    [('memory = "2 gigs"', 'give a size from "16MiB"'), ('memory = "2GiB"\nmemory_mb = 64', "memory says it already")],
)
def test_a_wrong_size_is_told(tmp_path: Path, memory: str, words: str) -> None:
    with pytest.raises(HdpAuditError, match=words):
        read_spec(spec(tmp_path, 'command = ["./release"]', memory))
