"""How far a loss can move the average of an output, whatever the law of its noise.

Let F be the law of an output on one dataset and G on a neighbouring one. A loss of ε allows G ≥ e^−ε F and
1 − G ≤ e^ε (1 − F), so the averages, which are ∫(F − G) apart, are at most

    reach(ε) = ∫ min{(1 − e^−ε) F, (e^ε − 1)(1 − F)}
             = min over t of (1 − e^−ε) E max(t − X, 0) + (e^ε − 1) E max(X − t, 0)

apart: about ε times the mean distance from the median; Laplace noise comes within a few percent of it. Read backwards,
an effect shows a loss. Nothing is assumed of the noise: atoms, grids and clipped ends make the loss that is shown
smaller, never larger than it is. Every t gives a bound, so a few are enough. The integral is concave in the law, so
several datasets' outputs may be put together.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.promise import Promise

Floats = NDArray[np.float64]

CUTS = 33
SMALLEST = 1e-100  # noise below it is none: its square would vanish
LEAST_BEYOND = 10  # draws that must lie in a tail to speak of it
LEAST_NOISE = 1e-300  # below it there is none, as far as doubles can be divided
SURE = 3.29  # the noise is taken at the upper end of its 99.9% interval, so that its own error shows no loss
LAPLACE_BINS = 1.5  # mean distance of half of a difference of two bins, over the scale that their loss goes by


@dataclass(frozen=True, eq=False)
class Noise:
    """Outputs less the median of their dataset's, a row for each dataset."""

    around: Floats
    frequencies: bool = False

    @classmethod
    def of(cls, outputs: Floats, frequencies: bool) -> Noise:
        """From outputs, a row for each dataset.

        Where one user decides whether outputs are low or high, they move up from the low ones and down from the high
        ones, so these are turned round. Where nobody does, both directions hold for every row.
        """
        middle = np.median(outputs, axis=1, keepdims=True)
        return cls((outputs - middle) * np.where(middle > middle.mean(), -1.0, 1.0), frequencies)

    @property
    def spread(self) -> float:
        """The standard deviation."""
        return float(np.sqrt(np.mean(self.around**2)))

    @property
    def scale(self) -> float:
        """Effect over loss, were the noise Laplace's."""
        return float(np.abs(self.around).mean()) / (LAPLACE_BINS if self.frequencies else 1.0)

    def allowed(self, promise: Promise) -> Floats:
        """How far everybody may move the output, were the noise Laplace's.

        A noiseless mechanism allows nobody anything; public users were promised nothing.
        """
        epsilon = promise.strengths
        return np.where(np.isinf(epsilon), np.inf, np.minimum(epsilon, 1e300 / max(self.scale, 1.0)) * self.scale)

    @property
    def speaks(self) -> bool:
        """Whether an effect can be read as a loss: there is noise, and no few draws make up its mean."""
        return has_light_tails(self.around.ravel())

    @cached_property
    def largest(self) -> float:
        """The largest loss whose tails were still seen; larger ones are not told apart from it."""
        return float(np.log(max(self.around.size / LEAST_BEYOND - 1.0, 2.0)))

    @cached_property
    def _cuts(self) -> list[tuple[float, float]]:
        """(mean distance below a cut, and above it), for cuts that are best for some loss."""
        return [self._cut(float(loss)) for loss in np.linspace(1e-6, self.largest, CUTS)]

    def _cut(self, loss: float) -> tuple[float, float]:
        above = self.around - np.quantile(self.around, 1.0 / (1.0 + np.exp(-loss)))
        costs = np.where(above > 0, np.expm1(loss), np.expm1(-loss)) * above
        # datasets may differ in their noise: then the draws are worth no more than so many datasets
        error = max(costs.std() / np.sqrt(costs.size), costs.mean(axis=1).std(ddof=1) / np.sqrt(costs.shape[0]))
        larger = 1.0 + SURE * error / costs.mean() if costs.mean() > LEAST_NOISE else 1.0
        return float(larger * np.maximum(-above, 0.0).mean()), float(larger * np.maximum(above, 0.0).mean())

    def reach(self, losses: Floats) -> Floats:
        """How far losses move the average at most, those too large to be told apart as far as the largest."""
        kept = np.minimum(losses, self.largest)
        found = np.full(np.shape(kept), np.inf)
        for below, above in self._cuts:
            found = np.minimum(found, -np.expm1(-kept) * below + np.expm1(kept) * above)
        return found

    def losses(self, moved: Floats) -> Floats:
        """The losses that effects show, with their signs: `reach` read backwards; NaN where noise does not speak."""
        if not self.speaks:
            return np.full(np.shape(moved), np.nan)
        size = np.minimum(np.abs(moved), self.reach(np.array(self.largest)))
        found = np.zeros(np.shape(moved))
        for below, above in self._cuts:
            found = np.maximum(found, _solved(size, below, above))
        return np.asarray(np.copysign(found, moved))

    def errors(self, moved: Floats, error: Floats) -> Floats:
        """Standard errors of these losses."""
        size = np.abs(moved)
        further = self.losses(size + error) - self.losses(size)
        return np.asarray(np.maximum(further, error / np.abs(self.around).mean() if self.speaks else np.nan))


def _solved(size: Floats, below: float, above: float) -> Floats:
    """The loss with (1 − e^−loss)·below + (e^loss − 1)·above = size: a quadratic equation for e^loss."""
    half = 0.5 * (size + above - below)
    root = np.sqrt(half**2 + below * above)
    with np.errstate(divide="ignore", invalid="ignore"):  # of the two forms the one without cancellation counts
        return np.log(np.where(half > 0, (half + root) / above, below / (root - half)))


def has_light_tails(outputs: Floats) -> bool:
    """No output is twice as far from the median as the farthest of so many of exponential law (but for e^−10)."""
    distance = np.abs(outputs - np.median(outputs))
    mean = float(distance.mean())
    return bool(mean > SMALLEST and distance.max() <= 2.0 * (np.log(distance.size) + 10.0) * mean)
