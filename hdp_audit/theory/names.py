"""The eight cells: task × setting × metric."""

from dataclasses import dataclass

from hdp_audit.errors import InvalidInput
from hdp_audit.model.vocabulary import Metric, Setting, Task

SMALLEST_BETA = 1e-100  # as for the reference mechanisms; exponentials of log(1/β) stay finite


@dataclass(frozen=True)
class Problem:
    """One cell with its parameters; a mean has one coordinate, frequencies have `categories`."""

    task: Task
    setting: Setting
    metric: Metric
    categories: int = 10
    beta: float = 0.05

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
    def trivial(self) -> float:
        """What the constant answer ½ guarantees: ½ (PAC), ¼ (MSE)."""
        return 0.5 if self.metric is Metric.PAC else 0.25


def problems(categories: int = 10, beta: float = 0.05) -> list[Problem]:
    """The eight cells in the paper's order: frequencies first, correlated first, PAC first."""
    return [Problem(t, s, m, categories, beta) for t in Task for s in Setting for m in Metric]


__all__ = ["SMALLEST_BETA", "Metric", "Problem", "Setting", "Task", "problems"]
