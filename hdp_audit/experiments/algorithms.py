"""The algorithms of a table: the paper's six columns, and what we set beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.audits.claimed import estimator
from hdp_audit.experiments.dataset import BETA, Dataset
from hdp_audit.experiments.law import AnchoredLaw, ErrorLaw, Law
from hdp_audit.experiments.leaking import REALISED
from hdp_audit.model.vocabulary import MetricName, SettingName
from hdp_audit.targets.reference import build, entries, entry, error_law, laws
from hdp_audit.theory.guarantee import before_clipping

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Algorithm:
    """A column: its short name, which is the rule of its catalog entries, and what it is called in tables.

    `leaks`: it does not keep the demands, and so is not in the catalog. Rows of any setting or metric show the variant
    of an `any_` one, whichever it is made for.
    """

    key: str
    label: str
    ours: bool = False
    leaks: bool = False
    any_setting: bool = False
    any_metric: bool = False


ALGORITHMS = (
    Algorithm("hp", "HPF / HPM"),
    Algorithm("a", "A"),
    Algorithm("prop", "Prop"),
    Algorithm("uni", "UNI"),
    Algorithm("sm", "SM"),
    Algorithm("ldp", "LDP"),
    Algorithm(REALISED, "SM, realised size (leaks)", leaks=True),
    Algorithm("turbo", "turbo CT / WT", any_metric=True),
    Algorithm("threshold", "threshold"),
    Algorithm("sharp", "sharp", ours=True),
    Algorithm("centred", "centred", ours=True),
    Algorithm("hull", "hull", ours=True),
    Algorithm("anchored", "anchored", ours=True, any_setting=True),
)
BY_KEY = {algorithm.key: algorithm for algorithm in ALGORITHMS}


def catalog_name(key: str, dataset: Dataset, metric: MetricName) -> str | None:
    """The catalog's name of an algorithm for a row; None where the row has no such variant."""
    column = BY_KEY[key]
    if column.leaks:
        return key
    setting, own = None if column.any_setting else dataset.setting, None if column.any_metric else metric
    return next(iter(variants(key, dataset.task.name, setting, own)), None)


def variants(rule: str, task: str, setting: SettingName | None, metric: MetricName | None) -> list[str]:
    """The catalog's names of a rule that are made for a setting and a metric; None asks for either."""
    return [
        each.name
        for each in entries(task)
        if each.rule == rule and _fits(each.setting, setting) and _fits(each.metric, metric)
    ]


def _fits(own: str | None, asked: str | None) -> bool:
    return own is None or asked is None or own == asked


def built(name: str, dataset: Dataset, metric: MetricName) -> Any:
    """The reference mechanism of that name for the dataset's demands."""
    return build(
        name,
        epsilon=dataset.epsilon,
        task=dataset.task.name,
        categories=dataset.task.categories,
        beta=BETA,
        setting=dataset.setting,
        metric=metric,
        noise="float" if entry(name).draws == "messages" else "exact",  # a simulation: n Laplace numbers a trial
    )


def exact_law(mechanism: Any, dataset: Dataset) -> Law | None:
    """The error's exact law on fixed data, for weighted sums with independent Laplace noise; else None."""
    law = error_law(mechanism)
    if dataset.weakly or not isinstance(law.noise, laws.Laplace):
        return None
    found = _weighted_law(law, law.noise.scale, dataset)
    if law.opinion is None or not isinstance(law.opinion.noise, laws.Laplace):
        return found
    return AnchoredLaw(found, _weighted_law(law.opinion, law.opinion.noise.scale, dataset), law.reach)


def _weighted_law(law: laws.ErrorLaw, scale: float, dataset: Dataset) -> ErrorLaw:
    return ErrorLaw(dataset.weighted(law.weights) + law.offset, dataset.truth, scale)


def guaranteed(mechanism: Any, dataset: Dataset, metric: MetricName) -> float | None:
    """The worst error over all data in the dataset's setting, by the theory; None for SM and LDP, as the paper has it.

    The bounds see the weights alone, so any weighting can be put in: the comparison that makes "sharp has the smallest
    guarantee" a checked statement rather than a claim about our own choice.
    """
    law = error_law(mechanism)
    if not isinstance(law.noise, laws.Laplace | laws.Hull):
        return None
    return before_clipping(estimator(law), dataset.problem(metric))
