"""Calls that influence each other: each way has its own verdict in a run, and its own sentence."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from hdp_audit.audits.game import draw_round, play
from hdp_audit.model import PrivacyClaim
from tests.subjects import bases, subject_of
from tests.trust.released import Rng, audited, behaviour, released, single, verdicts, with_batch


@pytest.mark.parametrize(
    "batch",
    [
        lambda data, epsilon, rng, size: np.resize(released(data, epsilon, rng, (size + 1) // 2), size),
        lambda data, epsilon, rng, size: np.repeat(released(data, epsilon, rng, (size + 1) // 2), 2)[:size],
        lambda data, epsilon, rng, size: rng.permutation(
            np.resize(released(data, epsilon, rng, (size + 1) // 2), size)
        ),
        lambda data, epsilon, rng, size: np.sort(released(data, epsilon, rng, size)),
    ],
)
def test_a_batch_that_repeats_or_sorts_its_outputs_is_an_error_and_no_accusation(batch: Callable[..., Any]) -> None:
    report = audited(with_batch(batch))
    assert behaviour(report)["independence"].verdict == "error"
    assert verdicts(report) <= {"pass", "inconclusive"}


class Drifting:
    """Correct, but its output rises with every call, or with every output."""

    name = "drifting"

    def __init__(self, step: float, *, each: bool) -> None:
        self.calls, self.step, self.each = 0, step, each

    def __call__(self, data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
        return float(self.batch(data, epsilon, rng, 1)[0])

    def batch(self, data: np.ndarray, epsilon: np.ndarray, rng: Rng, size: int) -> np.ndarray:
        time = self.calls + np.arange(size) * self.each
        self.calls += size if self.each else 1
        return released(data, epsilon, rng, size) + self.step * time


@pytest.mark.parametrize(("step", "each"), [(0.05, False), (1.0, False), (1e-3, True)])
def test_a_drift_is_an_error_of_batches_and_no_accusation(step: float, each: bool) -> None:
    report = audited(Drifting(step, each=each))
    assert "change with time or with the number of calls" in behaviour(report)["drift"].message
    assert behaviour(report)["drift"].verdict == "error"
    assert "fail" not in verdicts(report)


@pytest.mark.parametrize("seed", range(4))
def test_a_drift_too_slow_to_be_seen_accuses_nobody(seed: int) -> None:
    """Significance 10⁻⁶; before the datasets took turns half of the seeds were refuted."""

    def rising(data: np.ndarray, epsilon: np.ndarray, rng: Rng, size: int) -> np.ndarray:
        nonlocal drawn
        drawn += size
        return rng.laplace(size=size) + 3e-5 * np.arange(drawn - size, drawn)

    drawn = 0
    subject = subject_of(with_batch(rising), np.zeros(4), None, "rising")
    game = play(subject, [subject.pair(bases(4, None)[0], np.arange(4))], 60_000, 1e-6, seed, "drift")
    assert not game.wealth.refutes


def test_the_datasets_of_a_round_take_turns() -> None:
    asked = []

    def batch(data: np.ndarray, epsilon: np.ndarray, rng: Rng, size: int) -> np.ndarray:
        asked.extend([float(data[0])] * size)
        return np.full(size, data[0]) + np.arange(len(asked) - size, len(asked))

    subject = subject_of(with_batch(batch), np.ones(1), None, "turns")
    pair = subject.pair(bases(1, None)[0], np.array([0]))
    when: dict[bool, list[float]] = {False: [], True: []}
    for seed in range(8):
        table, coins = draw_round(subject, pair, 4000, seed, "turns")
        times = table[:, 0] - coins
        when[False].append(times[~coins].mean() - times.mean())
        when[True].append(times[coins].mean() - times.mean())
        assert (np.diff(np.flatnonzero(np.diff(asked[-4000:]))) < 2500).all()
    # a steady drift: within each round both datasets are as late on average, to a few per cent of its length
    assert np.abs(when[False]).max() < 0.05 * 4000
    assert len({np.sign(late) for late in when[True]}) == 2  # and neither is always the later one


def test_a_clock_without_batches_passes_and_is_told_of() -> None:
    calls = 0

    def clock(data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
        nonlocal calls
        calls += 1
        return single(data, epsilon, rng) + 0.01 * calls

    report = audited(clock, privacy=PrivacyClaim(floating_point="off", detect=5.0))
    assert behaviour(report)["drift"].verdict == report.verdict == "pass"


class Remembers:
    """Adds the mean of the call before to its output: far beside the noise, or in digits that nobody looks at."""

    name = "remembers"

    def __init__(self, factor: float) -> None:
        self.last, self.factor = 0.0, factor

    def __call__(self, data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
        last, self.last = self.last, float(data.mean())
        return round(single(data, epsilon, rng), 3) + self.factor * last


def test_an_output_that_tells_the_data_of_the_call_before_is_refuted() -> None:
    report = audited(Remembers(10.0))
    (finding,) = (f for f in report.findings if f.id.endswith("/privacy/state"))
    assert (finding.verdict, report.verdict) == ("fail", "fail")
    assert "tells the data of the call before it" in finding.message
    assert finding.lower is not None
    assert finding.lower.value > finding.claimed


def test_data_of_the_call_before_in_hidden_digits_are_refuted() -> None:
    """The noise has three digits: the rest of them is the call before."""
    report = audited(Remembers(1e-6))
    assert [f.verdict for f in report.findings if f.id.endswith("/privacy/state")] == ["fail"]


class RemembersLonger(Remembers):
    """Adds the mean of the call before the last one."""

    def __init__(self) -> None:
        super().__init__(10.0)
        self.before = 0.0

    def __call__(self, data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
        last, self.before, self.last = self.before, self.last, float(data.mean())
        return single(data, epsilon, rng) + self.factor * last


def test_data_of_the_call_before_the_last_are_an_error() -> None:
    found = behaviour(audited(RemembersLonger()))
    assert found["state"].verdict == "error"
    assert "depends on the data of an earlier call" in found["state"].message


def test_data_of_the_call_before_are_found_without_our_rng() -> None:
    rng, last = np.random.default_rng(3), [0.0]

    def release(data: np.ndarray, epsilon: np.ndarray) -> float:
        told, last[0] = last[0], float(data.mean())
        return single(data, epsilon, rng) + 10 * told

    assert any(f.id.endswith("/privacy/state") and f.verdict == "fail" for f in audited(release).findings)


def test_outputs_that_are_used_again_are_an_error_and_no_accusation() -> None:
    """What has been released may go into later outputs: they depend on earlier data, but tell nothing new of them."""
    last = [0.0]

    def smooth(data: np.ndarray, epsilon: np.ndarray, rng: Rng) -> float:
        last[0] = 0.5 * last[0] + 0.5 * single(data, epsilon, rng)
        return last[0]

    report = audited(smooth)
    assert behaviour(report)["state"].verdict == "error"
    assert "fail" not in verdicts(report)


@pytest.mark.parametrize("own_noise", [False, True])
def test_a_mechanism_without_state_has_no_finding_about_it(own_noise: bool) -> None:
    """Significance 2.5·10⁻⁵ by the plan."""
    rng = np.random.default_rng(4)

    def release(data: np.ndarray, epsilon: np.ndarray, ours: Rng) -> float:
        return single(data, epsilon, rng if own_noise else ours)

    assert not behaviour(audited(release))
