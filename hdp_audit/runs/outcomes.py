"""Outcomes as plain JSON and back, exact to the bit. Nothing is unpickled."""

from __future__ import annotations

import base64
import dataclasses
import datetime as dt
import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from hdp_audit.audits.share import ClaimTest, Outcome
from hdp_audit.model import Bound, Counterexample, Finding, Guesses, Side, UserFigures, Waiver
from hdp_audit.model.traced import TracedLoss


def outcome_to_json(outcome: Outcome, kept: Callable[[Any], Any] | None = None) -> dict[str, Any]:
    """Plain values; arrays as bytes in base64, exact to the bit, or what `kept` makes of everybody's figures."""
    keep = kept or encoded
    return {
        "findings": [encoded(_fields(finding)) for finding in outcome.findings],
        "calls": outcome.calls,
        "figures": None if outcome.figures is None else {k: keep(v) for k, v in _fields(outcome.figures).items()},
        "traced": keep(outcome.traced),
        "details": encoded(outcome.details),
        "trusts_batches": outcome.trusts_batches,
        "barred": outcome.barred,
        "seconds": outcome.seconds,
        "tests": [encoded(_fields(test)) for test in outcome.tests],
        "drawn": outcome.drawn,
        "failed": dict(outcome.failed),
    }


def outcome_from_json(value: Mapping[str, Any], found: Callable[[Any], Any] | None = None) -> Outcome:
    """The same outcome again; `found` gives back what `kept` made."""
    find = found or decoded
    figures = value["figures"]
    return Outcome(
        tuple(_finding(entry) for entry in value["findings"]),
        int(value["calls"]),
        None if figures is None else UserFigures(**{k: find(v) for k, v in figures.items()}),
        decoded(value["details"]),
        trusts_batches=bool(value["trusts_batches"]),
        barred=str(value["barred"]),
        seconds=float(value.get("seconds", 0.0)),
        traced=find(value["traced"]),
        tests=tuple(ClaimTest(**decoded(entry)) for entry in value["tests"]),
        drawn=int(value["drawn"]),
        failed={str(name): int(count) for name, count in value["failed"].items()},
    )


def _fields(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in dataclasses.fields(value)}


def _finding(entry: Mapping[str, Any]) -> Finding:
    fields = decoded(entry)
    for side in ("lower", "upper"):
        if fields[side] is not None:
            bound = fields[side]
            fields[side] = Bound(Side(bound["side"]), bound["value"], bound["confidence"], bound["method"])
    if fields["counterexample"] is not None:
        fields["counterexample"] = _counterexample(fields["counterexample"])
    if fields["traced"] is not None:
        fields["traced"] = TracedLoss.from_json(fields["traced"])
    if fields["waiver"] is not None:
        waiver = fields["waiver"]
        fields["waiver"] = Waiver(waiver["finding"], waiver["reason"], dt.date.fromisoformat(waiver["until"]))
    return Finding(**{**fields, "users": tuple(fields["users"]), "traceback": tuple(fields["traceback"])})


def _counterexample(entry: dict[str, Any]) -> Counterexample:
    counts = ("guesses", "confirmation", "measurement")
    told = {name: None if entry[name] is None else Guesses(**entry[name]) for name in counts}
    return Counterexample(**{**entry, **told, "users": tuple(entry["users"])})


def encoded(value: Any) -> Any:
    """Plain values that stand for it."""
    match value:
        case Side():
            return value.value
        case dt.date():
            return value.isoformat()
        case TracedLoss():
            return encoded(value.to_json())
        case Bound() | Waiver() | Counterexample() | Guesses():
            return encoded(_fields(value))
        case dict():
            return {str(key): encoded(entry) for key, entry in value.items()}
        case np.ndarray():
            data = base64.b64encode(np.ascontiguousarray(value).tobytes()).decode("ascii")
            return {"$array": data, "type": value.dtype.str, "shape": list(value.shape)}
        case list() | tuple():
            return [encoded(entry) for entry in value]
        case np.generic():
            return encoded(value.item())
        case float() if not math.isfinite(value):
            return {"$float": str(value)}
    return value


def decoded(value: Any) -> Any:
    """The same again."""
    if isinstance(value, list):
        return [decoded(entry) for entry in value]
    if not isinstance(value, dict):
        return value
    if "$float" in value:
        return float(value["$float"])
    if "$array" in value:
        kind = np.dtype(value["type"])
        if kind.kind not in "fiub":
            raise ValueError(f"an array of type {kind}")
        return np.frombuffer(base64.b64decode(value["$array"]), dtype=kind).reshape(value["shape"]).copy()
    return {key: decoded(entry) for key, entry in value.items()}
