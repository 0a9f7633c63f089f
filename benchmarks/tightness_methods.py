"""Tasks with a known loss, and what bounds it: the game with the best event given, two intervals, and the peers.

`hist` has five bins, one record moves from bin 0 to bin 1; its noise has scale 2 (loss 1) or 1 (loss 2). The peers
(jax-privacy, privacy-estimates) are no dependencies of the project: they are imported where they are used.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from hdp_audit.evidence.binomial import loss_lower

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]
Run = Callable[[Coins, np.random.Generator], Floats]
Peer = Callable[[Floats, Floats, float], float]  # scores under dataset 1, under dataset 0, significance

PEERS = ("jax-privacy", "jax-privacy, split", "jax-privacy, one run", "privacy-estimates")
ONE_RUN_DELTA = 1e-12  # its one-run bound wants a positive δ


def laplace(epsilon: float) -> Run:
    return lambda coins, rng: (coins + rng.laplace(0.0, 1.0 / epsilon, coins.size))[:, None]


def histogram(scale: float) -> Run:
    def run(coins: Coins, rng: np.random.Generator) -> Floats:
        outputs = rng.laplace(0.0, scale, (coins.size, 5))
        outputs[:, 0] += ~coins
        outputs[:, 1] += coins
        return outputs

    return run


TASKS: dict[str, tuple[Run, float]] = {
    "Laplace 0.1": (laplace(0.1), 0.1),
    "Laplace 1": (laplace(1.0), 1.0),
    "Laplace 3": (laplace(3.0), 3.0),
    "hist, scale 2": (histogram(2.0), 1.0),
    "hist, scale 1": (histogram(1.0), 2.0),
}


def true_score(outputs: Floats) -> Floats:
    """The log-likelihood ratio over the loss: 1 on the best event for dataset 1, −1 on the best for dataset 0."""
    clipped = np.clip(outputs, 0.0, 1.0)
    return 2.0 * clipped[:, 0] - 1.0 if outputs.shape[1] == 1 else clipped[:, 1] - clipped[:, 0]


class Rounds:
    """Runs drawn in advance, handed out in order."""

    def __init__(self, run: Run, size: int, rng: np.random.Generator) -> None:
        self.coins = rng.random(size) < 0.5
        self.outputs = run(self.coins, rng)
        self.at = 0

    def draw(self, size: int) -> tuple[Floats, Coins]:
        self.at += size
        assert self.at <= self.coins.size, "more runs asked for than allowed"
        return self.outputs[self.at - size : self.at], self.coins[self.at - size : self.at]


def known_event(score: Floats, coins: Coins, significance: float) -> float:
    ones, zeros = score >= 1.0, score <= -1.0
    right = int((ones & coins).sum() + (zeros & ~coins).sum())
    return float(loss_lower(right, int(ones.sum() + zeros.sum()), significance))


def two_intervals(ones: Floats, zeros: Floats, significance: float) -> float:
    hits, misses = int((ones >= 1.0).sum()), int((zeros >= 1.0).sum())
    low = betaincinv(hits, ones.size - hits + 1, significance / 2)
    high = betaincinv(misses + 1, zeros.size - misses, 1 - significance / 2)
    return max(float(np.log(low / high)), 0.0)


@lru_cache(maxsize=1)
def peers() -> dict[str, Peer]:
    """The peers that are installed; the score is given to all, its best threshold to privacy-estimates too."""
    found: dict[str, Peer] = {}
    try:
        from jax_privacy import auditing
    except ImportError as why:
        print(f"jax-privacy is not installed ({why}): its columns stay empty", flush=True)
    else:
        canary = auditing.CanaryScoreAuditor
        split = auditing.Split(seed=1)
        found["jax-privacy"] = lambda i, o, s: canary(i, o).epsilon_clopper_pearson(s)
        found["jax-privacy, split"] = lambda i, o, s: canary(i, o).epsilon_clopper_pearson(s, threshold_strategy=split)
        found["jax-privacy, one run"] = lambda i, o, s: canary(i, o).epsilon_one_run(s, ONE_RUN_DELTA)
    try:
        from privacy_estimates import compute_eps_lo
        from privacy_estimates.utils import AttackResults
    except ImportError as why:
        print(f"privacy-estimates is not installed ({why}): its column stays empty", flush=True)
    else:

        def estimates(ones: Floats, zeros: Floats, significance: float) -> float:
            hits, misses = int((ones >= 1.0).sum()), int((zeros >= 1.0).sum())
            counts = AttackResults(FN=ones.size - hits, FP=misses, TN=zeros.size - misses, TP=hits)
            return float(compute_eps_lo(counts, 0.0, significance, "jeffreys"))

        found["privacy-estimates"] = estimates
    return found
