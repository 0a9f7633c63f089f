"""Reports as input: data from outside, checked before anything is believed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from hdp_audit.errors import InvalidInput

LARGEST = 500_000_000


def read_report(path: Path) -> dict[str, Any]:
    """A report.json; `InvalidInput` where it is none."""
    try:
        if path.stat().st_size > LARGEST:
            raise InvalidInput(f"{path}: larger than {LARGEST // 10**6} MB; give a report.json")
        value = json.loads(path.read_text(encoding="utf-8"))
    except OSError as why:
        raise InvalidInput(f"{path}: cannot be read ({why.strerror}); give a report.json") from None
    except (ValueError, RecursionError) as why:
        raise InvalidInput(f"{path}: is no JSON ({str(why)[:100]}); give a report.json") from None
    _refuse_strange(path, value)
    return dict(value)


def _refuse_strange(path: Path, value: object) -> None:
    if not isinstance(value, dict) or value.get("schema_version") != 1:
        raise InvalidInput(f"{path}: schema_version is not 1; give a report.json of this version")
    findings = value.get("findings")
    sound = isinstance(findings, list) and all(
        isinstance(entry, dict) and isinstance(entry.get("id"), str) and isinstance(entry.get("verdict"), str)
        for entry in findings
    )
    if not sound or not isinstance(value.get("subjects"), list) or not isinstance(value.get("environment"), dict):
        raise InvalidInput(f"{path}: findings, subjects or environment are missing; give a report.json")
