"""What a budget can see: one small door to the auditor's own figures."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hdp_audit.audits.share import Share
from hdp_audit.case import Case
from hdp_audit.engine import plan

if TYPE_CHECKING:
    from hdp_audit.search.pairs import Tier

MOST_CALLS = 10**11


@dataclass(frozen=True)
class Sight:
    """For one demand tier, or one pair of a custom task: what was promised, to how many users, and the smallest loss
    that this budget would see."""

    demand: float
    users: int
    loss: float
    name: str = ""  # of a pair

    @property
    def factor(self) -> float:
        """The loss in units of the demand; where nothing was promised away, any loss is too much."""
        if self.demand > 0:
            return self.loss / self.demand
        return 1.0 if self.loss < float("inf") else float("inf")


def sights(case: Case, confidence: float, budget: int) -> list[Sight]:
    """Each demand tier of the case under this budget, or each of its own pairs."""
    return list(_each(case, confidence, budget))[::-1]


def _each(case: Case, confidence: float, budget: int) -> Iterator[Sight]:
    """The last first: large demands take most calls, so whoever looks for one that is not seen finds it soon."""
    from hdp_audit.audits.decide import average
    from hdp_audit.search.pairs import named_tiers

    checks = {check.name: check for check in plan([case], confidence=confidence, budget=budget, seed=1)}
    if case.task == "custom":
        for number in reversed(range(len(case.neighbours))):
            yield _of_pair(case, number, checks[f"privacy/pair/{number}"].share)
        return
    for tier in reversed(named_tiers(case.demands.values)):
        if (check := checks.get(f"privacy/tier/{tier.number}")) is not None:
            demand = average(case.demands.values[tier.users])
            yield Sight(demand, int(tier.users.size), _loss(case, tier, check.share))


def cost(case: Case, confidence: float, detect: float) -> int | None:
    """The least budget (within a tenth) that sees this factor in every tier; None beyond what anybody can pay."""
    high = 1000
    while not _sees(case, confidence, high, detect):
        high *= 4
        if high > MOST_CALLS:
            return None
    low = max(high // 4, 1000)
    while high > 1.1 * low:
        middle = int((low * high) ** 0.5)
        low, high = (low, middle) if _sees(case, confidence, middle, detect) else (middle, high)
    return high


def lacks(case: Case, confidence: float, budget: int) -> bool:
    """Whether a tier or pair would be inconclusive for want of calls.

    Tiers with demands beyond any proof count as `beyond` says; a pair was asked for by name, so it always counts.
    """
    claim = case.privacy
    if claim is None:
        return False
    from hdp_audit.search.pairs import MOST_TELLING

    unseen = [sight for sight in sights(case, confidence, budget) if sight.factor > claim.detect]
    beyond = [
        sight for sight in unseen if not sight.name and (sight.demand >= MOST_TELLING or sight.loss == float("inf"))
    ]
    binding = claim.beyond == "inconclusive" and case.source != "reference"  # the exact loss of these is proved
    return len(unseen) > len(beyond) or (binding and bool(beyond)) or lacks_single(case, confidence, budget)


def single(case: Case, confidence: float, budget: int) -> float | None:
    """The factor from which on one user alone would be named, whoever it is; None where nobody is asked for."""
    from hdp_audit.audits.privacy import foreseen_single

    if case.privacy is None or case.privacy.detect_single == "report":
        return None
    checks = {check.name: check for check in plan([case], confidence=confidence, budget=budget, seed=1)}
    if "privacy/users" not in checks:
        return None
    return foreseen_single(case.demands.values, case.categories is not None, checks["privacy/users"].share)


def lacks_single(case: Case, confidence: float, budget: int) -> bool:
    """Whether one user alone, off by `detect_single`, might not be named."""
    found = single(case, confidence, budget)
    return found is not None and case.privacy is not None and found > float(case.privacy.detect_single)


def _sees(case: Case, confidence: float, budget: int, detect: float) -> bool:
    return all(sight.factor <= detect for sight in _each(case, confidence, budget))


def _loss(case: Case, tier: Tier, share: Share) -> float:
    """What would be seen of a user in the group that the auditor plays for this tier; inf where nothing is tried."""
    from hdp_audit.audits.power import detectable_loss
    from hdp_audit.audits.privacy import tier_group
    from hdp_audit.search.pairs import bases

    arms = len(bases(1, case.categories)) + (case.data is not None)  # datasets that every tier is tried on
    judged = _judged(share.calls, arms)
    if judged < 1 or share.significance <= 0:
        return float("inf")
    members = tier_group(case.demands.values, tier, share.seed)
    claimed = float(case.demands.values[members].sum())
    return detectable_loss(claimed, judged, share.significance) / members.size


def _of_pair(case: Case, number: int, share: Share) -> Sight:
    from hdp_audit.audits.power import detectable_loss

    pair, judged = case.neighbours[number], _judged(share.calls, 1)
    claimed = pair.claimed(case.demands.values)
    loss = detectable_loss(claimed, judged, share.significance) if judged > 0 else float("inf")
    return Sight(claimed, int(pair.users.size), loss, pair.base)


def _judged(calls: int, arms: int) -> int:
    """The calls of a game that are bet on; the others open its arms."""
    from hdp_audit.audits.game import opening_of

    return calls - arms * opening_of(calls, arms)
