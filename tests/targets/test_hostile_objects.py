"""Whatever an exception or an output does when it is asked what it is: a failure in words, fit to be printed."""

from __future__ import annotations

import gc
import time
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from hdp_audit.audits.behaviour.check import displayed
from hdp_audit.errors import InvalidInput
from hdp_audit.targets import failures
from hdp_audit.targets import subject as subject_file
from hdp_audit.targets.answers import failed_with
from hdp_audit.targets.beats import ALLOWED, UNTIL, pulse
from hdp_audit.targets.failures import RAISED, WRONG_SHAPE, failure_of
from hdp_audit.targets.pipe import Ended
from hdp_audit.targets.python import Target
from hdp_audit.targets.spelling import spelled
from hdp_audit.targets.streams import named
from hdp_audit.targets.timed import Timed
from tests.subjects import subject_of


class Meta(type):
    @property
    def __name__(cls) -> str:
        raise RuntimeError("no name")


class Nameless(Exception, metaclass=Meta):
    pass


class Classless(Exception):
    @property
    def __class__(self) -> Any:
        raise MemoryError("no class")

    @__class__.setter
    def __class__(self, _: Any) -> None:
        pass


class NoText(Exception):
    def __str__(self) -> Any:
        return 7


class Quits(Exception):
    def __str__(self) -> str:
        raise SystemExit(0)


class Steers(Exception):
    def __str__(self) -> str:
        return "\x1b]0;owned\x07 red\n\u202e"


def noted() -> Exception:
    why = ValueError("x")
    why.__notes__ = 7  # type: ignore[assignment]
    return why


TOLD = {
    "class": (Classless("here"), "Classless: here"),
    "text": (NoText(), "NoText: (its text cannot be read)"),
    "quits": (Quits(), "Quits: (its text cannot be read)"),
    "steers": (Steers(), "Steers: \\x1b]0;owned\\x07 red\n\\u202e"),
    "notes": (noted(), "ValueError: x"),
    "metaclass": (Nameless("here"), "Nameless: here"),
    "name": (type("\x1b[31m", (Exception,), {})("x"), "\\x1b[31m: x"),
}


@pytest.mark.parametrize("name", TOLD)
def test_an_exception_is_told_whatever_it_does(name: str) -> None:
    why, words = TOLD[name]
    found = failure_of(why, None)
    assert (found.kind, found.message) == (RAISED, words)


class Endless(Exception):
    def __str__(self) -> str:
        while True:
            time.sleep(1)


def test_a_text_that_takes_for_ever_is_asked_for_three_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(failures, "READING", 0.02)
    monkeypatch.setattr(pulse, "unreadable", 0)
    assert [failure_of(Endless(), None).message for _ in range(5)] == ["Endless: (its text cannot be read)"] * 5
    assert pulse.unreadable == 3


def test_text_is_spelled_as_python_does_and_plain_text_stays() -> None:
    assert spelled("ε = ½, 東京 🎉\n") == "ε = ½, 東京 🎉\n"
    assert spelled("\x9b31m\r\ud800") == "\\x9b31m\\r\\ud800"
    assert displayed("\x1b[2J") == "\\x1b[2J"


def test_of_a_traceback_on_stderr_only_what_was_raised_is_told() -> None:
    said = 'loading\nTraceback (most recent call last):\n  File "x.py", line 1\n    f()\nMemoryError: all gone'
    assert str(failed_with(Ended("ended"), said)).endswith("its stderr ends: loading\nMemoryError: all gone")


class Goes(float):
    """Notes until when it may take to go."""

    until: ClassVar[list[int]] = []

    def __del__(self) -> None:
        self.until.append(pulse.slot[UNTIL])


class Lists:
    """A mechanism with batches whose outputs are no plain numbers."""

    def __call__(self, _data: Any, _epsilon: Any) -> Any:
        return Goes(1.0)

    def batch(self, _data: Any, _epsilon: Any, _rng: Any, size: int) -> Any:
        return [Goes(1.0) for _ in range(size)]


@pytest.mark.parametrize("batches", [True, False])
def test_the_end_of_an_output_belongs_to_its_call(batches: bool) -> None:
    Goes.until.clear()
    subject = subject_of(Lists() if batches else Lists().__call__, [0.5])
    subject.draw(subject.dataset(np.zeros(1)), 3, named(1, "goes"))
    gc.collect()
    assert len(Goes.until) >= 3
    assert all(Goes.until)
    assert not pulse.slot[UNTIL]


def test_reading_an_output_may_take_as_long_as_its_call() -> None:
    """On a machine that is busy elsewhere seconds pass in which nothing is done."""
    subject = subject_of(Timed(Lists().__call__, 40.0), [0.5])
    subject.draw(subject.dataset(np.zeros(1)), 3, named(1, "goes"))
    assert pulse.slot[ALLOWED] >= 40e9


def test_a_list_that_is_absurdly_long_is_not_read(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[int] = []
    monkeypatch.setattr(subject_file, "exact", lambda output: read.append(1) or np.asarray(output))
    found = subject_of(lambda _data, _epsilon: [0.5] * 10_000, [0.5])
    rows = found.draw(found.dataset(np.zeros(1)), 2, named(1, "long"))
    assert set(rows[:, -1]) == {WRONG_SHAPE}
    assert "a list of 10000 instead of a number" in found.failures[WRONG_SHAPE].message
    assert not read


def test_a_module_that_answers_for_its_names_as_it_likes_is_refused(tmp_path: Path) -> None:
    (tmp_path / "release.py").write_text("def __getattr__(name): raise SystemExit(name)\n")
    with pytest.raises(InvalidInput, match=r"'release' cannot be looked up \(SystemExit: "):
        Target("release.py:release", tmp_path).load()
