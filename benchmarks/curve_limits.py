"""The fewest calls that can refute normal noise which is too small for (ε, δ), whatever test is used.

Two statements, of different kinds; `mu` is the shift, in standard deviations, that a group makes.

*The best bet on one pair.* The law of (coin, output) is P; of the laws that keep the limit, Q is the nearest. P/Q is
the bet that grows fastest of all against this limit, log(1/α) over its growth the calls that it needs. Q is
P/(1 + λ(f − δ)) where the coin is guessed right and P/(1 − λ(f·e^ε + δ)) where it is guessed wrong: f is 1 where the
coin is clear, 0 where nothing is to be won, and in between what makes Q's ratio e^ε. So guesses are graded, which one
event cannot be.

*Any test.* Noise that is normal up to `bend` standard deviations and falls by `slope` = ε/μ per deviation from there
on keeps pure ε for every user, on all data, for all groups: the slope of its logarithm is never steeper. Its
Kullback–Leibler divergence from normal noise is a number κ. Whoever makes N calls, on whichever datasets and coins,
sees transcripts that are at most N·κ apart; so a test with false alarms α and power β has kl(β‖α) ≤ N·κ.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize_scalar
from scipy.special import ndtr

from hdp_audit.model.approximate import ApproximateLimit

Floats = NDArray[np.float64]

STEP, WIDEST = 1e-3, 12.0  # of the outputs that are summed over, in standard deviations


def normal_density(at: Floats | float) -> Floats:
    """φ."""
    return np.asarray(np.exp(-0.5 * np.square(at)) / np.sqrt(2.0 * np.pi))


def best_bet_of_all(limit: ApproximateLimit, mu: float) -> tuple[float, float, float]:
    """(growth per call, mass of the nearest law, its δ at the limit's ε): the last two are 1 and the limit's own δ.

    Outputs and coins are symmetric, so the half that speaks for one coin stands for both.
    """
    odds, free = float(np.exp(limit.epsilon)), limit.leaked
    output = np.arange(-WIDEST, WIDEST + STEP, STEP)
    right, wrong = (normal_density(output - sign * 0.5 * mu) * STEP for sign in (1.0, -1.0))

    def factors(stake: float) -> tuple[Floats, Floats]:
        with np.errstate(over="ignore"):
            ratio = right / wrong
            edge = (ratio - odds) * (1.0 - stake * free) / (stake * odds * (ratio + 1.0))
        graded = np.where(ratio > odds, np.clip(edge, 0.0, 1.0), 0.0)
        return 1.0 + stake * (graded - free), 1.0 - stake * (graded * odds + free)

    def growth(stake: float) -> float:
        won, lost = factors(stake)
        told = won + lost != 2.0 * (1.0 - stake * free)
        passed = (1.0 - (right + wrong)[told].sum()) * np.log1p(-stake * free)
        return float((right * np.log(won) + wrong * np.log(lost))[told].sum() + passed)

    most = np.log((1.0 - 1e-9) / (odds + free))
    found = minimize_scalar(lambda log: -growth(np.exp(log)), bounds=(most - 14.0, most), method="bounded")
    won, lost = factors(float(np.exp(found.x)))
    told = won != lost
    untold = (1.0 - (right + wrong)[told].sum()) / (1.0 - float(np.exp(found.x)) * free)
    mass = float((right / won + wrong / lost)[told].sum() + untold)
    return -float(found.fun), mass, float(np.maximum(right / won - odds * wrong / lost, 0.0).sum())


def best_event(limit: ApproximateLimit, mu: float) -> float:
    """Growth per call of a rule that guesses where an output is beyond a threshold, both it and the stake the best."""
    odds, free = float(np.exp(limit.epsilon)), limit.leaked

    def growth(rarity: float) -> float:
        right, wrong = ndtr(mu - rarity), ndtr(-rarity)

        def lost(stake: float) -> float:
            passed = (1.0 - right - wrong) * np.log1p(-stake * free)
            won = right * np.log1p(stake * (1.0 - free)) + wrong * np.log1p(-stake * (odds + free))
            return -float(won + passed)

        most = (1.0 - 1e-9) / (odds + free)
        return -float(minimize_scalar(lost, bounds=(0.0, most), method="bounded", options={"xatol": 1e-9 * most}).fun)

    clear = limit.epsilon / mu + 0.5 * mu  # where the outputs' ratio is e^ε
    return -float(minimize_scalar(lambda at: -growth(at), bounds=(clear, clear + 3.0), method="bounded").fun)


def divergence_from(bend: float, slope: float) -> float:
    """Kullback and Leibler's, of normal noise from noise that is normal up to `bend`."""
    inside, tail, at = 2.0 * float(ndtr(bend)) - 1.0, float(ndtr(-bend)), float(normal_density(bend))
    whole = inside + 2.0 * at / slope
    beyond = -0.5 * (bend * at + tail) + (0.5 * bend**2 - slope * bend) * tail + slope * at
    return float(np.log(whole)) + 2.0 * beyond


def nearest_noise(epsilon: float, mu: float) -> tuple[float, float]:
    """(bend, κ) of the nearest such noise that keeps pure ε where a user shifts outputs by μ."""
    slope = epsilon / mu
    found = minimize_scalar(lambda bend: divergence_from(bend, slope), bounds=(0.1, slope), method="bounded")
    return float(found.x), float(found.fun)


def calls_of_any_test(epsilon: float, mu: float, significance: float, power: float = 0.5) -> float:
    """No test needs fewer: kl(power‖significance)/κ."""
    apart = power * np.log(power / significance) + (1.0 - power) * np.log((1.0 - power) / (1.0 - significance))
    return float(apart / nearest_noise(epsilon, mu)[1])
