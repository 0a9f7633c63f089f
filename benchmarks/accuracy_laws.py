"""What accuracy_operating.py counts on laws whose truth is known: interval coverage, the exact law, and the cost."""

from __future__ import annotations

import resource
import time
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.attacks.worst_case import biased, extremes
from hdp_audit.auditors.accuracy import audit_accuracy, exact_opinion, looks
from hdp_audit.auditors.claimed import estimator_of
from hdp_audit.auditors.measure import draw_errors
from hdp_audit.auditors.share import Share
from hdp_audit.evidence.bounded_mean import BoundedMean
from hdp_audit.evidence.quantile import Quantile
from hdp_audit.model.claim import AccuracyClaim
from hdp_audit.reference import Audited, names
from hdp_audit.sampling.subject import Subject

Row = dict[str, Any]
Floats = NDArray[np.float64]


def reference(name: str, epsilon: Floats, task: str, k: int | None) -> Subject:
    return Subject(Audited(name, epsilon, task=task, categories=k), epsilon, k, name)


def coverage() -> list[Row]:
    """Misses of the truth at any of six looks up to 3200 draws, 500 sequences; laws whose truth is known exactly."""
    rng = np.random.default_rng(1)
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
    }
    rows = []
    for confidence in (0.95, 0.99):
        for law, (draw, quantile, square) in laws.items():
            side = (1 - confidence) / 2
            missed = Counter[str]()
            for _ in range(500):
                errors = np.minimum(draw(3200), 1.0)
                parts = [errors[:size] for size in looks(3200, 100)]
                q = [Quantile(part, beta, side) for part in parts]
                m = [BoundedMean(part**2, side) for part in parts]
                missed["quantile"] += any(not one.lower <= quantile <= one.upper for one in q)
                missed["mse"] += any(one.refutes(square) or one.refutes_from_below(square) for one in m)
            for metric in ("quantile", "mse"):
                rows.append(
                    {"law": law, "metric": metric, "confidence": confidence, "covered": 1 - missed[metric] / 500}
                )
    return rows


def exact() -> list[Row]:
    """100 random HPM cases, 50,000 draws: deviations of Monte Carlo from the exact law in standard errors."""
    means = [name for name in names("mean") if name.startswith("hpm") and not name.endswith("-anchored")]
    scores: dict[str, list[float]] = {"quantile": [], "mse": []}
    for number in range(100):
        rng = np.random.default_rng([5, number])
        epsilon = np.exp(rng.uniform(-3, 3, int(rng.integers(3, 200))))
        subject = reference(means[number % len(means)], epsilon, "mean", None)
        known = estimator_of(subject)
        assert known is not None
        listed = [*biased(known.weights, None), *extremes(epsilon.size, None, rng)]
        dataset = listed[number % len(listed)]
        errors = draw_errors(subject, dataset, "correlated", 50_000, rng)
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


def cost(trials: int = 100_000, n: int = 17_000, k: int = 10) -> list[Row]:
    """A weakly correlated audit with 100,000 trials against as many shuffles alone (processor time), and its memory."""
    rng = np.random.default_rng(1)
    rows = []
    for label, epsilon in (("log-uniform", np.exp(rng.uniform(-5, 5, n))), ("uniform", rng.uniform(0, 1, n))):
        subject = reference("hpf-wp", epsilon, "frequency", k)
        shuffles = _shuffling(rng, n, k, trials // 20)
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        audited = -time.process_time()
        # Such a tolerance is never reached: all calls but the confirmation's are spent.
        claim = AccuracyClaim("weakly-correlated", "mse", tolerance=1.0001)
        audit_accuracy(subject, claim, Share(int(trials / 0.6), 1e-4, 0.999, 1))
        audited += time.process_time()
        grown = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
        shuffles += _shuffling(rng, n, k, trials // 20)
        alone = 10 * shuffles * subject.calls / trials
        row = {"demands": label, "trials": subject.calls, "audit_seconds": audited, "shuffle_seconds": alone}
        rows.append(row | {"ratio": audited / alone, "memory_grown_mb": grown})
    return rows


def _shuffling(rng: np.random.Generator, n: int, k: int, times: int) -> float:
    data = np.arange(n) % k
    started = time.process_time()
    for _ in range(times):
        rng.permutation(data)
    return time.process_time() - started
