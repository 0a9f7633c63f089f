"""Kept tables and helping hands change who makes a chunk, and nothing else."""

from __future__ import annotations

import itertools
from collections import deque
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hdp_audit.audits.game import draw_round
from hdp_audit.model.domain import Unit
from hdp_audit.targets import sharing
from hdp_audit.targets.crew import Made, helped
from hdp_audit.targets.failures import CallTimeout
from hdp_audit.targets.kept import BadTables, Kept
from hdp_audit.targets.sharing import Shared, in_order
from hdp_audit.targets.streams import named
from hdp_audit.targets.subject import Floats, Subject
from tests.subjects import subject_of

Rng = np.random.Generator


def noisy(data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
    return float(data.sum() + rng.laplace())


def failing(data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
    """Every 50th call or so."""
    if rng.random() < 0.02:
        raise ValueError("no")
    return float(rng.random())


def batched(data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
    return float(batch(data, epsilon, rng, 1)[0])


def batch(data: np.ndarray, epsilon: np.ndarray, rng: Rng, size: int) -> np.ndarray:
    """Batches fail in the third chunk of a request, from which on only single calls are made."""
    if size > 1 and rng.random() < 0.1:
        raise ValueError("no")
    return rng.random(size)


batched.batch = batch  # type: ignore[attr-defined]


class Lasting:
    """As a program that answers requests, each of them the same for the same seed."""

    process = "one"

    def __call__(self, data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
        return float(self.batch(data, epsilon, rng, 1)[0])

    def batch(self, data: np.ndarray, epsilon: np.ndarray, rng: Rng, size: int) -> np.ndarray:
        return np.random.default_rng(int(rng.integers(1 << 53))).laplace(data.sum(), size=size)


ALL = [noisy, failing, batched, Lasting()]


class Opened:
    """How a subject is opened, by whoever helps."""

    def __init__(self, number: int) -> None:
        self.number = number

    def __call__(self) -> Subject:
        return subject_of(ALL[self.number], np.full(4, 0.5), None)


class Friend:
    """One who begins the last open bundle whenever there is a chance, and may die of it."""

    def __init__(self, every: int, dies: bool = False) -> None:
        self.turn, self.every, self.dies = itertools.count(), every, dies
        self.back: deque[tuple[int, list[Made]]] = deque()
        self.open: deque[int] = deque()
        self.made = 0

    def offer(self, opening: bytes, bundles: Sequence[bytes]) -> None:
        self.opening, self.bundles, self.open = opening, bundles, deque(range(len(bundles)))
        self.back.clear()

    def withdrawn(self) -> int | None:
        while self.open and next(self.turn) % self.every:
            place = self.open.pop()
            self.made += 1
            self.back.append((place, [] if self.dies else helped(self.opening, self.bundles[place])))
        return self.open.popleft() if self.open else None

    def finished(self) -> tuple[int, list[Made]]:
        return self.back.popleft()

    def dismiss(self) -> None:
        self.open.clear()


def drawn(own: Subject) -> list[Floats]:
    pair = own.pair(Unit().bases(4)[0], np.array([1]))
    found = [draw_round(own, pair, size, 1, "round", size)[0] for size in (100, 700, 20_000)]
    return [*found, own.draw(pair.first, 900, named(1, "draw")), own.draw_each([pair.first] * 300, named(1, "each"))]


def told(own: Subject) -> tuple[object, ...]:
    met = {kind: (why.message, None if why.data is None else list(why.data)) for kind, why in own.failures.items()}
    return own.calls, dict(own.outcomes), own.trusts_batches, met


@pytest.mark.parametrize("number", range(len(ALL)))
@pytest.mark.parametrize(("every", "dies"), [(2, False), (5, False), (3, True)])
def test_help_changes_nothing(number: int, every: int, dies: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "SLOW", 0.0)
    monkeypatch.setattr(sharing, "BUNDLE", 1e-5)
    alone, helpful = Opened(number)(), Opened(number)()
    friend = Friend(every, dies)
    helpful.maker = Shared(Opened(number), crew=friend)
    for ours, theirs in zip(drawn(alone), drawn(helpful), strict=True):
        assert np.array_equal(ours, theirs)
    assert told(alone) == told(helpful)
    assert friend.made > 20


def test_of_a_program_even_small_requests_are_shared_unless_data_are_many() -> None:
    """A request repeats everybody's datum, so it is worth more calls where there are more users."""
    few, many, function = (
        subject_of(mechanism, np.full(users, 0.5), None)
        for mechanism, users in ((Lasting(), 4), (Lasting(), 20_000), (batched, 4))
    )
    assert [len(list(own.spans(400, batches=True))) for own in (few, many, function)] == [16, 1, 1]
    assert [len(list(own.spans(20_000, batches=True))) for own in (few, many, function)] == [16, 16, 10]
    for own in (few, many, function):
        spans = list(own.spans(1234, batches=True))
        assert [start for start, _ in spans] == [0, *(end for _, end in spans[:-1])]
        assert spans[-1][1] == 1234


@pytest.mark.parametrize(("process", "helped_in_order"), [("", False), ("one", False), ("each", True)])
def test_whether_calls_depend_on_each_other_is_seen_in_one_process(process: str, helped_in_order: bool) -> None:
    own, maker = subject_of(noisy, np.full(4, 0.5), None), Shared(Opened(0), crew=Friend(2))
    own.maker, own.process = maker, process
    with in_order(own):
        assert isinstance(own.maker, Shared)
        assert (own.maker.crew is not None) is helped_in_order
    assert own.maker is maker


def test_a_quick_request_is_offered_to_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "SLOW", 100.0)  # as seconds are not to be relied on
    friend, own = Friend(2), Opened(0)()
    own.maker = Shared(Opened(0), crew=friend)
    own.draw(own.dataset(np.zeros(4)), 200, named(1, "quick"))
    assert not friend.made


@pytest.mark.parametrize("number", range(len(ALL)))
def test_what_was_kept_is_not_drawn_again(number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "WRITING", 1e12)
    plain, first, again = (Opened(number)() for _ in range(3))
    tables, calls = [drawn(plain)], []
    for own in (first, again):
        kept = Kept(tmp_path / "check.tables", "run")
        kept.begin()
        made = Shared(Opened(number), kept)
        own.maker = made
        inner, count = own.mixed, itertools.count()
        own.mixed = lambda *given, inner=inner, count=count: (next(count), inner(*given))[1]  # type: ignore[method-assign]
        tables.append(drawn(own))
        calls.append(next(count))
        kept.close()
    for rows in zip(*tables, strict=True):
        assert np.array_equal(rows[0], rows[1])
        assert np.array_equal(rows[0], rows[2])
    assert told(plain) == told(first) == told(again)
    assert calls[1] <= 0.2 * calls[0]  # where something new was learned it is learned again


def test_calls_that_failed_by_accident_are_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sharing, "WRITING", 1e12)
    late = [True]

    def hesitant(data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
        if late.pop() if late else False:
            raise CallTimeout("late")
        return float(rng.random())

    kept = Kept(tmp_path / "check.tables", "run")
    kept.begin()
    found = []
    for _ in range(2):
        own = subject_of(hesitant, np.full(4, 0.5), None)
        own.maker = Shared(Opened(0), kept)
        found.append(own.draw(own.dataset(np.zeros(4)), 8, named(1, "late"))[:, -1])
    kept.close()
    assert found[0].any()
    assert not found[1].any()


TABLE = np.arange(6.0).reshape(3, 2)
KEYS = [bytes([number]) * 16 for number in range(5)]


def written(path: Path, run: str = "run") -> Kept:
    kept = Kept(path, run)
    kept.begin()
    for number, key in enumerate(KEYS[:3]):
        kept.add(key, TABLE + number)
    kept.close()
    return kept


def reread(path: Path, run: str = "run") -> Kept:
    kept = Kept(path, run)
    kept.begin()
    return kept


def test_tables_come_back_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "a" / "check.tables"
    written(path)
    kept = reread(path)
    assert len(kept) == 3
    kept.add(KEYS[3], TABLE - 1)
    for number, key in enumerate(KEYS[:3]):
        assert np.array_equal(kept.get(key), TABLE + number)
    kept.add(KEYS[4], TABLE * np.nan)
    kept.close()
    kept = reread(path)
    assert np.array_equal(kept.get(KEYS[3]), TABLE - 1)
    assert np.isnan(kept.get(KEYS[4])).all()
    assert kept.get(b"0" * 16) is None
    kept.close()


def test_wherever_the_file_was_cut_off_the_whole_records_before_are_read(tmp_path: Path) -> None:
    path = tmp_path / "check.tables"
    written(path)
    whole = path.read_bytes()
    first = whole.index(b"rows")
    size = (len(whole) - first) // 3
    for length in range(len(whole)):
        path.write_bytes(whole[:length])
        kept = reread(path)
        assert len(kept) == max(length - first, 0) // size
        kept.add(KEYS[4], TABLE)
        kept.close()
        kept = reread(path)
        assert np.array_equal(kept.get(KEYS[4]), TABLE)
        kept.close()


def test_zeros_that_a_power_cut_left_are_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "check.tables"
    written(path)
    path.write_bytes(path.read_bytes() + bytes(5000))
    kept = reread(path)
    assert len(kept) == 3
    kept.close()


def test_zeros_that_a_power_cut_left_within_a_record_are_cut_off_with_it(tmp_path: Path) -> None:
    path = tmp_path / "check.tables"
    written(path)
    whole = path.read_bytes()
    first = whole.index(b"rows")
    size = (len(whole) - first) // 3
    for length in range(len(whole)):
        path.write_bytes(whole[:length].ljust(len(whole) + 7, b"\0"))
        kept = reread(path)
        assert len(kept) >= max(length - first, 0) // size
        for number, key in enumerate(KEYS[:3]):
            table = kept.get(key)
            assert table is None or np.array_equal(table, TABLE + number)
        kept.close()


def test_no_edited_byte_is_believed(tmp_path: Path) -> None:
    """It is refused; or, where it makes the last record longer than the file, cut off with all behind it."""
    path = tmp_path / "check.tables"
    written(path)
    whole = path.read_bytes()
    for place in range(len(whole)):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        try:
            kept = reread(path)
        except BadTables as why:
            assert "remove this file to make its calls again" in str(why)  # noqa: PT017 - either will do
            continue
        assert len(kept) < 3
        for number, key in enumerate(KEYS[:3]):
            table = kept.get(key)
            assert table is None or np.array_equal(table, TABLE + number)
        kept.close()


def test_tables_of_another_run_are_refused(tmp_path: Path) -> None:
    written(tmp_path / "check.tables", "one")
    with pytest.raises(BadTables, match="belongs to another run"):
        reread(tmp_path / "check.tables", "two")


class Full:
    """A file on a disk that takes half of what is written."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)

    def write(self, record: bytes) -> int:
        self.inner.write(record[: len(record) // 2])
        raise OSError(28, "No space left on device")


def test_a_full_disk_ends_the_keeping_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "check.tables"
    written(path)
    whole = path.read_bytes()
    kept = reread(path)
    kept._stream = Full(kept._stream)  # type: ignore[assignment]
    kept.add(KEYS[3], TABLE)
    assert kept.get(KEYS[0]) is None
    kept.add(KEYS[4], TABLE)
    assert path.read_bytes() == whole
