"""SM as the paper runs it: the statistic of the sample at hand, noise scaled to its realised size.

It keeps demands when a record is added or removed, but not when one is replaced, which is the paper's own definition;
tables show it beside the sound form, and say so.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hdp_audit.experiments.dataset import Dataset
from hdp_audit.targets.reference import Mean

Floats = NDArray[np.float64]
REALISED = "sm-realised"  # its name; the catalog lists nothing that leaks
NEVER = 1e-15  # users sampled less often than this do not show in any number of trials here
_BLOCK = 1 << 21


def sampling_chances(epsilon: Floats) -> Floats:
    """(e^{ε_i} − 1)/(e^τ − 1), τ the largest demand."""
    tau = float(epsilon.max())
    return np.asarray(np.exp(epsilon - tau) * np.expm1(-epsilon) / np.expm1(-tau))


def realised_outputs(dataset: Dataset, trials: int, rng: np.random.Generator) -> Floats:
    """One estimate a row, clipped: sample statistic + Laplace(c/(τ·sample size)); an empty sample is one at 0."""
    chances = sampling_chances(dataset.epsilon)
    tau = float(dataset.epsilon.max())
    used = np.flatnonzero(chances > NEVER)
    outputs = np.empty((trials, dataset.outputs))
    step = max(1, _BLOCK // used.size)
    for start in range(0, trials, step):
        rows = outputs[start : start + step]
        sampled = rng.random((rows.shape[0], used.size)) < chances[used]
        values = _values(dataset, used, rows.shape[0], rng)
        size = np.maximum(sampled.sum(axis=1), 1)[:, None]
        rows[:] = _totals(dataset, values, sampled) / size
        rows += rng.laplace(size=rows.shape) * dataset.task.sensitivity / (tau * size)
    return np.clip(outputs, 0.0, 1.0)


def _values(dataset: Dataset, used: NDArray[np.intp], rows: int, rng: np.random.Generator) -> NDArray[np.float64]:
    """The data of the users who may be sampled; in the weak setting a fresh random choice for each trial."""
    if not dataset.weakly:
        return np.broadcast_to(dataset.data[used], (rows, used.size))
    return np.stack([rng.choice(dataset.data, used.size, replace=False) for _ in range(rows)])


def _totals(dataset: Dataset, values: NDArray[np.float64], sampled: NDArray[np.bool_]) -> Floats:
    if isinstance(dataset.task, Mean):
        return np.asarray((values * sampled).sum(axis=1))[:, None]
    return np.stack([((values == j) & sampled).sum(axis=1) for j in range(dataset.outputs)], axis=1)
