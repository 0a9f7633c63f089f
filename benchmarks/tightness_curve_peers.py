"""Peers' lower bounds on ε at a δ; none of them is a dependency, each is imported where it is installed.

jax-privacy and privacy-estimates are given the true score, the latter its best threshold too, as it takes guesses;
dp_auditorium learns its own. dp_auditorium is no package of an index: put the folder of its sources on PYTHONPATH.
It bounds δ at an ε: its ε is that of a grid up to which it shows a larger δ, found by halving.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from tightness_curves import DELTA, Runs, Task, interval_threshold

from hdp_audit.model.gaussian import GaussianLimit

CurvePeer = Callable[[Task, Runs, float], float]

ANY_LAW = (
    "jax-privacy",
    "jax-privacy, split",
    "jax-privacy, one run",
    "privacy-estimates",
    "dp_auditorium",
)
NORMAL_LAW = ("jax-privacy, GDP", "jax-privacy, one run, f-DP")
SLOW_SEEDS = 10
SLOW_MOST = 10_000  # runs per dataset up to which its f-DP bound is asked for: beyond it takes minutes
AUDITORIUM_SEEDS = {10_000: 10, 100_000: 2}  # by runs per dataset: a bound takes several seconds, or a minute
GRID = 0.125


@lru_cache(maxsize=1)
def curve_peers() -> dict[str, CurvePeer]:
    """Those that are installed."""
    found: dict[str, CurvePeer] = {}
    for name, add in (("jax-privacy", _jax), ("privacy-estimates", _estimates), ("dp_auditorium", _auditorium)):
        try:
            found |= add()
        except ImportError as why:
            print(f"{name} is not installed ({why}): its columns stay empty", flush=True)
    return found


def _jax() -> dict[str, CurvePeer]:
    from jax_privacy import auditing

    canary, split = auditing.CanaryScoreAuditor, auditing.Split(seed=1)
    return {
        "jax-privacy": lambda _, r, s: canary(r[1], r[0]).epsilon_clopper_pearson(s, DELTA),
        "jax-privacy, split": lambda _, r, s: canary(r[1], r[0]).epsilon_clopper_pearson(
            s, DELTA, threshold_strategy=split
        ),
        "jax-privacy, one run": lambda _, r, s: canary(r[1], r[0]).epsilon_one_run(s, DELTA, threshold_strategy=split),
        "jax-privacy, GDP": lambda _, r, s: canary(r[1], r[0]).epsilon_from_gdp(s, DELTA),
        "jax-privacy, one run, f-DP": lambda _, r, s: canary(r[1], r[0]).epsilon_one_run_fdp(
            s, DELTA, threshold_strategy=split
        ),
    }


def _estimates() -> dict[str, CurvePeer]:
    from privacy_estimates import compute_eps_lo
    from privacy_estimates.utils import AttackResults

    def bound(task: Task, runs: Runs, significance: float) -> float:
        zeros, ones = runs
        threshold = interval_threshold(task.shift, round(zeros.size, -2), significance)
        hits, misses = int((ones >= threshold).sum()), int((zeros >= threshold).sum())
        counts = AttackResults(FN=ones.size - hits, FP=misses, TN=zeros.size - misses, TP=hits)
        return float(compute_eps_lo(counts, DELTA, significance, "jeffreys"))

    return {"privacy-estimates": bound}


def _auditorium() -> dict[str, CurvePeer]:
    from dp_auditorium.configs import privacy_property, property_tester_config
    from dp_auditorium.testers import hockey_stick_tester as tester

    def shows(runs: Runs, epsilon: float, significance: float) -> bool:
        promise = privacy_property.ApproximateDp(epsilon=epsilon, delta=DELTA)
        training = tester.make_default_hs_training_config()
        config = property_tester_config.HockeyStickPropertyTesterConfig(training, promise)
        made = tester.HockeyStickPropertyTester(config, tester.make_default_hs_base_model())
        return bool(made.reject_property(made.estimate_lower_bound(runs[0], runs[1], significance)))

    def bound(_: Task, runs: Runs, significance: float) -> float:
        low, high = 0, 64  # in steps of the grid
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if shows(runs, GRID * middle, significance) else (low, middle)
        return GRID * low

    return {"dp_auditorium": bound}


def asked(name: str, size: int, number: int) -> bool:
    """Whether a peer is asked about the seed of this number, at so many runs per dataset."""
    if name == "dp_auditorium":
        return number < AUDITORIUM_SEEDS.get(size, 0)
    return "f-DP" not in name or (size <= SLOW_MOST and number < SLOW_SEEDS)


def best_of_auditorium(task: Task, size: int, significance: float) -> float:
    """What its bound is at most, about: the best classifier, half of the runs judged, its Hoeffding margin."""
    grid = np.arange(0.0, 12.0, 0.01)
    margin = np.sqrt(np.log(1.0 / significance) / size)  # of size/2 runs: √(log(1/s)/(2·size/2))
    shown = GaussianLimit(task.shift).delta(grid) - margin * (1.0 + np.exp(grid))
    return float(grid[shown > DELTA].max(initial=0.0))
