"""What is known of the loss on one pair of datasets."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hdp_audit.tracing.draws import Draw, Floats
from hdp_audit.tracing.steps import Event

FEW = 1e-9  # relative; losses nearer than this are equal


@dataclass(frozen=True, eq=False)
class PairLoss:
    """`lower` is the loss of a known event, `upper` that of an alignment; NaN where there is none.

    `moved`: how far each coordinate of standard noise has to move. `why`: what could not be followed.
    """

    lower: float
    upper: float
    draws: tuple[Draw, ...] = ()
    moved: Floats | None = None
    events: tuple[Event, ...] = ()
    why: str = ""
    error: float = 0.0  # relative, of `upper`: what rounding may have added
    varies: bool = False  # the move depends on the draws: `upper` is the largest on the tapes
    flow: str = ""  # what differs between the two datasets before any output: parameters, number of draws

    @property
    def traced(self) -> bool:
        """Whether anything is known."""
        return not (np.isnan(self.lower) and np.isnan(self.upper))

    @property
    def exact(self) -> bool:
        """Whether both sides meet."""
        if self.lower == self.upper or not np.isfinite(self.lower + self.upper):
            return self.lower == self.upper
        return bool(abs(self.upper - self.lower) <= FEW * max(abs(self.upper), abs(self.lower)))

    @property
    def loss(self) -> float:
        """The loss where it is known exactly, else what bounds it from above, else from below."""
        return self.lower if self.exact or np.isnan(self.upper) else self.upper


def untraced(why: str, draws: tuple[Draw, ...] = (), flow: str = "") -> PairLoss:
    """Nothing is known, and why."""
    return PairLoss(np.nan, np.nan, draws, why=why, flow=flow)
