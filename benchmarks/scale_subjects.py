"""What `scale` audits: mechanisms that count the processor time of their own draws, and one that takes its time."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.targets.reference import Audited

Floats = NDArray[np.float64]

PACE = 1e-3  # seconds of a call of `paced`


class Counting:
    """Adds up the seconds of a processor that its draws take."""

    seconds = 0.0

    def counted(self, draw: Callable[..., Any], *given: Any) -> Any:
        started = time.process_time()
        outputs = draw(*given)
        self.seconds += time.process_time() - started
        return outputs


class FastMean(Counting):
    """A mean with Laplace noise, rounded, as somebody writes it who knows numpy: in batches, and for many datasets."""

    name = "vectorised mean"

    def __call__(self, data: Floats, epsilon: Floats, rng: np.random.Generator) -> Any:
        return self.counted(lambda: float(self._noisy(data.mean(), data, epsilon, rng, None)))

    def batch(self, data: Floats, epsilon: Floats, rng: np.random.Generator, size: int) -> Any:
        return self.counted(lambda: self._noisy(data.mean(), data, epsilon, rng, size))

    def many(self, datasets: Floats, epsilon: Floats, rng: np.random.Generator) -> Any:
        return self.counted(lambda: self._noisy(datasets.mean(axis=1), datasets, epsilon, rng, len(datasets)))

    def _noisy(self, means: Any, data: Floats, epsilon: Floats, rng: np.random.Generator, size: int | None) -> Any:
        return np.round(means + rng.laplace(0.0, 1.0 / (data.shape[-1] * epsilon.min()), size), 6)


class OwnNoise(Counting):
    """The same with everybody's own weight: as many distinct demands as there are cost nothing."""

    name = "weighted mean"

    def __call__(self, data: Floats, epsilon: Floats, rng: np.random.Generator) -> Any:
        return self.counted(lambda: float(np.round(data @ epsilon / epsilon.sum() + rng.laplace() / epsilon.sum(), 6)))

    def batch(self, data: Floats, epsilon: Floats, rng: np.random.Generator, size: int) -> Any:
        total = epsilon.sum()
        return self.counted(lambda: np.round(data @ epsilon / total + rng.laplace(size=size) / total, 6))

    def many(self, datasets: Floats, epsilon: Floats, rng: np.random.Generator) -> Any:
        total = epsilon.sum()
        return self.counted(lambda: np.round((datasets @ epsilon + rng.laplace(size=len(datasets))) / total, 6))


class Reference(Counting, Audited):
    """A mechanism of the catalog."""

    def __call__(self, data: Any, *given: Any) -> Any:
        return self.counted(super().__call__, data, *given)

    def batch(self, data: Any, *given: Any) -> Any:
        return self.counted(super().batch, data, *given)

    def many(self, datasets: Any, *given: Any) -> Any:
        return self.counted(super().many, datasets, *given)

    def permuted(self, data: Any, rng: np.random.Generator, size: int) -> Any:
        return self.counted(super().permuted, data, rng, size)


def paced(data: Floats, epsilon: Floats, rng: np.random.Generator) -> float:
    """A mean whose calls keep a processor busy for a while."""
    end = time.perf_counter() + PACE
    answer = round(float(data.mean() + rng.laplace(0.0, 1.0 / (data.size * epsilon.min()))), 6)
    while time.perf_counter() < end:
        pass
    return answer
