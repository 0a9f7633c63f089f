"""What accuracy_operating.py counts on laws whose truth is known, and the cost.

    python benchmarks/accuracy_laws.py [--seeds 200] [--out DIR]

runs the sections coverage, power, exact and cost; minutes at 200 seeds on one core: 1, 2, 1, 2.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from subjects import subject_of

from hdp_audit.audits.accuracy import SEARCH, ErrorTest, audit_accuracy, exact_opinion
from hdp_audit.audits.case import PARTS
from hdp_audit.audits.claimed import estimator_of
from hdp_audit.audits.measure import draw_errors, largest_error
from hdp_audit.audits.sequential import looks
from hdp_audit.audits.share import Share
from hdp_audit.audits.verdicts_accuracy import JUDGED
from hdp_audit.audits.worst_data import Metered, find_worst
from hdp_audit.evidence.bounded_mean import BoundedMean, best_stake
from hdp_audit.evidence.quantile import Quantile
from hdp_audit.model.claim import AccuracyClaim
from hdp_audit.model.task import Mean
from hdp_audit.model.vocabulary import SettingName
from hdp_audit.search.worst_case import biased, extremes
from hdp_audit.suite import CALLS, CATEGORIES, DEMANDS, TOLERANCE, suite_cases
from hdp_audit.targets.reference import Audited, entries, entry, standard_demands
from hdp_audit.targets.streams import named
from hdp_audit.targets.subject import Subject

Row = dict[str, Any]
Floats = NDArray[np.float64]


def reference(name: str, epsilon: Floats, task: str, k: int | None) -> Subject:
    return subject_of(Audited(name, epsilon, task=task, categories=k), epsilon, k, name)


def coverage(seeds: int) -> list[Row]:
    """Truths held at all of six looks up to 3200 draws, 2.5 sequences a seed; laws whose truth is known exactly.

    Bets on the mean are aimed by 200 earlier draws, and know the largest error.
    """
    rng, sequences = np.random.default_rng(1), 5 * seeds // 2
    b, k, beta = 0.02, 10, 0.05
    laws: dict[str, tuple[Callable[[int], Floats], float, float]] = {
        "|Laplace(b)|": (lambda n: np.abs(rng.laplace(0, b, n)), b * np.log(1 / beta), 2 * b * b),
        "largest of 10": (
            lambda n: np.abs(rng.laplace(0, b, (n, k))).max(axis=1),
            -b * np.log(-np.expm1(np.log1p(-beta) / k)),
            b * b * (sum(1 / i for i in range(1, k + 1)) ** 2 + sum(1 / i**2 for i in range(1, k + 1))),
        ),
        "biased by 2b": (
            lambda n: np.abs(2 * b + rng.laplace(0, b, n)),
            b * np.log(np.cosh(2) / beta),
            (2 * b) ** 2 + 2 * b * b,
        ),
        "uniform to ½": (lambda n: rng.uniform(0, 0.5, n), 0.5 * (1 - beta), 1 / 12),
    }
    rows = []
    for confidence in (0.95, 0.99):
        for law, (draw, quantile, square) in laws.items():
            side = (1 - confidence) / 2
            missed = Counter[str]()
            top = 0.25 if law == "uniform to ½" else 1.0
            for _ in range(sequences):
                errors = np.minimum(draw(3200), 1.0)
                aim = best_stake(np.minimum(draw(200), 1.0) ** 2, 1.2, side)
                parts = [errors[:size] for size in looks(3200, 100)]
                q = [Quantile(part, beta, side) for part in parts]
                m = [BoundedMean(part**2, side, top, aim) for part in parts]
                missed["quantile"] += any(not one.lower <= quantile <= one.upper for one in q)
                missed["mse"] += any(one.refutes(square) or one.refutes_from_below(square) for one in m)
            for metric in ("quantile", "mse"):
                covered = 1 - missed[metric] / sequences
                row = {"law": law, "metric": metric, "confidence": confidence, "covered": covered}
                rows.append(row | {"sequences": sequences})
    return rows


def power(seeds: int) -> list[Row]:
    """The factor over the bound that the built-in suite's calls refute with probability 0.8, and the upper end.

    Errors on the worst dataset found, 200,000 draws, resampled; a law scaled by f is refuted once f × its lower end
    exceeds the bound. `upper` is the median upper end over the truth, `limit` what no method can go below.
    """
    calls, level = CALLS["accuracy"], 1e-3 / len(suite_cases()) * 0.95 * PARTS["accuracy"]
    epsilon, rows = standard_demands(DEMANDS).values, []
    for name in (f"{task}-{variant}" for task in ("hpm", "hpf") for variant in ("cp", "ce", "wp", "we")):
        k = CATEGORIES if entry(name).task == "frequency" else None
        subject = reference(name, epsilon, "mean" if k is None else "frequency", k)
        setting: SettingName = entry(name).setting or "correlated"
        claim = AccuracyClaim(setting, entry(name).metric or "pac", tolerance=TOLERANCE)
        found = find_worst(subject, Metered(setting, claim.metric, claim.beta), int(SEARCH * calls), 1, None)
        court = ErrorTest(subject, claim, 1.0, found, Share(calls, level, 0.999, 1))
        rng = np.random.default_rng(7)
        pool = draw_errors(subject, found.worst, setting, 1000 * seeds, named(7, name))
        truth, trials = court.evidence(pool).measured, int(JUDGED * calls)
        seen = [court.evidence(rng.choice(pool, trials)) for _ in range(max(seeds // 5, 2))]
        row: Row = {"mechanism": name, "setting": setting, "metric": claim.metric, "trials": trials}
        row |= {"factor": float(np.quantile([truth / one.lower for one in seen], 0.8))}
        row |= {"upper": float(np.median([one.upper / truth for one in seen[:10]]))}
        if claim.metric == "mse":
            top = largest_error(subject, found.worst) ** 2
            row["limit"] = 1 - top * float(np.expm1(np.log(level / 2) / trials)) / truth
        rows.append(row)
    return rows


def exact(seeds: int) -> list[Row]:
    """Half as many random HPM cases as seeds, 50,000 draws: Monte Carlo less the exact law, in standard errors."""
    means = [each.name for each in entries("mean") if each.task and each.rule != "anchored"]
    scores: dict[str, list[float]] = {"quantile": [], "mse": []}
    for number in range(max(seeds // 2, 1)):
        rng = np.random.default_rng([5, number])
        epsilon = np.exp(rng.uniform(-3, 3, int(rng.integers(3, 200))))
        subject = reference(means[number % len(means)], epsilon, "mean", None)
        known = estimator_of(subject)
        assert known is not None
        listed = [*biased(known.weights, Mean()), *extremes(epsilon.size, Mean(), rng)]
        dataset = listed[number % len(listed)]
        errors = draw_errors(subject, dataset, "correlated", 50_000, named(5, number))
        quantile = exact_opinion(known, dataset, AccuracyClaim(beta=0.1))
        square = exact_opinion(known, dataset, AccuracyClaim(metric="mse"))
        assert quantile is not None
        assert square is not None
        share = (errors > quantile).mean()
        if quantile < 1 and errors.std() > 0 and not np.isclose(errors, quantile, atol=1e-9).mean() > 0.001:
            scores["quantile"].append((share - 0.1) / np.sqrt(0.09 / errors.size))
        scores["mse"].append(((errors**2).mean() - square) / max((errors**2).std() / np.sqrt(errors.size), 1e-12))
    return [
        {"metric": m, "cases": len(z), "rms": float(np.sqrt(np.mean(np.square(z)))), "largest": float(np.abs(z).max())}
        for m, z in scores.items()
    ]


def cost(seeds: int, n: int = 17_000, k: int = 10) -> list[Row]:
    """A weakly correlated audit, n = 17,000 and k = 10, with 500 trials a seed against as many shuffles alone.

    Processor time, and by how much the process's memory grew.
    """
    rng, trials = np.random.default_rng(1), 500 * seeds
    rows = []
    for label, epsilon in (("log-uniform", np.exp(rng.uniform(-5, 5, n))), ("uniform", rng.uniform(0, 1, n))):
        subject = reference("hpf-wp", epsilon, "frequency", k)
        shuffles = _shuffling(rng, n, k, trials // 20)
        Path("/proc/self/clear_refs").write_text("5")  # the peak begins anew; Linux
        before = _peak()
        audited = -time.process_time()
        # Such a tolerance is never reached: all calls are spent.
        claim = AccuracyClaim("weakly-correlated", "mse", tolerance=1.0001)
        audit_accuracy(subject, claim, Share(int(trials / (SEARCH + JUDGED)), 1e-4, 0.999, 1))
        audited += time.process_time()
        grown = (_peak() - before) / 1024
        shuffles += _shuffling(rng, n, k, trials // 20)
        alone = 10 * shuffles * subject.calls / trials
        row = {"demands": label, "trials": subject.calls, "audit_seconds": audited, "shuffle_seconds": alone}
        rows.append(row | {"ratio": audited / alone, "memory_grown_mb": grown})
    return rows


def _peak() -> int:
    """The largest resident memory so far, in KiB."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("VmHWM")))


def _shuffling(rng: np.random.Generator, n: int, k: int, times: int) -> float:
    data = np.arange(n) % k
    started = time.process_time()
    for _ in range(times):
        rng.permutation(data)
    return time.process_time() - started


if __name__ == "__main__":
    from accuracy_operating import main

    main(["coverage", "power", "exact", "cost"])
