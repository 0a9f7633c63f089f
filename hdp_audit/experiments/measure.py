"""Trials: error vectors, their 95% quantile and mean square, each with a 99% interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.experiments.algorithms import built
from hdp_audit.experiments.dataset import BETA, Dataset
from hdp_audit.experiments.leaking import REALISED, realised_outputs
from hdp_audit.model.vocabulary import MetricName
from hdp_audit.targets.reference import entry
from hdp_audit.targets.streams import stream

Floats = NDArray[np.float64]
CONFIDENCE = 0.99


@dataclass(frozen=True)
class Effort:
    """How many trials: most algorithms, those that draw a number for every user and trial, and those that permute."""

    trials: int
    slow: int
    permuted: int

    def of(self, name: str, dataset: Dataset) -> int:
        """The trials of one algorithm on one dataset."""
        draws = "samples" if name == REALISED else entry(name).draws
        if draws == "messages":
            return self.slow
        if dataset.weakly:
            return self.permuted
        return max(self.slow, self.trials // 50) if draws == "samples" else self.trials


QUICK = Effort(trials=2_000, slow=40, permuted=200)
LIGHTEST = Effort(trials=500, slow=20, permuted=40)
FULL = Effort(trials=100_000, slow=1_000, permuted=6_000)
LIGHTER = Effort(trials=10_000, slow=150, permuted=1_000)


@dataclass(frozen=True)
class Measured:
    """An estimate with its interval."""

    value: float
    low: float
    high: float
    trials: int


def errors(name: str, dataset: Dataset, metric: MetricName, effort: Effort, seed: int, mechanism: Any = None) -> Floats:
    """‖estimate − truth‖∞ of each trial; the stream is named after dataset and algorithm."""
    trials = effort.of(name, dataset)
    rng = stream(seed, "trials", dataset.key, name, metric)
    if name == REALISED:
        outputs = realised_outputs(dataset, trials, rng)
    else:
        mechanism = mechanism or built(name, dataset, metric)
        outputs = mechanism.release_many(dataset.data, size=trials, rng=rng, permuted=dataset.weakly)
    return np.asarray(np.abs(outputs.reshape(trials, -1) - dataset.truth).max(axis=1))


def measured(found: Floats, metric: MetricName) -> Measured:
    """The empirical 95% quantile, or the mean square."""
    return quantile(found, 1.0 - BETA) if metric == "pac" else mean_square(found)


def quantile(found: Floats, probability: float, confidence: float = CONFIDENCE) -> Measured:
    """The empirical quantile and an interval of order statistics: exact for every law of the error.

    The number of errors up to the true quantile is binomial, so ranks bound it; ranks beyond the sample give 0 or 1,
    between which every error lies.
    """
    from scipy.special import bdtrik

    ordered = np.sort(found)
    size, tail = ordered.size, 0.5 * (1.0 - confidence)
    # B errors lie at or below the true quantile: P(B ≤ low) ≤ tail and P(B ≤ high) ≥ 1 − tail.
    low = int(np.ceil(bdtrik(tail, size, probability))) - 1
    high = int(np.ceil(bdtrik(1.0 - tail, size, probability)))
    at = min(int(np.ceil(probability * size)), size) - 1
    left = float(ordered[low]) if low >= 0 else 0.0
    right = float(ordered[high]) if high < size else 1.0
    return Measured(float(ordered[at]), left, right, size)


def mean_square(found: Floats, confidence: float = CONFIDENCE) -> Measured:
    """The mean of squares and a normal interval."""
    from scipy.special import ndtri

    squares = found**2
    value = float(squares.mean())
    half = float(ndtri(0.5 + 0.5 * confidence) * squares.std(ddof=1) / np.sqrt(squares.size))
    return Measured(value, max(value - half, 0.0), min(value + half, 1.0), squares.size)
