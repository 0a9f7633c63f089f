"""What a mechanism of the catalog declares of itself; nobody has to read anything out of its name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Generic, Literal, TypeVar

from mechanisms.criteria import Aim
from mechanisms.demands import Floats, budgets
from mechanisms.laws import ErrorLaw
from mechanisms.mechanism import Noise, ReferenceMechanism
from mechanisms.norms import Norm
from mechanisms.task import Task
from mechanisms.zcdp import Concentrated, ratios

Setting = Literal["correlated", "weakly-correlated"]
Metric = Literal["pac", "mse"]
Draws = Literal["outputs", "samples", "messages"]
Origin = Literal["paper", "ours", "baseline"]

Built = TypeVar("Built", bound=ReferenceMechanism)


@dataclass(frozen=True, eq=False)
class Order:
    """What a builder is asked for; `metric` is the entry's own where it is made for one."""

    name: str
    task: Task
    demands: Floats
    beta: float
    setting: Setting
    metric: Metric
    noise: Noise
    concentrated: Concentrated | None = None  # the promise where Gaussian noise is to keep it
    level: float = 1.0  # of saturation, where it is public
    norm: Norm = "linf"  # that the error is measured in

    @cached_property
    def spendable(self) -> Floats:
        """What each user may spend: of ε, or of w_i/σ."""
        if self.concentrated is not None:
            return ratios(self.concentrated.rho, self.task.moved)
        return budgets(self.demands)

    @property
    def aim(self) -> Aim:
        """Task, metric and law in numbers."""
        beta = self.beta if self.metric == "pac" else None
        if self.concentrated is not None:
            return Aim(self.task.outputs, 1, beta, "ball" if self.task.datum else "gaussian")
        return Aim(self.task.outputs, self.task.sensitivity, beta, norm=self.norm)


@dataclass(frozen=True)
class Entry(Generic[Built]):
    """One mechanism of the catalog.

    `rule`: the idea behind its weights, shared by the variants of one idea (`hp`, `sharp`, `hull`, `uni` and so on).
    `setting` and `metric`: what it is made for; None where it is the same for all.
    `draws`: what a release draws randomness for: its outputs, who is sampled, or every user's message.
    `any_norm`: whether its weights can be made for errors in ℓ1 and ℓ2.
    `public_level`: whether it takes its level of saturation from outside, so that demands stay secret.
    `gaussian`: whether it keeps demands ρ, or (ε, δ), by Gaussian noise; `laplace`: whether it keeps pure ones.
    """

    name: str
    words: str
    origin: Origin
    rule: str
    tasks: tuple[type[Task], ...]
    build: Callable[[Order], Built]
    error_law: Callable[[Built], ErrorLaw]
    setting: Setting | None = None
    metric: Metric | None = None
    draws: Draws = "outputs"
    gaussian: bool = False
    laplace: bool = True
    public_level: bool = False
    any_norm: bool = False

    @property
    def summary(self) -> str:
        """Where it comes from and what it does, in a line."""
        return f"{self.origin}: {self.words}"

    @property
    def task(self) -> str | None:
        """The name of its only task; None where it does several."""
        return self.tasks[0].name if len(self.tasks) == 1 else None

    def does(self, task: str) -> bool:
        """Whether the task of this name is one of its tasks."""
        return any(kind.name == task for kind in self.tasks)
