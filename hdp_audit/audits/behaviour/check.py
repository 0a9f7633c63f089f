"""What the mechanism does that no mechanism may do, or that makes a verdict about it empty."""

from __future__ import annotations

import reprlib
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np

from hdp_audit.audits.behaviour.aftermath import STATE, state_findings
from hdp_audit.audits.behaviour.alone import SINGLE_CALLS, alone_findings
from hdp_audit.audits.behaviour.forms import ROWS, form_findings
from hdp_audit.audits.behaviour.independence import BATCHES, FEW, LARGEST, LEAST, dependence
from hdp_audit.audits.behaviour.inert import inert_findings
from hdp_audit.audits.behaviour.probes import Probes, probes_of
from hdp_audit.audits.behaviour.state import keeps_noise, one
from hdp_audit.audits.case import Case
from hdp_audit.audits.check import Check
from hdp_audit.audits.decide import SHOWN
from hdp_audit.audits.share import FEW as FEW_CALLS
from hdp_audit.audits.share import Outcome, Share
from hdp_audit.audits.trial import UNANSWERED
from hdp_audit.model.dataset import Dataset, repeated
from hdp_audit.model.finding import Finding, Kind
from hdp_audit.model.subject import ASSUMED, UNREPEATED
from hdp_audit.model.vector import Vector
from hdp_audit.targets.calls import process_of
from hdp_audit.targets.custom import Encoded
from hdp_audit.targets.failures import FINE, LATE, NAMES
from hdp_audit.targets.sharing import in_order
from hdp_audit.targets.spelling import spelled
from hdp_audit.targets.streams import named, stream
from hdp_audit.targets.subject import Subject

KEPT = (
    "the same data always give the same output: noise is drawn once and kept, so calls are not independent and the "
    "game cannot judge it; give a mechanism that draws fresh noise in each call"
)
IN_ORDER = "every call is made by itself, in random order, so that time tells nothing about data"
REPLACED, SHOWN_NAMES = "replaced", 8
REPLACES = (
    "calls put code of their own in the place of {names}; it was put back, but figures may have been calculated with "
    "it; let the mechanism call its own functions by their own names"
)
FOUND = (REPLACED, "independence", "drift", "forms", "state", "memoised", "inert")
INDEPENDENT = "calls are independent of each other and of the time"
TRIES = 64  # calls, before it is said that the mechanism never answers
USUAL, SINGLE, BRIEF = 2700, 1140, 20  # calls
PARTS = 4  # of the significance: kept noise, dependent calls, forms that differ, state


@dataclass(frozen=True, eq=False)
class BehaviourCheck(Check):
    """Comes before all other checks of its case, and says how far they may trust batches."""

    topic: ClassVar[str] = "behaviour"
    comes_first: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """One for each case."""
        return "behaviour"

    @property
    def expected_calls(self) -> int:
        """Counted once with batches, where it takes most, and with single calls of programs; a few of few calls."""
        if self.share.few:
            return BRIEF
        return SINGLE if self._started_each else USUAL + self.share.calls

    @property
    def calls_in_order(self) -> int:
        """Those that show whether calls depend on each other."""
        return 0 if self.share.few or self._started_each else BATCHES * LEAST

    @property
    def _started_each(self) -> bool:
        return process_of(self.case.opened) == "each"

    @classmethod
    def id_of(cls, case: Case) -> str:
        """The id of a case's behaviour check."""
        return cls(case, Share(0, 0.0, 0.0, 0)).id

    def run(self, subject: Subject) -> Outcome:
        """Everything that can be seen without a claim."""
        return audit_behaviour(subject, self.share, probes_of(self.case))

    def possible(self) -> Iterator[tuple[Kind, str]]:
        """What no mechanism may do, whatever it promises."""
        yield from (("behaviour", what) for what in FOUND)
        yield from (("behaviour", f"call/{name}") for name in NAMES.values())
        if self.case.privacy is not None:
            yield from (("privacy", what) for what in (STATE, SINGLE_CALLS))


def audit_behaviour(subject: Subject, share: Share, probes: Probes) -> Outcome:
    """What would make the game's argument wrong, or its pass empty: kept noise, dependent calls, state, no effect.

    After that nothing but single calls is believed where outputs of a batch depend on each other or on the time, or are
    not those of single calls; and where no call gave an output, or noise is kept, nothing else is tried. Each of kept
    noise, dependent calls, forms that differ and state has a quarter of the significance.
    """
    if (
        share.few and isinstance(subject.domain, Vector) and not isinstance(subject.mechanism, Encoded)
    ):  # no two calls have the same data
        return Outcome((), details=assumed(INDEPENDENT))
    part = replace(share, significance=share.significance / PARTS)
    kept, calls = keeps_noise(probes.opened, probes.unseen, probes.nearby, share.seed, part.significance)
    subject.calls += calls
    if kept:
        return Outcome((_error(subject, "memoised", KEPT),), barred=KEPT)
    if not answers(subject, probes.datasets, share.seed):
        return Outcome((), barred=UNANSWERED)
    if share.few:
        return Outcome((), details=assumed(f"{INDEPENDENT}, and that a datum moves the output"))
    half = replace(part, significance=part.significance / 2)
    with in_order(subject):  # whether calls depend on each other shows only there
        found = list(_independence(subject, part, probes.datasets[-1]))
    if not found:  # outputs that depend on each other are of no use for a comparison
        found.extend(form_findings(subject, half, probes.datasets, _size(subject, share)))
    if not found:
        found.extend(alone_findings(subject, half, probes.groups))
    found.extend(state_findings(subject, part, probes))
    trusted = LATE not in subject.failures and all(finding.verdict == "pass" for finding in found)
    subject.trusts_batches = subject.trusts_batches and trusted
    if not found:  # else outputs may differ, or not, for other reasons than data
        found.extend(inert_findings(subject, share, probes.contrasts))
    return Outcome(tuple(found), details=repeated_or_not(subject, probes, share.seed), trusts_batches=trusted)


