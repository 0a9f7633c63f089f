"""Which output follows which draw at all."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.dataset import Dataset
from hdp_audit.tracing.coordinates import Coordinates
from hdp_audit.tracing.execution import Execution, Run
from hdp_audit.tracing.laws import UNIFORM, Law
from hdp_audit.tracing.steps import grid


def influence(
    execution: Execution, where: Coordinates, looked_at: tuple[tuple[Dataset, list[Run]], ...], numeric: bool
) -> NDArray[np.bool_]:
    """Output (row) and coordinate (column), on some tape and some size of a move; one row where outputs are symbols."""
    outputs = looked_at[0][1][0].numbers.size if numeric else 1
    found = np.zeros((outputs, len(where)), dtype=np.bool_)
    for dataset, runs in looked_at:
        for run in runs:
            noise = where.vector(run)
            for column, law in enumerate(where.laws):
                for u in _wide(law):
                    changed = noise.copy()
                    changed[column] = u
                    other = execution.run(dataset, where.tape(changed, run.tape))
                    if not numeric or other.numbers.shape != run.numbers.shape:
                        found[:, column] |= not run.same_output(other)
                    else:
                        found[:, column] |= run.numbers != other.numbers
    return found


def _wide(law: Law) -> tuple[float, ...]:
    if law is UNIFORM:
        return (-0.5 + 1e-12, -0.499, -0.25, 0.001, 0.25, 0.499, 0.5 - 1e-12)
    places = grid(law)
    return (*places[1::5].tolist(), float(places[-1]))
