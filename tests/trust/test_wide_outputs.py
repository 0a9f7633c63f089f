"""Wide whole numbers, outputs far away, sums of outputs and texts that never repeat: nothing hides a formula."""

from __future__ import annotations

import collections
import hashlib
from typing import Any

import numpy as np
import pytest

from hdp_audit import audit
from hdp_audit.audits.power import hardly_repeat
from hdp_audit.distinguishers.features import Features, exact_grid
from hdp_audit.distinguishers.residues import remainder
from hdp_audit.model import AuditReport, PrivacyClaim
from hdp_audit.targets.parts import taken_apart

Rng = np.random.Generator
Floats = Any

WARN = PrivacyClaim(floating_point="warn", detect=50.0)
SIX = [0.5, 0.5, 0.5, 1.0, 1.0, 1.0]
TIGHT = 1.0  # the demand of the custom mechanisms


def refuted(report: AuditReport) -> bool:
    return any(finding.kind == "privacy" and finding.verdict == "fail" for finding in report.findings)


def noise(rng: Rng, size: int, scale: float) -> Floats:
    falls = 1.0 - np.exp(-1.0 / scale)
    return rng.geometric(falls, size) - rng.geometric(falls, size)


def total(data: Floats, epsilon: Floats) -> float:
    return float(np.rint(1000.0 * epsilon * data).sum())


class Often:
    """With probability 0.6 an output that tells nothing, else the sum of the data with some noise."""

    def __init__(self, decoy: Any, scale: float, offset: float = 0.0) -> None:
        self.decoy, self.scale, self.offset = decoy, scale, offset

    def __call__(self, data: Floats, epsilon: Floats, rng: Rng) -> float:
        return float(self.batch(data, epsilon, rng, 1)[0])

    def batch(self, data: Floats, epsilon: Floats, rng: Rng, size: int) -> Floats:
        told = total(data, epsilon) + self.offset + (noise(rng, size, self.scale) if self.scale else 0.0)
        return np.where(rng.random(size) < 0.6, self.decoy(rng, size), told)


def wide(rng: Rng, size: int) -> Floats:
    return rng.integers(-(2**52), 2**52, size).astype(float)


def either_end(rng: Rng, size: int) -> Floats:
    return rng.choice([-1e18, 1e18], size)


def far_noise(rng: Rng, size: int) -> Floats:
    return 1e14 * rng.laplace(size=size)


@pytest.mark.parametrize(
    "mechanism",
    [Often(wide, 100.0), Often(either_end, 0.0, 0.1), Often(far_noise, 100.0, 0.1)],
    ids=["whole numbers", "two ends", "doubles"],
)
def test_far_outputs_do_not_hide_the_rest(mechanism: Often) -> None:
    report = audit(mechanism, epsilon=SIX, task="mean", budget=2_000, seed=1, privacy=WARN)
    assert refuted(report)


def answer(data: list[int], rng: Rng) -> str:
    """Randomised response, as telling as the demand allows."""
    kept = rng.random() < 1.0 / (1.0 + np.exp(-TIGHT))
    return "yes" if kept == bool(data[0]) else "no"


def custom(part: Any, budget: int = 1_000, **more: Any) -> AuditReport:
    def mechanism(data: list[int], epsilon: Floats, rng: Rng) -> Any:
        return [answer(data, rng), *part(int(data[0]), rng)]

    pairs = [([0], [1], [0])]
    return audit(mechanism, epsilon=[TIGHT], task="custom", pairs=lambda: pairs, budget=budget, seed=1, **more)


def nonce(rng: Rng, below: int = 2**40) -> int:
    return int(rng.integers(below))


def twins(bit: int, rng: Rng) -> list[int]:
    first = nonce(rng)
    return [first, first + bit]


