"""Chunks: a request is cut by its size alone, and the table of a chunk depends on its number alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
import pytest

from hdp_audit.audits.game import draw_round
from hdp_audit.model.domain import Unit
from hdp_audit.targets.chunks import BATCH, FEWEST, MOST, Chunk, sizes
from hdp_audit.targets.streams import named
from hdp_audit.targets.subject import Floats, Subject, here
from tests.subjects import subject_of

Rng = np.random.Generator


def single(data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
    return float(data.sum() + rng.laplace())


class Batched:
    def __call__(self, data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
        return single(data, epsilon, rng)

    def batch(self, data: np.ndarray, epsilon: np.ndarray, rng: Rng, size: int) -> np.ndarray:
        return data.sum() + rng.laplace(size=size)

    def many(self, datasets: np.ndarray, epsilon: np.ndarray, rng: Rng) -> np.ndarray:
        return datasets.sum(axis=1) + rng.laplace(size=len(datasets))


def subject(mechanism: object) -> Subject:
    return subject_of(mechanism, np.full(4, 0.5), None)


def backwards(own: Subject, chunks: Sequence[Chunk]) -> Iterable[Floats]:
    """The last chunk first, each in a process that knows nothing of the others."""
    found = [next(iter(here(subject(own.mechanism), [chunk]))) for chunk in reversed(chunks)]
    return reversed(found)


def requests(own: Subject) -> Iterator[Floats]:
    pair = own.pair(Unit().bases(4)[0], np.array([1]))
    coins = np.arange(700) % 3 == 0
    yield own.draw(pair.first, 5000, named(1, "one"))
    yield own.draw_mixed(pair.first, pair.second, coins, named(1, "two"))
    yield own.draw_each([pair.first, pair.second] * 300, named(1, "three"))
    table, tossed = draw_round(own, pair, 5000, 1, "four")
    yield np.column_stack([table, tossed])


@pytest.mark.parametrize("mechanism", [single, Batched()])
def test_a_table_does_not_depend_on_who_makes_which_chunk_and_when(mechanism: object) -> None:
    one, other = subject(mechanism), subject(mechanism)
    other.maker = backwards
    for ours, theirs in zip(requests(one), requests(other), strict=True):
        assert np.array_equal(ours, theirs)
        assert len(np.unique(ours[:, 0])) == len(ours)  # no stream is used twice
    assert one.calls == other.calls == 11_300
    assert one.outcomes == other.outcomes


def test_a_small_request_draws_from_the_stream_that_it_names() -> None:
    own = subject(single)
    rng, table = named(3, "few").generator(), own.draw(own.dataset(np.zeros(4)), FEWEST, named(3, "few"))
    assert table[:, 0].tolist() == [rng.laplace() for _ in range(FEWEST)]


@pytest.mark.parametrize("calls", [0, 1, FEWEST, FEWEST + 1, 130, 3000, 100_000])
@pytest.mark.parametrize("batches", [False, True])
def test_every_call_is_in_one_chunk(calls: int, batches: bool) -> None:
    spans = list(sizes(calls, batches=batches))
    assert [start for start, _ in spans] == [0, *(end for _, end in spans[:-1])]
    assert spans[-1][1] == calls
    assert all(end - start <= (BATCH if batches else MOST) for start, end in spans)
    assert batches or all(end - start >= FEWEST for start, end in spans[:-1])
