"""The exact output law of each guilty control, derived from what its `draw` does and from nothing else.

s = min(ε, 1), Z = Σs, t = 1/Z. A frequency table with independent bins is a list of laws, one a bin.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from mechanisms.broken import one_user_twenty_times
from tests.mechanisms.laws import Floats, Law, clipped, free, laplace, mixture, normal, point

CRASH = -1.0  # an exception, as an output symbol outside [0, 1]
BINS = 10
TWENTY = "one-user-twenty-times"
SECOND = 1  # the position that the tests give to the user who is counted twenty times
# The fault for a few users.
TWENTY_SMALL = replace(
    one_user_twenty_times.FAULT,
    draw=partial(one_user_twenty_times.draw, user=SECOND),
    loss=partial(one_user_twenty_times.loss, user=SECOND),
)

MeanLaw = Callable[[Floats, Floats], Law]
TableLaw = Callable[[NDArray[np.int64], Floats], list[Law]]


def _spent(epsilon: Floats) -> Floats:
    return np.minimum(epsilon, 1.0)


def _honest(data: Floats, epsilon: Floats) -> tuple[float, float]:
    """θ and t."""
    spent = _spent(epsilon)
    return float(spent @ data / spent.sum()), float(1.0 / spent.sum())


def _scaled(factor: float) -> MeanLaw:
    def law(data: Floats, epsilon: Floats) -> Law:
        value, level = _honest(data, epsilon)
        return clipped(value, laplace(factor * level))

    return law


def _shares(share: Callable[[Floats], Floats]) -> MeanLaw:
    """Weights share/Σshare, Laplace(1/Σshare)."""

    def law(data: Floats, epsilon: Floats) -> Law:
        own = share(epsilon)
        return clipped(float(own @ data / own.sum()), laplace(float(1.0 / own.sum())))

    return law


def _crash(data: Floats, epsilon: Floats) -> Law:
    value, level = _honest(data, epsilon)
    return point(CRASH) if value == 0 else clipped(value, laplace(level))


def _spread(data: Floats, epsilon: Floats) -> Law:
    value, level = _honest(data, epsilon)
    spread = float(data.max() - data.min())
    return point(value) if spread == 0 else clipped(value, laplace(level * spread))


def _constant(data: Floats, epsilon: Floats) -> Law:
    value, level = _honest(data, epsilon)
    return point(value) if data.max() == data.min() else clipped(value, laplace(level))


def _fixed(data: Floats, epsilon: Floats) -> Law:
    value, level = _honest(data, epsilon)
    return point(min(max(value + np.random.default_rng(2025).laplace(0.0, level), 0.0), 1.0))


def _gaussian(data: Floats, epsilon: Floats) -> Law:
    value, level = _honest(data, epsilon)
    return clipped(value, normal(np.sqrt(2.0) * level))


def _heavy(data: Floats, epsilon: Floats) -> Law:
    value, level = _honest(data, epsilon)
    return clipped(value, mixture(((laplace(level), 0.8), (laplace(10.0 * level), 0.2))))


def _average(data: Floats, epsilon: Floats) -> Law:
    value = float(data.mean())
    return point(value) if np.isinf(epsilon).any() else clipped(value, laplace(float(1.0 / epsilon.sum())))


def _not_max(data: Floats, epsilon: Floats) -> Law:
    return clipped(float(data.mean()), laplace(float((1.0 / epsilon).sum()) / data.size**2))


def _sorted(data: Floats, epsilon: Floats) -> Law:
    spent = _spent(np.sort(epsilon))
    return clipped(float(spent @ data / spent.sum()), laplace(float(1.0 / spent.sum())))


def twenty(data: Floats, epsilon: Floats, user: int = SECOND) -> Law:
    spent = _spent(epsilon)
    level = float(1.0 / spent.sum())
    return clipped(level * float(spent @ data + 19.0 * spent[user] * data[user]), laplace(level))


def _unnormalised(data: Floats, epsilon: Floats) -> Law:
    spent = _spent(epsilon)
    return clipped(float(spent @ data), laplace(float(1.0 / spent.sum())))


def _unclipped(data: Floats, epsilon: Floats) -> Law:
    value, level = _honest(data, epsilon)
    return free(value, laplace(level))


def _wrong_clip(data: Floats, epsilon: Floats) -> Law:
    value, level = _honest(data, epsilon)
    return clipped(value, laplace(level), 0.25, 0.75)


MEANS: Mapping[str, MeanLaw] = {
    "biased-weights": _shares(lambda e: _spent(e) ** 2),
    "crash-on-zero": _crash,
    "data-dependent-scale": _spread,
    "fifth-less-noise": _scaled(0.8),
    "fixed-seed": _fixed,
    "float-noise": _scaled(1.0),
    "gaussian-noise": _gaussian,
    "half-noise": _scaled(0.5),
    "heavy-tails": _heavy,
    "ignores-rng": _scaled(1.0),
    "mean-demand": _average,
    "mean-not-max": _not_max,
    "no-noise": lambda data, epsilon: point(_honest(data, epsilon)[0]),
    "noise-drawn-once": _scaled(1.0),
    "noiseless-constant": _constant,
    TWENTY: twenty,
    "sorted-demands": _sorted,
    "too-much-noise": _scaled(3.0),
    "unclipped": _unclipped,
    "unnormalised-weights": _unnormalised,
    "wrong-clip": _wrong_clip,
    "zero-demand-counted": _shares(lambda e: np.where(e > 0, _spent(e), e[e > 0].min())),
}


def _bins(data: NDArray[np.int64], epsilon: Floats) -> tuple[Floats, float]:
    spent = _spent(epsilon)
    totals = np.array([spent[data == j].sum() for j in range(BINS)])
    return totals / spent.sum(), float(1.0 / spent.sum())


def _forgotten(data: NDArray[np.int64], epsilon: Floats) -> list[Law]:
    values, level = _bins(data, epsilon)
    return [clipped(v, laplace(2.0 * level)) for v in (*values[:-1], 0.0)]


def _one_t(data: NDArray[np.int64], epsilon: Floats) -> list[Law]:
    values, level = _bins(data, epsilon)
    return [clipped(v, laplace(level)) for v in values]


def _bare_empty(data: NDArray[np.int64], epsilon: Floats) -> list[Law]:
    values, level = _bins(data, epsilon)
    return [clipped(v, laplace(2.0 * level)) if v > 0 else point(0.0) for v in values]


TABLES: Mapping[str, TableLaw] = {
    "forgotten-category": _forgotten,
    "missing-factor-two": _one_t,
    "noiseless-empty-bin": _bare_empty,
}
