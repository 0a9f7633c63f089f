"""What a promise means to a person: how well anybody can tell two datasets apart that differ in their datum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hdp_audit.model.promise import Limit

FALSE_POSITIVES = 0.01  # at which true positives are told
FARTHEST = 30.0  # the ε up to which the curve's lines are looked at; beyond, e^ε of 1% is more than everything
LINES = 601


@dataclass(frozen=True)
class TierSummary:
    """Users of one demand, or of demands from `smallest` to `largest`, and what their promise means at its weakest.

    `right`: how often a guess between the two datasets can be right, at most. `detected`: how often an attack can
    succeed that is wrong about at most FALSE_POSITIVES of those who are not there. `finding` is the label of the
    finding that is about them, `names` what their owner calls them.
    """

    finding: str
    users: int
    smallest: float
    largest: float
    right: float
    detected: float
    delta: float | None = None
    names: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """Plain values."""
        ends = {"smallest": _plain(self.smallest), "largest": _plain(self.largest)}
        shares = {"right": self.right, "detected": self.detected, "delta": self.delta}
        return {"finding": self.finding, "users": self.users, **ends, **shares, "names": list(self.names)}


def true_positives(limit: Limit, false_positives: float = FALSE_POSITIVES) -> float:
    """The largest chance of an event whose chance under the other dataset is `false_positives`, by the whole curve.

    P(S) ≤ e^ε·Q(S) + δ(ε), and the same of the complement with P and Q exchanged: 1 − Q(S) ≤ e^ε(1 − P(S)) + δ(ε). Each
    ε gives a bound; the least of several is one, too, so no grid can make it too small.
    """
    at = float(limit.tangent(false_positives))
    epsilon = np.append(np.linspace(0.0, FARTHEST, LINES), [at] if np.isfinite(at) else [])
    delta = np.asarray(limit.delta(epsilon), dtype=np.float64)
    with np.errstate(over="ignore"):  # a promise of nothing
        straight = np.exp(epsilon) * false_positives + delta
    other = 1.0 - np.exp(-epsilon) * np.maximum(1.0 - false_positives - delta, 0.0)
    return float(min(straight.min(), other.min(), 1.0))


def guessed_right(limit: Limit) -> float:
    """The largest chance of a right guess which of the two datasets it is, one as likely as the other."""
    return min(limit.largest_right_share(), 1.0)


def _plain(value: float) -> float | str:
    return "inf" if value == float("inf") else value
