"""The report: findings about one or more subjects, and the worst of their verdicts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from hdp_audit.errors import HdpAuditError
from hdp_audit.model.bound import Bound
from hdp_audit.model.finding import Finding, Verdict

WORST_FIRST: tuple[Verdict, ...] = ("fail", "error", "inconclusive", "pass")


class Refuted(HdpAuditError):
    """An audit that did not pass; the message carries the findings that say why."""


@dataclass(frozen=True)
class AuditReport:
    """What an audit found; `verdict` is fail before error before inconclusive before pass."""

    subject: str
    findings: tuple[Finding, ...]
    confidence: float
    seed: int
    calls: int

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of any finding; nothing audited is an error."""
        found = {finding.verdict for finding in self.findings}
        return next((verdict for verdict in WORST_FIRST if verdict in found), "error")

    def raise_for_verdict(self) -> None:
        """Raise `Refuted` unless everything passed."""
        if self.verdict != "pass":
            lines = [f"{f.verdict}: {f.id}: {f.message}" for f in self.findings if f.verdict != "pass"]
            raise Refuted("\n".join([f"{self.subject}: {self.verdict}", *lines]))

    def to_json(self) -> dict[str, Any]:
        """The report as plain values; infinities are the string "inf"."""
        return {
            "schema_version": 1,
            "verdict": self.verdict,
            "confidence": self.confidence,
            "seed": self.seed,
            "findings": [_finding(finding) for finding in self.findings],
            "totals": {"calls": self.calls},
        }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "subject": finding.subject,
        "kind": finding.kind,
        "verdict": finding.verdict,
        "evidence": finding.evidence,
        "users": list(finding.users),
        "claimed": _plain(finding.claimed),
        "lower": _bound(finding.lower),
        "upper": _bound(finding.upper),
        "detectable": _plain(finding.detectable),
        "calls": finding.calls,
        "witness": finding.witness,
        "message": finding.message,
        "waiver": None,
    }


def _bound(bound: Bound | None) -> dict[str, Any] | None:
    if bound is None:
        return None
    return {"value": _plain(bound.value), "confidence": bound.confidence, "method": bound.method}


def _plain(value: float | None) -> float | str | None:
    return "inf" if value == float("inf") else value
