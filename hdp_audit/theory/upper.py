"""Explicit upper bounds for given weights, seen through bias a, noise scale b and spread ‖w − u‖₂².

b = t for a mean, 2t for frequencies. All functions take arrays. Clipping to [0, 1] never increases an error,
so each bound holds after clipping too. Statements: the ledger's "upper" entries; proofs in the docstrings.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

Floats = NDArray[np.float64]
_HALVINGS = 60


def noise_quantile(k: int, beta: ArrayLike) -> Floats:
    """q_k(β) = −log(1 − (1−β)^{1/k}): the exact (1−β)-quantile of the largest of k Exp(1) (ours)."""
    return np.asarray(-np.log(-np.expm1(np.log1p(-np.asarray(beta, dtype=np.float64)) / k)))


def log_inside(alpha: Floats, a: Floats, b: Floats) -> Floats:
    """log P(|a + Lap(b)| ≤ α): 1 − e^{−α/b}cosh(a/b) for α ≥ a, e^{−a/b}sinh(α/b) below; b = 0 is a point
    mass.
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        near = np.exp(-np.abs(alpha - a) / b)
        far = np.exp(-(alpha + a) / b)
        outer = np.log1p(-(near + far) / 2)
        inner = np.log((near - far) / 2)
        point = np.where(alpha >= a, 0.0, -np.inf)
        return np.where(b > 0, np.where(alpha >= a, outer, inner), point)


def correlated_pac(a: ArrayLike, b: ArrayLike, beta: float, biased: int, plain: int) -> Floats:
    """The exact worst (1−β)-quantile of ‖A + N‖∞ before clipping (ours; any β).

    The worst bias is a vertex: `biased` coordinates carry ±a, `plain` carry none (mean 1, 0; simplex
    frequency 2, k−2; centred frequency k, 0), because P(‖A + N‖∞ ≤ α) is symmetric and log-concave in A
    (Prékopa), hence least at a vertex of the hull. Solved by bisection; the upper end of the bracket is
    returned. For one coordinate and β ≤ ½ this is b·log(cosh(a/b)/β).
    """
    a, b = np.broadcast_arrays(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64))
    target = np.log1p(-beta)
    low = np.zeros(a.shape)
    high = a + b * noise_quantile(biased + plain, beta) * (1 + 1e-12)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        inside = biased * log_inside(middle, a, b)
        if plain:
            inside = inside + plain * log_inside(middle, np.zeros_like(a), b)
        enough = inside >= target
        high = np.where(enough, middle, high)
        low = np.where(enough, low, middle)
    return high


def mean_correlated_mse(a: ArrayLike, b: ArrayLike) -> Floats:
    """a² + 2b²: exact before clipping, attained by x_i = 1{w_i > 1/n}."""
    return np.asarray(a, dtype=np.float64) ** 2 + 2 * np.asarray(b, dtype=np.float64) ** 2


def frequency_correlated_mse(a: ArrayLike, b: ArrayLike, biased: int, plain: int) -> Floats:
    """max E‖A + N‖∞² = ∫ 2α(1 − F(α))dα at the worst vertex, F the product law of `correlated_pac` (ours,
    exact).

    E‖A + N‖∞² is convex in A, so its maximum over the hull is at a vertex. Gauss–Legendre panels of width b
    up to a + b(log k + 45); the tail beyond is below 1e-15·b².
    """
    a, b = np.broadcast_arrays(np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64))
    nodes, weights = np.polynomial.legendre.leggauss(8)
    panels = np.arange(-45.0, 46.0 + np.ceil(np.log(biased + plain)))
    x = (panels[:, None] + (nodes + 1) / 2).ravel()
    mass = np.tile(weights / 2, panels.size)
    alpha = a[..., None] + b[..., None] * x
    inside = _product(np.maximum(alpha, 0.0), a[..., None], b[..., None], biased, plain)
    # Below a the integrand is 2α(1 − F) and ∫₀^a 2α dα = a²; only F, which lives within some b of a, is
    # integrated.
    part = np.where(x < 0, -inside, 1 - inside) * np.where(alpha > 0, 2 * alpha, 0.0)
    return a**2 + b * (part @ mass)


def _product(alpha: Floats, a: Floats, b: Floats, biased: int, plain: int) -> Floats:
    inside = biased * log_inside(alpha, a, b)
    if plain:
        inside = inside + plain * log_inside(alpha, np.zeros_like(a), b)
    return np.asarray(np.exp(inside))


def concentration_factor(n: int) -> float:
    """K_n = 1 + H_{n−1}/(n−1): E exp(λΣ c_i x_σ(i)) ≤ exp(λ²‖c‖₂²K_n/8) for Σc = 0, x ∈ [0,1]^n (ours).

    Reveal the coordinate of largest |c| first: its conditional mean moves by c·n/(n−1), Hoeffding's lemma
    bounds it, the rest is again centred with a smaller norm; the recursion K_n = q·n/(n−1) + (1−q)·K_{n−1}
    with q ≥ 1/(n−1), K_2 = 2, solves to the claim.
    """
    if n == 1:
        return 1.0
    return float(1 + (special.digamma(n) + np.euler_gamma) / (n - 1))


