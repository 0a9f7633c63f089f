"""Executors: results in order, the same whoever computes, and a death is one item's."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from hdp_audit.errors import HdpAuditError, InvalidInput
from hdp_audit.targets.executors import cores, executor


def square(number: int) -> int:
    return number * number


def process(_: int) -> int:
    return os.getpid()


def fragile(number: int) -> int:
    if number == 3:
        os._exit(1)
    return number


def refuses(number: int) -> int:
    raise HdpAuditError(f"no {number}")


def lost(item: object, _fate: object) -> str:
    return f"lost {item}"


@pytest.mark.parametrize(("jobs", "apart"), [(1, False), (1, True), (2, False)])
def test_results_come_in_order(jobs: int, apart: bool) -> None:
    with executor("local", jobs, lost, apart=apart) as each:
        assert list(each(square, list(range(20)))) == [n * n for n in range(20)]
        assert list(each(square, [])) == []


def test_one_job_stays_here_unless_it_has_to_be_apart() -> None:
    with executor("local", 1, lost, apart=False) as each:
        assert list(each(process, [1])) == [os.getpid()]
    with executor("local", 1, lost, apart=True) as each:
        assert list(each(process, [1])) != [os.getpid()]


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_death_costs_one_item(jobs: int) -> None:
    with executor("local", jobs, lost, apart=True) as each:
        assert list(each(fragile, [1, 2, 3, 4, 5])) == [1, 2, "lost 3", 4, 5]


def test_a_refusal_comes_through() -> None:
    with pytest.raises(HdpAuditError, match="no 1"), executor("local", 2, lost, apart=True) as each:
        list(each(refuses, [1, 2]))


def test_results_can_be_taken_one_by_one() -> None:
    with executor("local", 2, lost, apart=True) as each:
        results: Iterator[int] = iter(each(square, [1, 2, 3]))
        assert next(results) == 1
        assert next(results) == 4


def test_unknown_executors_are_refused() -> None:
    for text in ("cloud", "local=3", ""):
        with pytest.raises(InvalidInput, match="allowed: local, dask"), executor(text, 1, lost, apart=False):
            pass
    assert cores() >= 1
