"""The report: findings about one or more subjects, and the worst of their verdicts."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from hdp_audit.errors import HdpAuditError, InvalidInput
from hdp_audit.model.bound import Bound
from hdp_audit.model.finding import Finding, Verdict
from hdp_audit.model.identity import Identity
from hdp_audit.model.subject import SubjectSummary
from hdp_audit.model.waiver import Waiver
from hdp_audit.presentation import presenter

COLUMNS = (
    *("id", "subject", "kind", "verdict", "evidence", "claimed", "lower", "upper"),
    *("detectable", "calls", "users", "waived", "message"),
)
WORST_FIRST: tuple[Verdict, ...] = ("fail", "error", "inconclusive", "pass")


class Refuted(HdpAuditError):
    """An audit that did not pass; the message carries the findings that say why."""


@dataclass(frozen=True, eq=False, repr=False)
class AuditReport:
    """What an audit found; `verdict` is fail before error before inconclusive before pass.

    `print(report)` shows it on a screen of 72 columns; a notebook shows its page.

    Args:
        subjects: What was audited.
        findings: What was found, one entry per claim.
        confidence: Of everything in the report together.
        seed: Of all randomness.
        calls: Of all mechanisms.
        seconds: How long it took.
        environment: Versions and hashes, where it ran.
        identity: What its owner calls it and states.

    Example:
        >>> from hdp_audit import audit
        >>> report = audit(lambda data, epsilon, rng: 0.5, epsilon=[1.0] * 5, task="mean", budget=2500, inert="allow")
        >>> report.verdict, report.findings[0].kind
        ('pass', 'privacy')
    """

    subjects: tuple[SubjectSummary, ...]
    findings: tuple[Finding, ...]
    confidence: float
    seed: int
    calls: int
    seconds: float = 0.0
    environment: dict[str, Any] = field(default_factory=dict)
    identity: Identity = field(default_factory=Identity)

    def __post_init__(self) -> None:
        refuse_twins("finding", [finding.id for finding in self.findings])
        refuse_twins("subject", [subject.name for subject in self.subjects])

    @property
    def verdict(self) -> Verdict:
        """The worst verdict of any finding; nothing audited is an error."""
        found = {finding.verdict for finding in self.findings}
        return next((verdict for verdict in WORST_FIRST if verdict in found), "error")

    def origin(self, finding: Finding) -> dict[str, Any]:
        """The environment of what a finding is about: that of its own spec in a report of several."""
        specs = self.environment.get("specs")
        entries = [entry for entry in specs if isinstance(entry, dict)] if isinstance(specs, list) else []
        return next((entry for entry in entries if entry.get("subject") == finding.subject), self.environment)

    def raise_for_verdict(self) -> None:
        """Raise `Refuted` unless everything passed."""
        if self.verdict != "pass":
            names = ", ".join(subject.name for subject in self.subjects)
            lines = [f"{f.verdict}: {f.id}: {f.message}" for f in self.findings if f.verdict != "pass"]
            raise Refuted("\n".join([f"{names}: {self.verdict}", *lines]))

    def __repr__(self) -> str:
        names = ", ".join(subject.name for subject in self.subjects[:3]) + ", ..." * (len(self.subjects) > 3)
        return f"<AuditReport {self.verdict!r}: {names!r}, {len(self.findings)} findings, seed {self.seed}>"

    def __str__(self) -> str:
        return presenter().screen(self)

    def _repr_html_(self) -> str:
        return presenter().cell(self)

    def to_html(self) -> str:
        """The whole report as one HTML page, as `hdp-audit run` writes it."""
        return presenter().page(self)

    def findings_frame(self) -> Any:
        """A pandas DataFrame with a row for each finding; pandas is loaded when this is called.

        Columns: id, subject, kind, verdict, evidence, claimed, lower, upper, detectable, calls, users, waived, message.
        """
        try:
            import pandas as pd
        except ImportError:
            raise InvalidInput("findings_frame() needs pandas; install hdp-audit[pandas]") from None
        return pd.DataFrame([_row(finding) for finding in self.findings], columns=list(COLUMNS))

    def to_json(self) -> dict[str, Any]:
        """The report as plain values; infinities are the string "inf"."""
        return {
            "schema_version": 2,
            "verdict": self.verdict,
            "confidence": self.confidence,
            "seed": self.seed,
            "subjects": [_subject(subject) for subject in self.subjects],
            "findings": [_finding(finding) for finding in self.findings],
            "totals": {"calls": self.calls, "seconds": self.seconds},
            "environment": self.environment,
            "identity": self.identity.to_json(),
        }


def refuse_twins(what: str, names: list[str]) -> None:
    """Two things under one name are a bug, and one of them would get lost: better no report than that."""
    if len(set(names)) < len(names):
        twins = sorted({name for name in names if names.count(name) > 1})
        raise AssertionError(f"one name for more than one {what}: {', '.join(twins[:5])}")


def _row(finding: Finding) -> dict[str, Any]:
    bounds = {side: None if bound is None else bound.value for side, bound in _bounds(finding).items()}
    plain = {name: getattr(finding, name) for name in COLUMNS if name not in (*bounds, "waived", "users")}
    return {**plain, **bounds, "users": len(finding.users), "waived": finding.waiver is not None}


def _bounds(finding: Finding) -> dict[str, Bound | None]:
    return {"lower": finding.lower, "upper": finding.upper}


def _subject(subject: SubjectSummary) -> dict[str, Any]:
    demands = subject.demands
    return {
        "name": subject.name,
        "task": subject.task,
        "source": subject.source,
        "categories": subject.categories,
        "demands": {
            "users": demands.users,
            "min": _plain(demands.smallest),
            "max": _plain(demands.largest),
            "public": demands.public,
            "zero": demands.zero,
        },
        "promise": {
            "kind": subject.promise.kind,
            "symbol": subject.promise.symbol,
            "delta": subject.promise.delta,
        },
        "neighbours": subject.neighbours,
        "audited": subject.audited,
        "file": subject.file,
        "line": subject.line,
        "looked_at": list(subject.looked_at),
        "reach": None if subject.reach is None else list(subject.reach),
        "tiers": [tier.to_json() for tier in subject.tiers],
        "ids": {str(user): name for user, name in subject.ids.items()},
        "details": subject.details,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "id": finding.id,
        "subject": finding.subject,
        "kind": finding.kind,
        "label": finding.label,
        "scope": finding.scope,
        "metric": finding.metric,
        "examined": finding.examined,
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
        "waiver": _waiver(finding.waiver),
    }


def _waiver(waiver: Waiver | None) -> dict[str, str] | None:
    return None if waiver is None else {"reason": waiver.reason, "until": waiver.until.isoformat()}


def _bound(bound: Bound | None) -> dict[str, Any] | None:
    if bound is None:
        return None
    return {"value": _plain(bound.value), "confidence": bound.confidence, "method": bound.method}


def _plain(value: float | None) -> float | str | None:
    return "inf" if value == float("inf") else value
