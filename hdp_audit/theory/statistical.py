"""E_stat, the rate of estimating a Bernoulli parameter from n private samples, bounded below with an explicit
constant (ours).
"""

import math

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def statistical_rate(ascending: Floats) -> float:
    """E_stat ≥ max over δ and the split of δ²(1 − (√D_A + √D_B)²).

    Proof. Two parameters ½ ± δ, equal prior: Bayes risk δ²(1 − D), D the triangular discrimination
    ½∫(p−q)²/(p+q), whose root is a metric. First change A (small demands): couple each user so that the data
    differ with probability 2δ; D is jointly convex and at most tanh²(S/2) for each outcome, S the demands of
    the users that differ: D_A ≤ E tanh²(S/2) ≤ min(E S²/4, tanh(E S/2)), with E S = 2δΣε and E S² = (2δΣε)² +
    2δ(1−2δ)Σε². Then change B, in the clear: 1 − D ≥ (∫√pq)² = (1−4δ²)^{|B|}, D_B = 1 − (1−4δ²)^{|B|}.
    """
    n = ascending.size
    finite = int(np.searchsorted(ascending, np.inf))
    # Any split is valid; a few hundred are tried.
    sizes = np.unique(np.concatenate([np.linspace(0, finite, 400), np.geomspace(1, finite + 1, 200) - 1]).astype(int))
    first = np.concatenate([[0.0], np.cumsum(ascending[:finite])])[sizes]
    second = np.concatenate([[0.0], np.cumsum(ascending[:finite] ** 2)])[sizes]
    clear = n - sizes
    best = 0.0
    for delta in np.geomspace(0.02 / n, 0.5, 60):
        mean = 2 * delta * first
        square = mean**2 + 2 * delta * (1 - 2 * delta) * second
        own = np.minimum(square / 4, np.tanh(mean / 2))
        with np.errstate(divide="ignore", invalid="ignore"):
            shown = np.where(clear > 0, -np.expm1(clear * np.log1p(-4 * delta**2)), 0.0)
        roots = float(np.min(np.sqrt(own) + np.sqrt(shown)))
        best = max(best, delta**2 * (1 - min(roots, 1.0) ** 2))
    return best


def from_statistical(rate: float, n: int) -> float:
    """Theorem mse-lb: E_wc ≥ (√E_stat − √(1/4n))₊²."""
    return max(math.sqrt(rate) - math.sqrt(1 / (4 * n)), 0.0) ** 2
