"""Python mechanisms by their address."""

from __future__ import annotations

import pickle
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hdp_audit.errors import InvalidInput
from hdp_audit.targets.failures import CallTimeout
from hdp_audit.targets.python import CustomPairs, OpenedTarget, Target
from hdp_audit.targets.sources import Sources
from hdp_audit.targets.streams import named
from hdp_audit.targets.subject import Subject
from hdp_audit.targets.timed import Timed
from tests.subjects import subject_of

RNG = np.random.default_rng(0)


def test_a_users_own_mechanisms_file_does_no_harm(tmp_path: Path) -> None:
    (tmp_path / "mechanisms.py").write_text("def f(data, epsilon, rng):\n    return 0.25\n")
    before = sys.modules.get("mechanisms")
    found = Target("mechanisms.py:f", tmp_path).load()
    assert found(None, None, None) == 0.25
    assert sys.modules.get("mechanisms") is before
    assert found.__module__ != "mechanisms"


def test_a_users_own_mechanisms_file_does_not_stand_before_ours(tmp_path: Path) -> None:
    """In a fresh process, which has not loaded ours yet."""
    (tmp_path / "mechanisms.py").write_text("def f(data, epsilon, rng):\n    return 0.25\n")
    code = (
        "import pathlib, sys\n"
        "from hdp_audit.targets.python import Target\n"
        "assert 'mechanisms' not in sys.modules\n"
        "Target('mechanisms.py:f', pathlib.Path(sys.argv[1])).load()\n"
        "import mechanisms\n"
        "print(hasattr(mechanisms, 'build'))\n"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603
    assert done.stdout == "True\n", done.stderr


def test_modules_beside_the_file_can_be_imported(tmp_path: Path) -> None:
    (tmp_path / "own_helper_of_this_test.py").write_text("VALUE = 3\n")
    (tmp_path / "release.py").write_text(
        "from own_helper_of_this_test import VALUE\ndef f(d, e, r):\n    return VALUE\n"
    )
    assert Target("release.py:f", tmp_path).load()(0, 0, 0) == 3


def test_modules_and_nested_attributes_are_found(tmp_path: Path) -> None:
    assert Target("os.path:join", tmp_path).load() is __import__("os").path.join
    (tmp_path / "m.py").write_text("class A:\n    @staticmethod\n    def f(d, e, r):\n        return 1\n")
    assert Target("m.py:A.f", tmp_path).load()(0, 0, 0) == 1


def test_each_opening_starts_from_a_fresh_module(tmp_path: Path) -> None:
    (tmp_path / "m.py").write_text("n = 0\ndef f(d, e, r):\n    global n\n    n += 1\n    return n\n")
    opened = pickle.loads(pickle.dumps(OpenedTarget(Target("m.py:f", tmp_path), 1.0)))  # noqa: S301 - our own
    assert opened()(0, 0, 0) == 1
    assert opened()(0, 0, 0) == 1


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("1 / 0", "cannot be imported (ZeroDivisionError"),
        ("def (", "cannot be imported (SyntaxError"),
        ("import no_such_module_anywhere", "ModuleNotFoundError"),
        ("raise SystemExit(3)", "SystemExit"),
        ("def g(): pass", "has no 'f'; it has g"),
        ("f = 3", "is a int and cannot be called"),
    ],
)
def test_what_cannot_be_loaded_says_why(tmp_path: Path, code: str, words: str) -> None:
    (tmp_path / "m.py").write_text(code)
    with pytest.raises(InvalidInput) as caught:
        OpenedTarget(Target("m.py:f", tmp_path), 1.0)()
    assert words in str(caught.value)


def test_what_a_module_prints_stays_out_of_our_output(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "m.py").write_text("print('noise')\ndef f(d, e, r):\n    return 1\n")
    Target("m.py:f", tmp_path).load()
    assert capsys.readouterr().out == ""


def test_the_hash_changes_with_the_source(tmp_path: Path) -> None:
    file, sources = tmp_path / "m.py", Sources(tmp_path, (Target("m.py:f", tmp_path),))
    file.write_text("def f(): pass\n")
    first = sources.files()["m.py"].sha256
    file.write_text("def f(): return 1\n")
    assert sources.files()["m.py"].sha256 != first


def test_a_call_that_hangs_is_ended_and_after_three_nothing_is_called() -> None:
    calls = []

    def hangs(data: object, epsilon: object, rng: object) -> float:
        calls.append(1)
        time.sleep(30)
        return 0.0

    mechanism = Timed(hangs, 0.02)
    started = time.monotonic()
    for _ in range(10):
        with pytest.raises(CallTimeout):
            mechanism(None, None, None)
    assert time.monotonic() - started < 10
    assert len(calls) == 3


def test_a_timed_mechanism_keeps_its_signature_and_its_batches() -> None:
    def f(data: object, epsilon: object) -> float:
        return 0.5

    assert not subject_of(Timed(f, 1.0), np.array([1.0]), None).takes_rng
    assert not hasattr(Timed(f, 1.0), "batch")
    f.batch = lambda *given: np.zeros(given[3])  # type: ignore[attr-defined]
    assert Timed(f, 1.0).batch(None, None, RNG, 4).shape == (4,)


def test_pairs_are_a_function_or_a_list(tmp_path: Path) -> None:
    (tmp_path / "p.py").write_text("def f():\n    yield 1, 2, [0]\nlisted = [(1, 2, [0])]\nnumber = 3\n")
    assert list(CustomPairs(Target("p.py:f", tmp_path))()) == [(1, 2, [0])]
    assert list(CustomPairs(Target("p.py:listed", tmp_path))()) == [(1, 2, [0])]
    with pytest.raises(InvalidInput, match="give a function that yields"):
        CustomPairs(Target("p.py:number", tmp_path))()


ODD_NUMBERS = [
    0.3,
    -0.0,
    np.float64(2.5),
    1e308,
    float("nan"),
    float("inf"),
    1,
    True,
    np.float32(0.1),
    None,
    "x",
    [0.1],
]
ODD_NUMBERS += [np.array(0.5), np.array([0.5]), np.array([[0.5]])]
ODD_VECTORS = [np.arange(3.0), np.arange(3), [1.0, 2.0, 3.0], np.array([1.0, np.nan, 2.0]), np.array([[1.0, 2.0, 3.0]])]
ODD_VECTORS += [np.arange(6.0)[::2], np.arange(3, dtype=">f8"), np.full(3, 1e308), 0.5, np.arange(4.0)]


@pytest.mark.parametrize(("outputs", "categories"), [(ODD_NUMBERS, None), (ODD_VECTORS, 3)], ids=["mean", "frequency"])
def test_usual_outputs_are_taken_as_all_others_are(
    outputs: list[Any], categories: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In many orders, as the first output decides what shape the others must have."""

    def tables() -> list[tuple[bytes, list[tuple[float, str]]]]:
        found = []
        for seed in range(20):
            came = [outputs[place] for place in np.random.default_rng(seed).permutation(len(outputs))] * 2
            left = iter(came)
            subject = subject_of(lambda *_, left=left: next(left), np.full(4, 0.5), categories)
            data = subject.dataset(np.zeros(4, dtype=float if categories is None else int))
            table = subject.draw_mixed(data, data, np.zeros(len(came), dtype=bool), named(1, "test"))
            found.append((table.tobytes(), [(kind, why.message) for kind, why in subject.failures.items()]))
        return found

    quick = tables()
    monkeypatch.setattr(Subject, "_usual", lambda *_: None)
    assert tables() == quick
