"""The appendix on faster weights: HPF-CP against HPF-CT, HPF-WP against HPF-WT, on synthetic data."""

from __future__ import annotations

from typing import Any

import numpy as np

from hdp_audit.experiments import rows
from hdp_audit.experiments.algorithms import BY_KEY, built, catalog_name, guaranteed
from hdp_audit.experiments.dataset import Dataset
from hdp_audit.experiments.measure import Effort, errors, quantile
from hdp_audit.experiments.report import Check, Report
from hdp_audit.experiments.results import Progress
from hdp_audit.model.vocabulary import SETTINGS

SHOWN = ("hp", "turbo", "a", "sharp", "anchored")
SHARES = (0.05, 0.25, 0.5, 0.75, 0.95)
NOTES = (
    "The paper shows graphs of empirical errors and their 95% quantiles, without numbers. It says that HPF-CP beats "
    "HPF-CT, that HPF-WP and HPF-WT coincide, and that A is best. Its turbo forms exist because a solver was slow and "
    "unstable; with one search over the level all of these take milliseconds.",
)


def datasets(seed: int) -> list[Dataset]:
    """The four panels."""
    return [rows.synthetic_frequencies(seed, count, setting) for setting in SETTINGS for count in (5, 20)]


def panel(dataset: Dataset, effort: Effort | None, seed: int) -> dict[str, Any]:
    """Quantiles of the error of each algorithm, its guarantee and its level."""
    entries = []
    for key in SHOWN:
        name = catalog_name(key, dataset, "pac") or key
        mechanism = built(name, dataset, "pac")
        entry: dict[str, Any] = {"algorithm": key, "label": BY_KEY[key].label, "catalog": name}
        entry["level"] = mechanism.level
        entry["guaranteed"] = guaranteed(mechanism, dataset, "pac")
        if effort is not None:
            found = errors(name, dataset, "pac", effort, seed, mechanism)
            tail = quantile(found, 0.95)
            entry["quantiles"] = [float(q) for q in np.quantile(found, SHARES)]
            entry["q95"] = {"value": tail.value, "low": tail.low, "high": tail.high, "trials": tail.trials}
        entries.append(entry)
    return {"dataset": dataset.key, "label": dataset.label, "differs": dataset.differs, "algorithms": entries}


def turbo(seed: int, effort: Effort, told: Progress | None = None) -> Report:
    """All four panels."""
    found = []
    for place, dataset in enumerate(datasets(seed)):
        found.append(panel(dataset, effort, seed))
        if told is not None:
            told(f"turbo: {dataset.label}", (place + 1) / 4)
    extra = {"shares": list(SHARES), "panels": found}
    return Report("turbo", "Faster variants", NOTES, checks=tuple(_checks(found)), extra=extra)


def _checks(found: list[dict[str, Any]]) -> list[Check]:
    cells = [{entry["algorithm"]: entry for entry in one["algorithms"]} for one in found]
    quantiles = [{key: entry["q95"] for key, entry in one.items()} for one in cells]
    correlated, weak = cells[:2], cells[2:]
    same = all(abs(c["hp"]["level"] / c["turbo"]["level"] - 1) < 1e-6 for c in weak)
    below = all(q["hp"]["high"] < q["turbo"]["low"] for q in quantiles[:2])
    least = all(q["sharp"]["high"] < min(q["hp"]["low"], q["turbo"]["low"]) for q in quantiles)
    levels = "; ".join(f"{c['hp']['level']:.4g} and {c['turbo']['level']:.4g}" for c in weak)
    return [
        Check("Weakly correlated: HPF-WP and HPF-WT have the same level (the paper's guess)", same, f"levels {levels}"),
        Check(
            "Correlated: HPF-CP beats HPF-CT (disjoint 99% intervals)", below, _figures(quantiles[:2], "hp", "turbo")
        ),
        Check(
            "All four: sharp beats both (disjoint 99% intervals)", least, _figures(quantiles, "sharp", "hp", "turbo")
        ),
        Check(
            "Correlated: the turbo form's guarantee is above HPF-CP's",
            all(c["turbo"]["guaranteed"] > c["hp"]["guaranteed"] for c in correlated),
            "; ".join(f"{c['turbo']['guaranteed']:.3g} > {c['hp']['guaranteed']:.3g}" for c in correlated),
        ),
    ]


def _figures(quantiles: list[dict[str, Any]], *keys: str) -> str:
    return "; ".join(", ".join(f"{key} {one[key]['value']:.3g}" for key in keys) for one in quantiles)
