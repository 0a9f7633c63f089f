"""The frozen vocabulary of the suite, one noun a file."""

from hdp_audit.model.bound import Bound, Side
from hdp_audit.model.claim import AccuracyClaim, OptimalityClaim, PrivacyClaim
from hdp_audit.model.counterexample import Counterexample, Guesses
from hdp_audit.model.demands import PrivacyDemands
from hdp_audit.model.finding import Finding
from hdp_audit.model.report import AuditReport
from hdp_audit.model.subject import DemandSummary, SubjectSummary, UserFigures
from hdp_audit.model.waiver import Waiver

__all__ = [
    "AccuracyClaim",
    "AuditReport",
    "Bound",
    "Counterexample",
    "DemandSummary",
    "Finding",
    "Guesses",
    "OptimalityClaim",
    "PrivacyClaim",
    "PrivacyDemands",
    "Side",
    "SubjectSummary",
    "UserFigures",
    "Waiver",
]
