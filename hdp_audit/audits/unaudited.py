"""What is said of the claims of a mechanism that cannot be audited, or was given up."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.audits.decide import SHOWN, average
from hdp_audit.audits.share import Outcome
from hdp_audit.model.claim import AccuracyClaim
from hdp_audit.model.finding import Finding, Kind
from hdp_audit.search.pairs import named_tiers

Floats = NDArray[np.float64]

GIVEN_UP = "the mechanism was given up before the end, so its other calls were not made; see the behaviour finding"


def given_up(outcome: Outcome) -> Outcome:
    """Errors of calls that were never made neither refute nor acquit."""
    found = (replace(finding, verdict="inconclusive", message=GIVEN_UP) for finding in outcome.findings)
    return replace(outcome, findings=tuple(found))


def unaudited(
    check: str, name: str, epsilon: Floats, users: tuple[int, ...], accuracy: AccuracyClaim | None, why: str
) -> Outcome:
    """The findings of a check that was not made, as the behaviour check says: not audited, and so not passed."""

    def finding(what: str, kind: Kind, **more: Any) -> Finding:
        return Finding(f"{name}/{what}", name, kind, "inconclusive", "tested", why, **more)

    match check.split("/"):
        case ["privacy", "tier", number]:
            tier = named_tiers(epsilon)[int(number)]
            listed, demand = tuple(tier.users.tolist()[:SHOWN]), average(epsilon[tier.users])
            return Outcome((finding(f"privacy/tier/{tier.name}", "privacy", users=listed, claimed=demand),))
        case ["privacy", "pair", number]:
            claimed = float(epsilon[list(users)].sum())
            return Outcome((finding(f"privacy/pair/{number}", "privacy", users=users[:SHOWN], claimed=claimed),))
        case ["privacy", "float"]:
            return Outcome((finding("float/bits", "float"),))
        case ["accuracy"]:
            claim = accuracy or AccuracyClaim()
            return Outcome((finding(f"accuracy/{claim.setting}/{claim.metric}", "accuracy"),))
        case ["optimality"]:
            return Outcome(
                (finding("optimality/correlated/pac", "optimality"), finding("optimality/correlated/mse", "optimality"))
            )
        case _:
            return Outcome(())
