"""Rows that lie near the middle in all their outputs: where noise of a scale that changes from call to call was small.

A sample of another size, or a scale drawn anew, moves all outputs of a call together. A loss may then hide in the calm
calls alone, and no output by itself tells which these are; all together do.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]

SHARES = (0.5, 0.25, 0.125)  # of all rows that count as calm
FEWEST = 1 << 13  # draws below which too few calm ones are left to learn from
MOST = 64  # outputs that are looked at: more tell little more, and take memory
TAIL = 0.05  # outputs may be clipped: the middle is between these quantiles
CLIPPED = 2.0  # spreads that an output at an end where many are clipped lies farther away than it looks


@dataclass(frozen=True)
class Calm:
    """Σ|output − middle|/spread over the given columns, and CLIPPED for each output at an end, is at most `limit`."""

    columns: tuple[int, ...]
    middles: Floats
    spreads: Floats
    lows: Floats  # ends where outputs are clipped; infinite where they are not
    highs: Floats
    limit: float = np.inf

    def distance(self, outputs: Floats) -> Floats:
        """How far each row lies from the middle."""
        seen = outputs[:, self.columns]
        clipped = (seen <= self.lows) | (seen >= self.highs)
        return np.asarray((np.abs(seen - self.middles) / self.spreads + CLIPPED * clipped).sum(axis=1))

    def __call__(self, outputs: Floats) -> Coins:
        """Which rows are calm."""
        return self.distance(outputs) <= self.limit


def calm_rows(outputs: Floats, columns: int) -> Iterator[tuple[float, Calm]]:
    """(share, the calmest rows) of what was drawn, judged by the first columns; none for a single output."""
    if outputs.shape[0] < FEWEST:
        return
    varied = np.flatnonzero(np.ptp(outputs[:, :columns], axis=0) > 0)[:MOST]
    if varied.size < 2:
        return
    seen = outputs[:, varied]
    low, high = np.quantile(seen, [TAIL, 1.0 - TAIL], axis=0)
    middles = 0.5 * (low + high)
    everywhere = Calm(
        tuple(varied.tolist()),
        middles,
        np.abs(seen - middles).mean(axis=0),
        np.where(low == seen.min(axis=0), low, -np.inf),
        np.where(high == seen.max(axis=0), high, np.inf),
    )
    for share, limit in zip(SHARES, np.quantile(everywhere.distance(outputs), SHARES), strict=True):
        yield share, replace(everywhere, limit=float(limit))
