"""Whose pairs are followed in full on a base dataset."""

from __future__ import annotations

import numpy as np

from hdp_audit.tracing.draws import Floats

ASKED = 3  # users whose pairs are followed in full on each base dataset
FEW_USERS = 12  # all of whom are followed where nothing else tells of them


def chosen(losses: Floats, demands: Floats, rng: np.random.Generator) -> list[int]:
    """Who is not known from one call, all of them if they are few, or loses most; the smallest demand; some by lot."""
    private = np.flatnonzero(np.isfinite(demands))
    if not private.size:
        return []
    asked = demands[private]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = np.where(losses[private] == 0, 0.0, losses[private] / asked)
    ranked = private[np.argsort(-np.nan_to_num(ratios, nan=np.inf), kind="stable")]
    unknown = ranked[: int(np.isnan(ratios).sum())]
    if unknown.size == private.size <= FEW_USERS:
        return [int(user) for user in ranked]
    lot = rng.choice(private, min(2, private.size), replace=False)
    some = list(dict.fromkeys([int(user) for user in (ranked[0], private[np.argmin(asked)], *lot)]))[:ASKED]
    return (
        list(dict.fromkeys([*some, *(int(user) for user in unknown[:FEW_USERS])]))
        if unknown.size <= FEW_USERS
        else some
    )
