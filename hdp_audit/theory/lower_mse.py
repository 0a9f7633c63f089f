"""Lower bounds on mean squared errors: two datasets, k datasets, Markov from PAC."""

import math

import numpy as np
from numpy.typing import NDArray

from hdp_audit.theory.symmetric import log_mean_exp

Floats = NDArray[np.float64]


def packing_correlated(ascending: Floats, rivals: int) -> float:
    """max over m of (m/2n)²·sech²((S_m − log K)₊/2), K = k−1 rivals (ours; K = 1 is the two-dataset bound).

    Proof. Take K+1 datasets that differ on the m users with the smallest demands only, all of them in
    category j in dataset j; uniform prior. Densities are within e^{S_m} of each other, so no posterior
    exceeds p* = e^S/(e^S + K). With the true means Δe_j, Δ = m/n, up to a shift, an answer whose largest
    coordinate is v·Δ at category 1 errs by at least (1−v)Δ if 1 is true and by vΔ otherwise; the posterior
    risk is at least Δ²π₁(1−π₁) if the largest posterior π₁ ≥ ½, else Δ²/4. That falls in π₁, so the Bayes
    risk is at least Δ²p*(1−p*) = (Δ²/4)sech²((S − log K)/2) for p* ≥ ½ and Δ²/4 below. A mean is K = 1. This
    fills the two cells that the paper leaves empty.
    """
    n = ascending.size
    excess = np.maximum(np.cumsum(ascending) - math.log(rivals), 0.0) / 2
    # cosh overflows beyond 710; the bound is 0 there.
    kept = excess < 300
    m = np.arange(1, n + 1)[kept]
    values = (m / (2 * n) / np.cosh(excess[kept])) ** 2
    return float(values.max(initial=0.0))


def k_datasets_weak(values: Floats, counts: NDArray[np.int64], rivals: int) -> float:
    """max over m of (m/2n)²·E sech²((S − log K)₊/2), S the demands of m random users, K = `rivals`, bounded below by
    two moments (ours).

    Proof. Dataset j puts m random users in category j, the others in a common one. Bayes risk is concave in the laws
    of the output, so who is moved may be told; given that, the bound of `packing_correlated` holds. With x = e^{−S} and
    z = Kx, sech²((S − log K)₊/2) ≥ 4z/(1+z)² (equal for z ≤ 1, and 1 beyond) = zψ(z), ψ = 4/(1+z)² convex: ψ(z) ≥ ψ(y)
    + ψ'(y)(z−y) for every y, hence E ≥ A·E z − B·E z², A = 4/(1+y)² + 8y/(1+y)³, B = 8/(1+y)³, best over y ∈ [0, 1].
    """
    n = int(counts.sum())
    best = 0.0
    grid = np.unique(np.geomspace(1, n, 33).astype(int))
    for _ in range(3):
        heights = [_datasets_at(values, counts, int(m), n, rivals) for m in grid]
        top = int(np.argmax(heights))
        best = max(best, heights[top])
        left, right = grid[max(top - 1, 0)], grid[min(top + 1, grid.size - 1)]
        grid = np.unique(np.linspace(left, right, 9).astype(int))
    return best


def _datasets_at(values: Floats, counts: NDArray[np.int64], m: int, n: int, rivals: int) -> float:
    first = rivals * math.exp(log_mean_exp(values, -1.0, m, counts))
    second = rivals**2 * math.exp(log_mean_exp(values, -2.0, m, counts))
    y = np.linspace(0.0, 1.0, 201)
    linear = 4 / (1 + y) ** 2 + 8 * y / (1 + y) ** 3
    kept = float(np.max(linear * first - 8 / (1 + y) ** 3 * second))
    return (m / (2 * n)) ** 2 * max(min(kept, 1.0), 0.0)


def markov(beta: float, rate: float) -> float:
    """V ≥ β·R²: an error above any α < R(β) has probability more than β, so E error² ≥ βα² (weaker, always
    available).
    """
    return beta * rate**2
