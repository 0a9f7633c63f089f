"""What comes back from a mechanism is kept exactly or refused in words; nothing that it does ends a check."""

from __future__ import annotations

import asyncio
import collections
import datetime as dt
import decimal
import enum
import os
import random
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hdp_audit import audit
from hdp_audit.attacks.features import Features
from hdp_audit.errors import InvalidInput
from hdp_audit.model import AuditReport, PrivacyClaim
from hdp_audit.sampling.custom import TRIALS, Encoded
from hdp_audit.sampling.failures import FINE, NOT_FINITE, RAISED, WRONG_SHAPE, WRONG_TYPE
from hdp_audit.sampling.subject import Subject, takes_rng
from hdp_audit.sampling.targets import OpenedTarget, Target
from hdp_audit.sampling.timed import Timed
from tests.cli.specs import QUICK, TARGET, document, invoke, written

FORMULA = PrivacyClaim(floating_point="off")
RNG = np.random.default_rng(0)
EPSILON = np.ones(4)


class Money(float):
    """A number with a note on it."""

    note: int


class Convertible:
    def __init__(self, value: float) -> None:
        self.value = value

    def __float__(self) -> float:
        return self.value

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.array([self.value])


def money(note: int) -> Money:
    made = Money(0.5)
    made.note = note
    return made


def always(output: Any) -> Callable[..., Any]:
    def mechanism(data: Any, epsilon: np.ndarray, rng: np.random.Generator) -> Any:
        return output

    return mechanism


def outcome(output: Any, categories: int | None = None) -> tuple[float, str]:
    """(the outcome symbol of one call, what is said of it)."""
    subject = Subject(always(output), EPSILON, categories)
    table = subject.draw(np.zeros(4), 1, RNG)
    kind = float(table[0, -1])
    return kind, subject.failures[kind].sentence if kind else ""


