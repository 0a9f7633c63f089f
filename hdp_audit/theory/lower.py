"""The largest valid lower bound in each cell, named by the argument that gave it."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.bound import Bound
from hdp_audit.theory import lower_mse, lower_pac, sampling, split, statistical
from hdp_audit.theory.beta_chain import beta_mse, beta_pac
from hdp_audit.theory.chain_mse import chain_risk
from hdp_audit.theory.chain_pac import chain_rate
from hdp_audit.theory.chain_pool import pooled_risk
from hdp_audit.theory.chain_product import product_rate, product_risk
from hdp_audit.theory.coin_chain import coin_mse, coin_pac
from hdp_audit.theory.dice_chain import dice_mse, dice_pac
from hdp_audit.theory.names import Metric, Problem, Setting, Task
from hdp_audit.theory.norm_lower import norm_scores
from hdp_audit.theory.simplex_bounds import lattice_rate, lattice_risk
from hdp_audit.theory.spider_bounds import spider_rate
from hdp_audit.theory.star_mse import star_risk
from hdp_audit.theory.symmetric import compress

Floats = NDArray[np.float64]
Scores = dict[str, float]


def rounded_up(demands: Floats) -> Floats:
    """Ascending, with demands above 300 taken as infinite and positive ones below 1e-12 as 1e-12.

    Larger demands only weaken a lower bound, and exponentials stay finite.
    """
    ascending = np.sort(demands)
    ascending = np.where((ascending > 0) & (ascending < 1e-12), 1e-12, ascending)
    return np.where(ascending > 300, np.inf, ascending)


@dataclass(frozen=True, eq=False)
class Correlated:
    """Lower bounds of the correlated setting; a mean's bound holds for frequencies too (two categories hold a
    mean).
    """

    ascending: Floats
    categories: int
    beta: float

    @cached_property
    def mean_pac(self) -> Scores:
        """Packing with one rival, coins (what a random permutation cannot save, nothing can), then the chain."""
        packing = lower_pac.packing_correlated(self.ascending, 1, self.beta)
        coins = coin_pac(self.ascending, self.beta)
        chain = chain_rate(self.ascending, self.beta, max(packing, coins), reach=packing)
        return {"packing": packing, "coins": coins, "chain": chain}

    @cached_property
    def frequency_pac(self) -> Scores:
        """Packing with k−1 rivals, the mean's chain, products of spiders and of chains, lattices."""
        packing = lower_pac.packing_correlated(self.ascending, self.categories - 1, self.beta)
        scores = {"packing": packing, "chain": self.mean_pac["chain"]}
        if self.categories > 2:
            start = max(scores.values())
            scores["spiders"] = spider_rate(self.ascending, self.categories, self.beta, start, packing)
            start = max(scores.values())
            scores["chains"] = product_rate(self.ascending, self.categories, self.beta, start)
            start = max(scores.values())
            scores["lattice"] = lattice_rate(self.ascending, self.categories, self.beta, start)
        return scores

    @cached_property
    def mean_mse(self) -> Scores:
        """Two datasets, coins, then the chain."""
        pair = lower_mse.packing_correlated(self.ascending, 1)
        coins = coin_mse(self.ascending)
        chain = chain_risk(self.ascending, max(pair, coins))
        return {"two-datasets": pair, "coins": coins, "beta": self.beta_mse, "chain": chain}

    @cached_property
    def beta_mse(self) -> float:
        """A Beta prior, in the weak setting and so here."""
        return beta_mse(self.ascending)

    @cached_property
    def frequency_mse(self) -> Scores:
        """k datasets, the mean's chain, Markov from PAC, products of chains (own users, a pool), stars, lattices."""
        packing = lower_mse.packing_correlated(self.ascending, self.categories - 1)
        markov = lower_mse.markov(self.beta, max(self.frequency_pac.values()))
        scores = {"packing": packing, "chain": self.mean_mse["chain"], "beta": self.beta_mse, "markov": markov}
        if self.categories > 2:
            # Chains are laid out for errors of the size known so far; stars would have them too long.
            scores["chains"] = product_risk(self.ascending, self.categories, max(scores.values()))
            scores["star"] = star_risk(self.ascending, self.categories, max(scores.values()))
            scores["pool"] = pooled_risk(self.ascending, self.categories, max(scores.values()))
            scores["lattice"] = lattice_risk(self.ascending, self.categories, max(scores.values()))
        return scores


