"""A registry entry in the form of OpenDP's registry of deployments, with tiers of the parameter beside its largest one.

What nobody has stated is an empty text; nothing is filled in that is neither in the report nor the owner's words.
"""

from __future__ import annotations

import hashlib
import math
import re
from typing import TYPE_CHECKING, Any

from hdp_audit.reporting.dossier.entry import Entry
from hdp_audit.reporting.meaning import RELATIONS
from hdp_audit.reporting.numbers import short
from hdp_audit.reporting.verdicts import WORDS, tally

if TYPE_CHECKING:
    from hdp_audit.model.subject import SubjectSummary
    from hdp_audit.model.telling import TierSummary

FLAVOURS = {
    "pure": "Pure DP",
    "approximate": "Approximate DP",
    "zcdp": "Zero-concentrated DP",
    "gaussian": "Gaussian DP",
}
PARAMETERS = {"pure": "epsilon", "approximate": "epsilon", "zcdp": "rho", "gaussian": "mu"}


def registry_entries(entry: Entry) -> list[dict[str, Any]]:
    """One for each mechanism of a report."""
    return [_entry(entry, subject) for subject in entry.report.subjects]


def _entry(entry: Entry, subject: SubjectSummary) -> dict[str, Any]:
    report, own = entry.report, entry.report.identity
    name = own.title or subject.name
    deployment = {
        "product": {
            "name": name,
            "data_curators": [own.owner] if own.owner else [],
            "intended_use": "",
            "data_product_type": subject.task,
            "data_product_region": "",
            "description": own.notes,
            "publication_date": "",
        },
        "dp_flavor": {
            "name": FLAVOURS.get(subject.promise.kind, subject.promise.kind),
            "data_domain": "",
            "unprotected_quantities": own.answer("unprotected"),
        },
        "privacy_loss": _loss(subject, own.answer("unit_of_privacy")),
        "model": {"model_name": "", "model_name_description": own.answer("trust_model")},
        "accounting": {"composition": own.answer("composition")},
        "implementation": {
            "pre_processing_eda_hyperparameter_tuning": own.answer("tuning"),
            "mechanisms": subject.name,
            "justification": own.answer("justification"),
        },
        "resources": {"sources": "", "registry_authors": []},
    }
    return {"url_slug": _slug(name), "status": "Draft", "deployment": deployment, "audit": _audit(entry, report)}


def _loss(subject: SubjectSummary, unit: str) -> dict[str, Any]:
    finite = [tier for tier in subject.tiers if math.isfinite(tier.largest)]
    parameter = PARAMETERS.get(subject.promise.kind, "parameter")
    largest = max((tier.largest for tier in finite), default=None)
    deltas = [tier.delta for tier in finite if tier.delta is not None]
    return {
        "privacy_unit": unit,
        "privacy_unit_description": RELATIONS.get(subject.neighbours, subject.neighbours),
        "privacy_parameters": {parameter: largest} | ({"delta": max(deltas)} if deltas else {}),
        "privacy_parameters_description": _described(subject, finite),
        "tiers": [_tier(tier, parameter) for tier in subject.tiers],
    }


def _described(subject: SubjectSummary, finite: list[TierSummary]) -> str:
    if not finite:
        return "Nothing was promised."
    low, high = min(tier.smallest for tier in finite), max(tier.largest for tier in finite)
    symbol = subject.promise.symbol
    return f"Each user has a parameter of their own, {symbol} from {short(low)} to {short(high)}; the largest is given."


def _tier(tier: TierSummary, parameter: str) -> dict[str, Any]:
    ends = [tier.smallest, tier.largest]
    low, high = ("inf" if math.isinf(end) else end for end in ends)
    delta = {} if tier.delta is None else {"delta": tier.delta}
    return {"names": list(tier.names), "users": tier.users, parameter: {"from": low, "to": high}, **delta}


def _audit(entry: Entry, report: Any) -> dict[str, Any]:
    return {
        "tool": "hdp-audit",
        "verdict": WORDS[report.verdict],
        "findings": tally(report.findings),
        "confidence": report.confidence,
        "date": str(report.environment.get("date") or ""),
        "report": entry.file,
        "report_sha256": hashlib.sha256(entry.content).hexdigest(),
    }


def _slug(name: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")[:80] or "deployment"
