"""Reports of version 1 read as those of version 2.

Of version 1 only ids told what a finding is about. They are taken apart here, once and for good: that format is closed.
"""

from __future__ import annotations

from typing import Any

from hdp_audit.model.finding import Scope
from hdp_audit.model.vocabulary import METRICS

SCOPES: dict[str, Scope] = {"tier": "tier", "user": "user", "pair": "pair", "state": "calls", "single-calls": "calls"}
UNEXAMINED = ("beyond", "public", "nothing_audited")  # flags among the facts


def from_version_1(report: dict[str, Any]) -> dict[str, Any]:
    """The same report with what version 2 says in fields of its own; nothing else is changed."""
    findings = [{**finding, **_fields(finding)} for finding in report["findings"]]
    untried = {f["subject"] for f in report["findings"] if _witness(f).get("nothing_audited")}
    subjects = [{**one, "audited": one["name"] not in untried, "file": None} for one in report["subjects"]]
    return {**report, "schema_version": 2, "findings": findings, "subjects": subjects}


def _fields(finding: dict[str, Any]) -> dict[str, Any]:
    kind, name, witness = finding["kind"], finding["id"], _witness(finding)
    _, found, rest = name.rpartition(f"/{kind}/")
    about, *_, last = (rest if found else name).split("/") * 2
    proved = finding.get("evidence") == "proved"
    return {
        "label": f"{kind}/{rest}" if found else name.removeprefix(f"{finding['subject']}/"),
        "scope": SCOPES.get(about, "mechanism") if kind == "privacy" and found else "mechanism",
        "metric": last if kind in ("accuracy", "optimality") and last in METRICS else None,
        "examined": not any(witness.get(flag) for flag in UNEXAMINED) or bool(witness.get("beyond") and proved),
    }


def _witness(finding: dict[str, Any]) -> dict[str, Any]:
    witness = finding.get("witness")
    return witness if isinstance(witness, dict) else {}
