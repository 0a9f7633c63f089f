"""E_stat: users drawn from a population, and the share of it that says yes is to be estimated, not that of the users.

*Guarantee* (ours). Weights s·w around ½, w on the simplex: with p the population's share the error is Σs·w_i(X_i − p) +
(1 − s)(½ − p) + N, all three of mean 0 or fixed, so its mean square is s²‖w‖²p(1−p) + (1−s)²(½−p)² + 2s²t²: linear in
(½ − p)², hence at most max((1−s)², s²‖w‖²)/4 + 2s²t².

*Impossible* (ours). p ~ Beta(a, a). Given all data p has mean (a + N)/(n + 2a), N = nμ, so that the risk of p is that
of full knowledge plus (n/(n + 2a))² times that of μ, whose lower bounds are the weak setting's (`beta_chain`):

    E_stat ≥ ¼·2a/(2a + 1)/(n + 2a) + (n/(n + 2a))²·risk(μ).

a = √n/2 and risk 0, nobody private: 1/(4(1 + √n)²), which is exact. And two means 2δ apart (`statistical`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp_audit.model.bound import Bound
from hdp_audit.theory.beta_chain import beta_plans, plan_risk
from hdp_audit.theory.family import Family, Statistics
from hdp_audit.theory.lower import rounded_up
from hdp_audit.theory.minimise import candidates, minimise
from hdp_audit.theory.names import Metric, Problem, Setting, Task
from hdp_audit.theory.statistical import statistical_rate
from hdp_audit.theory.upper import weak_shrinkage

Floats = NDArray[np.float64]
_CELL = Problem(Task.MEAN, Setting.WEAK, Metric.MSE)  # whose mechanisms compete


@dataclass(frozen=True)
class Population:
    """The row of `bounds` about a population: `mechanism` at `level` guarantees `upper`, nobody can beat `lower`."""

    upper: Bound
    lower: Bound
    level: float
    mechanism: str

    task, setting, metric = "mean", "population", "mse"
    paper_order = None

    @property
    def ratio(self) -> float:
        """upper/lower; no lower bound is 0."""
        return self.upper.value / self.lower.value

    @property
    def sentence(self) -> str:
        """What a user reads."""
        upper, lower = f"{self.upper.value:.3g}", f"{self.lower.value:.3g}"
        return (
            f"For the mean of the population that users are drawn from, {self.mechanism} has a mean squared error of "
            f"at most {upper}; no mechanism can stay below {lower}, so it is at most {self.ratio:.3g} times the best "
            "possible."
        )


def population_mean(demands: ArrayLike) -> Population:
    """E_stat between two bounds, for the demands of the users who are drawn."""
    values = np.asarray(demands, dtype=np.float64)
    upper, level, mechanism = _best(Family.of(values))
    scores = impossible(rounded_up(values))
    method = max(scores, key=lambda name: scores[name])
    lower = Bound.lower(min(scores[method], upper), method)
    constant = mechanism == "constant-half"
    return Population(Bound.upper(upper, "constant" if constant else "saturation-level"), lower, level, mechanism)


def population_upper(family: Family) -> float:
    """What the best of them guarantees."""
    return _best(family)[0]


def _best(family: Family) -> tuple[float, float, str]:
    """The mechanisms for permuted data at the level of their own choice."""
    best = (0.25, math.inf, "constant-half")
    if family.usable == 0:
        return best
    for candidate in candidates(_CELL, family.n)[:2]:
        level = minimise(family, candidate).level
        statistics = family.simplex(np.array([level]))
        error = float(drawn_square(statistics, family.n, shrunk=candidate.rule == "centred")[0])
        best = min(best, (error, level, candidate.mechanism))
    return best


def drawn_square(s: Statistics, n: int, *, shrunk: bool) -> Floats:
    """max((1−s)², s²‖w‖²)/4 + 2s²t², with the shrinkage of `hpm-we-centred` or none."""
    share = weak_shrinkage(s.spread, s.t, n) if shrunk else np.ones_like(s.t)
    norm = s.spread + 1 / n
    return np.asarray(np.maximum((1 - share) ** 2, share**2 * norm) / 4 + 2 * (share * s.t) ** 2)


def impossible(ascending: Floats) -> dict[str, float]:
    """Lower bounds by method."""
    n = ascending.size
    scores = {"no privacy": 1 / (4 * (1 + math.sqrt(n)) ** 2), "two means": statistical_rate(ascending)}
    for plan in beta_plans(ascending):
        scores["beta"] = max(scores.get("beta", 0.0), by_prior(plan.twice_a, n, plan_risk(plan)))
    return scores


def by_prior(twice_a: float, n: int, risk: float) -> float:
    """The risk of p under Beta(a, a) when that of μ is at least `risk`."""
    known = twice_a / (twice_a + 1) / 4 / (n + twice_a)
    return known + (n / (n + twice_a)) ** 2 * risk
