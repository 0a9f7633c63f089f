"""Names to mechanisms: `build("hpf-cp", epsilon=eps, categories=12, beta=0.05)`."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from types import MappingProxyType
from typing import Literal, TypeVar, get_args

import numpy as np
from numpy.typing import ArrayLike

from mechanisms import criteria, spending
from mechanisms.anchored import AnchoredMechanism, Anchoring
from mechanisms.baselines.local import LocalFrequency, LocalMean, LocalMechanism, asked, frequency_weights
from mechanisms.baselines.sampling import SamplingMechanism
from mechanisms.criteria import Aim, Criterion
from mechanisms.demands import Floats, budgets, checked_demands
from mechanisms.errors import InvalidInput
from mechanisms.frequency import Frequency
from mechanisms.hull import HullMechanism
from mechanisms.mean import Mean
from mechanisms.mechanism import Noise, ReferenceMechanism
from mechanisms.task import Task
from mechanisms.weighted import Spending, WeightedMechanism

Setting = Literal["correlated", "weakly-correlated"]
Metric = Literal["pac", "mse"]

SMALLEST_BETA = 1e-100

Plan = TypeVar("Plan")
Weighting = Callable[[Floats, Aim], Spending]


@dataclass(frozen=True)
class Variant:
    """One weighting of the family: what it minimises, for which metric, in a line a person understands."""

    weighting: Weighting
    metric: Metric
    summary: str


def _least(criterion: Callable[[Aim], Criterion], metric: Metric, summary: str) -> Variant:
    return Variant(lambda demands, aim: spending.optimised(demands, criterion(aim)), metric, summary)


def _around_half(metric: Metric, summary: str) -> Variant:
    return Variant(lambda demands, aim: spending.centred(demands, criteria.centred(aim)), metric, summary)


VARIANTS: Mapping[str, Variant] = MappingProxyType(
    {
        "cp": _least(criteria.correlated, "pac", "paper: correlated data, error quantile"),
        "ce": _least(criteria.correlated, "mse", "paper: correlated data, squared error"),
        "wp": _least(criteria.weak, "pac", "paper: weakly correlated data, error quantile"),
        "we": _least(criteria.weak, "mse", "paper: weakly correlated data, squared error"),
        "a": Variant(lambda demands, _: spending.agnostic(demands), "pac", "paper: weights 1 − e^−ε for all"),
        "ct": _least(criteria.turbo_correlated, "pac", "paper: turbo form of cp"),
        "wt": _least(criteria.turbo_weak, "pac", "paper: turbo form of wp"),
        "cp-sharp": _least(criteria.sharp_correlated, "pac", "ours: least exact worst error quantile"),
        "ce-sharp": _least(criteria.sharp_correlated, "mse", "ours: least exact worst squared error"),
        "wp-sharp": _least(criteria.sharp_weak, "pac", "ours: least explicit bound, permuted data"),
        "we-sharp": _least(criteria.sharp_weak, "mse", "ours: least explicit squared error, permuted data"),
        "cp-centred": _around_half("pac", "ours: weights around ½, error quantile"),
        "ce-centred": _around_half("mse", "ours: weights around ½, squared error"),
    }
)
HULL: Mapping[str, Variant] = MappingProxyType(
    {
        "cp-hull": Variant(
            spending.hull, "pac", "ours: weights around c, noise on the sensitivity hull, error quantile"
        ),
        "ce-hull": Variant(
            spending.hull, "mse", "ours: weights around c, noise on the sensitivity hull, squared error"
        ),
    }
)
ANCHORED: Mapping[str, tuple[Callable[[Floats, Aim], Anchoring], Metric, str]] = MappingProxyType(
    {
        "cp-anchored": (
            spending.anchored,
            "pac",
            "ours: safe anchor, opinion from free privacy, error quantile",
        ),
        "ce-anchored": (spending.anchored, "mse", "ours: safe anchor, opinion from free privacy, squared error"),
    }
)
WEAK_CENTRED = Variant(spending.centred_weak, "mse", "ours: weights shrunk to ½, permuted data, squared error")
WEIGHTED_BASELINES: Mapping[str, tuple[Weighting, str]] = MappingProxyType(
    {
        "uni": (
            lambda demands, _: spending.uniform(demands),
            "equal weights at the smallest positive demand",
        ),
        "prop": (lambda demands, _: spending.proportional(demands), "weights proportional to demands"),
        "threshold": (spending.thresholded, "small demands dropped, the rest equal"),
    }
)


def names(task: Literal["mean", "frequency"] | None = None) -> list[str]:
    """Every catalog name, or those that fit a task."""
    baselines = ["uni", "prop", "sm", "ldp", "threshold"]
    families = {"frequency": [f"hpf-{v}" for v in VARIANTS], "mean": [f"hpm-{v}" for v in VARIANTS]}
    families["frequency"] += [f"hpf-{v}" for v in HULL]
    families["mean"].append("hpm-we-centred")
    for family, letters in (("frequency", "hpf"), ("mean", "hpm")):
        families[family] += [f"{letters}-{v}" for v in ANCHORED]
    chosen = [task] if task else ["frequency", "mean"]
    return [name for one in chosen for name in families[one]] + baselines


def summary(name: str) -> str:
    """What the mechanism of this name does, in a line."""
    if name in WEIGHTED_BASELINES:
        return f"baseline: {WEIGHTED_BASELINES[name][1]}"
    if name == "sm":
        return "baseline: sampling (Jorgensen et al.), the form that survives replacement"
    if name == "ldp":
        return "baseline: every user adds their own noise (k-RAPPOR, Laplace)"
    if name.endswith("-anchored"):
        return ANCHORED[name.split("-", 1)[1]][2]
    return _variant(name).summary


def build(
    name: str,
    *,
    epsilon: ArrayLike,
    categories: int | None = None,
    task: str | None = None,
    beta: float = 0.05,
    setting: Setting = "correlated",
    metric: Metric = "pac",
    noise: Noise = "exact",
) -> ReferenceMechanism:
    """The mechanism of that name for these demands.

    `categories` belongs to frequencies; `task` is needed for baselines only. `beta` is the error probability of the
    PAC variants. `setting` and `metric` steer the weights of `ldp`, `metric` also the cut of `threshold`.
    `noise="float"` is fast, and leaks through the bits of doubles.
    """
    demands = checked_demands(epsilon)
    kind = _task(name, task, categories)
    _check_options(beta, setting, metric, noise)
    spendable = budgets(demands)
    if name == "sm":
        return SamplingMechanism(name, kind, demands, noise)
    if name == "ldp":
        return _local(kind, demands, _aim(kind, metric, beta), setting, noise)
    if name.endswith("-anchored"):
        plan, for_metric, _ = ANCHORED[name.split("-", 1)[1]]
        anchoring = _remembered(plan, spendable.tobytes(), _aim(kind, for_metric, beta))
        return AnchoredMechanism(name, kind, demands, anchoring, noise)
    if name in WEIGHTED_BASELINES:
        weighting, for_metric = WEIGHTED_BASELINES[name][0], metric
    else:
        variant = _variant(name)
        weighting, for_metric = variant.weighting, variant.metric
    spent = _remembered(weighting, spendable.tobytes(), _aim(kind, for_metric, beta))
    build_weighted = HullMechanism if name.endswith("-hull") else WeightedMechanism
    return build_weighted(name, kind, demands, spent, noise)


@lru_cache(maxsize=4)  # a mechanism is built for each check of an audit; the best weights take longest
def _remembered(plan: Callable[[Floats, Aim], Plan], spendable: bytes, aim: Aim) -> Plan:
    return plan(np.frombuffer(spendable), aim)


def _local(task: Task, demands: Floats, aim: Aim, setting: Setting, noise: Noise) -> LocalMechanism:
    weakly = setting == "weakly-correlated"
    spendable = asked(budgets(demands))
    if task.outputs > 1:
        return LocalFrequency("ldp", task, demands, frequency_weights(spendable, aim, weakly), noise)
    criterion = criteria.weak(aim) if weakly else criteria.correlated(aim)
    losses = spending.optimised(spendable, criterion).losses
    return LocalMean("ldp", task, demands, losses / losses.sum(), noise)


def _aim(task: Task, metric: Metric, beta: float) -> Aim:
    return Aim(task.outputs, task.sensitivity, beta if metric == "pac" else None)


def _task(name: str, task: str | None, categories: int | None) -> Task:
    known = names()
    if not isinstance(name, str):
        raise InvalidInput(f"no mechanism is called {name!r}; the names are {', '.join(known)}")
    if name not in known:
        near = difflib.get_close_matches(name, known, n=3)
        hint = f"did you mean {' or '.join(near)}?" if near else f"the names are {', '.join(known)}"
        raise InvalidInput(f"no mechanism is called {name!r}; {hint}")
    own = {"hpf": "frequency", "hpm": "mean"}.get(name.split("-")[0])
    wanted = own or task or ("frequency" if categories is not None else None)
    if wanted not in ("mean", "frequency"):
        raise InvalidInput(f"task = {task!r} for {name}; give task='mean', or task='frequency' with categories=k")
    if task is not None and task != wanted:
        raise InvalidInput(f"{name} is for task {wanted!r}, but task = {task!r} was given")
    if wanted == "mean":
        if categories is not None:
            raise InvalidInput(f"categories = {categories!r} given for a mean ({name}); leave it out")
        return Mean()
    if categories is None:
        raise InvalidInput(f"{name} estimates frequencies and needs categories=k, a whole number of at least 2")
    return Frequency(categories)


def _check_options(beta: float, setting: str, metric: str, noise: str) -> None:
    if not (isinstance(beta, (float, np.floating)) and SMALLEST_BETA <= beta < 1):
        raise InvalidInput(f"beta = {beta!r}; an error probability lies strictly between 0 and 1, and not below 1e-100")
    for label, value, allowed in (
        ("setting", setting, get_args(Setting)),
        ("metric", metric, get_args(Metric)),
        ("noise", noise, get_args(Noise)),
    ):
        if not isinstance(value, str) or value not in allowed:
            raise InvalidInput(f"{label} = {value!r}; allowed: {', '.join(allowed)}")


def _variant(name: str) -> Variant:
    variant = name.split("-", 1)[1]
    return WEAK_CENTRED if name == "hpm-we-centred" else {**VARIANTS, **HULL}[variant]
