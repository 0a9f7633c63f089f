"""Remainders and low bits of outputs that give data away are heard, whoever's data it is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hdp_audit.api import audit
from hdp_audit.distinguishers.features import Features
from hdp_audit.distinguishers.grids import common_step
from hdp_audit.distinguishers.residues import Residue, remainder
from hdp_audit.distinguishers.witness import learn_witness
from hdp_audit.distinguishers.words import guess_words
from hdp_audit.model import AuditReport, Finding, PrivacyClaim
from hdp_audit.model.promise import PureLimit
from hdp_audit.search.bit_coins import BitCoins, whom_bits_tell
from tests.subjects import between, subject_of

Floats = Any
Release = Callable[[Floats, bool], Floats]  # what a correct release becomes, by one user's bit

SIX = [0.5, 0.5, 0.5, 1.0, 1.0, 1.0]
THIRTY = [0.5] * 20 + [1.0] * 10


def on_grid(values: Floats, step: float) -> Floats:
    return np.rint(values / step) * step


def last_digit(values: Floats, bit: bool, step: float, base: int) -> Floats:
    return (np.rint(values / step) // base * base + bit) * step


class Planted:
    """Correct noise, and then a fault that depends on one user's datum."""

    def __init__(self, release: Release, user: int = 0) -> None:
        self.release, self.user = release, user

    def __call__(self, data: Floats, epsilon: Floats, rng: np.random.Generator) -> float:
        return float(self.batch(data, epsilon, rng, 1)[0])

    def batch(self, data: Floats, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
        noisy = (epsilon @ data + rng.laplace(size=size)) / epsilon.sum()
        return self.release(noisy, bool(data[self.user] > 0.5))


class RoundedNoise(Planted):
    """The noise is rounded to some decimals, the value is not."""

    def __init__(self, decimals: int, release: Release) -> None:
        super().__init__(release)
        self.decimals = decimals

    def batch(self, data: Floats, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
        noise = np.round(rng.laplace(scale=1 / epsilon.sum(), size=size), self.decimals)
        return self.release(epsilon @ data / epsilon.sum() + noise, True)


def parity(values: Floats, bit: bool) -> Floats:
    return last_digit(values, bit, 2.0**-12, 2)


def low_bit(values: Floats, bit: bool) -> Floats:
    return on_grid(values, 2.0**-12) + bit * 2.0**-40


FAULTS = {
    "last binary digit": Planted(parity),
    "last ternary digit": Planted(lambda x, bit: last_digit(x, bit, 3.0**-9, 3)),
    "last decimal digit": Planted(lambda x, bit: last_digit(x, bit, 1e-5, 10)),
    "noise to 3 decimals": RoundedNoise(3, lambda x, _: x),
    "noise to 4 decimals": RoundedNoise(4, lambda x, _: x),
    "noise to 5 decimals": RoundedNoise(5, lambda x, _: x),
    "noise to 3 decimals, then on a grid": RoundedNoise(3, lambda x, _: on_grid(x, 2.0**-24)),
    "noise to 4 decimals, then on a grid": RoundedNoise(4, lambda x, _: on_grid(x, 2.0**-24)),
    "noise to 5 decimals, then on a grid": RoundedNoise(5, lambda x, _: on_grid(x, 2.0**-26)),
    "float16 for one": Planted(lambda x, bit: x.astype(np.float16).astype(float) if bit else x),
    "float32 for one": Planted(lambda x, bit: x.astype(np.float32).astype(float) if bit else x),
    "fewer decimals for one": Planted(lambda x, bit: np.round(x, 3 if bit else 5)),
}


def audited(mechanism: Planted, epsilon: list[float], budget: int, bits: bool = False, seed: int = 1) -> AuditReport:
    claim = PrivacyClaim(floating_point="fail" if bits else "off", detect=50.0)
    return audit(mechanism, epsilon=epsilon, task="mean", budget=budget, seed=seed, privacy=claim)


def refuted(report: AuditReport) -> set[str]:
    return {finding.id.split("/", 1)[1] for finding in report.findings if finding.verdict == "fail"}


@pytest.mark.parametrize("fault", FAULTS)
def test_remainders_that_give_a_datum_away_refute_the_promise(fault: str) -> None:
    assert "privacy/tier/0.5" in refuted(audited(FAULTS[fault], SIX, 2_000))


def test_one_user_of_many_whose_last_digit_leaks_is_named() -> None:
    assert "privacy/user/7" in refuted(audited(Planted(parity, 7), THIRTY, 8_000))


def geometric(data: Floats, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """User i adds up to 40·ε_i whole steps to geometric noise that falls by e^(−1/40) a step: a loss of ε_i exactly."""
    total, falls = np.rint(40.0 * epsilon * np.clip(data, 0.0, 1.0)).sum(), 1.0 - np.exp(-1 / 40)
    return total + rng.geometric(falls, size) - rng.geometric(falls, size)


@pytest.mark.parametrize("step", [2.0**-12, 1e-3, 1 / 243])
def test_correct_noise_on_a_grid_is_not_refuted(step: float) -> None:
    """False alarms of the three cases together: 3·10⁻⁷ at most."""

    def release(data: Floats, epsilon: Floats, rng: np.random.Generator) -> float:
        return float(geometric(data, epsilon, rng, 1)[0] * step)

    release.batch = lambda *given: geometric(*given) * step  # type: ignore[attr-defined]
    report = audit(release, epsilon=SIX, task="mean", budget=3_000, seed=1, confidence=1.0 - 1e-7)
    assert refuted(report) == set()


def laplace(size: int, seed: int = 1) -> tuple[Floats, Floats]:
    rng = np.random.default_rng(seed)
    return rng.laplace(scale=0.2, size=size), rng.random(size) < 0.5


@pytest.mark.parametrize("step", [1e-4, 2.0**-12, 3.0**-7, 0.37])
@pytest.mark.parametrize("offset", [0.0, 0.0123456789])
def test_the_grid_of_outputs_is_found_wherever_it_begins(step: float, offset: float) -> None:
    noise, odd = laplace(2_000)
    outputs = on_grid(noise * max(1.0, 300 * step), step) + offset
    outputs[odd & (np.arange(2_000) % 50 == 0)] += 0.3 * step  # a few lie elsewhere
    assert common_step(outputs, float(np.ptp(np.quantile(outputs, [0.25, 0.75])))) == pytest.approx(step, rel=1e-9)


def test_outputs_on_no_grid_have_no_step() -> None:
    assert common_step(laplace(2_000)[0], 0.3) is None


def test_a_rule_on_remainders_is_told_so_that_it_can_be_checked() -> None:
    noise, coins = laplace(2_000)
    outputs = last_digit(noise, coins, 2.0**-12, 2)
    witness = learn_witness(outputs[:, None], coins, 2_000, 0.01, limit=PureLimit(0.5))
    assert isinstance(witness.joint, Residue)
    ones, zeros = witness.guesses(outputs[:, None])
    assert np.array_equal(ones, coins)
    assert np.array_equal(zeros, ~coins)
    words = guess_words(witness, Features(np.zeros(1)))
    assert f"the fractional part of the output / {witness.joint.step:.17g}" in words["second"]


def test_what_lies_just_below_a_multiple_counts_as_the_multiple() -> None:
    assert remainder(np.array([0.3, 0.1 + 0.2, -0.1, 0.05, np.nextafter(0.3, 0)]), 0.1).tolist() == [0, 0, 0, 0.5, 0]


def bits_finding(report: AuditReport) -> Finding:
    return next(finding for finding in report.findings if finding.kind == "float")


@pytest.mark.many(3)
@pytest.mark.parametrize("user", [3, 17, 29])
def test_low_bits_that_tell_any_one_user_are_found(user: int) -> None:
    """The game about bits moves one or two users by lot: three users cannot all be among them."""
    found = bits_finding(audited(Planted(low_bit, user), THIRTY, 10_000, bits=True))
    assert (found.verdict, found.users) == ("fail", (user,))


def test_a_digit_far_above_the_last_bits_is_not_blamed_on_the_bits() -> None:
    report = audited(Planted(parity, 7), THIRTY, 20_000, bits=True)
    assert "privacy/user/7" in refuted(report)
    assert bits_finding(report).verdict == "inconclusive"
    assert "mend the formula first" in bits_finding(report).message


def test_a_pass_about_bits_says_who_was_moved_and_what_is_known_of_the_others() -> None:
    found = bits_finding(audited(Planted(lambda x, _: on_grid(x, 2.0**-12)), THIRTY, 5_000, bits=True))
    assert found.verdict == "pass"
    assert f"the other {30 - len(found.users)} were only screened" in found.message
    assert found.facts["moved"] == list(found.users)
    assert found.facts["screened"] == 30
    alone = BitCoins(0, 0).words(np.array([1, 2]), 30)
    assert alone == "2 users were moved; the other 28 were not tested"


def test_with_more_users_than_calls_bits_tell_one_of_a_block() -> None:
    sides = between(np.zeros(3_000), np.ones(3_000), np.full(3_000, 0.5))
    told = whom_bits_tell(subject_of(Planted(low_bit, 1234), np.full(3_000, 0.5), None), sides, 700, seed=1)
    assert (told.told, told.users) == (1234, 3_000)
    correct = Planted(lambda x, _: on_grid(x, 2.0**-12))
    assert whom_bits_tell(subject_of(correct, np.full(3_000, 0.5), None), sides, 700, seed=1).told is None