LEAKS = {
    "parity of a wide number": lambda bit, rng: [nonce(rng) * 2 + bit],
    "remainder of a wide number": lambda bit, rng: [nonce(rng) * 7 + 3 * bit],
    "difference of two wide numbers": twins,
    "end of a text": lambda bit, rng: [f"{nonce(rng):012x}-{bit}"],
    "start of a text": lambda bit, rng: [f"{bit}-{nonce(rng):012x}"],
    "length of a text": lambda bit, rng: [f"x{nonce(rng):x}" + "abc" * bit],
    "last bit of bytes": lambda bit, rng: [(nonce(rng) * 2 + bit).to_bytes(8, "big")],
}


@pytest.mark.parametrize("leak", LEAKS)
def test_what_only_looks_random_refutes_the_promise(leak: str) -> None:
    assert refuted(custom(LEAKS[leak]))


def test_texts_that_never_repeat_are_no_ground_for_a_pass() -> None:
    """What many characters tell together is not seen, and that is said."""

    def hidden(bit: int, rng: Rng) -> list[str]:
        first = nonce(rng)
        return [f"xx{first:012x}{hashlib.sha256(f'{first} {bit}'.encode()).hexdigest()[:12]}xx"]

    report = custom(hidden, privacy=PrivacyClaim(detect=3.0))
    found = next(finding for finding in report.findings if finding.id.endswith("pair/0"))
    assert found.verdict == "inconclusive"
    assert found.facts["unread"] == ["output 1"]
    assert "texts at output 1 are nearly all different" in found.message


def test_texts_of_few_kinds_are_a_ground_for_a_pass() -> None:
    report = custom(lambda _, rng: [f"kind {nonce(rng, 20)}"], 2_500, privacy=PrivacyClaim(detect=3.0))
    found = next(finding for finding in report.findings if finding.id.endswith("pair/0"))
    assert found.verdict == "pass"
    assert hardly_repeat(np.arange(10.0))
    assert not hardly_repeat(np.repeat(np.arange(10.0), 2))


def parity_of_the_sum(data: Floats, epsilon: Floats, rng: Rng) -> Floats:
    counts = np.bincount(data, weights=epsilon, minlength=4)
    steps = np.rint(1000.0 * (counts + rng.laplace(scale=2.0, size=4)))
    steps[rng.integers(4)] += (steps.sum() + data[0]) % 2
    return steps


def test_the_parity_of_a_sum_of_outputs_refutes_the_promise() -> None:
    report = audit(parity_of_the_sum, epsilon=SIX, task="frequency", categories=4, budget=2_000, seed=1, privacy=WARN)
    assert refuted(report)


def caused(why: int) -> ValueError:
    made = ValueError("x")
    made.__cause__ = KeyError(why)
    return made


def test_field_names_and_causes_tell_outputs_apart() -> None:
    one, other = collections.namedtuple("N", "x y"), collections.namedtuple("N", "y x")  # type: ignore[name-match]
    assert taken_apart(one(1, 2)) == taken_apart(one(1, 2)) != taken_apart(other(1, 2))
    assert taken_apart(caused(0)) == taken_apart(caused(0)) != taken_apart(caused(1))


def seen(outputs: Floats) -> Floats:
    table = np.column_stack([outputs, np.zeros(outputs.size)])
    return Features.fitted(table)(table)[:, 0]


def test_whole_numbers_are_kept_and_the_bits_of_doubles_are_not() -> None:
    rng = np.random.default_rng(1)
    whole = rng.integers(-(2**52), 2**52, 500).astype(float)
    assert seen(whole).tolist() == whole.tolist()
    doubles = np.where(rng.random(500) < 0.5, 1e12, 1.0) * rng.laplace(size=500)
    kept = seen(doubles)
    assert np.all(kept != doubles)
    assert np.abs(kept / doubles - 1.0).max() < 1e-4
    assert not np.isfinite(exact_grid(0.3 + rng.laplace(size=500)))
    assert not np.isfinite(exact_grid(2.0**60 * rng.laplace(size=500)))


def test_remainders_of_wide_numbers_are_exact() -> None:
    wide_ones = [7 * (2**50 // 7) + rest for rest in range(7)]
    assert remainder(np.array(wide_ones, dtype=float), 7.0).tolist() == [round(r / 7 * 1024) / 1024 for r in range(7)]
