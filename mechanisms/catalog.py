"""Names to mechanisms: `build("hpf-cp", epsilon=eps, categories=12, beta=0.05)`.

A new mechanism is one file that declares its entries, and one word in the loop below.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from mechanisms import variants
from mechanisms.baselines import entries as baselines
from mechanisms.catalog_entry import Entry, Metric, Order, Setting
from mechanisms.demands import Floats, checked_demands
from mechanisms.errors import InvalidInput
from mechanisms.frequency import Frequency
from mechanisms.laws import ErrorLaw
from mechanisms.mechanism import Noise, ReferenceMechanism
from mechanisms.norms import NORMS, Norm
from mechanisms.registry import entries, entry, register
from mechanisms.task import Task
from mechanisms.vector_mean import VectorMean
from mechanisms.zcdp import Concentrated

SMALLEST_BETA = 1e-100
LEVELS = (1e-9, 1e9)  # that a public level may have

for _declared in (*variants.ENTRIES, *baselines.ENTRIES):
    register(_declared)


def names(task: Literal["mean", "frequency", "vector-mean"] | None = None) -> list[str]:
    """Every catalog name, or those that fit a task."""
    return [each.name for each in entries(task)]


def summary(name: str) -> str:
    """What the mechanism of this name does, in a line."""
    return entry(name).summary


def build(
    name: str,
    *,
    epsilon: ArrayLike | None = None,
    rho: ArrayLike | None = None,
    delta: ArrayLike | None = None,
    categories: int | None = None,
    dimensions: int | None = None,
    task: str | None = None,
    beta: float = 0.05,
    setting: Setting = "correlated",
    metric: Metric = "pac",
    noise: Noise = "exact",
    level: float | None = None,
    norm: Norm = "linf",
) -> ReferenceMechanism:
    """The mechanism of that name for these demands.

    The promise chooses the noise: `epsilon` alone is pure and gets Laplace noise, `rho` (zCDP) Gaussian noise, and so
    does `epsilon` with `delta`, one for each user or one for all, by the best ρ that implies it.
    `categories` belongs to frequencies, `dimensions` to vectors; `task` is needed for baselines only. `beta` is the
    error probability of the PAC variants. `setting` and `metric` steer the weights of `ldp`, `metric` also the cut of
    `threshold`. `level` is the public level of saturation of `hpm-secret` (1 unless given); all others choose their own
    from the demands. `norm` is what the error of a table is measured in: "linf", or "l2" and "l1" for the `hull` forms,
    whose weights are then the best for it. `noise="float"` is fast, and leaks through the bits of doubles.
    """
    demands, concentrated = _promise(epsilon, rho, delta)
    declared = entry(name)
    _check_noise(declared, gaussian=concentrated is not None)
    kind = _task(declared, task, categories, dimensions)
    _check_options(beta, setting, metric, noise, norm)
    _check_level(declared, level)
    _check_norm(declared, norm)
    built: ReferenceMechanism = declared.build(
        Order(name, kind, demands, beta, setting, declared.metric or metric, noise, concentrated, level or 1.0, norm)
    )
    return built


def _promise(
    epsilon: ArrayLike | None, rho: ArrayLike | None, delta: ArrayLike | None
) -> tuple[Floats, Concentrated | None]:
    """(ε, None) for a pure promise, (ε, ρ and all) for one that Gaussian noise keeps."""
    if epsilon is not None and rho is None:
        if delta is None:
            return checked_demands(epsilon), None
        promised = Concentrated.of_approximate(epsilon, delta)
    elif rho is not None and epsilon is None and delta is None:
        promised = Concentrated.of_rho(rho)
    else:
        given = {"epsilon": epsilon, "rho": rho, "delta": delta}
        named = " and ".join(key for key, value in given.items() if value is not None) or "none of them"
        raise InvalidInput(f"{named} given; give epsilon, or epsilon and delta, or rho: one number for each user")
    return promised.epsilon, promised


def _check_noise(declared: Entry[Any], *, gaussian: bool) -> None:
    if gaussian and not declared.gaussian:
        able = ", ".join(each.name for each in entries() if each.gaussian)
        raise InvalidInput(f"{declared.name} has no form with Gaussian noise; give epsilon alone, or one of {able}")
    if not gaussian and not declared.laplace:
        raise InvalidInput(f"{declared.name} has Gaussian noise, which keeps no pure epsilon; add delta, or give rho")


def error_law(mechanism: ReferenceMechanism) -> ErrorLaw:
    """How the answers of a mechanism that `build` made err, as its entry declares."""
    return entry(mechanism.name).error_law(mechanism)


def _task(declared: Entry[Any], task: str | None, categories: int | None, dimensions: int | None) -> Task:
    """The task that is asked for; without a word, the entry's only one, or frequencies where there are categories."""
    asked = task
    if task is None:
        asked = declared.task or (Frequency.name if categories is not None else None)
    for kind in declared.tasks:
        if kind.name == asked:
            return kind.of(_count(kind, declared.name, categories, dimensions), declared.name)
    if declared.task is not None:
        raise InvalidInput(f"{declared.name} is for task {declared.task!r}, but task = {task!r} was given")
    raise InvalidInput(f"task = {task!r} for {declared.name}; give task='mean', or task='frequency' with categories=k")


def _count(kind: type[Task], name: str, categories: int | None, dimensions: int | None) -> int | None:
    """Dimensions of vectors, categories of everything else; the other one is a mistake."""
    if kind is VectorMean:
        if categories is not None:
            raise InvalidInput(f"categories = {categories!r} given for vectors ({name}); give dimensions=d instead")
        return dimensions
    if dimensions is not None:
        raise InvalidInput(f"dimensions = {dimensions!r} given, but {name} is not for vectors; leave it out")
    return categories


def _check_level(declared: Entry[Any], level: float | None) -> None:
    if level is None:
        return
    if not declared.public_level:
        able = ", ".join(each.name for each in entries() if each.public_level)
        raise InvalidInput(
            f"level = {level!r} given, but {declared.name} chooses its own; leave it out, or take {able}"
        )
    if not (isinstance(level, (int, float, np.integer, np.floating)) and LEVELS[0] <= level <= LEVELS[1]):
        raise InvalidInput(f"level = {level!r}; a level of saturation is a number from {LEVELS[0]:g} to {LEVELS[1]:g}")


def _check_norm(declared: Entry[Any], norm: str) -> None:
    if norm != "linf" and not declared.any_norm:
        able = ", ".join(each.name for each in entries() if each.any_norm)
        raise InvalidInput(
            f"norm = {norm!r} given, but {declared.name} is made for the largest error; take one of {able}"
        )


def _check_options(beta: float, setting: str, metric: str, noise: str, norm: str) -> None:
    if not (isinstance(beta, (float, np.floating)) and SMALLEST_BETA <= beta < 1):
        raise InvalidInput(f"beta = {beta!r}; an error probability lies strictly between 0 and 1, and not below 1e-100")
    for label, value, allowed in (
        ("setting", setting, get_args(Setting)),
        ("metric", metric, get_args(Metric)),
        ("noise", noise, get_args(Noise)),
        ("norm", norm, NORMS),
    ):
        if not isinstance(value, str) or value not in allowed:
            raise InvalidInput(f"{label} = {value!r}; allowed: {', '.join(allowed)}")
