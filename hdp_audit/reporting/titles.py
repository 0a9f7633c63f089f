"""What findings, tiers and users are called on a page: by the owner's names, never by a field's."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING

from hdp_audit.reporting.numbers import short
from hdp_audit.reporting.verdicts import is_alone, is_named, label, named

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding
    from hdp_audit.model.report import AuditReport
    from hdp_audit.model.subject import SubjectSummary
    from hdp_audit.model.telling import TierSummary

MOST_IDS = 12  # users that a line names
KINDS = {
    "privacy": "Privacy",
    "float": "Lowest bits of the outputs",
    "accuracy": "Error",
    "optimality": "Error against the lower bound",
    "behaviour": "Behaviour of calls",
    "proof": "Proof",
}
WHOLE = {"privacy/trace": "Privacy, calculated from the program's draws"}  # labels that no words come of
METRICS = {"pac": "quantile", "mse": "mean square"}
ABOUT_DEMANDS = "demands"  # a fact of findings about what outputs tell of demands


def subject_of(report: AuditReport, finding: Finding) -> SubjectSummary | None:
    """What the finding is about."""
    return next((subject for subject in report.subjects if subject.name == finding.subject), None)


def tier_of(subject: SubjectSummary | None, finding: Finding) -> TierSummary | None:
    """The tier that a finding is about."""
    tiers = () if subject is None else subject.tiers
    return next((tier for tier in tiers if tier.finding == finding.label), None)


def tier_title(tier: TierSummary, symbol: str) -> str:
    """`careful`, or `ε = 0.5`; with both where the owner has a name."""
    low, high = short(tier.smallest), short(tier.largest)
    promised = f"{symbol} = {low}" if low == high else f"{symbol} from {low} to {high}"
    promised += f", δ = {short(tier.delta)}" if tier.delta else ""
    names = ", ".join(named(name, 60) for name in tier.names)
    return f"{names} ({promised})" if names else promised


def user_title(user: int, ids: Mapping[int, str]) -> str:
    """By id; by position where there is none."""
    return named(ids[user], 60) if user in ids else f"number {user}"


def users_by_id(users: Iterable[int], ids: Mapping[int, str]) -> str:
    """Some of them by their ids; empty where these have none."""
    known = [named(ids[user], 60) for user in users if user in ids]
    rest = len(known) - MOST_IDS
    return ", ".join(known[:MOST_IDS]) + (f" and {rest:,} more" if rest > 0 else "")


def title(finding: Finding, subject: SubjectSummary | None = None) -> str:
    """What is claimed, in words that need no other page."""
    kind, ids = KINDS.get(finding.kind, finding.kind), {} if subject is None else subject.ids
    tier = tier_of(subject, finding)
    if tier is not None and subject is not None:
        return f"{kind} of users: {tier_title(tier, subject.promise.symbol)}"
    if is_alone(finding):
        return f"{kind} of user {user_title(finding.users[0], ids)}"
    if is_named(finding) and finding.users:
        return f"{kind} of users who were moved together"
    if finding.facts.get("about") == ABOUT_DEMANDS and finding.users:
        return f"What outputs tell of demands: user {user_title(finding.users[0], ids)}"
    if finding.label in WHOLE:
        return WHOLE[finding.label]
    if finding.metric is not None:
        return f"{kind}: {METRICS[finding.metric]} ({_rest(finding)})"
    return f"{kind}: {_rest(finding)}" if finding.kind not in ("float",) else kind


def _rest(finding: Finding) -> str:
    """The label without its kind, as words."""
    words = label(finding).removeprefix(f"{finding.kind}/")
    return words.replace("/", " · ").replace("_", " ").replace("-", " ")
