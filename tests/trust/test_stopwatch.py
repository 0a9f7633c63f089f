"""A duration becomes a number of calls by the events of small audits, on any clock."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from hdp_audit.audits.case import Case
from hdp_audit.audits.check import Check
from hdp_audit.audits.plan import plan
from hdp_audit.audits.share import Outcome
from hdp_audit.events import Began, Ended, Event, announced
from hdp_audit.model import PrivacyClaim, PrivacyDemands
from hdp_audit.model.task import Mean
from hdp_audit.runs.budget import FIRST, PART, Stopwatch, fixed_budget


def never_called() -> None:
    raise AssertionError("no call is needed")


CASE = Case.of("case", never_called, PrivacyDemands.from_values([0.5, 1.0]), Mean(), privacy=PrivacyClaim())


class Clock:
    """Time passes only where work is done."""

    def __init__(self, seconds_a_call: float) -> None:
        self.now, self.pace = 1000.0, seconds_a_call

    def __call__(self) -> float:
        return self.now

    def each(self, _function: Callable[[Check], Outcome], checks: list[Check]) -> Iterator[Outcome]:
        for check in checks:
            self.now += self.pace * check.share.calls
            yield Outcome(())


def test_the_budget_is_what_the_pace_of_the_last_trial_leaves_time_for() -> None:
    """A millisecond a call in 1,000 s: trials of 64, 256 and so on to 16,384 calls; the last takes more than 2%."""
    clock = Clock(1e-3)
    watch = Stopwatch(clock)
    found = fixed_budget([CASE], 0.999, 1000.0, clock.each, watch)
    assert watch.whole == pytest.approx(clock.now - 1000.0)
    trials = [plan([CASE], confidence=0.999, budget=64 * 4**step, seed=0) for step in range(5)]
    assert watch.whole == pytest.approx(1e-3 * sum(check.share.calls for trial in trials for check in trial))
    assert found == pytest.approx(16_384 * PART * (1000.0 - watch.whole) / watch.last, abs=1)


def test_where_the_trials_took_all_of_the_time_the_least_budget_is_left() -> None:
    clock = Clock(10.0)
    assert fixed_budget([CASE], 0.999, 1.0, clock.each, Stopwatch(clock)) == FIRST


def test_a_stopwatch_hears_the_beginning_and_the_end_of_each_run() -> None:
    times = iter([10.0, 13.0, 20.0, 21.0])
    watch = Stopwatch(lambda: next(times))
    for expected in ((3.0, 3.0), (1.0, 11.0)):
        with announced(["a"], watch):
            pass
        assert (watch.last, watch.whole) == expected


def test_the_end_of_a_run_is_told_however_it_ends() -> None:
    heard: list[Event] = []
    with pytest.raises(KeyboardInterrupt), announced(["a", "b"], heard.append):
        raise KeyboardInterrupt
    assert heard == [Began(("a", "b")), Ended()]
