"""What the mechanism does that no mechanism may do, and what is said of its claims where it never answers."""

from __future__ import annotations

import reprlib
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.attacks.independence import shared_noise
from hdp_audit.attacks.pairs import named_tiers
from hdp_audit.auditors.decide import SHOWN, average
from hdp_audit.auditors.share import Outcome, Share
from hdp_audit.auditors.trial import UNANSWERED
from hdp_audit.model.claim import AccuracyClaim
from hdp_audit.model.finding import Finding, Kind
from hdp_audit.sampling.failures import FINE, LATE, NAMES
from hdp_audit.sampling.streams import stream
from hdp_audit.sampling.subject import Subject

Floats = NDArray[np.float64]

GIVEN_UP = "the mechanism was given up before the end, so its other calls were not made; see the behaviour finding"


def audit_behaviour(subject: Subject, share: Share, datasets: list[Any]) -> Outcome:
    """A call on each dataset, then batches on the last: one whose outputs share noise is a finding of its own.

    After that nothing but single calls is believed; and where no call gave an output, nothing else is tried.
    """
    single = np.zeros(1, dtype=bool)
    tables = [
        subject.draw_mixed(data, data, single, stream(share.seed, "behaviour", number))
        for number, data in enumerate(datasets)
    ]
    if all(table[0, -1] != FINE for table in tables):
        return Outcome((), details={"answers": False})
    wrong = shared_noise(subject, datasets[-1], share.seed, share.significance)
    found = () if wrong is None else (behaviour_finding(subject, "independence", wrong),)
    trusted = not found and LATE not in subject.failures
    return Outcome(found, details={"trusts_batches": trusted})


def failures(subject: Subject, *, shown: bool) -> list[Finding]:
    """Calls that failed, one finding a kind; with the user's own data in play neither input nor output is shown."""
    found = []
    for kind, failure in subject.failures.items():
        witness = {"input": displayed(failure.data), "output": displayed(failure.output)} if shown else {}
        message = failure.told(private=not shown)
        found.append(behaviour_finding(subject, f"call/{NAMES[kind]}", message, witness))
    return found


def behaviour_finding(subject: Subject, what: str, message: str, witness: dict[str, object] | None = None) -> Finding:
    """The mechanism did something that no mechanism may do."""
    name = subject.name
    return Finding(f"{name}/behaviour/{what}", name, "behaviour", "error", "tested", message, facts=witness or {})


def given_up(outcome: Outcome) -> Outcome:
    """Errors of calls that were never made neither refute nor acquit."""
    found = (replace(finding, verdict="inconclusive", message=GIVEN_UP) for finding in outcome.findings)
    return replace(outcome, findings=tuple(found))


def displayed(value: Any) -> object:
    """All of a number, a text or a small array, so that the call can be made again; of anything else its ends."""
    if isinstance(value, np.generic):
        return displayed(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)  # "nan" and "inf" are words in JSON
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return value[:1000]
    if isinstance(value, np.ndarray) and value.ndim <= 1 and value.size <= SHOWN:
        return [displayed(entry) for entry in value.tolist()]
    if isinstance(value, (list, tuple)) and len(value) <= SHOWN and all(np.isscalar(entry) for entry in value):
        return [displayed(entry) for entry in value]
    return reprlib.repr(value)


def unanswered(
    check: str, name: str, epsilon: Floats, users: tuple[int, ...], accuracy: AccuracyClaim | None
) -> Outcome:
    """The findings of a check of a mechanism that never answers: not audited, and so not passed."""

    def finding(what: str, kind: Kind, **more: Any) -> Finding:
        return Finding(f"{name}/{what}", name, kind, "inconclusive", "tested", UNANSWERED, **more)

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
