"""The eight cells for one demand vector: best guarantee, best impossibility, and how far apart they are."""

import math
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from hdp_audit.model.bound import Bound
from hdp_audit.model.demands import PrivacyDemands
from hdp_audit.theory import paper
from hdp_audit.theory.family import Family
from hdp_audit.theory.lower import LowerBounds
from hdp_audit.theory.minimise import Optimum, best_upper
from hdp_audit.theory.names import Metric, Norm, Problem, Task, problems

# Two bounds that meet are computed in different ways, each right to about this much.
_ROUNDING = 1e-9


@dataclass(frozen=True)
class Cell:
    """One cell: `mechanism` at saturation level `level` guarantees `upper`, nobody can beat `lower`."""

    problem: Problem
    upper: Bound
    lower: Bound
    paper_order: float | None  # None where the paper has no rate for the promise, or the norm
    level: float
    mechanism: str

    @property
    def task(self) -> str:
        """`frequency` or `mean`."""
        return self.problem.task.value

    @property
    def setting(self) -> str:
        """`correlated` or `weakly-correlated`."""
        return self.problem.setting.value

    @property
    def metric(self) -> str:
        """`pac` or `mse`."""
        return self.problem.metric.value

    @property
    def ratio(self) -> float:
        """upper/lower; 1 when both are 0, inf when only the lower bound is."""
        if self.lower.value > 0:
            return self.upper.value / self.lower.value
        return 1.0 if self.upper.value == 0 else math.inf

    @property
    def what(self) -> str:
        """Of what."""
        return "a mean" if self.task == "mean" else f"the frequencies of {self.problem.categories} categories"

    @property
    def error(self) -> str:
        """What a sentence calls the error: of a table it may be its length, or the sum of its entries."""
        return "error" if self.problem.one_number else f"ℓ{self.problem.norm.value[1:]} error"

    @property
    def sentence(self) -> str:
        """What a user reads."""
        upper, lower = f"{self.upper.value:.3g}", f"{self.lower.value:.3g}"
        if self.problem.metric is Metric.PAC:
            promised = f"keeps the {self.error} below {upper} with probability {1 - self.problem.beta:.4g}"
            impossible = f"no mechanism can promise less than {lower}"
        else:
            promised = f"has a mean squared {self.error} of at most {upper}"
            impossible = f"no mechanism can stay below {lower}"
        head = f"For {self.what} ({self.setting} data), {self.mechanism} {promised}"
        if self.lower.value <= 0:
            return f"{head}; no impossibility is known for these demands."
        return f"{head}; {impossible}, so it is at most {self.ratio:.3g} times the best possible."


def cells(
    demands: PrivacyDemands | ArrayLike, categories: int = 10, beta: float = 0.05, norm: Norm = Norm.LINF
) -> list[Cell]:
    """The eight cells in the paper's order, every bound a theorem for these demands.

    `norm` is what the error of a table of frequencies is measured in; of a mean all are the same.
    """
    values = demands.values if isinstance(demands, PrivacyDemands) else np.asarray(demands, dtype=np.float64)
    family = Family.of(values)
    lowers = LowerBounds.of(values, categories, beta)
    found: dict[tuple[Task, Metric], Optimum] = {}
    answers = []
    for problem in problems(categories, beta, norm):
        # Correlated comes first, and its answer is a candidate of the weak cell.
        key = (problem.task, problem.metric)
        found[key] = best_upper(family, problem, found.get(key))
        answers.append(_cell(family, found[key], lowers, problem))
    return answers


def _cell(family: Family, found: Optimum, lowers: LowerBounds, problem: Problem) -> Cell:
    method = "constant" if found.mechanism.startswith("constant") else "saturation-level"
    return Cell(
        problem=problem,
        upper=Bound.upper(found.value, method),
        lower=below(lowers.best(problem), found.value),
        paper_order=paper.minimum(family, problem).value if problem.one_number else None,
        level=found.level,
        mechanism=found.mechanism,
    )


def below(lower: Bound, upper: float) -> Bound:
    """The smaller of the two where they meet but for rounding: what is below a lower bound is one as well."""
    return replace(lower, value=min(lower.value, upper)) if lower.value <= upper * (1 + _ROUNDING) else lower