def audited(release: Callable[[bool, np.random.Generator], Any], budget: int = 3_000) -> AuditReport:
    """Of a mechanism that knows whether anybody has 1."""

    def mechanism(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> Any:
        return release(bool(data.any()), rng)

    return audit(mechanism, epsilon=[0.5] * 4, task="mean", budget=budget, privacy=FORMULA)


def custom(release: Callable[[bool, np.random.Generator], Any], budget: int = 4_000, **more: Any) -> AuditReport:
    def mechanism(data: list[int], epsilon: np.ndarray, rng: np.random.Generator) -> Any:
        return release(bool(data[0]), rng)

    pairs = [([0], [1], [0])]
    return audit(mechanism, epsilon=[0.5], task="custom", pairs=lambda: pairs, budget=budget, **more)


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
    subject = Subject(always(output), EPSILON, None)
    assert subject.draw(np.zeros(4), 2, RNG).tolist() == [[number, FINE]] * 2


def test_negative_zero_keeps_its_sign() -> None:
    for zero in (-0.0, np.float32(-0.0), np.longdouble(-0.0), [-0.0], np.array(-0.0)):
        subject = Subject(always(zero), EPSILON, None)
        assert np.signbit(subject.draw(np.zeros(4), 1, RNG)[0, 0])


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

    subject = Subject(Mixed(), EPSILON, None)
    table = subject.draw(np.zeros(4), 5, RNG)
    assert table[:, -1].tolist() == [FINE, WRONG_TYPE, WRONG_SHAPE, NOT_FINITE, WRONG_TYPE]


def test_what_is_refused_is_kept_back_where_it_may_tell_data() -> None:
    def release(data: np.ndarray, epsilon: np.ndarray, rng: np.random.Generator) -> object:
        return Decimal("0.73519264") if 0.73519264 in data else float(rng.random())

    report = audit(release, epsilon=[1.0] * 3, task="mean", budget=3_000, data=[0.73519264] * 3, privacy=FORMULA)
    assert any("kept back" in finding.message for finding in report.findings)
    assert "7351" not in str(report.to_json())


# Zeros


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
    events = [f.witness["event"] for f in report.findings if f.verdict == "fail"]
    assert events == [
        "guess the second dataset where the output is below 0; the first where the output is at least 0; "
        "an output of -0 counts as just below 0"
    ]


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


# Custom tasks


@dataclass
class Note:
    value: float
    kind: str


class Colour(enum.Enum):
    RED = 1
    BLUE = 2


Point = collections.namedtuple("Point", "x y")

DIFFERENT: dict[str, tuple[Any, Any]] = {
    "complex": (0.5 + 1j, 0.5 + 2j),
    "integers above 2**53": (2**53, 2**53 + 1),
    "huge integers": (10**5000, 10**5000 + 1),
    "Decimal": (Decimal("0.1"), Decimal("0.10")),
    "Fraction": (Fraction(1, 3), Fraction(1, 3) + Fraction(1, 10**30)),
    "numeric texts": ("0.5", "0.50"),
    "a text and a number": ("0.5", 0.5),
    "bytes and text": (b"a", "a"),
    "bool and number": (True, 1),
    "none and text": (None, "None"),
    "sign of zero": (0.0, -0.0),
    "nesting": ([1, [2, 3]], [[1, 2], 3]),
    "lengths": ([1, 2], [1, 2, 3]),
    "emptiness": ([], [[]]),
    "dict keys": ({"a": 1}, {"b": 1}),
    "dict order": ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    "objects": (Note(0.5, "a"), Note(0.5, "b")),
    "enums": (Colour.RED, Colour.BLUE),
    "floats with notes": (money(1), money(2)),
    "named tuples": (Point(1, 2), Point(2, 1)),
    "sets": ({1, 2}, {1, 3}),
    "dates": (dt.date(2020, 1, 1), dt.date(2020, 1, 2)),
    "numpy dates": (np.datetime64("2020-01-01"), np.datetime64("2020-01-02")),
    "structured": (np.array([(1, 2.0)], dtype="i4,f8"), np.array([(1, 3.0)], dtype="i4,f8")),
    "surrogates": ("\ud800", "\ud801"),
    "longdouble": (np.longdouble(1) / 3, np.longdouble(1) / 3 + np.finfo(np.longdouble).eps),
}


def encoded(first: Any, later: Any, *others: Any) -> tuple[list[float], ...]:
    """Rows of both, where the layout knows the first (and others) from its first calls, and meets the later one."""
    outputs = iter([first, *others, *[first] * (TRIALS - 1 - len(others)), first, later])
    mechanism = Encoded(lambda _data, _epsilon, _rng: next(outputs), [[0]], EPSILON, RNG)
    return tuple(mechanism([0], EPSILON, RNG).tolist() for _ in range(2))


@pytest.mark.parametrize("name", DIFFERENT)
@pytest.mark.parametrize("others", ["none", "both"])
def test_different_outputs_have_different_rows_of_one_width(name: str, others: str) -> None:
    """Whichever of them was there first, and whether or not the first calls gave both."""
    one, two = DIFFERENT[name]
    if name == "longdouble" and np.finfo(np.longdouble).nmant <= 52:
        pytest.skip("longdouble is a double here")
    for first, later in ((one, two), (two, one)):
        rows = [np.array(row) for row in encoded(first, later, *([later] if others == "both" else []))]
        assert rows[0].shape == rows[1].shape
        assert np.isfinite(rows).all()
        assert rows[0].tobytes() != rows[1].tobytes()


def test_equal_values_are_one_output_whoever_made_them() -> None:
    for one, two in [
        (1, 1.0),
        (np.float32(0.5), 0.5),
        (np.bool_(True), True),
        (np.str_("a"), "a"),
        ([1, 2], (1, 2)),
        ([1.0, 2.0], np.array([1, 2])),
        ({3, 1}, {1, 3}),
    ]:
        first, second = encoded(one, two)
        assert first == second, (one, two)


@pytest.mark.parametrize("known", [(), ("no",)], ids=["among numbers", "beside numbers"])
def test_no_number_has_the_code_of_a_symbol(known: tuple[str, ...]) -> None:
    """A mechanism that releases the very number which stands for a symbol is told from one that releases the symbol."""
    _, symbol = encoded(0.5, "yes", *known)
    for number in symbol:
        assert encoded(0.5, number, *known)[1] != symbol


LEAKS: dict[str, Callable[[bool, np.random.Generator], Any]] = {
    "an imaginary part": lambda secret, rng: complex(rng.normal(), secret),
    "a number or a text": lambda secret, rng: rng.normal() if secret else "none",
    "digits of a Decimal": lambda secret, _: Decimal("0.1") if secret else Decimal("0.10"),
    "a length": lambda secret, rng: [float(x) for x in rng.normal(size=rng.integers(1, 4) + secret)],
    "a long tail": lambda secret, rng: [0] * (50 * (rng.random() < 0.3)) + [int(secret)],
    "the last of many": lambda secret, rng: ["x"] * int(rng.integers(1, 5)) + [str(secret)],
    "a key": lambda secret, rng: {"a": rng.normal()} | ({"b": 1} if secret else {}),
    "too little noise in a text": lambda secret, rng: f"{secret + rng.laplace(scale=0.3):.6f}",
    "too little noise in a Decimal": lambda secret, rng: Decimal(round(100 * (secret + rng.laplace(scale=0.3)))) / 100,
}


@pytest.mark.parametrize("name", LEAKS)
def test_leaks_in_outputs_of_any_form_are_found(name: str) -> None:
    report = custom(LEAKS[name])
    assert [f.verdict for f in report.findings] == ["fail"]


def test_a_correct_mechanism_with_lists_of_varying_length_passes() -> None:
    """Its length is drawn by randomised response. False-alarm probability 10⁻⁶ by the plan."""

    def release(secret: bool, rng: np.random.Generator) -> list[float]:
        told = secret if rng.random() < 1 / (1 + np.exp(-0.5)) else not secret
        return [float(x) for x in rng.normal(size=1 + told + 2 * rng.integers(5))]

    report = custom(release, budget=6_000, detect=4, confidence=1 - 1e-6)
    assert [f.verdict for f in report.findings] == ["pass"]


def test_the_event_names_lengths_and_forms() -> None:
    report = custom(lambda secret, rng: [float(x) for x in rng.normal(size=3 + secret)])
    event = report.findings[0].witness["event"]
    assert "the number of parts" in event
    assert all(f"{form} as " in event for form in ("[3]", "[4]"))


class Raising:
    """Raises whatever one asks it."""

    def __float__(self) -> float:
        raise ValueError("no float")

    def __array__(self, *_: Any, **__: Any) -> np.ndarray:
        raise ValueError("no array")

    def __iter__(self) -> Iterator[float]:
        raise ValueError("no iterator")

    def __len__(self) -> int:
        raise ValueError("no length")

    def __repr__(self) -> str:
        raise asyncio.CancelledError("no repr")


class Silent:
    def __repr__(self) -> str:
        raise ValueError("no repr")


@pytest.mark.parametrize(
    ("output", "kind", "told"),
    [
        (object(), "wrong-type", "an object that holds nothing, and cannot be told from another; return"),
        ([1, object()], "wrong-type", "an object that holds nothing"),
        (lambda: 1, "wrong-type", "a function, whose content cannot be read"),
        (iter("ab"), "wrong-type", "a str_ascii_iterator, whose content cannot be read"),
        (np.ma.array([1.0]), "wrong-type", "a MaskedArray of shape (1,), whose content cannot be read"),
        (Raising(), "wrong-type", "a Raising that holds nothing"),
        (Silent(), "wrong-type", "a Silent that holds nothing"),
        (float("inf"), "not-finite", "output inf"),
        ((0.5, float("nan")), "not-finite", "output"),
    ],
)
def test_what_cannot_be_told_apart_is_a_failed_call_and_no_end_of_a_check(output: Any, kind: str, told: str) -> None:
    report = custom(lambda _secret, _rng: output, budget=1_000)
    assert report.verdict == "error"
    (error,) = [f for f in report.findings if f.kind == "behaviour"]
    assert error.id.endswith(kind)
    assert told in error.message
    assert "0x" not in str(report.to_json())


def test_hostile_outputs_of_a_mean_are_failed_calls() -> None:
    for output in (Raising(), Silent(), [Raising()], [0.5, Silent()]):
        kind, words = outcome(output)
        assert kind == WRONG_TYPE
        assert words.startswith("the mechanism returned the wrong type: a ")


# Exceptions and settings


class Custom(BaseException):
    pass


class Unreadable(Exception):
    def __str__(self) -> str:
        raise RuntimeError("not even that")


RAISES = [
    asyncio.CancelledError,
    GeneratorExit,
    SystemExit,
    StopIteration,
    RecursionError,
    MemoryError,
    Custom,
    Unreadable,
]


@pytest.mark.parametrize("error", RAISES, ids=lambda error: error.__name__)
@pytest.mark.parametrize("task", ["mean", "custom"])
def test_an_exception_of_any_kind_is_a_failed_call(error: type[BaseException], task: str) -> None:
    def release(secret: bool, rng: np.random.Generator) -> float:
        raise error("not today")

    report = audited(release) if task == "mean" else custom(release, budget=1_000)
    assert report.verdict == "error"
    (found,) = [f for f in report.findings if f.kind == "behaviour"]
    assert f"raised an exception: {error.__name__}: " in found.message


def test_a_ctrl_c_ends_an_audit_and_an_interrupt_of_a_mechanism_in_a_worker_does_not() -> None:
    def release(secret: bool, rng: np.random.Generator) -> float:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        audited(release)
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)  # as workers have it
    try:
        assert audited(release).verdict == "error"
    finally:
        signal.signal(signal.SIGINT, before)