@dataclass(frozen=True, eq=False)
class Weak:
    """Lower bounds of the weakly correlated setting."""

    correlated: Correlated
    levelled: Correlated | None

    @classmethod
    def of(cls, correlated: Correlated) -> "Weak":
        """With equal demands a random permutation helps nobody: the mechanism could apply it itself. Raising
        all demands to the largest one keeps a lower bound valid, so the correlated bound for the levelled
        vector is one; tried when it promises something.
        """
        ascending = correlated.ascending
        largest, n = float(ascending[-1]), ascending.size
        if largest == float(ascending[0]):
            levelled: Correlated | None = correlated
        elif np.isfinite(largest) and largest <= 1.5 * float(ascending.mean()):
            levelled = Correlated(np.full(n, largest), correlated.categories, correlated.beta)
        else:
            levelled = None
        return cls(correlated, levelled)

    @property
    def ascending(self) -> Floats:
        """The demands."""
        return self.correlated.ascending

    @property
    def categories(self) -> int:
        """k."""
        return self.correlated.categories

    @property
    def beta(self) -> float:
        """The error probability of PAC."""
        return self.correlated.beta

    @cached_property
    def _compressed(self) -> tuple[Floats, NDArray[np.int64]]:
        return compress(self.ascending)

    def pac(self, task: Task) -> Scores:
        """Packing with all moments, the split into private and public users, coins, dice, the levelled vector."""
        packing = self._packings[0 if task is Task.MEAN else 1]
        scores = {"packing-moments": packing, "split": self._split_pac, "coins": self._coin_pac, "beta": self._beta_pac}
        if task is Task.FREQUENCY and self.categories > 2:
            scores["dice"] = dice_pac(self.ascending, self.beta, max(scores.values()))
        if self.levelled is not None:
            frequency = task is Task.FREQUENCY
            scores["levelled"] = max((self.levelled.frequency_pac if frequency else self.levelled.mean_pac).values())
        return scores

    @cached_property
    def _packings(self) -> tuple[float, float]:
        return (
            lower_pac.packing_weak(*self._compressed, 1, self.beta),
            lower_pac.packing_weak(*self._compressed, self.categories - 1, self.beta),
        )

    @cached_property
    def _split_pac(self) -> float:
        return split.split_pac(self.ascending, self.beta)

    @cached_property
    def _coin_pac(self) -> float:
        return coin_pac(self.ascending, self.beta)

    @cached_property
    def _beta_pac(self) -> float:
        known = max(self._packings[0], self._split_pac, self._coin_pac)
        return beta_pac(self.ascending, self.beta, known)

    @cached_property
    def _common_mse(self) -> Scores:
        stat = statistical.statistical_rate(self.ascending)
        return {
            "two-datasets": lower_mse.k_datasets_weak(*self._compressed, 1),
            "split": split.split_mse(self.ascending),
            "coins": coin_mse(self.ascending),
            "beta": self.correlated.beta_mse,
            "beta-prior": sampling.beta_prior_mse(self.ascending),
            "statistical": statistical.from_statistical(stat, self.ascending.size),
        }

    def mse(self, task: Task) -> Scores:
        """Two datasets, the split, a Beta prior, E_stat, Markov from PAC, dice, the levelled vector."""
        scores = dict(self._common_mse)
        scores["markov"] = lower_mse.markov(self.beta, max(self.pac(task).values()))
        if task is Task.FREQUENCY and self.categories > 2:
            scores["k-datasets"] = lower_mse.k_datasets_weak(*self._compressed, self.categories - 1)
            scores["dice"] = dice_mse(self.ascending)
        if self.levelled is not None:
            frequency = task is Task.FREQUENCY
            scores["levelled"] = max((self.levelled.frequency_mse if frequency else self.levelled.mean_mse).values())
        return scores


@dataclass(frozen=True, eq=False)
class LowerBounds:
    """All lower bounds for one demand vector; what several cells need is computed once."""

    correlated: Correlated

    @classmethod
    def of(cls, demands: Floats, categories: int, beta: float) -> "LowerBounds":
        """Demands in any order."""
        return cls(Correlated(rounded_up(demands), categories, beta))

    @cached_property
    def weak(self) -> Weak:
        """The weak setting's bounds for the same demands."""
        return Weak.of(self.correlated)

    def scores(self, problem: Problem) -> Scores:
        """Every bound tried in a cell, by method."""
        if not problem.one_number:
            return norm_scores(self, problem)
        frequency = problem.task is Task.FREQUENCY
        match problem.setting, problem.metric:
            case Setting.CORRELATED, Metric.PAC:
                return self.correlated.frequency_pac if frequency else self.correlated.mean_pac
            case Setting.CORRELATED, Metric.MSE:
                return self.correlated.frequency_mse if frequency else self.correlated.mean_mse
            case _, Metric.PAC:
                return self.weak.pac(problem.task)
            case _:
                return self.weak.mse(problem.task)

    def best(self, problem: Problem) -> Bound:
        """The largest, as a Bound; a constant answer exists, so what lies above its error is a rounding error."""
        scores = self.scores(problem)
        method = max(scores, key=lambda name: scores[name])
        return Bound.lower(min(scores[method], problem.trivial), method)
