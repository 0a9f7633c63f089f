"""The witness: a rule that guesses from the output which dataset was used, or abstains; learned on draws of its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri

from hdp_audit.attacks.scores import Score, learn_score

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]
Parts = tuple[tuple[int, Score], ...]  # which coordinates speak, and how

CONVINCING = 3.0  # log-likelihood a coordinate must gain to be heard beside a better one


@dataclass(frozen=True)
class Witness:
    """Guess "1" where the score is at least `high`, "0" where it is at most `low`, abstain in between."""

    parts: Parts
    low: float
    high: float

    def counts(self, outputs: Floats, coins: Coins) -> tuple[int, int]:
        """(right, made): how many guesses were right, of how many."""
        score = summed(self.parts, outputs)
        ones, zeros = score >= self.high, score <= self.low
        right = np.count_nonzero(ones & coins) + np.count_nonzero(zeros & ~coins)
        return int(right), int(np.count_nonzero(ones) + np.count_nonzero(zeros))


def summed(parts: Parts, outputs: Floats) -> Floats:
    """Σ of the scores of the coordinates that speak."""
    total = np.zeros(outputs.shape[0])
    for column, score in parts:
        total += score(outputs[:, column])
    # Sums of the same plateaus must be equal to the last bit, or thresholds would split a plateau.
    return np.round(total, 9)


def learn_witness(
    outputs: Floats, coins: Coins, judged: int, significance: float, independent: int | None = None
) -> Witness:
    """Scores and thresholds for the best bound that `judged` further draws would give.

    The first `independent` columns (all by default) are summed; a later column speaks alone, where it knows more than
    that sum.
    """
    cells = int(np.clip(2.0 * outputs.shape[0] ** 0.4, 8, 400))
    found = [(column, learn_score(outputs[:, column], coins, cells)) for column in range(outputs.shape[1])]
    first = outputs.shape[1] if independent is None else independent
    together, alone = (sorted(some, key=_evidence, reverse=True) for some in (found[:first], found[first:]))
    parts = (together[0], *(part for part in together[1:] if _evidence(part) > CONVINCING))
    if alone and _evidence(alone[0]) > sum(_evidence(part) for part in parts):
        parts = (alone[0],)
    low, high = best_thresholds(summed(parts, outputs), judged / outputs.shape[0], significance)
    return Witness(parts, low, high)


def _evidence(part: tuple[int, Score]) -> float:
    return part[1].evidence


def best_thresholds(score: Floats, growth: float, significance: float) -> tuple[float, float]:
    """(low, high) with the largest predicted lower bound when `growth` times as many draws are judged.

    A score s claims to be right with probability 1/(1 + e^{−|s|}): averaging the claim is far less noisy than
    counting successes.
    """
    levels = np.unique(np.quantile(score, np.linspace(0, 1, 201), method="nearest"))
    ordered = np.sort(score)
    claims = np.concatenate([[0.0], np.cumsum(expit(ordered))])
    lows, highs = np.append(levels, -np.inf), np.append(levels, np.inf)
    below = np.searchsorted(ordered, lows, side="right")
    above = np.searchsorted(ordered, highs, side="left")
    right = (below - claims[below])[:, None] + (claims[-1] - claims[above])[None, :]
    made = (below[:, None] + (ordered.size - above)[None, :]).astype(np.float64)
    predicted = _predicted_bound(right, made, growth, significance)
    predicted[lows[:, None] >= highs[None, :]] = -np.inf
    at_low, at_high = np.unravel_index(int(np.argmax(predicted)), predicted.shape)
    return float(lows[at_low]), float(highs[at_high])


def _predicted_bound(right: Floats, made: Floats, growth: float, significance: float) -> Floats:
    """logit(p − z·√(p(1−p)/judged guesses))."""
    guesses = np.maximum(made * growth, 1.0)
    p = np.clip(right / np.maximum(made, 1.0), 1e-9, 1.0 - 1e-9)
    lower = p + ndtri(significance) * np.sqrt(p * (1.0 - p) / guesses) - 0.5 / guesses
    return logit(np.clip(lower, 1e-12, 1.0 - 1e-12))