def answers(subject: Subject, datasets: list[Dataset], seed: int) -> bool:
    """A call on each dataset; where all of them fail, up to TRIES calls until one gives an output."""
    rows = [one(subject, data, stream(seed, "behaviour", number)) for number, data in enumerate(datasets)]
    number = len(rows)
    while all(row[-1] != FINE for row in rows) and number < TRIES and not subject.given_up:
        rows = [one(subject, datasets[number % len(datasets)], stream(seed, "behaviour", number))]
        number += 1
    return any(row[-1] == FINE for row in rows)


def repeated_or_not(subject: Subject, probes: Probes, seed: int) -> dict[str, bool]:
    """A detail where the mechanism, opened twice, gives other outputs for the same data and seed.

    Its few calls are not counted: no claim is judged by them.
    """
    if LATE in subject.failures or subject.given_up:
        return {}
    opened = [probes.opened() for _ in range(2)]
    rows = [
        [one(each, data, stream(seed, "behaviour", "again", at)).tobytes() for at, data in enumerate(probes.datasets)]
        for each in opened
    ]
    return {} if rows[0] == rows[1] else {UNREPEATED: True}


def _independence(subject: Subject, share: Share, data: Dataset) -> Iterator[Finding]:
    """Batches, or single calls where there are none, and tables of datasets; the first that is wrong."""
    size = _size(subject, share)
    part = share.significance / 2
    tables = [subject.draw(data, size, named(share.seed, "independence", batch)) for batch in range(BATCHES)]
    wrong = dependence(tables, stream(share.seed, "independence", "orders"), part)
    rows = ROWS // max(subject.epsilon.size, 1)
    if wrong is None and subject.has_tables and rows >= FEW and isinstance(data.data, np.ndarray):
        several = repeated(data, min(rows, LEAST))
        each = [subject.draw_each(several, named(share.seed, "independence", "each", at)) for at in range(BATCHES // 2)]
        wrong = dependence(each, stream(share.seed, "independence", "each", "orders"), part)
    if wrong is None:
        return
    if not wrong.drifts:
        yield _error(subject, "independence", wrong.message)
    elif subject.has_batches:
        yield _error(subject, "drift", f"{wrong.message}: batches cannot be compared; from now on {IN_ORDER}")
    else:
        yield Finding.about(subject.name, "behaviour", "drift", "pass", f"{wrong.message}; {IN_ORDER}")


def _size(subject: Subject, share: Share) -> int:
    """Outputs of a batch."""
    return int(np.clip(share.calls // (2 * BATCHES), LEAST, LARGEST)) if subject.has_batches else LEAST


def failures(subject: Subject, *, private: bool) -> list[Finding]:
    """Calls that failed, one finding per kind; with the user's own data in play neither input nor output is shown."""
    found = []
    for kind, failure in subject.failures.items():
        facts = {} if private else {"input": displayed(failure.data), "output": displayed(failure.output)}
        error = _error(subject, f"call/{NAMES[kind]}", failure.told(private=private), facts)
        found.append(error if private else replace(error, traceback=failure.frames))
    if subject.replaced:
        found.append(_error(subject, REPLACED, REPLACES.format(names=", ".join(subject.replaced[:SHOWN_NAMES]))))
    return found


def assumed(what: str) -> dict[str, str]:
    """Not tested, which a report says beside its verdict."""
    alone = "Nobody was tried alone, and the lowest bits of doubles were not looked at."
    return {ASSUMED: f"With fewer than {FEW_CALLS} calls it was not tested, but assumed, that {what}. {alone}"}


def _error(subject: Subject, what: str, message: str, facts: dict[str, object] | None = None) -> Finding:
    return Finding.about(subject.name, "behaviour", what, "error", message, facts=facts or {})


def displayed(value: Any) -> object:
    """All of a number, a text or a small array, so that the call can be made again; of anything else its ends."""
    if isinstance(value, np.generic):
        return displayed(value.item())
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)  # "nan" and "inf" are words in JSON
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, str):
        return spelled(value[:1000])
    if isinstance(value, np.ndarray) and value.ndim <= 1 and value.size <= SHOWN:
        return [displayed(entry) for entry in value.tolist()]
    if isinstance(value, (list, tuple)) and len(value) <= SHOWN and all(np.isscalar(entry) for entry in value):
        return [displayed(entry) for entry in value]
    return reprlib.repr(value)
