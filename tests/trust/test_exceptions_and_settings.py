"""Nothing that a mechanism raises or sets ends or changes a check."""

from __future__ import annotations

import asyncio
import decimal
import os
import random
import signal
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hdp_audit.errors import InvalidInput
from hdp_audit.targets.failures import FINE, RAISED
from hdp_audit.targets.python import OpenedTarget, Target
from hdp_audit.targets.subject import takes_rng
from hdp_audit.targets.timed import Timed
from tests.cli.specs import QUICK, TARGET, document, invoke, written
from tests.subjects import subject_of
from tests.trust.outputs import EPSILON, OWN, audited, custom


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

    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # whoever started the tests
    try:
        with pytest.raises(KeyboardInterrupt):
            audited(release)
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # as workers have it
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
    told = "the mechanism raised an exception: KeyboardInterrupt: by the mechanism (release.py line 4 in stops)"
    assert [e["message"].partition(";")[0] for e in errors] == [told]


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
    subject = subject_of(OpenedTarget(Target("m.py:f", tmp_path), 1.0)(), EPSILON, None)
    subject.draw(subject.dataset(np.zeros(4)), 1, OWN)
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

    subject = subject_of(Tired(), EPSILON, None)
    table = subject.draw(subject.dataset(np.zeros(4)), 8, OWN)
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
