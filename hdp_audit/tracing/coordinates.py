"""All continuous draws of a call as one vector of standard noise, and back."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from hdp_audit.tracing.draws import Draw, Floats
from hdp_audit.tracing.execution import Given, Run
from hdp_audit.tracing.laws import UNIFORM, Geometric, Law, OneSided
from hdp_audit.tracing.measure import Measure, Pure


@dataclass(frozen=True, eq=False)
class Coordinates:
    """Where each number of a vector belongs on a tape; draws without a location stay as they were drawn."""

    draws: tuple[Draw, ...]
    measure: Measure = field(default_factory=Pure)

    @cached_property
    def laws(self) -> list[Law]:
        """One for each coordinate."""
        return [draw.law for draw in self.draws if draw.law is not None for _ in range(draw.size)]

    @cached_property
    def owners(self) -> list[Draw]:
        """The draw of each coordinate."""
        return [draw for draw in self.draws if draw.law is not None for _ in range(draw.size)]

    def __len__(self) -> int:
        return len(self.laws)

    def vector(self, run: Run) -> Floats:
        """The noise of a run that made the same draws."""
        parts = [draw.u.ravel() for draw in run.draws if draw.law is not None]
        return np.concatenate(parts) if parts else np.zeros(0)

    def tape(self, noise: Floats, rest: Given) -> Given:
        """The noise, and what was drawn otherwise on a tape."""
        tape, start = [], 0
        for draw, kept in zip(self.draws, rest, strict=True):
            if draw.law is None:
                tape.append(kept)
                continue
            tape.append(noise[start : start + draw.size].reshape(draw.shape))
            start += draw.size
        return tape

    def cost(self, moved: Floats) -> float:
        """What it loses at most to move all noise at once."""
        return self.measure.cost(self.laws, moved)


def inside(law: Law, noise: float) -> float:
    """The nearest value that the law can take, away from its edges."""
    if law is UNIFORM:
        return float(np.clip(noise, -0.49, 0.49))
    if isinstance(law, Geometric):
        return float(max(round(abs(noise)) + 2, 2))
    return abs(noise) + 1e-12 if isinstance(law, OneSided) and law.name == "exponential" else noise
