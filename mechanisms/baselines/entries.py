"""The baselines, each for both tasks."""

from __future__ import annotations

from typing import Any

from mechanisms import builders, criteria, spending
from mechanisms.baselines.local import LocalFrequency, LocalMean, LocalMechanism, asked, frequency_weights, local_law
from mechanisms.baselines.sampling import SamplingMechanism, sampled_law
from mechanisms.catalog_entry import Entry, Order
from mechanisms.demands import Floats
from mechanisms.frequency import Frequency
from mechanisms.mean import Mean
from mechanisms.weighted import Spending, weighted_law

BOTH = (Frequency, Mean)


def _weighted(name: str, words: str, weighting: builders.Weighting) -> Entry[Any]:
    return Entry(name, words, "baseline", name, BOTH, builders.weighted(weighting), weighted_law, gaussian=True)


def _stretched(spendable: Floats, _: criteria.Aim) -> Spending:
    return spending.stretched(spendable)


def _sampling(order: Order) -> SamplingMechanism:
    return SamplingMechanism(order.name, order.task, order.demands, order.noise)


def _local(order: Order) -> LocalMechanism:
    weakly, spendable = order.setting == "weakly-correlated", asked(order.spendable)
    if isinstance(order.task, Frequency):
        weights = frequency_weights(spendable, order.aim, weakly)
        return LocalFrequency(order.name, order.task, order.demands, weights, order.noise)
    criterion = criteria.weak(order.aim) if weakly else criteria.correlated(order.aim)
    losses = spending.optimised(spendable, criterion).losses
    return LocalMean(order.name, order.task, order.demands, losses / losses.sum(), order.noise)


_SM = "sampling (Jorgensen et al.), the form that survives replacement"
_STRETCH = "data shrunk by their demands (Alaggan et al.), the form that survives replacement"
_LDP = "every user adds their own noise (k-RAPPOR, Laplace)"
ENTRIES = (
    _weighted("uni", "equal weights at the smallest positive demand", lambda demands, _: spending.uniform(demands)),
    _weighted("prop", "weights proportional to demands", lambda demands, _: spending.proportional(demands)),
    Entry("sm", _SM, "baseline", "sm", BOTH, _sampling, sampled_law, draws="samples"),
    Entry("ldp", _LDP, "baseline", "ldp", BOTH, _local, local_law, draws="messages"),
    Entry("stretch", _STRETCH, "baseline", "stretch", BOTH, builders.weighted(_stretched), weighted_law),
    _weighted("threshold", "small demands dropped, the rest equal", spending.thresholded),
)
