"""The least costly move of noise that has a given effect on the outputs."""

from __future__ import annotations

import numpy as np

from hdp_audit.tracing.coordinates import Coordinates
from hdp_audit.tracing.draws import Floats
from hdp_audit.tracing.laws import Law
from hdp_audit.tracing.reading import Straight


def solved(line: Straight, difference: Floats, where: Coordinates) -> tuple[Floats | None, Floats | None]:
    """The least costly move of noise with this response; where there is none, what is left of the difference."""
    active = line.active
    moved = np.zeros(line.noise.size)
    response = line.response[:, active]
    if not active.any() or not np.isfinite(difference).all():
        return None, None
    found: Floats = np.asarray(np.linalg.lstsq(response, difference, rcond=None)[0], dtype=np.float64)
    left = difference - response @ found
    if (np.abs(left) > 1e-9 * np.abs(difference).max() + 1e-13 * np.abs(line.output).max()).any():
        return None, left
    laws = [where.laws[each] for each in np.flatnonzero(active)]
    if response.shape[1] > np.linalg.matrix_rank(response) and not where.measure.shortest(laws):
        others = (_cheapest(response, difference, laws, found), *(() if where.measure.ratio else (found,)))
        found = min(others, key=lambda each: where.measure.cost(laws, each))
    moved[active] = found
    return moved, None


def _cheapest(response: Floats, difference: Floats, laws: list[Law], otherwise: Floats) -> Floats:
    """Among the moves that do it, the one that costs least: a linear program."""
    from scipy.optimize import linprog

    size = float(np.abs(difference).max()) or 1.0
    prices = np.array([[float(law.cost(np.asarray(sign))) for sign in (1.0, -1.0)] for law in laws]).T.ravel()
    bounds = [(0, 0 if np.isinf(price) else None) for price in prices]
    both = np.hstack([response, -response])
    priced = np.where(np.isinf(prices), 0.0, prices)
    found = linprog(priced, A_eq=both, b_eq=difference / size, bounds=bounds, method="highs")
    if not found.success:
        return otherwise
    return np.asarray((found.x[: len(laws)] - found.x[len(laws) :]) * size)
