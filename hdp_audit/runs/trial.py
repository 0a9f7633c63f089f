"""A few calls of a mechanism, and what they give away: shape, constancy, use of the rng, state between calls."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hdp_audit.audits.behaviour.aftermath import state_findings
from hdp_audit.audits.behaviour.check import KEPT
from hdp_audit.audits.behaviour.probes import probes_of
from hdp_audit.audits.behaviour.state import keeps_noise, remembers
from hdp_audit.audits.case import Case
from hdp_audit.audits.share import Share
from hdp_audit.model.dataset import DatasetTable
from hdp_audit.targets.streams import named, stream
from hdp_audit.targets.subject import Subject

Level = Literal["error", "refuted", "note"]
Output = bytes
BATCH = 100  # outputs of a batch: what goes wrong with many does not show with three
SEED, SIGNIFICANCE = 1, 1e-6
READ = 24  # calls that show a constant output
SELDOM = 0.05  # of the calls: a mechanism that fails so rarely can be audited all the same
OF_ITS_OWN = "a finding of its own (exit code 2), which a waiver can accept"
UNMOVED = (
    "for the same seed the output is the same whatever the data: nobody's datum moves it, so a pass would say nothing; "
    "if data are in other units or words, say in [domain] what a datum is"
)
ONE_DEMAND = (
    "with one number for everybody's demand these calls do not fail: if the function takes one, write "
    "one_demand = true in [mechanism] (one_demand=True in Python), and it gets the smallest"
)
LITTLE = 0.334  # how much better than by chance one user may be guessed, for a fixed output to be a breach


@dataclass(frozen=True)
class Remark:
    """Something a user should know: an error ends the job, a refuted promise fails it, a note does neither."""

    level: Level
    message: str
    traceback: tuple[str, ...] = ()


def remarks(case: Case) -> list[Remark]:
    """Everything that a few calls show; opening the mechanism may raise `HdpAuditError`."""
    subject = case.subject()
    datasets = _datasets(case)
    failed = list(_failures(subject, datasets, private=case.private))
    if not any(remark.level == "error" for remark in failed):
        failed += _kept(case)
    if any(remark.level == "error" for remark in failed):
        return [*failed, *_wants_one_demand(case, datasets[0])]
    return [*failed, *_randomness(case, datasets), *_state(case, datasets[-1])]


def _wants_one_demand(case: Case, data: NDArray[Any]) -> Iterator[Remark]:
    """Whether calls that fail would not if a demand were one number."""
    if case.source != "python" or case.one_demand or case.session:
        return
    subject = replace(case, one_demand=True).subject()
    subject.draw(subject.dataset(data), 3, named(0, "check", "one demand"))
    if not subject.failures:
        yield Remark("note", ONE_DEMAND)


def seconds_a_call(case: Case) -> float:
    """By a few calls, the first ones aside: they may have to load something."""
    subject, data = case.subject(), case.datasets[0]
    subject.draw(data, 3, named(0, "check", "first"))
    size = BATCH if subject.has_batches else 3
    started = time.perf_counter()
    subject.draw(data, size, named(0, "check", "pace"))
    return (time.perf_counter() - started) / size


def _kept(case: Case) -> Iterator[Remark]:
    """Noise that is drawn once and kept, which looks like no noise at all."""
    probes = probes_of(case)
    kept, _ = keeps_noise(probes.opened, probes.unseen, probes.nearby, SEED, SIGNIFICANCE)
    if kept:
        yield Remark("error", KEPT)


def _failures(subject: Subject, datasets: list[NDArray[Any]], *, private: bool) -> Iterator[Remark]:
    """Single calls, batches and tables of datasets on every base dataset."""
    for number, data in enumerate(datasets):
        subject.draw(subject.dataset(data), BATCH if subject.has_batches else 3, named(number, "check", "draw"))
        if hasattr(subject.mechanism, "many"):
            subject.draw_each(DatasetTable.of(np.stack([data, data]), subject.promise), named(number, "check", "each"))
        if hasattr(subject.mechanism, "batch"):
            subject.trusts_batches = False
            subject.draw(subject.dataset(data), 2, named(number, "check", "single"))
            subject.trusts_batches = True
    for kind, failure in subject.failures.items():
        told, often = failure.told(private=private), subject.outcomes[kind] / max(subject.outcomes.total(), 1)
        if often > SELDOM:
            yield Remark("error", told, () if private else failure.frames)
        else:
            count = f"{subject.outcomes[kind]} of {subject.outcomes.total()} calls"
            yield Remark("note", f"{told}; met in {count}, and in a run {OF_ITS_OWN}")


def _randomness(case: Case, datasets: list[NDArray[Any]]) -> Iterator[Remark]:
    """Is the output random, and does the rng rule it?"""
    subject = case.subject()
    if not subject.replayable:
        yield Remark(
            "note", "the mechanism takes no rng: findings cannot be replayed; let it take one, by the name rng"
        )
        yield from _constant(case, datasets)
        return
    first, again = _first(case, datasets[-1], 1), _first(case, datasets[-1], 1)
    if first != again:
        why = "it draws noise of its own" if case.source == "program" else "the rng is ignored"
        yield Remark("note", f"the same seed gives different outputs: {why}, findings cannot be replayed")
    else:
        yield from _constant(case, datasets)
        if case.source == "program":
            yield from _seeds(case, datasets[-1])


def _seeds(case: Case, data: Any) -> Iterator[Remark]:
    """Some generators take 31 bits of a seed and cut off the rest; then different seeds give the same noise."""
    call = _caller(case)
    distinct = len({call(data, seed) for seed in range(1, READ + 1)})
    if 1 < distinct < READ:
        yield Remark(
            "note",
            f"{READ} seeds gave {distinct} different outputs: a coarse grid, or a generator that cuts off large seeds "
            "(try seed % 2147483647)",
        )


def _constant(case: Case, datasets: list[Any]) -> Iterator[Remark]:
    """Outputs that never change: harmless where they say nothing, a leak where one careful user can be read off."""
    call = _caller(case)
    outputs = [[call(data, seed) for seed in (1, 2, 3)] for data in datasets]
    if any(len(set(row)) > 1 for row in outputs):
        if case.claims_something_moves and all(len(set(row)) == len(row) for row in outputs) and _same(outputs):
            yield Remark("note", UNMOVED)
        return
    if len({row[0] for row in outputs}) == 1:
        yield Remark("note", "the output is the same for all data and all calls: there is nothing to audit")
    elif _read_off(case, datasets[0], call):
        yield Remark("refuted", "the output is constant between calls and changes with one careful user: no noise")
    else:
        yield Remark("note", "a few calls gave the same output: little or no noise; the audit says if demands allow it")


def _same(rows: list[list[Output]]) -> bool:
    """Whether each seed gives one output, whatever the data."""
    return all(row == rows[0] for row in rows)


def _read_off(case: Case, data: Any, call: Callable[[Any, int], Output]) -> bool:
    """Whether one user's datum fixes the output, in 24 calls on either dataset.

    p = P(o | x) and q = P(o' | x') obey p + q ≤ 1 + δ(0), so pq ≤ (2/3)² where δ(0) is at most 1/3 (a demand of ln 2).
    A mechanism that keeps the promise looks like this with probability at most (2/3)⁴⁸ < 4e-9.
    """
    mildest = int(np.argmin(case.promise.strengths))
    if case.pairs is not None or case.promise.group(np.array([mildest])).delta(0.0) > LITTLE:
        return False
    other = np.array(data)
    low, high = case.domain.ends()
    other[mildest] = high if other[mildest] == low else low
    first, second = ({call(some, seed) for seed in range(1, READ + 1)} for some in (data, other))
    return len(first) == len(second) == 1 and first != second


def _state(case: Case, data: NDArray[Any]) -> Iterator[Remark]:
    """The same seed after calls on other data, as the audit tries it; a breach only where the data of a call show."""
    subject, probes = case.subject(), probes_of(case)
    if not subject.replayable or _first(case, data, 1) != _first(case, data, 1):
        return  # nothing repeats, so a few calls show nothing
    if not remembers(subject, probes.before, probes.after, SEED):
        return
    found = state_findings(subject, Share(0, SIGNIFICANCE, 1.0 - SIGNIFICANCE, SEED), probes)
    for finding in found:
        yield Remark("refuted" if finding.verdict == "fail" else "error", finding.message)
    if not found:
        yield Remark(
            "note", "the output for a seed changes after other calls: state is carried over, but not their data"
        )


def _first(case: Case, data: NDArray[Any], seed: int) -> Output:
    """The output of the first call of a freshly opened mechanism."""
    return _caller(case)(data, seed)


def _caller(case: Case) -> Callable[[NDArray[Any], int], Output]:
    subject = case.subject()
    subject.trusts_batches = False
    return lambda data, seed: subject.draw(subject.dataset(data), 1, named(seed, "check", "call")).tobytes()


def _datasets(case: Case) -> list[NDArray[Any]]:
    """The base datasets, the user's own data among them."""
    if case.pairs is not None:
        return [case.given[0].first.data, case.given[0].second.data]
    users, domain = len(case.demands), case.domain
    ends = [domain.everybody(users, end) for end in domain.ends()]
    bases = [*ends, domain.random(users, stream(1, "check", "data"))]
    return bases if case.data is None else [case.data, *bases]
