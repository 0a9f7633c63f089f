"""What a report.json is about: runs of several specs in one folder replace each other's."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from hdp_audit.reporting.numbers import printable

MOST = 3  # names


def whose(report: Mapping[str, Any]) -> str:
    """`bug.toml (mean_salary_bug)`: its specs and its mechanisms."""
    subjects = [str(subject["name"])[:100] for subject in report["subjects"]]
    rest = f" and {len(subjects) - MOST} more" if len(subjects) > MOST else ""
    spec = str(report["environment"].get("spec", "no spec"))[:200]
    return printable(f"{spec} ({', '.join(subjects[:MOST])}{rest})")


def whose_in(folder: Path) -> str:
    """Of the report that lies in a folder; empty where there is none that can be read."""
    try:
        return whose(json.loads((folder / "report.json").read_text(encoding="utf-8")))
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return ""
