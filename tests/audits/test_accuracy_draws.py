"""Draws against the exact law, and intervals against the truth they are said to hold.

Each test states its false-alarm probability; seeds are fixed.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from hdp_audit.audits.accuracy import exact_opinion
from hdp_audit.audits.claimed import estimator, estimator_of
from hdp_audit.audits.measure import draw_errors
from hdp_audit.audits.sequential import looks
from hdp_audit.evidence.bounded_mean import BoundedMean, best_stake
from hdp_audit.evidence.quantile import Quantile
from hdp_audit.model.claim import AccuracyClaim
from hdp_audit.model.task import Mean, task_of
from hdp_audit.search.worst_case import biased, extremes
from hdp_audit.targets.reference import Audited, build, entries, error_law
from hdp_audit.targets.streams import named
from hdp_audit.targets.subject import Subject
from hdp_audit.theory.guarantee import guarantee
from hdp_audit.theory.names import problems
from tests.subjects import subject_of

MEANS = [each.name for each in entries("mean") if each.task and each.rule != "anchored"]
DRAWS = 4000


def random_case(number: int) -> tuple[Subject, list]:
    rng = np.random.default_rng([77, number])
    n = int(rng.integers(3, 60))
    epsilon = np.exp(rng.uniform(-3, 3, n))
    name = MEANS[number % len(MEANS)]
    subject = subject_of(Audited(name, epsilon, task="mean", categories=None), epsilon, None, name)
    weights = subject.mechanism.known.weights
    return subject, [*biased(weights, Mean()), *extremes(n, Mean(), rng)]


@pytest.mark.many(4)
@pytest.mark.parametrize("number", range(100))
def test_monte_carlo_agrees_with_the_exact_law(number: int) -> None:
    """False alarm below 1e-7 in all: exact binomial 1e-10 each side, normal 7 standard errors, 100 cases."""
    subject, listed = random_case(number)
    dataset = listed[number % len(listed)]
    errors = draw_errors(subject, dataset, "correlated", DRAWS, named(78, number))
    known = estimator_of(subject)
    quantile = exact_opinion(known, dataset, AccuracyClaim("correlated", "pac", beta=0.1))
    square = exact_opinion(known, dataset, AccuracyClaim("correlated", "mse"))
    above = int((errors > quantile + 1e-9).sum())
    at_least = int((errors >= quantile - 1e-9).sum())
    assert above <= stats.binom.isf(1e-10, DRAWS, 0.1)
    assert at_least >= stats.binom.ppf(1e-10, DRAWS, 0.1)
    spread = (errors**2).std() / np.sqrt(DRAWS)
    assert abs((errors**2).mean() - square) <= 7 * spread + 1e-9


@pytest.mark.parametrize("confidence", [0.95, 0.99])
def test_intervals_hold_the_truth_at_every_look_as_often_as_they_say(confidence: float) -> None:
    """300 sequences of Laplace errors, a miss at any of five looks counts; binomial limit, false alarm 1e-7 each.

    Bets on the mean are aimed by earlier draws of the same law.
    """
    side = (1 - confidence) / 2
    b, beta = 0.02, 0.05
    quantile, square = b * np.log(1 / beta), 2 * b * b
    missed = {"quantile": 0, "square": 0}
    rng = np.random.default_rng(8)
    for _ in range(300):
        errors = np.minimum(np.abs(rng.laplace(0, b, 1600)), 1.0)
        seen = [errors[:size] for size in looks(1600, 100)]
        parts = [Quantile(part, beta, side) for part in seen]
        missed["quantile"] += any(not part.lower <= quantile <= part.upper for part in parts)
        aim = best_stake(np.abs(rng.laplace(0, b, 100)) ** 2, 1.2, side)
        means = [BoundedMean(part**2, side, 1.0, aim) for part in seen]
        missed["square"] += any(mean.refutes(square) or mean.refutes_from_below(square) for mean in means)
    assert max(missed.values()) <= stats.binom.isf(1e-7, 300, 1 - confidence)


@pytest.mark.many(2)
@pytest.mark.parametrize("name", ["sm", "ldp"])
@pytest.mark.parametrize("problem", problems(4), ids=lambda p: f"{p.task.value}-{p.setting.value}-{p.metric.value}")
def test_baselines_keep_the_bounds_proved_for_them(name: str, problem) -> None:
    """Betting at significance 1e-8 on the worst of eight datasets each: false alarm below 1e-6."""
    epsilon = np.exp(np.random.default_rng(4).uniform(-1, 2.5, 60))
    k = None if problem.task.value == "mean" else 4
    known = build(name, epsilon=epsilon, task=problem.task.value, categories=k)
    bound = guarantee(estimator(error_law(known)), problem)
    subject = subject_of(Audited(name, epsilon, task=problem.task.value, categories=k), epsilon, k, name)
    rng = np.random.default_rng(9)
    for dataset in [*biased(known.weights, task_of(k)), *extremes(60, task_of(k), rng)][:8]:
        errors = draw_errors(subject, dataset, problem.setting.value, 1500, named(9, dataset.name))
        pac = problem.metric.value == "pac"
        found = Quantile(errors, problem.beta, 1e-8) if pac else BoundedMean(errors**2, 1e-8)
        assert not found.refutes(bound)
