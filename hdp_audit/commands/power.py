"""What a budget can see: one small door to the auditor's own figures."""

from __future__ import annotations

from dataclasses import dataclass

from hdp_audit.engine import Case, Check, plan

MOST_CALLS = 10**11


@dataclass(frozen=True)
class Sight:
    """For one demand tier: the demand, its users, and the smallest loss a user that this budget would see."""

    demand: float
    users: int
    loss: float

    @property
    def factor(self) -> float:
        """The loss in units of the demand; where nothing was promised away, any loss is too much."""
        return self.loss / self.demand if self.demand > 0 else 1.0


def sights(case: Case, confidence: float, budget: int) -> list[Sight]:
    """Each demand tier of the case under this budget."""
    from hdp_audit.attacks.pairs import tiers

    checks = {check.name: check for check in plan([case], confidence=confidence, budget=budget, seed=1)}
    groups = tiers(case.demands.values)
    found = []
    for number, users in enumerate(groups):
        check = checks.get(f"privacy/tier/{number}")
        if check is not None:
            demand = float(case.demands.values[users].mean())
            found.append(Sight(demand, int(users.size), _loss(demand, int(users.size), check)))
    return found


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


def _sees(case: Case, confidence: float, budget: int, detect: float) -> bool:
    return all(sight.factor <= detect for sight in sights(case, confidence, budget))


def _loss(demand: float, users: int, check: Check) -> float:
    """What would be seen of a user in the group that the auditor plays for this tier; inf where nothing is."""
    from hdp_audit.attacks.pairs import group_size
    from hdp_audit.auditors.power import detectable_loss

    judged = int(JUDGED * check.share.calls)
    size = group_size(demand, users)
    if judged < 1:
        return float("inf")
    return detectable_loss(size * demand, judged, 0.5 * check.share.significance) / size


JUDGED = 0.5  # of a tier's calls are judged in its last game; the others choose the dataset and teach the witness