def test_an_interrupt_of_a_mechanism_is_a_finding_of_a_run(tmp_path: Path) -> None:
    spec = written(tmp_path, TARGET.format(name="stops"))
    (tmp_path / "release.py").write_text(
        "import numpy as np\nnp.seterr(all='raise')\n"
        "def stops(data, epsilon, rng):\n"
        "    raise KeyboardInterrupt('by the mechanism')\n"
    )
    done = invoke("run", spec, "--out", tmp_path / "out", *QUICK)
    assert done.exit_code == 2, done.output
    errors = [f for f in document(tmp_path / "out")["findings"] if f["kind"] == "behaviour"]
    assert [e["message"] for e in errors] == ["the mechanism raised an exception: KeyboardInterrupt: by the mechanism"]


def settle() -> None:
    """Settings that a mechanism may change for itself."""
    np.seterr(all="raise")
    np.errstate(all="raise").__enter__()
    warnings.simplefilter("error")
    random.seed(1)
    np.random.seed(1)  # noqa: NPY002 - that is what they do
    decimal.getcontext().prec = 2
    sys.setrecursionlimit(sys.getrecursionlimit() + 1)


@pytest.mark.parametrize("task", ["mean", "custom"])
def test_settings_that_a_mechanism_changes_do_not_change_a_check(task: str, tmp_path: Path) -> None:
    def quiet(secret: bool, rng: np.random.Generator) -> float:
        return float(rng.laplace())

    def loud(secret: bool, rng: np.random.Generator) -> float:
        settle()
        os.chdir(tmp_path)
        return quiet(secret, rng)

    def state() -> tuple[Any, ...]:
        return np.geterr(), list(warnings.filters), decimal.getcontext().prec, sys.getrecursionlimit()

    before, folder = state(), Path.cwd()
    try:
        reports = [audited(each) if task == "mean" else custom(each) for each in (quiet, loud)]
    finally:
        os.chdir(folder)
    assert state() == before
    first, second = ([finding.message for finding in report.findings] for report in reports)
    assert first == second


