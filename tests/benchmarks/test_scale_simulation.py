"""The simulation of many workers in `benchmarks/scale_simulation.py`: laws that every schedule keeps."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks.scale_simulation import Request, Simulation, extrapolated, recorded

CALL = 0.1


def checks(rng: np.random.Generator, number: int) -> list[list[Request]]:
    return [
        [(float(rng.random()), rng.integers(1, 30, size=rng.integers(0, 20)).tolist()) for _ in range(10)]
        for _ in range(number)
    ]


def alone(requests: list[Request]) -> float:
    return sum(before + CALL * sum(chunks) for before, chunks in requests)


def at_best(requests: list[Request]) -> float:
    """With as many workers as one likes: a chunk is made by one of them, and requests come one after another."""
    return sum(before + CALL * max(chunks, default=0) for before, chunks in requests)


def test_one_worker_takes_the_sum_of_everything() -> None:
    given = checks(np.random.default_rng(1), 5)
    assert Simulation(1, 8, CALL, 0.5).run(given) == pytest.approx(sum(map(alone, given)))


@pytest.mark.parametrize("workers", [2, 3, 10, 1000])
@pytest.mark.parametrize("handing", [0.0, 0.01])
def test_no_schedule_is_faster_than_its_longest_check_or_its_share_of_the_work(workers: int, handing: float) -> None:
    given = checks(np.random.default_rng(2), 6)
    found = Simulation(workers, 4, CALL, handing)
    whole = found.run(given)
    work = sum(CALL * sum(chunks) for check in given for _, chunks in check)
    assert found.busy == pytest.approx(work)
    assert whole >= max(*map(at_best, given), work / workers) * (1 - 1e-9)
    assert whole <= sum(map(alone, given)) * (1 + 1e-9)


def test_with_workers_for_every_chunk_a_check_takes_its_longest_chunks_alone() -> None:
    given = checks(np.random.default_rng(3), 1)
    assert Simulation(1000, 1, CALL, 0.0).run(given) == pytest.approx(at_best(given[0]))


def test_bundles_that_are_handed_out_one_after_another_wait_for_the_desk() -> None:
    """Of eleven bundles of ten seconds the owner makes one; the last of ten is handed out after ten times a second."""
    assert Simulation(11, 1, 1.0, 1.0).run([[(0.0, [10] * 11)]]) == pytest.approx(20.0)


def test_every_call_of_an_audit_is_recorded() -> None:
    stages = recorded(budget=300, users=4)
    calls = [sum(sum(chunks) for _, chunks in check) for stage in stages for check in stage]
    assert len(stages) == 2
    assert sum(calls) >= 300


def test_what_grows_with_users_is_carried_on_to_a_billion() -> None:
    rows = [
        {
            "command": "check",
            "source": "csv",
            "users": users,
            "processor": 2 + 3e-6 * users,
            "memory, MiB": 100 + users / 2**20,
        }
        for users in (10**5, 10**6, 10**7)
    ]
    (found,) = extrapolated(rows)
    assert found["µs a user"] == 3
    assert found["bytes a user"] == 1
    assert found["minutes for a billion"] == round((2 + 3000) / 60, 1)
