"""The spec in the working folder, which a command takes where none is given, and where its reports go."""

from __future__ import annotations

from pathlib import Path

DEFAULT = Path("hdp-audit.toml")
OUT = Path("reports/latest")  # where `run` writes
HOW = "`hdp-audit init --from file.py:function` writes one for a function of yours"


def spec_here() -> Path | None:
    """`hdp-audit.toml` in the working folder, or None."""
    return DEFAULT if DEFAULT.is_file() else None
