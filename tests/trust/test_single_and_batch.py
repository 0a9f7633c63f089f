"""What is deployed is the single call: where other forms of a mechanism give other outputs, it is found and audited."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom

from hdp_audit import audit
from hdp_audit.audits.behaviour.two_forms import TILTS, log_tails, scores, unlike
from hdp_audit.audits.case import Case
from hdp_audit.audits.game import play
from hdp_audit.engine import plan, run_check
from hdp_audit.model import Finding, PrivacyClaim, PrivacyDemands
from hdp_audit.model.task import Mean
from tests.subjects import bases, subject_of

EPSILON = [0.5, 0.5, 0.5, 1.0, 1.0, 1.0]
FORMULA = PrivacyClaim(floating_point="off")
Rng = np.random.Generator
Mechanism = Callable[..., Any]


def released(data: np.ndarray, epsilon: np.ndarray, rng: Rng, size: int, noise: float = 1.0) -> np.ndarray:
    """Correct where `noise` is 1: the demands' weighted mean on a grid, for one dataset or for each of a table."""
    raw = data @ epsilon / epsilon.sum() + noise * rng.laplace(scale=1 / epsilon.sum(), size=size)
    return np.round(raw * 1024) / 1024


def made(
    *, single: float = 1.0, batch: float | None = 1.0, small: float | None = None, many: float | None = None
) -> Mechanism:
    """A mechanism with so many times the noise that is due in each of its forms; None where it has no such form."""

    def release(data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
        return float(released(data, epsilon, rng, 1, single)[0])

    def batched(data: np.ndarray, epsilon: np.ndarray, rng: Rng, size: int) -> np.ndarray:
        return released(data, epsilon, rng, size, small if small is not None and size <= 4 else batch or 0.0)

    def each(datasets: np.ndarray, epsilon: np.ndarray, rng: Rng) -> np.ndarray:
        return released(datasets, epsilon, rng, len(datasets), many or 0.0)

    if batch is not None:
        release.batch = batched  # type: ignore[attr-defined]
    if many is not None:
        release.many = each  # type: ignore[attr-defined]
    return release


def unrounded() -> Mechanism:
    """Single calls that are not put on the grid."""
    mechanism = made()

    def release(data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
        return float(data @ epsilon / epsilon.sum() + rng.laplace(scale=1 / epsilon.sum()))

    release.batch = mechanism.batch  # type: ignore[attr-defined]
    return release


def bare_on_zeros() -> Mechanism:
    """Single calls without noise on one dataset alone."""
    mechanism = made()

    def release(data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
        return mechanism(data, epsilon, rng) if data.any() else 0.0

    release.batch = mechanism.batch  # type: ignore[attr-defined]
    return release


def behaviour(mechanism: Mechanism, seed: int, confidence: float = 0.999) -> list[Finding]:
    """What the behaviour check finds, in the fewest calls that it makes."""
    demands = PrivacyDemands.from_values(EPSILON)
    case = Case.of("tried", lambda: mechanism, demands, Mean(), privacy=FORMULA)
    return list(run_check(plan([case], confidence=confidence, budget=2000, seed=seed)[0]).findings)


DIFFERENT: dict[str, tuple[Mechanism, str]] = {
    "no noise in single calls": (made(single=0.0), "single calls and"),
    "a third of the noise in single calls": (made(single=1 / 3, many=1.0), "single calls and"),
    "a third of the noise in small batches": (made(small=1 / 3), "small batches and"),
    "no noise in small batches": (made(small=0.0), "small batches and"),
    "a third of the noise in batches": (made(batch=1 / 3, many=1.0), "batches"),
    "a third of the noise in tables": (made(many=1 / 3), "tables of datasets"),
    "tables and no batches": (made(single=1 / 3, batch=None, many=1.0), "single calls and"),
    "single calls off the grid": (unrounded(), "single calls and"),
    "no noise on one dataset": (bare_on_zeros(), "single calls and"),
}


@pytest.mark.parametrize("name", DIFFERENT)
def test_forms_of_different_laws_are_an_error_that_names_them(name: str) -> None:
    mechanism, told = DIFFERENT[name]
    (finding,) = behaviour(mechanism, seed=1)
    assert (finding.id, finding.verdict) == ("tried/behaviour/forms", "error")
    assert told in finding.message


@pytest.mark.parametrize("single", [0.0, 1 / 3])
def test_single_calls_with_too_little_noise_are_refuted_beside_correct_batches_and_tables(single: float) -> None:
    report = audit(made(single=single, many=1.0), epsilon=EPSILON, task="mean", budget=3000, privacy=FORMULA)
    found = {finding.id.partition("/")[2]: finding.verdict for finding in report.findings}
    assert found["behaviour/forms"] == "error"
    assert (found["privacy/tier/0.5"], found["privacy/tier/1"], report.verdict) == ("fail", "fail", "fail")


def test_correct_single_calls_beside_bad_batches_are_no_pass_and_no_accusation() -> None:
    """False-alarm probability of the accusation 10⁻⁶ by the plan."""
    options = {"epsilon": EPSILON, "task": "mean", "budget": 3000, "confidence": 1 - 1e-6}
    report = audit(made(batch=1 / 3), privacy=FORMULA, **options)
    assert report.verdict == "error"
    assert {finding.verdict for finding in report.findings if finding.kind == "privacy"} <= {"pass", "inconclusive"}


def test_too_little_noise_everywhere_is_not_told_as_a_difference_between_single_calls_and_batches() -> None:
    """The game on single calls compares nothing: where forms differ another finding says so."""
    (finding,) = behaviour(made(single=0.1, batch=0.1, many=0.1), seed=1)
    assert (finding.id, finding.verdict) == ("tried/privacy/single-calls", "fail")
    assert finding.message.startswith("called once for each output, without batches, the mechanism breaks its promise")


@pytest.mark.parametrize("forms", [{}, {"many": 1.0}, {"batch": None, "many": 1.0}])
def test_forms_of_one_law_have_no_finding(forms: dict[str, Any]) -> None:
    """Two checks whose behaviour has significance 5·10⁻⁸ each."""
    for seed in range(2):
        assert not behaviour(made(**forms), seed, confidence=1 - 1e-6)


def test_forms_of_a_custom_task_are_compared() -> None:
    def answer(data: list[int], epsilon: np.ndarray, rng: Rng) -> str:
        return "yes" if data[0] else "no"

    def batch(data: list[int], epsilon: np.ndarray, rng: Rng, size: int) -> list[str]:
        kept = rng.random(size) < 1 / (1 + np.exp(-epsilon[0]))
        return ["yes" if bool(data[0]) == keep else "no" for keep in kept]

    answer.batch = batch  # type: ignore[attr-defined]
    report = audit(answer, epsilon=[1.0], task="custom", pairs=lambda: [([0], [1], [0])], budget=2000)
    assert {finding.id: finding.verdict for finding in report.findings} == {
        "answer/behaviour/forms": "error",
        "answer/privacy/pair/0": "fail",
    }


LAWS: dict[str, Callable[[Rng, tuple[int, int, int]], np.ndarray]] = {
    "Laplace": lambda rng, shape: rng.laplace(size=shape),
    "an atom of 0.99": lambda rng, shape: np.where(rng.random(shape) < 0.01, rng.normal(size=shape), 0.0),
    "two values": lambda rng, shape: (rng.random(shape) < 0.3).astype(float),
    "heavy tails on a grid": lambda rng, shape: np.round(rng.standard_cauchy(shape) * 8) / 8,
    "a constant": lambda _rng, shape: np.ones(shape),
}


@pytest.mark.many(2)
@pytest.mark.parametrize("law", LAWS)
def test_p_values_of_one_law_are_no_smaller_than_uniform_ones(law: str) -> None:
    """100 tests at two levels, each count beyond its limit with probability below 10⁻⁷."""
    rng = np.random.default_rng(3)
    ways = np.repeat([0, 1, 2], [20, 12, 40])
    found = np.array([unlike(LAWS[law](rng, (2, ways.size, 1 + turn % 2)), ways)[1] for turn in range(100)])
    for level in (0.05, 0.5):
        assert np.count_nonzero(found <= level) <= binom.isf(1e-7, found.size, level)


def test_the_bound_holds_for_every_choice_by_lot() -> None:
    """All choices of 4 outputs among 12: the share with a bound of at most u is at most u, for every u."""
    values = scores(np.geomspace(0.1, 3.0, 12).round(1)[None, :, None])
    moments = np.log(np.stack([np.exp(tilt * values).mean(axis=1) for tilt in TILTS]))
    choices = [np.isin(np.arange(12), some) for some in combinations(range(12), 4)]
    above = TILTS > 0
    found = np.array([np.exp(log_tails(values, moments, chosen)[above].min(axis=0)[0]) for chosen in choices])
    for bounds in np.sort(found, axis=0).T:
        assert (np.arange(1, bounds.size + 1) / bounds.size <= bounds).all()
    assert found.min() < 0.05  # it says something


GRID = 1000  # the sum in units of 1/GRID, with noise of scale GRID: exactly tight
DIGITS: dict[str, Callable[[int, int], int]] = {
    "a third digit": lambda value, bit: value - value % 3 + bit,
    "a decimal digit": lambda value, bit: value - value % 10 + 5 * bit,
    "the second binary digit": lambda value, bit: (value & ~2) | (2 * bit),
    "nothing": lambda value, _: value,
}


def with_digit(change: Callable[[int, int], int]) -> Mechanism:
    """Batches are right; in single calls a digit is the first user's datum, so that no rank and no moment shows it."""

    def batched(data: np.ndarray, epsilon: np.ndarray, rng: Rng, size: int) -> np.ndarray:
        p = 1 - np.exp(-1 / GRID)
        return round(GRID * float(epsilon @ np.round(data, 2))) + rng.geometric(p, size) - rng.geometric(p, size)

    def release(data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
        return float(change(int(batched(data, epsilon, rng, 1)[0]), int(data[0] > 0.5)))

    release.batch = batched  # type: ignore[attr-defined]
    return release


@pytest.mark.parametrize("digit", DIGITS)
def test_single_calls_that_only_the_game_tells_from_batches_are_refuted(digit: str) -> None:
    """False-alarm probability of the correct one below 10⁻⁶ by the plan: a part of 1 − confidence."""
    mechanism = with_digit(DIGITS[digit])
    found = audit(mechanism, epsilon=EPSILON, task="mean", budget=12_000, confidence=1 - 1e-6, privacy=FORMULA)
    told = {f.verdict for f in found.findings if f.id.endswith(("/privacy/single-calls", "/behaviour/forms"))}
    assert found.verdict == ("pass" if digit == "nothing" else "fail")
    assert told <= {"pass"} if digit == "nothing" else told & {"fail", "error"}


def test_pairs_of_different_claims_do_not_share_a_game() -> None:
    """Their bets would be settled by the claim of the first."""
    subject = subject_of(made(), np.array(EPSILON), None)
    base = bases(len(EPSILON), None)[0]
    pairs = [subject.pair(base, np.array([user])) for user in (0, 5)]
    with pytest.raises(ValueError, match="different claims"):
        play(subject, pairs, 100, 0.01, 1, "x")
