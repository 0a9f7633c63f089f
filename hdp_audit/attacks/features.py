"""What a witness looks at.

Outputs rounded far below their noise, and differences of outputs, where reused noise shows.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ROUNDING = 2.0**-30  # of an output's spread: the bits of doubles are the float finding's business, not this one's


@dataclass(frozen=True)
class Features:
    """Columns: each output rounded, the outcome symbol, then the differences of neighbouring outputs."""

    steps: Floats  # rounding step of each output

    @classmethod
    def fitted(cls, table: Floats) -> Features:
        """Steps from the spread of some first outputs; 0 (no rounding) where they do not vary at all."""
        fine = table[table[:, -1] == 0, :-1]
        if fine.shape[0] < 2:
            return cls(np.zeros(table.shape[1] - 1))
        spread = fine.std(axis=0)
        exponent = np.ceil(np.log2(np.maximum(spread, 1e-300) * ROUNDING))
        return cls(np.where(spread > 0, 2.0**exponent, 0.0))

    def __call__(self, table: Floats) -> Floats:
        """The columns of each row."""
        outputs = table[:, :-1]
        safe = np.where(self.steps > 0, self.steps, 1.0)
        rounded = np.where(self.steps > 0, np.rint(outputs / safe) * safe, outputs)
        if outputs.shape[1] == 1:
            return np.column_stack([rounded, table[:, -1]])
        differences = np.diff(rounded, axis=1, append=rounded[:, :1])
        return np.column_stack([rounded, table[:, -1], differences])

    @property
    def independent(self) -> int:
        """How many leading columns may be summed as if independent: the outputs and the outcome."""
        return self.steps.size + 1
