"""How long a run takes, and how long it still will: on clocks on which only calls take time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hdp_audit.audits.case import Case
from hdp_audit.audits.check import Check
from hdp_audit.audits.plan import plan
from hdp_audit.audits.share import FEW, Outcome
from hdp_audit.model import PrivacyClaim, PrivacyDemands
from hdp_audit.model.task import Mean
from hdp_audit.runs.budget import FIRST, LARGER, Stopwatch, fixed_budget, turns
from hdp_audit.runs.readiness import brief
from hdp_audit.targets.command import Command
from hdp_audit.targets.made import calls_made
from hdp_audit.targets.program import OpenedProgram
from hdp_audit.targets.streams import named
from hdp_audit.watching.time_left import TimeLeft, in_words
from tests.cli.specs import TARGET, invoke, written
from tests.subjects import subject_of


def never_called() -> None:
    raise AssertionError("no call is needed")


DEMANDS = PrivacyDemands.from_values([0.1] * 10 + [0.5] * 10)
CASE = Case.of("case", never_called, DEMANDS, Mean(), privacy=PrivacyClaim())


class Clock:
    """A call takes so long; as many checks as there are jobs run side by side."""

    def __init__(self, seconds_a_call: float, jobs: int, beginning: float = 0.3) -> None:
        self.now, self.pace, self.jobs, self.beginning = 50.0, seconds_a_call, jobs, beginning

    def __call__(self) -> float:
        return self.now

    def each(self, _function: Callable[[Check], Outcome], checks: list[Check]) -> Iterator[Outcome]:
        self.now += self.beginning / 2 + self.pace * turns(checks, self.jobs)
        yield from (Outcome(()) for _ in checks)


@pytest.mark.parametrize("beginning", [0.3, 2.0, 4.0])
@pytest.mark.parametrize("jobs", [1, 2, 8])
@pytest.mark.parametrize("pace", [0.001, 0.005, 0.02])
def test_a_minute_of_slow_calls_is_spent_on_the_audit_and_not_on_trials(
    pace: float, jobs: int, beginning: float
) -> None:
    clock = Clock(pace, jobs, beginning)
    watch = Stopwatch(clock)
    budget = fixed_budget([CASE], 0.999, 60.0, clock.each, watch, jobs)
    checks = plan([CASE], confidence=0.999, budget=budget, seed=1)
    assert watch.whole < (10.0 + 4.0 * beginning if pace < 0.02 else 30.0)
    whole = watch.whole + beginning + pace * turns(checks, jobs)
    assert whole < 64.0
    hardly_calls = pace / jobs < 0.1 * beginning / LARGER  # of which trials show no pace
    assert whole > 50.0 or budget < FEW or hardly_calls


def test_where_calls_are_too_slow_for_all_checks_a_few_calls_are_planned() -> None:
    clock = Clock(0.2, 1)
    budget = fixed_budget([CASE], 0.999, 100.0, clock.each, Stopwatch(clock), 1)
    assert FIRST <= budget < FEW


def test_calls_are_made_side_by_side_but_for_those_that_one_process_has_to_make() -> None:
    checks = plan([CASE], confidence=0.999, budget=10_000, seed=1)
    first = sum(check.expected_calls for check in checks if check.comes_first)
    rest = sum(check.expected_calls for check in checks if not check.comes_first)
    (alone,) = {check.calls_in_order for check in checks if check.comes_first}
    assert turns(checks, 1) == first + rest
    assert turns(checks, 2) == alone + (first - alone + rest) / 2
    assert 0 < alone < first


def test_a_program_that_is_started_for_each_call_is_started_side_by_side() -> None:
    command = Command(("true",), Path(), protocol="once")
    case = replace(CASE, opened=OpenedProgram(command, None))
    checks = plan([case], confidence=0.999, budget=10_000, seed=1)
    calls = sum(check.expected_calls for check in checks)
    assert turns(checks, 2) == calls / 2
    assert calls < sum(check.expected_calls for check in plan([CASE], confidence=0.999, budget=10_000, seed=1))


def test_after_a_tenth_of_even_calls_the_time_left_is_right() -> None:
    now, made = [0.0], [100]
    left = TimeLeft(lambda: now[0], lambda: made[0])
    left.begin(((1000, 1),))
    assert left.words() == ""
    now[0], made[0] = 6.0, 200
    assert left.seconds() == pytest.approx(54.0)
    assert left.words() == "about 54 s left"
    left.correct(0, -500)
    assert left.seconds() == pytest.approx(24.0)


def test_what_workers_take_to_start_tells_no_pace() -> None:
    now, made = [0.0], [0]
    left = TimeLeft(lambda: now[0], lambda: made[0])
    left.begin(((1000, 1),))
    now[0] = 30.0
    assert left.seconds() is None
    now[0], made[0] = 36.0, 100
    assert left.seconds() == pytest.approx(54.0)


def test_calls_side_by_side_take_less_of_the_time_that_is_left() -> None:
    now, made = [0.0], [0]
    left = TimeLeft(lambda: now[0], lambda: made[0])
    left.begin(((100, 1), (800, 2)))  # 500 turns
    now[0], made[0] = 1.0, 100
    assert left.seconds() == pytest.approx(4.0)
    now[0], made[0] = 3.0, 500
    assert left.seconds() == pytest.approx(2.0)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.2, "1 s"), (99.0, "99 s"), (100.0, "2 min"), (5400.0, "90 min"), (20_000.0, "6 h")]
)
def test_a_duration_is_one_number_with_its_unit(seconds: float, words: str) -> None:
    assert in_words(seconds) == words


def noise_alone(data: object, epsilon: object, rng: np.random.Generator) -> float:
    return float(rng.random())


def test_calls_are_counted_as_they_are_made() -> None:
    subject = subject_of(noise_alone, [0.5, 1.0])
    before = calls_made()
    subject.draw(subject.dataset(np.array([0.0, 1.0])), 7, named(1, "test"))
    assert calls_made() == before + 7


def test_check_says_how_long_a_run_takes(tmp_path: Path) -> None:
    found = invoke("check", written(tmp_path, TARGET.format(name="private_mean")))
    assert re.search(r"^a run takes about \d+ s at less than 1 ms a call, with \d+ workers?$", found.output, re.M)


@pytest.mark.parametrize(
    ("seconds", "words"),
    [
        (2e-4, "less than 1 ms"),
        (0.0012, "1.2 ms"),
        (0.0099, "10 ms"),
        (0.2, "200 ms"),
        (1.24, "1.2 s"),
        (120.0, "120 s"),
    ],
)
def test_the_time_of_a_call_is_no_power_of_ten(seconds: float, words: str) -> None:
    assert brief(seconds) == words
