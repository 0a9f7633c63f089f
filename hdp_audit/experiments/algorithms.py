"""The algorithms of a table: the paper's six columns, and what we set beside them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.experiments.dataset import BETA, Dataset, Metric
from hdp_audit.experiments.law import AnchoredLaw, ErrorLaw, Law
from hdp_audit.targets.reference import build

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Algorithm:
    """A column: its short name, what it is called in tables, and whether it keeps the demands."""

    key: str
    label: str
    ours: bool = False
    leaks: bool = False


ALGORITHMS = (
    Algorithm("hp", "HPF / HPM"),
    Algorithm("a", "A"),
    Algorithm("prop", "Prop"),
    Algorithm("uni", "UNI"),
    Algorithm("sm", "SM"),
    Algorithm("ldp", "LDP"),
    Algorithm("sm-realised", "SM, realised size (leaks)", leaks=True),
    Algorithm("turbo", "turbo CT / WT"),
    Algorithm("threshold", "threshold"),
    Algorithm("sharp", "sharp", ours=True),
    Algorithm("centred", "centred", ours=True),
    Algorithm("hull", "hull", ours=True),
    Algorithm("anchored", "anchored", ours=True),
)
BY_KEY = {algorithm.key: algorithm for algorithm in ALGORITHMS}


def catalog_name(key: str, dataset: Dataset, metric: Metric) -> str | None:
    """The catalog's name of an algorithm for a row; None where the row has no such variant."""
    letters = "hpf" if dataset.task == "frequency" else "hpm"
    weak = dataset.weakly
    end = "p" if metric == "pac" else "e"
    own = f"{letters}-{'w' if weak else 'c'}"
    # Permuted data have one centred variant, means with squared error; the others are made for correlated data.
    centred = None if weak else f"{letters}-c{end}-centred"
    if weak and dataset.task == "mean" and metric == "mse":
        centred = "hpm-we-centred"
    return {
        "hp": own + end,
        "a": f"{letters}-a",
        "turbo": own + "t",
        "sharp": f"{own}{end}-sharp",
        "centred": centred,
        "hull": f"hpf-c{end}-hull" if dataset.task == "frequency" and not weak else None,
        "anchored": f"{letters}-c{end}-anchored",
        "sm-realised": "sm-realised",
    }.get(key, key)


def built(name: str, dataset: Dataset, metric: Metric) -> Any:
    """The reference mechanism of that name for the dataset's demands."""
    return build(
        name,
        epsilon=dataset.epsilon,
        task=dataset.task,
        categories=dataset.categories,
        beta=BETA,
        setting=dataset.setting,
        metric=metric,
        noise="float" if name == "ldp" else "exact",  # a simulation: n Laplace numbers a trial
    )


def exact_law(mechanism: Any, dataset: Dataset) -> Law | None:
    """The error's exact law on fixed data, for weighted sums with independent Laplace noise; else None."""
    if dataset.weakly:
        return None
    if mechanism.name.endswith("-anchored"):
        anchor = _weighted_law(mechanism.anchor, dataset)
        if mechanism.opinion is None:
            return anchor
        return AnchoredLaw(anchor, _weighted_law(mechanism.opinion, dataset), mechanism.reach)
    weighted = hasattr(mechanism, "grid") and not mechanism.name.endswith("-hull")
    return _weighted_law(mechanism, dataset) if weighted else None


def _weighted_law(mechanism: Any, dataset: Dataset) -> ErrorLaw:
    centre = dataset.weighted(mechanism.weights) + mechanism.offset
    return ErrorLaw(centre, dataset.truth, mechanism.noise_scale)
