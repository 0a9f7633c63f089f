"""A session: a new object for every call, an analyst who asks it, and what the analyst returns as the output."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hdp_audit.errors import InvalidInput
from hdp_audit.model.dataset import Dataset
from hdp_audit.model.gaussian import GaussianDP
from hdp_audit.model.promise import PureDP
from hdp_audit.targets.custom import Encoded
from hdp_audit.targets.failures import WrongType
from hdp_audit.targets.parts import taken_apart
from hdp_audit.targets.python import Target
from hdp_audit.targets.session import OpenedSession, Session
from tests.amount import rounds

PROMISE = PureDP([0.5, 1.0])
DATA, EPSILON = np.array([0.0, 1.0]), np.array([0.5, 1.0])


class Counter:
    """Answers how often it was asked."""

    def __init__(self, data: Any, epsilon: Any, rng: Any) -> None:
        self.given, self.asked = (data, epsilon, rng), 0

    def ask(self) -> int:
        self.asked += 1
        return self.asked


def twice(service: Any) -> Any:
    return [service.ask(), service.ask()]


def test_every_call_asks_an_object_of_its_own() -> None:
    session = Session(Counter, twice, PROMISE)
    assert [session(DATA, EPSILON, None) for _ in range(3)] == [[1, 2]] * 3
    assert not hasattr(session, "batch")
    assert not hasattr(session, "many")


def test_the_object_gets_what_it_names() -> None:
    class Turned:
        def __init__(self, *, rng: Any, mu: Any, data: Any) -> None:
            self.given = data, mu, rng

    promise, mu, rng = GaussianDP([0.3, 1.0]), np.array([0.3, 1.0]), np.random.default_rng(1)
    session = Session(Turned, lambda service: service.given, promise)
    assert session(DATA, mu, rng) == (DATA, mu, rng)
    assert session.takes_rng


def test_an_object_without_a_generator_is_not_replayable_even_if_the_analyst_draws() -> None:
    class Own:
        def __init__(self, data: Any, epsilon: Any) -> None:
            self.given = data, epsilon

    def drawing(service: Any, rng: Any) -> Any:
        return service.given, rng

    session = Session(Own, drawing, PROMISE)
    assert session(DATA, EPSILON, "a generator") == ((DATA, EPSILON), "a generator")
    assert not session.takes_rng
    first = Dataset(DATA, PROMISE)
    rows = Encoded(Session(Own, lambda _service, rng: rng.random(), PROMISE), [first], np.random.default_rng(1))
    assert not rows.takes_rng
    assert rows(DATA, EPSILON, np.random.default_rng(2)) == np.random.default_rng(2).random()


def test_a_session_that_returns_nothing_is_a_failed_call_and_says_what_to_return() -> None:
    with pytest.raises(WrongType, match="returns all that it was told"):
        Session(Counter, lambda service: service.given and None, PROMISE)(DATA, EPSILON, None)


def test_an_exception_that_the_analyst_does_not_catch_is_one_of_the_mechanism() -> None:
    def careless(service: Any) -> Any:
        return service.no_such_question()

    with pytest.raises(AttributeError, match="no_such_question"):
        Session(Counter, careless, PROMISE)(DATA, EPSILON, None)


def yielding(service: Any) -> Any:
    yield service.ask()


@pytest.mark.parametrize(
    ("analyst", "words"),
    [
        (7, "int, which cannot be called"),
        (lambda: 1, "is called as analyst"),
        (lambda service, _question: service, "is called as analyst"),
        (yielding, "return the list"),
    ],
)
def test_what_is_no_analyst_is_refused_in_words(analyst: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        Session(Counter, analyst, PROMISE)


SERVICE = """
class Refused(Exception):
    pass

class Service:
    def __init__(self, data, epsilon, rng):
        pass

    def ask(self):
        raise Refused

number = 7
"""
ANALYST = """
def analyst(service):
    try:
        return service.ask()
    except Refused:
        return "refused"
"""
IMPORTED = f"from session_test_service import Refused\n{ANALYST}"


def opened(folder: Path, service: str, analyst: str) -> Callable[..., Any]:
    return OpenedSession(Target(service, folder), Target(analyst, folder), PROMISE, 10.0)()


@pytest.mark.parametrize("times", [1, 3])
@pytest.mark.parametrize(
    ("service", "analyst"),
    [
        ("session_test_service.py:Service", "session_test_service.py:analyst"),
        ("session_test_service.py:Service", "session_test_analyst.py:analyst"),
        ("session_test_service:Service", "session_test_analyst:analyst"),
    ],
    ids=["one file", "two files", "two modules"],
)
def test_an_analyst_catches_what_the_service_of_its_spec_raises(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, service: str, analyst: str, times: int
) -> None:
    """Files are loaded under private names, and anew each time; their exceptions are one class all the same."""
    monkeypatch.setattr("sys.path", [str(tmp_path)])
    for name in ("session_test_service", "session_test_analyst"):
        monkeypatch.delitem("sys.modules", name, raising=False)
    (tmp_path / "session_test_service.py").write_text(SERVICE + ANALYST)
    (tmp_path / "session_test_analyst.py").write_text(IMPORTED)
    for _ in range(times):
        assert opened(tmp_path, service, analyst)(DATA, EPSILON, None) == "refused"


@pytest.mark.parametrize(
    ("service", "analyst", "words"),
    [
        ("s.py:Service", "nowhere.py:analyst", "no file 'nowhere.py'"),
        ("s.py:Service", "s.py:nobody", "has no 'nobody'"),
        ("s.py:Service", "s.py:number", "is a int and cannot be called"),
        ("s.py:number", "s.py:analyst", "is a int and cannot be called"),
    ],
)
def test_what_cannot_be_loaded_is_named(tmp_path: Path, service: str, analyst: str, words: str) -> None:
    (tmp_path / "s.py").write_text(SERVICE + ANALYST)
    with pytest.raises(InvalidInput, match=words):
        opened(tmp_path, service, analyst)


PARTS = st.one_of(st.floats(allow_nan=False, allow_infinity=False), st.integers(), st.none(), st.text(max_size=4))
TRANSCRIPTS = st.recursive(PARTS, lambda inner: st.lists(inner, max_size=4).map(tuple) | st.lists(inner, max_size=4))


@settings(max_examples=rounds(40, 400), deadline=None)
@given(first=st.lists(TRANSCRIPTS, min_size=1, max_size=4), one=TRANSCRIPTS, other=TRANSCRIPTS)
def test_transcripts_of_any_length_and_shape_are_told_apart(first: list[Any], one: Any, other: Any) -> None:
    """Whatever the first ones looked like; one alone that is None is no transcript."""
    told = [each for each in (*first, one, other) if each is not None]
    heard = iter([*first, *told])
    session = Session(Counter, lambda _: next(heard), PROMISE)
    rows = Encoded(session, [Dataset(DATA, PROMISE)], np.random.default_rng(1), len(first))
    found = [rows(DATA, EPSILON, None).tobytes() for _ in told]
    for row, each in zip(found, told, strict=True):
        for again, another in zip(found, told, strict=True):
            assert (row == again) == (_key(each) == _key(another))


def _key(transcript: Any) -> tuple[str, list[str]]:
    form, parts = taken_apart(transcript)
    return form, [part.key for part in parts]
