"""The saturated family, HPF and HPM: the paper's variants and ours, each declared once for the tasks it does."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from mechanisms import builders, criteria, spending
from mechanisms.anchored import anchored_law
from mechanisms.catalog_entry import Entry, Metric, Order, Origin, Setting
from mechanisms.criteria import Aim, Criterion
from mechanisms.demands import Floats
from mechanisms.frequency import Frequency
from mechanisms.hull import hull_law
from mechanisms.laws import ErrorLaw
from mechanisms.mean import Mean
from mechanisms.task import Task
from mechanisms.vector_mean import VectorMean
from mechanisms.weighted import Spending, weighted_law

Weighting = builders.Weighting
CORRELATED: Setting = "correlated"
WEAK: Setting = "weakly-correlated"
SATURATED = ("hp", "turbo", "sharp", "centred")  # rules of w ∝ min(ε, level), which hold for min(√(2ρ), level) as well
IN_BALL = ("hp", "sharp", "centred")  # those that vectors have a form of


@dataclass(frozen=True)
class Variant:
    """What the entries of one variant share; the catalog's name of each begins with the letters of its task."""

    ending: str
    words: str
    origin: Origin
    rule: str
    build: Callable[[Order], Any]
    setting: Setting | None = None
    metric: Metric | None = None
    error_law: Callable[[Any], ErrorLaw] = weighted_law

    def entry(self, letters: str, task: type[Task]) -> Entry[Any]:
        """The variant for one task."""
        origin = "ours" if task is VectorMean else self.origin
        facts = (self.words, origin, self.rule, (task,), self.build, self.error_law)
        entry = Entry(f"{letters}-{self.ending}", *facts, setting=self.setting, metric=self.metric)
        table = self.rule == "hull"
        return replace(entry, gaussian=self.rule in SATURATED, laplace=task is not VectorMean, any_norm=table)


def _least(criterion: Callable[[Aim], Criterion]) -> Callable[[Order], Any]:
    return builders.weighted(lambda demands, aim: spending.optimised(demands, criterion(aim)))


def _around_half(demands: Floats, aim: Aim) -> Spending:
    return spending.centred(demands, criteria.centred(aim))


_CORRELATED, _WEAK = _least(criteria.correlated), _least(criteria.weak)
_SHARP, _SHARP_WEAK = _least(criteria.sharp_correlated), _least(criteria.sharp_weak)
_AGNOSTIC = builders.weighted(lambda demands, _: spending.agnostic(demands))
_CENTRED, _HULL = builders.weighted(_around_half), builders.hull(spending.hull)
_HULL_WEAK = builders.hull(lambda demands, aim: spending.optimised(demands, criteria.hull_weak(aim)))
_ANCHORED = builders.anchored(spending.anchored)

VARIANTS = (
    Variant("cp", "correlated data, error quantile", "paper", "hp", _CORRELATED, CORRELATED, "pac"),
    Variant("ce", "correlated data, squared error", "paper", "hp", _CORRELATED, CORRELATED, "mse"),
    Variant("wp", "weakly correlated data, error quantile", "paper", "hp", _WEAK, WEAK, "pac"),
    Variant("we", "weakly correlated data, squared error", "paper", "hp", _WEAK, WEAK, "mse"),
    Variant("a", "weights 1 − e^−ε for all", "paper", "a", _AGNOSTIC),
    Variant("ct", "turbo form of cp", "paper", "turbo", _least(criteria.turbo_correlated), CORRELATED, "pac"),
    Variant("wt", "turbo form of wp", "paper", "turbo", _least(criteria.turbo_weak), WEAK, "pac"),
    Variant("cet", "turbo form of ce", "paper", "turbo", _least(criteria.turbo_correlated), CORRELATED, "mse"),
    Variant("wet", "turbo form of we", "paper", "turbo", _least(criteria.turbo_weak), WEAK, "mse"),
    Variant("cp-sharp", "least exact worst error quantile", "ours", "sharp", _SHARP, CORRELATED, "pac"),
    Variant("ce-sharp", "least exact worst squared error", "ours", "sharp", _SHARP, CORRELATED, "mse"),
    Variant("wp-sharp", "least explicit bound, permuted data", "ours", "sharp", _SHARP_WEAK, WEAK, "pac"),
    Variant("we-sharp", "least explicit squared error, permuted data", "ours", "sharp", _SHARP_WEAK, WEAK, "mse"),
    Variant("cp-centred", "weights around ½, error quantile", "ours", "centred", _CENTRED, CORRELATED, "pac"),
    Variant("ce-centred", "weights around ½, squared error", "ours", "centred", _CENTRED, CORRELATED, "mse"),
)

_ON_HULL = "weights around c, noise on the sensitivity hull"
_PERMUTED = "permuted data, noise on the sensitivity hull"
HULL = (
    Variant("cp-hull", f"{_ON_HULL}, error quantile", "ours", "hull", _HULL, CORRELATED, "pac", hull_law),
    Variant("ce-hull", f"{_ON_HULL}, squared error", "ours", "hull", _HULL, CORRELATED, "mse", hull_law),
    Variant("wp-hull", f"{_PERMUTED}, error quantile", "ours", "hull", _HULL_WEAK, WEAK, "pac", hull_law),
    Variant("we-hull", f"{_PERMUTED}, squared error", "ours", "hull", _HULL_WEAK, WEAK, "mse", hull_law),
)

SHRUNK = Variant(
    "we-centred",
    "weights shrunk to ½, permuted data, squared error",
    "ours",
    "centred",
    builders.weighted(spending.centred_weak),
    WEAK,
    "mse",
)

SECRET = Entry(
    "hpm-secret",
    "weights around ½ at a public level: tells no more of demands than of data",
    "ours",
    "secret",
    (Mean,),
    builders.secret,
    weighted_law,
    public_level=True,
)

_TWO = "safe anchor, opinion from free privacy"
ANCHORED = (
    Variant("cp-anchored", f"{_TWO}, error quantile", "ours", "anchored", _ANCHORED, CORRELATED, "pac", anchored_law),
    Variant("ce-anchored", f"{_TWO}, squared error", "ours", "anchored", _ANCHORED, CORRELATED, "mse", anchored_law),
)

ENTRIES = (
    *(variant.entry("hpf", Frequency) for variant in (*VARIANTS, *HULL, *ANCHORED)),
    *(variant.entry("hpm", Mean) for variant in (*VARIANTS, SHRUNK, *ANCHORED)),
    SECRET,
    *(variant.entry("hvm", VectorMean) for variant in VARIANTS if variant.rule in IN_BALL),
)
