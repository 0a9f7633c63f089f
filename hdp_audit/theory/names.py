"""The eight cells: task × setting × metric; and the norm that a table's error is measured in."""

from dataclasses import dataclass

from hdp_audit.errors import InvalidInput
from hdp_audit.model.vocabulary import Metric, Norm, Setting, Task

SMALLEST_BETA = 1e-100  # as for the reference mechanisms; exponentials of log(1/β) stay finite


@dataclass(frozen=True)
class Problem:
    """One cell with its parameters; a mean has one coordinate, frequencies have `categories`."""

    task: Task
    setting: Setting
    metric: Metric
    categories: int = 10
    beta: float = 0.05
    norm: Norm = Norm.LINF

    def __post_init__(self) -> None:
        if self.task is Task.FREQUENCY and self.categories < 2:
            raise InvalidInput(f"categories = {self.categories}; frequencies need at least 2")
        if not SMALLEST_BETA <= self.beta < 1:
            raise InvalidInput(f"beta = {self.beta}; it lies strictly between 0 and 1, and not below {SMALLEST_BETA}")

    @property
    def coordinates(self) -> int:
        """k for frequencies, 1 for a mean."""
        return self.categories if self.task is Task.FREQUENCY else 1

    @property
    def rivals(self) -> int:
        """K, how many packing balls compete with the first: k − 1 for frequencies, 1 for a mean."""
        return self.categories - 1 if self.task is Task.FREQUENCY else 1

    @property
    def scale(self) -> int:
        """Noise scale in units of t: 2 for frequencies, 1 for a mean."""
        return 2 if self.task is Task.FREQUENCY else 1

    @property
    def one_number(self) -> bool:
        """Whether the ℓ∞ bounds are the answer: of a single number all norms are the same."""
        return self.task is Task.MEAN or self.norm is Norm.LINF

    @property
    def trivial(self) -> float:
        """What the best constant answer guarantees: ½ everywhere; in ℓ2 1/k everywhere; in ℓ1 0 everywhere."""
        in_norm = 1.0 if self.norm is Norm.L1 else (1 - 1 / self.categories) ** 0.5
        error = 0.5 if self.one_number else in_norm
        return error if self.metric is Metric.PAC else error**2


def problems(categories: int = 10, beta: float = 0.05, norm: Norm = Norm.LINF) -> list[Problem]:
    """The eight cells in the paper's order: frequencies first, correlated first, PAC first."""
    return [Problem(t, s, m, categories, beta, norm) for t in Task for s in Setting for m in Metric]


__all__ = ["SMALLEST_BETA", "Metric", "Norm", "Problem", "Setting", "Task", "problems"]
