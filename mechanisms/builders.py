"""From an order to a mechanism: plans for weights, remembered, in the classes that carry them out."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from hashlib import blake2b
from typing import TypeVar

import numpy as np

from mechanisms import spending
from mechanisms.anchored import AnchoredMechanism, Anchoring
from mechanisms.catalog_entry import Order
from mechanisms.criteria import Aim
from mechanisms.demands import Floats
from mechanisms.gaussian import GaussianMechanism
from mechanisms.hull import HullMechanism
from mechanisms.secret import SecretMechanism
from mechanisms.vector import VectorMechanism
from mechanisms.weighted import Spending, WeightedMechanism

Plan = TypeVar("Plan")
Weighting = Callable[[Floats, Aim], Spending]


def weighted(
    weighting: Weighting, kind: type[WeightedMechanism] = WeightedMechanism
) -> Callable[[Order], WeightedMechanism]:
    """A weighted sum that spends as the weighting says."""

    def build(order: Order) -> WeightedMechanism:
        plan = _planned(weighting, order)
        if order.concentrated is not None:
            gaussian = VectorMechanism if order.task.datum else GaussianMechanism
            return gaussian(order.name, order.task, order.concentrated, plan, order.noise)
        return kind(order.name, order.task, order.demands, plan, order.noise)

    return build


def hull(weighting: Weighting) -> Callable[[Order], WeightedMechanism]:
    """The same with noise on the sensitivity hull."""
    return weighted(weighting, HullMechanism)


def secret(order: Order) -> SecretMechanism:
    """Weights around ½ at the public level."""
    plan = spending.at_level(order.spendable, order.level)
    return SecretMechanism(order.name, order.task, order.demands, plan, order.noise)


def anchored(plan: Callable[[Floats, Aim], Anchoring]) -> Callable[[Order], AnchoredMechanism]:
    """Two releases from one budget."""

    def build(order: Order) -> AnchoredMechanism:
        return AnchoredMechanism(order.name, order.task, order.demands, _planned(plan, order), order.noise)

    return build


def _planned(plan: Callable[[Floats, Aim], Plan], order: Order) -> Plan:
    return _remembered(plan, _Spendable(order.spendable), order.aim)


class _Spendable:
    """What may be spent, equal where all numbers are: compared by a sum, so that none are kept to compare with."""

    def __init__(self, values: Floats) -> None:
        self.values: Floats | None = values
        self._sum = blake2b(np.ascontiguousarray(values).data, digest_size=32).digest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Spendable) and self._sum == other._sum

    def __hash__(self) -> int:
        return hash(self._sum)


@lru_cache(maxsize=4)  # a mechanism is built for each check of an audit; the best weights take longest
def _remembered(plan: Callable[[Floats, Aim], Plan], spendable: _Spendable, aim: Aim) -> Plan:
    values, spendable.values = spendable.values, None
    if values is None:
        raise AssertionError("planned twice for one request")
    return plan(values, aim)
