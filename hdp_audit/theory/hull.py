"""Hull noise around c (ours): frequencies with noise of density ∝ exp(−‖v‖₁/2t) on the plane Σv = 0.

θ_j = Σw_i·1{x_i = j} + c·D + v_j, w_i = min(1, ε_i/ρ)/n, t = 1/(nρ), D = 1 − Σw; user i loses min(ε_i, ρ).

Worst data. The bias is cD·1 − m, m ≥ 0, Σm = D: the hull of the k vectors cD·1 − D·e_j, all on one plane. There
P(‖A + v‖∞ ≤ α) is log-concave in A (Prékopa) and E‖A + v‖∞² convex, so the worst bias is a vertex: −(1−c)D in one
bin, +cD in the k − 1 others. A union bound over the bins, with the exact marginal tail T of `hull_tail`, gives

    P(‖A + v‖∞ > α) ≤ U(α) = T(α−(1−c)D) + T(α+(1−c)D) + (k−1)·[T(α−cD) + T(α+cD)].

For k = 2 the two bins err alike up to sign when c = ½, and U counts one of them: exact. Every c ∈ [0, ½] is valid; the
search for the best alternates between the error at a given c and the best c for that error: the error is flat at the
best c, so each round squares what is missing. Lengths are in units of the noise scale 2t inside this file.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp_audit.theory.hull_tail import HullTail, hull_tail

Floats = NDArray[np.float64]
_COARSE = 20
_FINE = 42


def hull_pac(deficit: ArrayLike, t: ArrayLike, k: int, beta: float) -> Floats:
    """The smallest α with U(α) ≤ β, for the best centre found; deficit D and t may be arrays."""
    search = _Search(hull_tail(k), beta)
    d, b, quiet = _in_units(deficit, t)
    return np.where(b > 0, b * search.crossing(_pac_centre(search, d), d, _FINE), quiet)


def hull_mse(deficit: ArrayLike, t: ArrayLike, k: int) -> Floats:
    """∫ 2α·min(1, U(α))dα ≥ E‖A + v‖∞² for the best centre found.

    For every α₀ it is at most α₀² + ∫_{α₀}^∞ 2αU dα, with equality where U(α₀) = 1, and ∫_{α₀}^∞ 2αT(α − s)dα =
    2α₀T₁(α₀ − s) + 2T₂(α₀ − s), T₁ and T₂ the first and second integral of the tail.
    """
    tail = hull_tail(k)
    d, b, quiet = _in_units(deficit, t)
    c, start = _mse_centre(_Search(tail, 1.0), d)
    parts = _each(lambda y: start * tail.first(y) + tail.second(y), k, start, c, d)
    return np.where(b > 0, b**2 * (start**2 + 2 * (1 + tail.error) * parts.sum(axis=0)), quiet**2)


def hull_centre(deficit: ArrayLike, t: ArrayLike, k: int, beta: float | None) -> Floats:
    """The centre c behind `hull_pac`, or without β behind `hull_mse`."""
    d, b, _ = _in_units(deficit, t)
    tail = hull_tail(k)
    c = _mse_centre(_Search(tail, 1.0), d)[0] if beta is None else _pac_centre(_Search(tail, beta), d)
    return np.where(b > 0, c, 0.5)


def _pac_centre(search: "_Search", d: Floats) -> Floats:
    c = np.full_like(d, 0.5)
    for _ in range(3 if search.tail.k > 2 else 0):
        c = _centre(search.tail.density, search.tail.k, search.crossing(c, d), d)
    return c


def _mse_centre(search: "_Search", d: Floats) -> tuple[Floats, Floats]:
    """(c, α₀)."""
    c = np.full_like(d, 0.5)
    start = search.crossing(c, d)
    for _ in range(4 if search.tail.k > 2 else 0):
        c = _centre(partial(_square_fall, search.tail, start), search.tail.k, start, d)
        start = search.crossing(c, d)
    return c, start


def _square_fall(tail: HullTail, start: Floats, y: Floats) -> Floats:
    """−d/dy of α₀T₁(y) + T₂(y)."""
    return start * tail.beyond(y) + tail.first(y)


def union(tail: HullTail, alpha: Floats, c: Floats, d: Floats) -> Floats:
    """U(α), at least the exact sum and larger by at most twice the table's error."""
    return _each(tail.beyond, tail.k, alpha, c, d).sum(axis=0) * (1 + tail.error)


def _each(curve: Callable[[Floats], Floats], k: int, alpha: Floats, c: Floats, d: Floats) -> Floats:
    """The four terms count·curve(α ∓ |bias|): one bin short of (1−c)D, k − 1 bins with cD too much (k = 2: none)."""
    low, high = (1 - c) * d, c * d
    values = curve(np.stack([alpha - low, alpha + low, alpha - high, alpha + high]))
    others = 0 if k == 2 else k - 1
    return values * np.array([1, 1, others, others]).reshape(4, *[1] * alpha.ndim)


@dataclass(frozen=True, eq=False)
class _Search:
    """For which α is U(α) = level."""

    tail: HullTail
    level: float

    @cached_property
    def _spare(self) -> float:
        return self.tail.quantile(self.level / (2 * self.tail.k))

    def crossing(self, c: Floats, d: Floats, halvings: int = _COARSE) -> Floats:
        """By bisection; U falls, and the end of the bracket with U ≤ level is returned."""
        # At (1−c)D + y each of the 2k terms of U is at most T(y); at (1−c)D − 60 the first one is nearly 1.
        low, high = np.maximum((1 - c) * d - 60, 0.0), (1 - c) * d + self._spare
        for _ in range(halvings):
            middle = (low + high) / 2
            enough = union(self.tail, middle, c, d) <= self.level
            high, low = np.where(enough, middle, high), np.where(enough, low, middle)
        return high


def _centre(fall: Callable[[Floats], Floats], k: int, alpha: Floats, d: Floats) -> Floats:
    """The c ∈ [0, ½] at which the sum of four terms is least, for terms whose derivative is −fall."""
    # Farther from ½ than 60 noise scales the one bin has long been the worst.
    low, high = np.maximum(0.5 - 60 / np.maximum(d, 1.0), 0.0), np.full_like(d, 0.5)
    signs = np.array([-1.0, 1.0, 1.0, -1.0]).reshape(4, *[1] * d.ndim)
    for _ in range(_COARSE):
        middle = (low + high) / 2
        rising = (_each(fall, k, alpha, middle, d) * signs).sum(axis=0) >= 0
        high, low = np.where(rising, middle, high), np.where(rising, low, middle)
    return (low + high) / 2


def _in_units(deficit: ArrayLike, t: ArrayLike) -> tuple[Floats, Floats, Floats]:
    """(D/2t, 2t, the error without noise); where noise is below 1e-12 of D the first two are 0 and the third counts."""
    deficit, b = np.broadcast_arrays(np.asarray(deficit, dtype=np.float64), 2 * np.asarray(t, dtype=np.float64))
    noisy = (b > 0) & (deficit < 1e12 * b)
    # D/2 at c = ½; 1000 noise scales, which change no figure here, cover any quantile.
    quiet = deficit / 2 + 1000 * b
    b = np.where(noisy, b, 0.0)
    return np.where(noisy, deficit, 0.0) / np.where(noisy, b, 1.0), b, quiet
