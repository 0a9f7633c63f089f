"""The fixed-sample game for promises with a δ: how much a given number of calls proves, learning included.

As in fixed.py the number of guesses is fixed before the first judged draw, and rules are learned again on the way. How
often to guess is foreseen from the first draws: rare outputs say most where δ is small, and no few draws show them, so
they are thought to be those of normal noise, or of the law that fits better. Whatever is foreseen wrongly costs
tightness alone: what is proved is counted (evidence/counted.py).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, log_expit, ndtr

from hdp_audit.audits.fixed import LEARNED_FROM, Draw, next_block, opening_of
from hdp_audit.distinguishers.columns import learn_parts
from hdp_audit.distinguishers.steps import Parts, summed
from hdp_audit.evidence.counted import strength_lower
from hdp_audit.model.promise import Limit

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]

BEYOND = np.linspace(0.0, 5.0, 26)  # standard deviations from the middle, from which on normal outputs may be guessed
SHARES = np.geomspace(1e-3, 1.0, 22)  # of all draws, that may be guessed otherwise
SURE = 3.0  # nats by which another law must explain the draws better than normal noise does
THIN = 1e-7  # what orders outputs that a rule does not tell apart


@dataclass(frozen=True)
class MeasuredCurve:
    """A lower bound on the strength and the counts that it rests on."""

    lower: float
    right: int
    guesses: int
    judged: int
    epsilon: float  # at which a curve was tested


@dataclass(frozen=True)
class Rule:
    """A log-likelihood ratio: straight, as normal noise has it, or summed over parts where these explain more."""

    weights: Floats
    middle: float
    shift: float  # between the two datasets, in standard deviations, if the noise is normal
    parts: Parts | None = None

    @classmethod
    def learned(cls, outputs: Floats, coins: Coins, independent: int | None) -> Rule:
        """The likelier one."""
        straight = cls(*_direction(outputs, coins))
        parts = learn_parts(outputs, coins, independent)
        gained = np.log(2.0) * coins.size + float(log_expit(np.where(coins, 1, -1) * straight(outputs)).sum())
        better = sum(score.evidence for _, score in parts) > gained + SURE
        return replace(straight, parts=parts) if better else straight

    def __call__(self, outputs: Floats) -> Floats:
        """Of each output; those that parts do not tell apart in the order of the straight rule."""
        straight = outputs @ self.weights - self.middle
        return np.asarray(straight if self.parts is None else summed(self.parts, outputs) + THIN * straight)

    def foreseen(self, outputs: Floats) -> tuple[Floats, Floats]:
        """How often guesses are right and wrong, in a draw, as more and more of what tells little is left out."""
        if self.parts is None:
            return ndtr(0.5 * self.shift - BEYOND), ndtr(-0.5 * self.shift - BEYOND)
        sure = np.cumsum(expit(np.sort(np.abs(self(outputs)))[::-1])) / outputs.shape[0]
        most = np.maximum((SHARES * outputs.shape[0]).astype(int), 1)
        return sure[most - 1], most / outputs.shape[0] - sure[most - 1]


def _direction(outputs: Floats, coins: Coins) -> tuple[Floats, float, float]:
    """Weights, middle and shift of the likeliest ratio of two normal laws of one covariance."""
    sides = [outputs[coins], outputs[~coins]]
    if min(side.shape[0] for side in sides) < 2:
        return np.zeros(outputs.shape[1]), 0.0, 0.0
    means = [side.mean(axis=0) for side in sides]
    centred = np.concatenate([side - mean for side, mean in zip(sides, means, strict=True)])
    apart = means[0] - means[1]
    weights = np.linalg.pinv(centred.T @ centred / (coins.size - 2)) @ apart
    return weights, float(weights @ (means[0] + means[1]) / 2), float(max(weights @ apart, 0.0)) ** 0.5


def measure_curve(
    draw: Draw, calls: int, significance: float, limit: Limit, independent: int | None = None
) -> MeasuredCurve:
    """The strength that `calls` rounds of the game prove at this significance; `limit` says of which kind."""
    opening = opening_of(calls)
    outputs, coins = draw(opening)
    left = judged = calls - opening
    quota, epsilon = _aim(Rule.learned(outputs, coins, independent), outputs, judged, significance, limit)
    right = guesses = 0
    while left > 0 and guesses < quota:
        block = next_block(left, outputs.shape[0])
        rule = Rule.learned(outputs, coins, independent)
        least = _least(np.abs(rule(outputs)), (quota - guesses) / left, block)
        fresh, tossed = draw(block)
        told = rule(fresh)
        sure = np.flatnonzero(np.abs(told) >= least)[: quota - guesses]
        right += int(np.count_nonzero((told[sure] >= 0) == tossed[sure]))
        guesses += sure.size
        left -= block
        outputs, coins = (
            np.concatenate([old, new])[-LEARNED_FROM:] for old, new in ((outputs, fresh), (coins, tossed))
        )
    lower = strength_lower(right, quota, judged, significance, limit, epsilon)
    return MeasuredCurve(lower, right, quota, judged, epsilon)


def _aim(rule: Rule, outputs: Floats, judged: int, significance: float, limit: Limit) -> tuple[int, float]:
    """How many guesses to make, and which ε of a curve to hold them against: what promises the largest bound."""
    found = []
    for right, wrong in zip(*rule.foreseen(outputs), strict=True):
        quota, expected = min(round(judged * (right + wrong)), judged), int(judged * right)
        shown = limit.at(max(float(limit.shown_by(right, wrong)), 0.0))
        epsilon = float(shown.tangent(wrong))
        found.append((strength_lower(expected, quota, judged, significance, limit, epsilon), quota, epsilon))
    _, quota, epsilon = max(found)
    return quota, epsilon


def _least(told: Floats, share: float, block: int) -> float:
    """From where on a little more than `share` is guessed: a guess too few costs more than a draw unused."""
    if share >= 1.0:
        return 0.0
    margin = 2.0 * np.sqrt(share * (1.0 - share) / block)
    return float(np.quantile(told, 1.0 - min(share + margin, 1.0)))
