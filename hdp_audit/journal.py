"""What was done so far, one JSON object a line, so that an interrupted run can go on. Nothing is unpickled."""

from __future__ import annotations

import base64
import dataclasses
import datetime as dt
import json
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from hdp_audit.auditors.share import Outcome
from hdp_audit.errors import HdpAuditError, InvalidInput
from hdp_audit.model import Bound, Counterexample, Finding, Guesses, Side, UserFigures, Waiver

NAME = "journal.jsonl"


class Journal:
    """Appends outcomes to a file. The header says what they belong to; another header is refused."""

    def __init__(self, path: Path, header: Mapping[str, Any]) -> None:
        self._path = path
        self._header = dict(header)

    def start(self) -> None:
        """Begin anew."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text(json.dumps({"journal": 1, **self._header}) + "\n", encoding="utf-8")
        except OSError as why:
            raise HdpAuditError(f"{self._path}: cannot be written ({why.strerror}); choose another --out") from None

    def add(self, name: str, outcome: Outcome) -> None:
        """One finished check."""
        with self._path.open("a", encoding="utf-8") as stream:
            stream.write(json.dumps({"check": name, "outcome": outcome_to_json(outcome)}) + "\n")

    def resume(self) -> dict[str, Outcome]:
        """Outcomes by check; a last line that was cut off is dropped, from the file too."""
        header, entries = read(self._path)
        differing = [key for key, value in self._header.items() if header.get(key) != value]
        if differing:
            lines = [f"{key}: {header.get(key)!r} then, {self._header[key]!r} now" for key in differing]
            raise InvalidInput(f"{self._path} belongs to another run ({'; '.join(lines)}); start anew without --resume")
        self.start()
        for name, outcome in entries.items():
            self.add(name, outcome)
        return entries


def read(path: Path) -> tuple[dict[str, Any], dict[str, Outcome]]:
    """Header and outcomes of a journal."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        raise InvalidInput(f"{path}: there is no journal to resume; start without --resume") from None
    header = _object(lines[0]) if lines else None
    if header is None or header.get("journal") != 1:
        raise InvalidInput(f"{path}: line 1 is no journal's header; start anew without --resume")
    entries = {}
    for number, line in enumerate(lines[1:], start=2):
        entry = _object(line)
        try:
            if entry is None:
                raise ValueError("no JSON object")
            entries[str(entry["check"])] = outcome_from_json(entry["outcome"])
        except (KeyError, ValueError, TypeError, AttributeError, HdpAuditError) as why:
            if number == len(lines):
                break
            raise InvalidInput(f"{path} line {number}: is damaged ({why}); start anew without --resume") from None
    return header, entries


def outcome_to_json(outcome: Outcome) -> dict[str, Any]:
    """Plain values; arrays as bytes in base64, exact to the bit."""
    return {
        "findings": [_encoded(_fields(finding)) for finding in outcome.findings],
        "calls": outcome.calls,
        "figures": None if outcome.figures is None else _encoded(_fields(outcome.figures)),
        "details": _encoded(outcome.details),
    }


def outcome_from_json(value: Mapping[str, Any]) -> Outcome:
    """The same outcome again."""
    figures = value["figures"]
    return Outcome(
        tuple(_finding(entry) for entry in value["findings"]),
        int(value["calls"]),
        None if figures is None else UserFigures(**_decoded(figures)),
        _decoded(value["details"]),
    )


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def _finding(entry: Mapping[str, Any]) -> Finding:
    fields = _decoded(entry)
    for side in ("lower", "upper"):
        if fields[side] is not None:
            bound = fields[side]
            fields[side] = Bound(Side(bound["side"]), bound["value"], bound["confidence"], bound["method"])
    if fields["counterexample"] is not None:
        fields["counterexample"] = _counterexample(fields["counterexample"])
    if fields["waiver"] is not None:
        waiver = fields["waiver"]
        fields["waiver"] = Waiver(waiver["finding"], waiver["reason"], dt.date.fromisoformat(waiver["until"]))
    return Finding(**{**fields, "users": tuple(fields["users"])})


def _counterexample(entry: dict[str, Any]) -> Counterexample:
    counts = ("guesses", "confirmation", "measurement")
    told = {name: None if entry[name] is None else Guesses(**entry[name]) for name in counts}
    return Counterexample(**{**entry, **told, "users": tuple(entry["users"])})


def _encoded(value: Any) -> Any:
    match value:
        case Side():
            return value.value
        case dt.date():
            return value.isoformat()
        case Bound() | Waiver() | Counterexample() | Guesses():
            return _encoded(_fields(value))
        case dict():
            return {str(key): _encoded(entry) for key, entry in value.items()}
        case np.ndarray():
            data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode("ascii")
            return {"$array": data, "type": value.dtype.str, "shape": list(value.shape)}
        case list() | tuple():
            return [_encoded(entry) for entry in value]
        case np.generic():
            return _encoded(value.item())
        case float() if not math.isfinite(value):
            return {"$float": str(value)}
    return value


def _decoded(value: Any) -> Any:
    if isinstance(value, list):
        return [_decoded(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    if "$float" in value:
        return float(value["$float"])
    if "$array" in value:
        kind = np.dtype(value["type"])
        if kind.kind not in "fiub":
            raise ValueError(f"an array of type {kind}")
        return np.frombuffer(base64.b64decode(value["$array"]), dtype=kind).reshape(value["shape"]).copy()
    return {key: _decoded(entry) for key, entry in value.items()}


def _object(line: str) -> dict[str, Any] | None:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