def test_what_a_module_sets_while_it_loads_stays_with_its_mechanism(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text(
        "import numpy as np, warnings\nnp.seterr(all='raise')\nwarnings.simplefilter('ignore')\n"
        "def f(data, epsilon, rng):\n    return float(np.array(1.0) / np.array(0.0))\n"
    )
    before = np.geterr(), list(warnings.filters)
    subject = Subject(OpenedTarget(Target("m.py:f", tmp_path), 1.0)(), EPSILON, None)
    subject.draw(np.zeros(4), 1, RNG)
    assert (np.geterr(), list(warnings.filters)) == before
    assert "FloatingPointError" in subject.failures[RAISED].message  # as it is where the module is used


def test_an_audit_is_the_same_where_numpy_raises() -> None:
    def quiet(secret: bool, rng: np.random.Generator) -> float:
        return float(rng.laplace())

    with np.errstate(all="raise"):
        strict = audited(quiet)
    assert [f.message for f in strict.findings] == [f.message for f in audited(quiet).findings]


def test_calls_that_fail_after_a_batch_raised_are_rows_with_their_symbol() -> None:
    class Tired:
        calls = 0

        def __call__(self, _data: np.ndarray, _epsilon: np.ndarray, _rng: np.random.Generator) -> float:
            self.calls += 1
            if self.calls > 5:
                raise RuntimeError("tired")
            return 0.25

        def batch(self, *_: object) -> np.ndarray:
            raise Custom("no batches today")

    subject = Subject(Tired(), EPSILON, None)
    table = subject.draw(np.zeros(4), 8, RNG)
    assert table.tolist() == [[0.25, FINE]] * 5 + [[0.0, RAISED]] * 3
    assert subject.failures[RAISED].message == "Custom: no batches today"


def test_a_signature_that_does_not_fit_is_told_by_the_name_of_the_function() -> None:
    def release(table: object) -> float:
        return 0.5

    with pytest.raises(InvalidInput) as caught:
        takes_rng(Timed(release, 1.0))
    words = str(caught.value)
    assert words.startswith("release(table")
    assert "takes neither (data, epsilon, rng) nor (data, epsilon)" in words
    assert "Timed" not in words
    assert "0x" not in words
