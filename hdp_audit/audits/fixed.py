"""The fixed-sample game: the tightest lower bound that a given number of calls allows, learning included.

The rule is learned again and again on all draws so far and judged on the next ones, so almost every draw is both
judged and learned from. That stays exact because the number W of guesses is fixed before the first judged draw: every
guess is right with conditional probability at most p, so the right ones among the first W are stochastically no more
than Binomial(W, p), whatever the rule learned on the way, and one Clopper–Pearson interval holds. (A rule that
stopped guessing when ahead would need W to be random.) Guesses that the calls did not suffice for count as wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp_audit.distinguishers.columns import learn_parts
from hdp_audit.distinguishers.steps import Parts, Score
from hdp_audit.distinguishers.witness import Witness, learn_witness, with_thresholds
from hdp_audit.evidence.binomial import guess_share, loss_lower

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]
Draw = Callable[[int], tuple[Floats, Coins]]  # so many rounds: outputs and coins

OPENING = 0.02  # share of the calls that are learned from but not judged
LEAST_OPENING, LONGEST_OPENING = 300, 10_000  # more says no more about how often to guess
ALWAYS = 0.985  # a rule that would guess this often guesses always
LEARNED_FROM = 1 << 18  # draws that a rule is learned from, at most
SHORTEST = 64
CLOSE = 0.5  # of the share that Laplace noise would have


@dataclass(frozen=True)
class Measured:
    """A lower bound on the loss and the counts it rests on."""

    lower: float
    right: int
    guesses: int
    witness: Witness


def measure(draw: Draw, calls: int, significance: float, independent: int | None = None) -> Measured:
    """The loss that `calls` rounds of the game prove at this significance."""
    opening = opening_of(calls)
    outputs, coins = draw(opening)
    witness = learn_witness(outputs, coins, calls - opening, significance, independent)
    share = _share(witness, outputs)
    quota = int(share * (calls - opening))
    right = guesses = 0
    left = calls - opening
    parts = witness.parts
    while left > 0 and guesses < quota:
        block = next_block(left, outputs.shape[0])
        witness = _aimed(parts, outputs, (quota - guesses) / left, block)
        fresh, tossed = draw(block)
        ones, zeros = witness.guesses(fresh)
        sure = np.flatnonzero(ones | zeros)[: quota - guesses]
        right += int(np.count_nonzero(ones[sure] == tossed[sure]))
        guesses += sure.size
        left -= block
        outputs, coins = (
            np.concatenate([old, new])[-LEARNED_FROM:] for old, new in ((outputs, fresh), (coins, tossed))
        )
        if left > SHORTEST and block >= opening // 2:
            parts = learn_parts(outputs, coins, independent)
    return Measured(float(loss_lower(right, quota, significance)), right, quota, witness)


def opening_of(calls: int) -> int:
    """Calls that are learned from before any is judged."""
    return min(int(OPENING * calls) + LEAST_OPENING, LONGEST_OPENING, calls // 4)


def _share(witness: Witness, outputs: Floats) -> float:
    """How often to guess: as the rule does, or more precisely as often as Laplace noise gives its full ratio.

    The latter where every coordinate is like Laplace noise: k of them are beyond their ramps, all on one side, with
    probability 2^{−k} under the dataset on that side and 2^{−k}·e^{−Σh} under the other.
    """
    counted = sum(int(guessed.sum()) for guessed in witness.guesses(outputs)) / outputs.shape[0]
    heights = [abs(float(score.values[-1])) for _, score in witness.parts]
    full = 2.0 ** (1 - len(heights)) * guess_share(sum(heights))
    if counted > CLOSE * full and all(_is_like_laplace(score, outputs[:, column]) for column, score in witness.parts):
        counted = full
    return 1.0 if counted >= ALWAYS else counted


def _is_like_laplace(score: Score, outputs: Floats) -> bool:
    """One symmetric ramp, or a step through outputs without ties: a ramp not yet seen."""
    return score.is_symmetric and (not score.steps or np.unique(outputs).size == outputs.size)


def next_block(left: int, known: int) -> int:
    """Half of what is known; near the end most of what is left, so that the quota is met to a few guesses."""
    if left <= SHORTEST:
        return left
    return min(known // 2, max(left - left // 4, SHORTEST))


def _aimed(parts: Parts, outputs: Floats, share: float, block: int) -> Witness:
    """Thresholds that guess a little more often than `share`: a guess too few costs more than a draw unused."""
    if share >= 1.0:
        return with_thresholds(parts, outputs, block, 0.5, 1.0)
    margin = np.sqrt(share * (1.0 - share) / block) if block <= 4 * SHORTEST else 0.0
    return with_thresholds(parts, outputs, block, 0.5, min(share + margin, 1.0))
