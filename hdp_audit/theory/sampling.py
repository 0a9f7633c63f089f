"""Weak setting: what nobody may look at must be guessed from the rest (ours; contains the paper's special
case 1/(8n)).
"""

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def beta_prior_mse(ascending: Floats) -> float:
    """max over A and a of e^{−S_A}·(|A|/n)²·¼·(2a/(2a+1))·(1/|A| + 1/(|B| + 2a)), A the users with the
    smallest demands.

    Proof. Draw p ~ Beta(a, a) and all data independently Bernoulli(p): exchangeable, so permuting changes
    nothing. Show the mechanism's user B's data. Given them, the output's density varies with A's data by at
    most e^{S_A}, so the posterior of A's data is at least e^{−S_A} times its law given B, and Var(N_A | y, B)
    ≥ e^{−S_A}·Var(N_A | B). For Beta–Bernoulli data E Var(N_A | B) = |A|E p(1−p) + |A|²E p(1−p)/(|B| + 2a),
    with E p(1−p) = ¼·2a/(2a+1). The risk is at least the mean posterior variance of N_A/n. One half of the
    users at 0, one half at ∞, a → ∞: 1/(8n), the paper's special case; the best a gives nearly 1/(4n).
    """
    n = ascending.size
    finite = int(np.searchsorted(ascending, np.inf))
    if finite == 0:
        return 0.0
    sums = np.cumsum(ascending[:finite])
    kept = int(np.searchsorted(sums, 30.0))
    size = np.arange(1, max(kept, 1) + 1)
    damp = np.exp(-sums[: size.size])
    best = 0.0
    for twice_a in np.geomspace(1e-2, 1e8, 81):
        scale = twice_a / (twice_a + 1) / 4 * damp * (size / n) ** 2
        best = max(best, float(np.max(scale * (1 / size + 1 / (n - size + twice_a)))))
    return best
