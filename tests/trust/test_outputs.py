"""What a mean or a frequency returns is kept exactly or refused in words."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hdp_audit import audit
from hdp_audit.distinguishers.features import Features
from hdp_audit.model import PrivacyClaim
from hdp_audit.targets.failures import FINE, NOT_FINITE, WRONG_SHAPE, WRONG_TYPE
from tests.subjects import subject_of
from tests.trust.outputs import EPSILON, FORMULA, OWN, Convertible, always, audited, money, outcome

# Means and frequencies: outputs that a cast to doubles would change

SAME_WHEN_CAST: dict[str, Callable[[int], Any]] = {
    "complex": lambda secret: 0.5 + 1j * secret,
    "numpy complex": lambda secret: np.complex128(0.5 + 1j * secret),
    "integer above 2**53": lambda secret: 2**53 + secret,
    "int64 above 2**53": lambda secret: np.int64(2**53 + secret),
    "array of uint64": lambda secret: np.array(2**63 + secret, dtype=np.uint64),
    "Decimal": lambda secret: Decimal("0.10" if secret else "0.1"),
    "long Decimal": lambda secret: Decimal("0.1") + secret * Decimal("1e-25"),
    "Fraction": lambda secret: Fraction(1, 3) + secret * Fraction(1, 10**30),
    "longdouble": lambda secret: np.longdouble(1) / 3 + secret * np.finfo(np.longdouble).eps,
    "numeric text": lambda secret: "0.50" if secret else "0.5",
    "bytes": lambda secret: b"0.50" if secret else b"0.5",
    "float with a note": money,
    "object with __float__": Convertible,
    "object array": lambda secret: np.array(Decimal(secret), dtype=object),
    "masked array": lambda secret: np.ma.array([0.5], mask=[bool(secret)]),
    "datetime": lambda secret: np.datetime64(secret, "s"),
    "structured array": lambda secret: np.array((0.5,), dtype=[("a" if secret else "b", float)]),
    "bool": bool,
    "dict": lambda secret: {"mean": secret},
    "set": lambda secret: {0.5, secret},
}
needs_extended = pytest.mark.skipif(np.finfo(np.longdouble).nmant <= 52, reason="longdouble is a double here")


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=needs_extended) if name == "longdouble" else name for name in SAME_WHEN_CAST]
)
def test_what_a_cast_would_change_is_refused_and_named(name: str) -> None:
    for secret in (1, 0):
        output = SAME_WHEN_CAST[name](secret)
        kind, words = outcome(output)
        if secret or kind:  # 2**53 itself is a double
            assert kind == WRONG_TYPE, words
            assert words.startswith("the mechanism returned the wrong type: a")
            assert "where numbers are due; return Python or numpy numbers" in words
            assert any(name in words for name in (type(output).__name__, "an array of shape", "an int ("))
    assert outcome([0.1, SAME_WHEN_CAST[name](1)], 2)[0] == WRONG_TYPE  # among frequencies too


def test_a_leak_in_what_a_cast_would_lose_never_passes() -> None:
    report = audited(lambda secret, rng: complex(rng.normal(), secret))
    assert report.verdict == "error"
    (error,) = [f for f in report.findings if f.kind == "behaviour"]
    assert error.id.endswith("behaviour/call/wrong-type")
    assert "a complex" in error.message


def test_a_type_that_depends_on_the_data_is_a_symbol_that_refutes() -> None:
    def release(secret: bool, rng: np.random.Generator) -> object:
        number = float(rng.normal())
        return Decimal(number) if secret else number

    assert audited(release).verdict == "fail"


@pytest.mark.parametrize(
    ("output", "number"),
    [
        (3, 3.0),
        (0.1, 0.1),
        (-(2**53), -(2.0**53)),
        (2**80, 2.0**80),
        (np.float16(0.1), float(np.float16(0.1))),
        (np.float32(0.1), float(np.float32(0.1))),
        (np.longdouble(0.1), 0.1),
        (np.uint64(2**63), 2.0**63),
        (np.int8(-3), -3.0),
        (np.array(0.25), 0.25),
        (np.array([0.25], dtype=">f8"), 0.25),
        ([0.25], 0.25),
        (5e-324, 5e-324),
    ],
)
def test_numbers_that_are_doubles_exactly_are_taken_as_they_are(output: Any, number: float) -> None:
    subject = subject_of(always(output), EPSILON, None)
    assert subject.draw(subject.dataset(np.zeros(4)), 2, OWN).tolist() == [[number, FINE]] * 2


def test_negative_zero_keeps_its_sign() -> None:
    for zero in (-0.0, np.float32(-0.0), np.longdouble(-0.0), [-0.0], np.array(-0.0)):
        subject = subject_of(always(zero), EPSILON, None)
        assert np.signbit(subject.draw(subject.dataset(np.zeros(4)), 1, OWN)[0, 0])


def test_a_number_and_a_list_of_it_are_not_one_output() -> None:
    def release(secret: bool, rng: np.random.Generator) -> object:
        number = float(rng.normal())
        return [number] if secret else number

    assert audited(release).verdict == "fail"


@pytest.mark.parametrize(
    ("categories", "output", "told"),
    [
        (None, [0.1, 0.2], "a list of 2 instead of a number"),
        (None, [], "a list of 0 instead of a number"),
        (3, [0.1, 0.2], "a list of 2 instead of 3 numbers"),
        (3, [0.1, [0.2], 0.3], "a list of 3 whose entries have different shapes instead of 3 numbers"),
        (None, None, "nothing instead of a number"),
    ],
)
def test_a_wrong_shape_says_what_came(categories: int | None, output: Any, told: str) -> None:
    assert outcome(output, categories) == (WRONG_SHAPE, f"the mechanism returned the wrong shape: {told}")


def test_a_list_in_itself_is_refused() -> None:
    endless: list[Any] = []
    endless.append(endless)
    assert outcome(endless)[0] == WRONG_TYPE


def test_only_the_bad_outputs_of_a_batch_fail() -> None:
    class Mixed:
        def __call__(self, _data: np.ndarray, _epsilon: np.ndarray, _rng: np.random.Generator) -> float:
            return 0.5

        def batch(self, _data: np.ndarray, _epsilon: np.ndarray, _rng: np.random.Generator, size: int) -> list[Any]:
            return [0.5, Decimal("0.5"), None, float("nan"), 2**53 + 1][:size]

    subject = subject_of(Mixed(), EPSILON, None)
    table = subject.draw(subject.dataset(np.zeros(4)), 5, OWN)
    assert table[:, -1].tolist() == [FINE, WRONG_TYPE, WRONG_SHAPE, NOT_FINITE, WRONG_TYPE]


def test_what_is_refused_is_kept_back_where_it_may_tell_data() -> None:
    def release(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> object:
        return Decimal("0.73519264") if 0.73519264 in data else float(rng.random())

    report = audit(release, epsilon=[1.0] * 3, task="mean", budget=3_000, data=[0.73519264] * 3, privacy=FORMULA)
    assert any("kept back" in finding.message for finding in report.findings)
    assert "7351" not in str(report.to_json())


# Zeros


@pytest.mark.many(2)
@pytest.mark.parametrize(
    ("yes", "no"), [(-0.0, 0.0), (0.0, 5e-324), (-0.0, -5e-324), (5e-324, -5e-324), (0.0, 1e-300), (-0.0, 1e-40)]
)
@pytest.mark.parametrize("noise", [0.0, 0.7])
def test_zeros_that_a_comparison_takes_for_equal_are_told_apart(yes: float, no: float, noise: float) -> None:
    """The secret is in the kind of zero; most of the other outputs are ordinary noise. False alarms: none, it leaks."""

    def release(secret: bool, rng: np.random.Generator) -> float:
        return float(rng.normal()) if rng.random() < noise else (yes if secret else no)

    assert audited(release).verdict == "fail"


def test_zeros_of_either_sign_in_many_outputs_are_told_apart() -> None:
    def release(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        noisy = rng.normal(size=3)
        noisy[1] = -0.0 if data.any() else 0.0
        return noisy

    report = audit(release, epsilon=[0.5] * 4, task="frequency", categories=3, budget=3_000, privacy=FORMULA)
    assert report.verdict == "fail"


def test_the_event_says_what_negative_zeros_count_as() -> None:
    report = audited(lambda secret, _rng: -0.0 if secret else 0.0)
    events = {f.label: f.witness["event"] for f in report.findings if f.verdict == "fail"}
    assert next(event for label, event in events.items() if label.startswith("privacy/tier/")) == (
        "guess the second dataset where the output is below 0; the first where the output is at least 0; "
        "an output of -0 counts as just below 0"
    )
    assert all(event.endswith("an output of -0 counts as just below 0") for event in events.values())


def test_rounded_noise_with_zeros_of_either_sign_must_not_be_flagged() -> None:
    """np.round gives -0 and 0, each as often as its privacy loss allows. False-alarm probability 10⁻⁶ by the plan."""

    def mechanism(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> float:
        return float(np.round((epsilon @ data + rng.laplace()) / epsilon.sum(), 1))

    claim = PrivacyClaim(detect=4, floating_point="off")
    report = audit(mechanism, epsilon=[0.5] * 4, task="mean", budget=8_000, privacy=claim, confidence=1 - 1e-6)
    assert report.verdict == "pass"
    assert any("an output of -0" in f.witness.get("event", "") for f in report.findings)


def test_features_keep_zero_apart_from_what_is_next_to_nothing_and_nothing_else() -> None:
    rng = np.random.default_rng(3)
    noise = rng.normal(size=500)
    zeros = [0.0, -0.0, 5e-324, -5e-324, 1e-300, 1e-12, -1e-12]
    table = np.column_stack([np.concatenate([noise, zeros]), np.zeros(507)])
    seen = Features.fitted(table)(table)[500:, 0]
    assert len(set(seen[:4].tolist())) == 4
    assert seen[4] == seen[2]  # next to nothing, whatever it is exactly
    assert seen[5] == seen[6] == seen[0] == 0  # rounding errors of such outputs are no outputs of their own
    bits = Features.fitted(table, bits=True)(table)[500:, 0]
    assert bits[0] != bits[1]
