"""Closed-form optima for millions of users in doubles whose sums are exact (math.fsum), one pass over sorted demands.

Only where a segment begins is found with rounded prefix sums (long double); its value is then computed with exact ones.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def bias_and_noise(w: Floats, t: float, L: float) -> float:
    """‖w−u‖₁² + L²t²."""
    u = 1 / w.size
    return (2 * math.fsum(np.maximum(u - w, 0.0))) ** 2 + (L * t) ** 2


def square_and_noise(w: Floats, t: float, c: float) -> float:
    """‖w‖₂² + c·t²."""
    return math.fsum(w * w) + c * t * t


def best_bias_and_noise(epsilon: Floats, L: float) -> float:
    """The least 4(m/n − tS)² + L²t²: the vertex 4(m/n)S/(4S²+L²) of the segment whose slope changes sign."""
    eps, n = np.sort(epsilon), epsilon.size
    sums = np.concatenate([[0.0], np.cumsum(eps, dtype=np.longdouble)])[:-1]
    t = 1 / (n * eps)
    slope = -8 * (np.arange(n) / n - t * sums) * sums + 2 * L * L * t  # at each breakpoint, falling along the array
    m = int(np.count_nonzero(slope > 0))
    S = math.fsum(eps[:m])
    best = max(4 * (m / n) * S / (4 * S * S + L * L), 1 / math.fsum(eps))
    return (2 * math.fsum(np.maximum(1 / n - best * eps, 0.0))) ** 2 + (L * best) ** 2


def best_square_and_noise(epsilon: Floats, c: float) -> float:
    """The least ‖w‖₂² + c·t²: level (S2 + c)/S1 over the users below it, the root of Σε(ρ−ε)₊ = c."""
    eps = np.sort(epsilon)
    first = np.concatenate([[0.0], np.cumsum(eps, dtype=np.longdouble)])[:-1]
    second = np.concatenate([[0.0], np.cumsum(eps * eps, dtype=np.longdouble)])[:-1]
    m = int(np.count_nonzero(eps * first - second < c))
    S1, S2 = math.fsum(eps[:m]), math.fsum(eps[:m] ** 2)
    level = (S2 + c) / S1 if m < eps.size else float(eps[-1])
    Z = S1 + (eps.size - m) * level
    return (S2 + (eps.size - m) * level**2 + c) / Z**2


Pair = tuple[Callable[[Floats, float], float], Callable[[Floats], float]]


def pair(name: str, n: int, k: int, beta: float) -> Pair:
    """(criterion at given weights and t, least criterion) for names whose criterion has a closed form."""
    if name == "hpf-cp":
        L = math.log(k / beta)
        return lambda w, t: bias_and_noise(w, t, L), lambda e: best_bias_and_noise(e, L)
    if name == "hpm-ce":
        return lambda w, t: bias_and_noise(w, t, 1.0), lambda e: best_bias_and_noise(e, 1.0)
    variance = n / (4 * (n - 1))
    if name == "hpm-we-sharp":  # n even; ‖w−u‖₂² = ‖w‖₂² − 1/n
        c = 2 / variance
        return (
            lambda w, t: variance * (square_and_noise(w, t, c) - 1 / n),
            lambda e: variance * (best_square_and_noise(e, c) - 1 / n),
        )
    L = math.log(k / beta)  # hpf-ct
    c = L * L / n
    return lambda w, t: n * square_and_noise(w, t, c) - 1, lambda e: n * best_square_and_noise(e, c) - 1