def weak_pac(a: ArrayLike, spread: ArrayLike, b: ArrayLike, n: int, k: int, beta: float) -> Floats:
    """The smaller of two bounds on the (1−β)-quantile of ‖A_σ + N‖∞ (ours); |A| ≤ a always, V² = K_n‖w−u‖₂².

    split: min over β₁ + β₂ = β of min(a, V√(log(2k/β₁)/2)) + b·q_k(β₂).
    tilted: b·log(k/β) + V²/8b, because P(N > x) ≤ ½e^{−x/b} for every real x and E e^{A/b} ≤ e^{V²/8b²}.
    """
    a, b, spread = np.broadcast_arrays(*(np.asarray(part, dtype=np.float64) for part in (a, b, spread)))
    variance = concentration_factor(n) * spread
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        tilted = np.where(b > 0, b * np.log(k / beta) + variance / (8 * b), np.inf)
    return np.minimum(_split(a, variance, b, k, beta), tilted)


def _split(a: Floats, variance: Floats, b: Floats, k: int, beta: float) -> Floats:
    """Both summands are convex in β₁/β, so the zooms close in on one valley, here in logit(β₁/β)."""
    root = np.sqrt(variance)[..., None]
    best = a + b * noise_quantile(k, beta)
    left, right = np.full_like(root, -25.0), np.full_like(root, 25.0)
    for _ in range(6):
        grid = left + (right - left) * np.linspace(0, 1, 17)
        moved = root * np.sqrt(np.log(2 * k / (beta * special.expit(grid))) / 2)
        total = moved + b[..., None] * noise_quantile(k, beta * special.expit(-grid))
        at = np.argmin(total, axis=-1)[..., None]
        best = np.minimum(best, np.take_along_axis(total, at, -1)[..., 0])
        left = np.take_along_axis(grid, np.maximum(at - 1, 0), -1)
        right = np.take_along_axis(grid, np.minimum(at + 1, 16), -1)
    return best


def largest_variance(n: int) -> float:
    """max of Σ(x − μ)²/(n−1) over x ∈ [0,1]^n: n/(4(n−1)) for even n, (n+1)/(4n) for odd n; 0 for n = 1."""
    if n == 1:
        return 0.0
    return n / (4 * (n - 1)) if n % 2 == 0 else (n + 1) / (4 * n)


def mean_weak_mse(spread: ArrayLike, b: ArrayLike, n: int) -> Floats:
    """‖w−u‖₂²·S²_max + 2b²: exact before clipping, E(Σ(w_i − u)x_σ(i))² = ‖w−u‖₂²·S² (ours)."""
    return np.asarray(spread, dtype=np.float64) * largest_variance(n) + 2 * np.asarray(b, dtype=np.float64) ** 2


def frequency_weak_mse(a: ArrayLike, spread: ArrayLike, b: ArrayLike, n: int, k: int) -> Floats:
    """V + 2√V·bH + b²(H² + H₂), V = min(a², (1−1/k)²·n/(n−1)·‖w−u‖₂²), H = Σ1/i, H₂ = Σ1/i² to k (ours).

    ΣA_j = 0 gives ‖A‖∞² ≤ (1−1/k)ΣA_j²; ΣE A_j² = ‖w−u‖₂²·n/(n−1)·Σμ_j(1−μ_j) ≤ ‖w−u‖₂²·n/(n−1)·(1−1/k); A
    and N are independent, E max|N| = bH and E max N² = b²(H² + H₂).
    """
    i = np.arange(1, k + 1)
    harmonic, squares = float(np.sum(1 / i)), float(np.sum(1 / i**2))
    shape = (1 - 1 / k) ** 2 * n / max(n - 1, 1)
    moved = np.minimum(np.asarray(a, dtype=np.float64) ** 2, shape * np.asarray(spread, dtype=np.float64))
    b = np.asarray(b, dtype=np.float64)
    return np.asarray(moved + 2 * np.sqrt(moved) * b * harmonic + b**2 * (harmonic**2 + squares))


def shrunk_mean_weak_mse(spread: ArrayLike, t: ArrayLike, n: int) -> Floats:
    """min over s of max(¼(1−s)² + 2s²t², s²(V₀/4 + 2t²)), V₀ = ‖w−u‖₂²·n/(n−1): weights s·w around ½ (ours).

    The error is s·A + (1−s)(½−μ) + s·N with E A = 0 and S² ≤ n/(n−1)·(¼ − (½−μ)²): linear in (½−μ)² ∈ [0, ¼],
    so the worst is an endpoint. The two meet at s = 1/(1 + √V₀); otherwise the first is least at s = 1/(1 +
    8t²).
    """
    spread = np.asarray(spread, dtype=np.float64)
    t = np.asarray(t, dtype=np.float64)
    variance = spread * n / max(n - 1, 1)
    s = weak_shrinkage(spread, t, n)
    return np.asarray(np.maximum((1 - s) ** 2, s**2 * variance) / 4 + 2 * s**2 * t**2)


def weak_shrinkage(spread: ArrayLike, t: ArrayLike, n: int) -> Floats:
    """The s of `shrunk_mean_weak_mse`."""
    variance = np.asarray(spread, dtype=np.float64) * n / max(n - 1, 1)
    return np.asarray(np.minimum(1 / (1 + np.sqrt(variance)), 1 / (1 + 8 * np.asarray(t, dtype=np.float64) ** 2)))
