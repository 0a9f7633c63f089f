"""How far a loss can move the average of an output, whatever the law of its noise.

Let F be the law of an output on one dataset and G on a neighbouring one. A loss of ε allows G ≥ e^−ε F and
1 − G ≤ e^ε (1 − F), so the averages, which are ∫(F − G) apart, are at most ∫ min{(1 − e^−ε) F, (e^ε − 1)(1 − F)}
apart. For the law of the distance A from the median, up and down alike, that is

    reach(ε) = ∫ min{1 − e^−ε, sinh(ε) P(A > t)} dt = min over t of (1 − e^−ε) t + sinh(ε) E max(A − t, 0),

about ε times the mean distance; Laplace noise comes within a few percent of it. Read backwards, an effect shows a
loss. Nothing is assumed of the noise: atoms, grids and clipped ends make the loss that is shown smaller, never larger
than it is. The integral is concave in the law, so several datasets' distances may be put together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

STEPS = 64  # losses between which effects are read off straight
LEAST_BEYOND = 20  # draws that must lie in a tail to speak of it
SURE = 3.29  # the noise is taken at the upper end of its 99.9% interval, so that its own error shows no loss
LAPLACE_BINS = 1.5  # mean distance of half of a difference of two bins, over the scale that their loss goes by


@dataclass(frozen=True, eq=False)
class Noise:
    """Distances of outputs from the median of their dataset's, a row for each dataset."""

    distance: Floats
    frequencies: bool = False

    @classmethod
    def of(cls, outputs: Floats, frequencies: bool) -> Noise:
        """From outputs, a row for each dataset."""
        return cls(np.abs(outputs - np.median(outputs, axis=1, keepdims=True)), frequencies)

    @property
    def spread(self) -> float:
        """The standard deviation."""
        return float(np.sqrt(np.mean(self.distance**2)))

    @property
    def scale(self) -> float:
        """Effect over loss, were the noise Laplace's."""
        return float(self.distance.mean()) / (LAPLACE_BINS if self.frequencies else 1.0)

    @property
    def speaks(self) -> bool:
        """Whether an effect can be read as a loss: there is noise, and no few draws make up its mean."""
        return has_light_tails(self.distance)

    @cached_property
    def _table(self) -> tuple[Floats, Floats]:
        """Losses and how far they reach; the largest is the one whose tails were still seen."""
        largest = np.log(max(2.0 * self.distance.size / LEAST_BEYOND, 3.0) - 1.0)
        losses = np.linspace(0.0, largest, STEPS + 1)
        return losses, np.maximum.accumulate([self._reach(float(loss)) for loss in losses])

    def _reach(self, loss: float) -> float:
        cut = np.quantile(self.distance, np.tanh(0.5 * loss))
        beyond = np.maximum(self.distance - cut, 0.0)
        # datasets may differ in their noise: then the draws are worth no more than so many datasets
        error = max(beyond.std() / np.sqrt(beyond.size), beyond.mean(axis=1).std(ddof=1) / np.sqrt(beyond.shape[0]))
        return float(-np.expm1(-loss) * cut + np.sinh(loss) * (beyond.mean() + SURE * error))

    def reach(self, losses: Floats) -> Floats:
        """How far losses move the average at most; those too large to be read off as far as the largest that is not."""
        return np.interp(losses, *self._table)

    def losses(self, moved: Floats) -> Floats:
        """The losses that effects show, with their signs; NaN where the noise does not speak."""
        if not self.speaks:
            return np.full(np.shape(moved), np.nan)
        losses, reach = self._table
        return np.asarray(np.copysign(np.interp(np.abs(moved), reach, losses), moved))

    def errors(self, moved: Floats, error: Floats) -> Floats:
        """Standard errors of these losses."""
        if not self.speaks:
            return np.full(np.shape(moved), np.nan)
        losses, reach = self._table
        steps = np.diff(losses) / np.maximum(np.diff(reach), 1e-300)
        place = np.clip(np.searchsorted(reach, np.abs(moved)) - 1, 0, STEPS - 1)
        return np.asarray(error * np.maximum(steps[place], 1.0 / self.distance.mean()))


def has_light_tails(distance: Floats) -> bool:
    """No distance is longer than the longest of so many of exponential law (but for e^−10), in units of the mean."""
    mean = float(distance.mean())
    return mean > 0.0 and float(distance.max()) <= (np.log(distance.size) + 10.0) * mean
