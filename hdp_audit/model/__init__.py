"""The frozen vocabulary of the suite, one noun a file."""

from hdp_audit.model.bound import Bound, Side
from hdp_audit.model.demands import PrivacyDemands

__all__ = ["Bound", "PrivacyDemands", "Side"]
