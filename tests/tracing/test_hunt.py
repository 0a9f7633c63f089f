"""A search over datasets finds the pair that no base dataset is, and accuses nobody who keeps the promise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from hdp_audit import PrivacyClaim, PrivacyDemands, engine, trace
from hdp_audit.audits.case import Case
from hdp_audit.audits.share import Outcome
from hdp_audit.audits.trace import TraceCheck
from hdp_audit.model.task import Mean

USERS = 23
DEMANDS = [1.0] * USERS


def noise(epsilon: Any, rng: Any, change: float) -> float:
    """For an answer that one user changes by so much."""
    return float(rng.laplace(0.0, change / np.min(epsilon)))


def clipped_at_a_quantile(data: Any, epsilon: Any, rng: Any) -> float:
    limit = max(float(np.sort(data)[int(0.9 * len(data))]), 1e-3)
    return float(np.minimum(data, limit).mean() / limit) + noise(epsilon, rng, 1 / len(data))


def silent_below_five(data: Any, epsilon: Any, rng: Any) -> float:
    return float(data.mean() if (data > 0.5).sum() >= 5 else 0.0) + noise(epsilon, rng, 1 / len(data))


def counted_thrice_in_a_band(data: Any, epsilon: Any, rng: Any) -> float:
    return float(np.where((data > 0.42) & (data < 0.47), data + 1, data).mean()) + noise(epsilon, rng, 1 / len(data))


def shares_in_tenths_above_four_fifths(data: Any, epsilon: Any, rng: Any) -> float:
    share = float(data.mean())
    return (round(share, 1) if share > 0.8 else share) + noise(epsilon, rng, 1 / len(data))


def steep_at_a_third(data: Any, epsilon: Any, rng: Any) -> float:
    return float(0.2 / (1 + np.exp(-40 * (data.mean() - 0.37)))) + noise(epsilon, rng, 1 / len(data))


def counts_ties(data: Any, epsilon: Any, rng: Any) -> float:
    return float(data.mean() / 2 + 0.4 * (len(np.unique(data)) < len(data) - 1)) + noise(epsilon, rng, 1 / len(data))


def odd_at_exactly_seven(data: Any, epsilon: Any, rng: Any) -> float:
    return float(data.mean() / 2 + 0.4 * ((data > 0.5).sum() == 7)) + noise(epsilon, rng, 1 / len(data))


def quieter_above_three_quarters(data: Any, epsilon: Any, rng: Any) -> float:
    return float(data.mean()) + noise(epsilon, rng, (2.0 if data.mean() < 0.77 else 1.0) / len(data))


def no_answer_at_five(data: Any, epsilon: Any, rng: Any) -> float | None:
    return None if 4 < data.sum() < 6 else float(data.mean()) + noise(epsilon, rng, 1 / len(data))


def ninetieth_percentile(data: Any, epsilon: Any, rng: Any) -> float:
    return float(np.quantile(data, 0.9, method="lower")) + noise(epsilon, rng, 0.5)


FAULTY = {
    clipped_at_a_quantile: 2.0,
    silent_below_five: 5.0,
    counted_thrice_in_a_band: 1.4,
    shares_in_tenths_above_four_fifths: 2.3,
    steep_at_a_third: 1.8,
    counts_ties: 9.7,
    odd_at_exactly_seven: 9.7,
    quieter_above_three_quarters: 2.0,
    no_answer_at_five: np.inf,
    ninetieth_percentile: 2.0,
}


@pytest.mark.many(3)
@pytest.mark.parametrize("mechanism", FAULTY, ids=lambda each: each.__name__)
def test_the_search_finds_what_no_base_dataset_shows(mechanism: Any) -> None:
    found = trace(mechanism, epsilon=DEMANDS, task="mean")
    assert found.breaks
    assert found.worst is not None
    assert found.worst.searched
    assert found.worst.found.lower >= FAULTY[mechanism] * (1 - 1e-9)


def half_the_weight_above(data: Any, epsilon: Any, rng: Any) -> float:
    return float(np.where(data > 0.93, 0.5 * data, data).mean()) + noise(epsilon, rng, 1 / len(data))


def counted_thrice_with_noise(data: Any, epsilon: Any, rng: Any) -> float:
    return float(np.where((data > 0.42) & (data < 0.47), data + 1, data).mean()) + noise(epsilon, rng, 2 / len(data))


def true_median(data: Any, epsilon: Any, rng: Any) -> float:
    return float(np.median(data)) + noise(epsilon, rng, 1.0)


def shares_in_thirds_afterwards(data: Any, epsilon: Any, rng: Any) -> float:
    return float(np.round((data.mean() + noise(epsilon, rng, 1 / len(data))) * 3) / 3)


def silent_by_a_noisy_count(data: Any, epsilon: Any, rng: Any) -> float:
    count = (data > 0.5).sum() + noise(epsilon, rng, 2.0)
    return float(data.mean() if count >= 5 else 0.0) + noise(epsilon, rng, 2.0)


def spread_with_the_noise_it_needs(data: Any, epsilon: Any, rng: Any) -> float:
    return float(data.std()) + noise(epsilon, rng, 1 / np.sqrt(len(data)))


@pytest.mark.many(3)
@pytest.mark.parametrize(
    "mechanism",
    [
        half_the_weight_above,
        counted_thrice_with_noise,
        true_median,
        shares_in_thirds_afterwards,
        silent_by_a_noisy_count,
        spread_with_the_noise_it_needs,
    ],
)
def test_correct_twins_are_not_accused(mechanism: Any) -> None:
    assert not trace(mechanism, epsilon=DEMANDS, task="mean").breaks


def test_the_search_keeps_to_its_calls_and_finds_the_same_each_time() -> None:
    calls = [0]

    def counting(data: Any, epsilon: Any, rng: Any) -> float:
        calls[0] += 1
        return silent_below_five(data, epsilon, rng)

    first, second = (trace(counting, epsilon=DEMANDS, task="mean", calls=9_000) for _ in range(2))
    assert calls[0] <= 2 * (9_000 + 8 * 30)  # some calls are made with a real generator
    assert str(first) == str(second)


def beside(mechanism: Any, budget: int = 200_000) -> Outcome:
    """The check as an audit runs it, without all the others."""
    claim = PrivacyClaim(floating_point="off")
    case = Case.of("m", lambda: mechanism, PrivacyDemands.from_values(DEMANDS), Mean(), privacy=claim)
    checks = engine.plan([case], confidence=0.999, budget=budget, seed=1)
    return engine.run_check(next(check for check in checks if isinstance(check, TraceCheck)))


def test_a_pair_that_was_found_is_confirmed_by_bets_on_its_event() -> None:
    """Of a function that keeps its promise bets confirm with a chance of 1e-6."""
    (finding,) = beside(odd_at_exactly_seven).findings
    assert finding.verdict == "fail"
    assert finding.evidence == "traced"
    assert finding.traced is not None
    counts = finding.traced.counted
    assert counts is not None
    assert counts.confirmed
    assert counts.chance <= 1e-6


def answered_by_lot(data: Any, epsilon: Any, rng: Any) -> float:
    """Draws of a law that is not followed, with a quarter of the noise where 17 are above."""
    less = 0.25 if (data > 0.5).sum() == 17 else 1.0
    return float(data.mean()) + less * noise(epsilon, rng, 1 / len(data)) + float(rng.binomial(1, 0.5)) * 1e-9


def test_a_pair_on_which_draws_decide_nothing_is_tested_with_real_noise() -> None:
    """Of a function that keeps its promise the test refutes with a chance of 1e-6."""
    outcome = beside(answered_by_lot)
    (finding,) = outcome.findings
    assert (finding.verdict, finding.evidence) == ("fail", "tested")
    assert finding.counterexample is not None
    assert "users at" in finding.counterexample.base


def test_where_nothing_was_found_nothing_is_tested() -> None:
    (finding,) = beside(true_median).findings
    assert (finding.verdict, finding.evidence) == ("pass", "traced")


def test_all_parts_of_the_significance_are_what_they_were() -> None:
    case = Case.of("m", lambda: true_median, PrivacyDemands.from_values(DEMANDS), Mean(), privacy=PrivacyClaim())
    shares = [check.share.significance for check in engine.plan([case], confidence=0.999, budget=200_000, seed=1)]
    assert sum(shares) == pytest.approx(0.001)
