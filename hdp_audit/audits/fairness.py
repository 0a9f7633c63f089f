"""Who gets more privacy than they asked, who weighs how much, and how far that biases each category."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.audits.measure import tables
from hdp_audit.model.neighbours import Users
from hdp_audit.model.subject import UserFigures
from hdp_audit.search.probing import demand_groups
from hdp_audit.search.worst_case import Instance
from hdp_audit.targets.streams import Named
from hdp_audit.targets.subject import Subject
from hdp_audit.targets.white_box import white_box

Floats = NDArray[np.float64]
Rows = list[dict[str, Any]]

MOST_ROWS = 32


def free_privacy(subject: Subject) -> Rows:
    """Exact losses against demands, by demand tier, of a mechanism that knows its losses; nothing for a black box."""
    known = white_box(subject.mechanism)
    return [] if known is None else loss_table(subject.epsilon, np.asarray(known.privacy_loss), "exact")


def measured_free_privacy(figures: UserFigures) -> Rows:
    """The same from a privacy audit's figures: exact losses where known, else the averages that coins measured.

    A test limits no loss from above, so nothing is called free by a measurement.
    """
    if np.isfinite(figures.exact).any():
        return loss_table(figures.demand, figures.exact, "exact")
    tiers = _tiers(figures.demand)
    return [_measured_row(figures, tier, len(tiers)) for tier in tiers]


def _measured_row(figures: UserFigures, tier: Users, among: int) -> dict[str, Any]:
    found = figures.average(tier, among)
    least, shown = (None, None) if found is None else (_plain(max(found[0], 0.0)), _plain(found[1]))
    return _who(figures.demand[tier]) | {
        "loss": shown,
        "loss_at_least": least,
        "free": None,
        "users_with_free_privacy": None,
        "source": "not measured" if found is None else "measured",
    }


def loss_table(demand: Floats, loss: Floats, source: str) -> Rows:
    """Demand, loss and what is free of the demand, in tiers; users whose loss is not known are left out."""
    rows: Rows = []
    for tier in _tiers(demand):
        members = tier[~np.isnan(loss[tier])]
        if not members.size:
            continue
        asked, lost = demand[members], loss[members]
        rows.append(
            _who(asked)
            | {
                "loss": _plain(lost.mean()),
                "loss_largest": _plain(lost.max()),
                "free": _plain(np.mean(_free_part(asked, lost))),
                "users_with_free_privacy": int((lost < asked * (1 - 1e-6)).sum()),
                "source": source,
            }
        )
    return rows


def _tiers(demand: Floats) -> list[Users]:
    groups = demand_groups(demand, MOST_ROWS)
    return [np.flatnonzero(groups == tier) for tier in np.unique(groups)]


def _who(asked: Floats) -> dict[str, Any]:
    return {"demand_low": _plain(asked.min()), "demand_high": _plain(asked.max()), "users": int(asked.size)}


def _free_part(asked: Floats, lost: Floats) -> Floats:
    """1 − loss/demand: 0 where nothing was asked for or everything is lost, 1 where public data stay unused."""
    with np.errstate(invalid="ignore", divide="ignore"):
        part = 1.0 - lost / asked
    part = np.where(np.isinf(asked), np.where(np.isinf(lost), 0.0, 1.0), part)
    return np.where(asked == 0, 0.0, np.clip(part, 0.0, 1.0))


def influence(epsilon: Floats, weights: Floats, *, known: bool) -> Rows:
    """Each tier's weight a user in units of 1/n, and its part of the worst bias ½‖w − 1/n‖₁."""
    groups, n = demand_groups(epsilon, MOST_ROWS), epsilon.size
    rows: Rows = []
    for tier in np.unique(groups):
        members = groups == tier
        rows.append(
            {
                "demand_low": _plain(epsilon[members].min()),
                "demand_high": _plain(epsilon[members].max()),
                "users": int(members.sum()),
                "weight": float(n * weights[members].mean()),
                "bias": float(0.5 * np.abs(weights[members] - 1.0 / n).sum()),
                "source": "exact" if known else "probed",
            }
        )
    return rows


def category_bias(subject: Subject, dataset: Instance, setting: str, size: int, own: Named) -> Rows:
    """Mean answer minus truth of each category on the worst dataset found: the largest biases first."""
    table = tables(subject, dataset, setting, size, own)
    fine = table[table[:, -1] == 0, :-1]
    if fine.shape[0] < 2:
        return []
    bias, error = fine.mean(axis=0) - dataset.truth, fine.std(axis=0) / np.sqrt(fine.shape[0])
    exact = _unclipped_bias(subject, dataset, setting)
    return [
        {
            "dataset": dataset.name,
            "category": int(j),
            "bias": float(bias[j]),
            "standard_error": float(error[j]),
            "unclipped": None if exact is None else float(exact[j]),
        }
        for j in np.argsort(-np.abs(bias))[:MOST_ROWS]
    ]


def _unclipped_bias(subject: Subject, dataset: Instance, setting: str) -> Floats | None:
    """cD + Σ(w_i − 1/n)1{x_i = j}; permuted data have its mean, D(c − μ_j)."""
    from hdp_audit.audits.claimed import estimator_of  # which loads the theory

    known = estimator_of(subject)
    if known is None:
        return None
    if setting != "correlated":
        return np.asarray(known.missing * (known.share - dataset.truth))
    own = known.weights
    k = dataset.truth.size
    sums = np.array([own @ dataset.data]) if k == 1 else np.bincount(dataset.data, weights=own, minlength=k)
    return np.asarray(sums + known.share * known.missing - dataset.truth)


def _plain(value: Any) -> float | str:
    """A number, or "inf"."""
    return float(value) if np.isfinite(value) else "inf"
