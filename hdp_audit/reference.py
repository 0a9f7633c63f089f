"""The one door to the reference mechanisms: nothing else in the suite imports them."""

from __future__ import annotations

from hdp_audit.errors import InvalidDemands
from hdp_audit.model import PrivacyDemands
from mechanisms import STANDARD, build, names, summary
from mechanisms import InvalidInput as RefusedByMechanism
from mechanisms import standard_demands as _standard_demands

__all__ = ["STANDARD", "RefusedByMechanism", "build", "names", "standard_demands", "summary"]


def standard_demands(name: str) -> PrivacyDemands:
    """The standard demands of that name."""
    try:
        return PrivacyDemands.from_values(_standard_demands(name))
    except RefusedByMechanism as why:
        raise InvalidDemands(str(why)) from None
