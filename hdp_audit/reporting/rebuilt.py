"""A report.json as a report again, so that everything that renders reports renders those that were read, too."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from hdp_audit.errors import HdpAuditError, InvalidInput
from hdp_audit.model.bound import Bound
from hdp_audit.model.counterexample import Counterexample, Guesses
from hdp_audit.model.finding import Finding
from hdp_audit.model.identity import Identity
from hdp_audit.model.report import AuditReport
from hdp_audit.model.subject import DemandSummary, PromiseSummary, SubjectSummary
from hdp_audit.model.telling import TierSummary
from hdp_audit.model.traced import TracedLoss
from hdp_audit.model.waiver import Waiver

OF_COUNTEREXAMPLES = (
    *("base", "users", "group", "group_claimed", "first", "second", "event", "right", "guesses", "allowed"),
    *("calls", "allowed_right", "confirmation", "measurement"),
)


def rebuilt(document: Mapping[str, Any], source: str = "report.json") -> AuditReport:
    """The report; everybody's own figures are not in the file, so pictures of these are missing.

    `document` is what `read_report` gives; what is of the wrong kind in it is told in a sentence.
    """
    try:
        return _report(document)
    except (HdpAuditError, KeyError, TypeError, ValueError, AttributeError, AssertionError, IndexError) as why:
        raise InvalidInput(f"{source}: {type(why).__name__}: {why}; give a report.json that `run` wrote") from None


def _report(document: Mapping[str, Any]) -> AuditReport:
    totals, environment = document["totals"], document.get("environment")
    return AuditReport(
        tuple(_subject(subject) for subject in document["subjects"]),
        tuple(_finding(finding) for finding in document["findings"]),
        float(document["confidence"]),
        int(document["seed"]),
        int(totals.get("calls", 0)),
        float(totals.get("seconds", 0.0)),
        dict(environment) if isinstance(environment, Mapping) else {},
        Identity.from_json(document.get("identity")),
    )


def _subject(given: Mapping[str, Any]) -> SubjectSummary:
    demands, promise = given["demands"], given.get("promise") or {}
    ends = (_number(demands.get("min")) or 0.0, _number(demands.get("max")) or 0.0)
    users = [int(demands.get(name) or 0) for name in ("users", "public", "zero")]
    kind, symbol = promise.get("kind", "pure"), promise.get("symbol", "ε")
    return SubjectSummary(
        str(given["name"]),
        given.get("task", "custom"),
        given.get("source", "python"),
        DemandSummary(users[0], *ends, users[1], users[2]),
        categories=given.get("categories"),
        details=dict(given.get("details") or {}),
        audited=bool(given.get("audited", True)),
        file=given.get("file"),
        promise=PromiseSummary(str(kind), str(symbol), promise.get("delta")),
        neighbours=str(given.get("neighbours", "replace")),
        tiers=tuple(_tier(tier) for tier in given.get("tiers") or ()),
        ids={int(user): str(name) for user, name in (given.get("ids") or {}).items()},
        line=given.get("line"),
        reach=_reach(given.get("reach")),
        looked_at=tuple(str(topic) for topic in given.get("looked_at") or ()),
    )


def _reach(given: Any) -> tuple[float, float] | None:
    return None if given is None else (float(given[0]), float(given[1]))


def _tier(given: Mapping[str, Any]) -> TierSummary:
    low, high, right, detected = (float(given[name]) for name in ("smallest", "largest", "right", "detected"))
    names, delta = tuple(str(name) for name in given["names"]), _number(given["delta"])
    return TierSummary(str(given["finding"]), int(given["users"]), low, high, right, detected, delta, names)


def _finding(given: Mapping[str, Any]) -> Finding:
    witness = given.get("witness") or {}
    traced, shown = witness.get("traced"), _counterexample(witness)
    hidden = {"traced", *(OF_COUNTEREXAMPLES if shown is not None else ())}
    return Finding(
        id=str(given["id"]),
        subject=str(given["subject"]),
        kind=given["kind"],
        verdict=given["verdict"],
        evidence=given["evidence"],
        message=str(given.get("message", "")),
        label=str(given.get("label", "")),
        scope=given.get("scope", "mechanism"),
        metric=given.get("metric"),
        examined=bool(given.get("examined", True)),
        users=tuple(int(user) for user in given.get("users") or ()),
        claimed=_number(given.get("claimed")),
        lower=_bound(given.get("lower"), Bound.lower),
        upper=_bound(given.get("upper"), Bound.upper),
        detectable=_number(given.get("detectable")),
        calls=int(given.get("calls") or 0),
        counterexample=shown,
        traced=None if traced is None else TracedLoss.from_json(traced),
        facts={key: value for key, value in witness.items() if key not in hidden},
        waiver=_waiver(given.get("waiver"), str(given["id"])),
    )


def _counterexample(found: Mapping[str, Any]) -> Counterexample | None:
    if "base" not in found or "first" not in found or not found.get("users"):
        return None
    again, measured = found.get("confirmation"), found.get("measurement")
    return Counterexample(
        base=str(found["base"]),
        users=tuple(int(user) for user in found["users"]),
        claimed=float(found["group_claimed"]),
        first=str(found["first"]),
        second=str(found["second"]),
        event=str(found["event"]),
        guesses=Guesses(int(found["right"]), int(found["guesses"]), found.get("calls")),
        allowed=float(found["allowed"]),
        confirmation=None if again is None else Guesses(int(again["right"]), int(again["guesses"])),
        confirmed=again is not None and bool(again["refuted"]),
        measurement=None if measured is None else Guesses(int(measured["right"]), int(measured["guesses"])),
        allowed_right=_number(found.get("allowed_right")),
    )


def _bound(given: Any, made: Any) -> Bound | None:
    if given is None:
        return None
    bound: Bound = made(float(given["value"]), str(given.get("method", "")), given.get("confidence"))
    return bound


def _waiver(given: Any, finding: str) -> Waiver | None:
    return None if given is None else Waiver(finding, str(given["reason"]), dt.date.fromisoformat(given["until"]))


def _number(value: Any) -> float | None:
    return None if value is None else float(value)
