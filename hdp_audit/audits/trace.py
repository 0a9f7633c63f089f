"""The losses that a mechanism's own draws show: a calculation beside the tests, and a gate without randomness."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hdp_audit.audits import decide
from hdp_audit.audits.check import Check
from hdp_audit.audits.share import Outcome
from hdp_audit.model.bound import Bound
from hdp_audit.model.claim import PrivacyClaim
from hdp_audit.model.finding import Finding, Kind, Verdict
from hdp_audit.targets.subject import Subject
from hdp_audit.tracing.confirm import counted
from hdp_audit.tracing.everybody import Question
from hdp_audit.tracing.execution import Execution
from hdp_audit.tracing.shown import shown_loss
from hdp_audit.tracing.trace import Trace, exceeds, traced, traced_pairs

FOUND: tuple[Kind, str] = ("privacy", "trace")
CONFIRMING = 1 / 10  # of its calls, on each of two datasets
MOST_CONFIRMING = 4_000


@dataclass(frozen=True, eq=False)
class TraceCheck(Check):
    """One finding where tracing decides; where it does not, the subject's details say why."""

    @property
    def name(self) -> str:
        """One for each case."""
        return "privacy/trace"

    @property
    def _alone(self) -> bool:
        return self.case.privacy is not None and self.case.privacy.trace == "only"

    def run(self, subject: Subject) -> Outcome:
        """Everybody on every base dataset; own data are left out, as parameters of draws may tell them."""
        execution = Execution(self.case.opened(), most=self.share.calls)
        if self.case.pairs is not None:
            found = traced_pairs(execution, self.case.given)
        else:
            found = traced(Question(execution, self.case.promise, self.case.domain, self.case.neighbours), self.case.bases())
        subject.calls += execution.calls
        finding = self._finding(found, subject)
        details = {} if finding is not None and finding.verdict != "inconclusive" else {"not_traced": _why(found)}
        return Outcome((finding,) if finding is not None else (), traced=found.losses, details=details)

    def _finding(self, found: Trace, subject: Subject) -> Finding | None:
        if found.breaks:
            return self._broken(found, subject)
        if found.within:
            return self._kept(found)
        return self._open(*FOUND, f"not decided by tracing: {_why(found)}") if self._alone else None

    def _broken(self, found: Trace, subject: Subject) -> Finding:
        worst = found.worst
        assert worst is not None  # noqa: S101 (a trace that breaks a promise has a worst pair)
        counts = None
        if not self._alone and worst.found.events:
            calls = min(int(CONFIRMING * self.share.calls), MOST_CONFIRMING)
            counts = counted(self.case.opened(), worst.pair, worst.found.events, calls, self.share.seed)
            subject.calls += 2 * calls
        shown = shown_loss(worst, counts)
        verdict: Verdict = "fail"
        loss = f"{worst.found.lower:.6g}"
        who = f"user {worst.user} demands ε = {worst.demand:g} and loses {'' if worst.found.exact else 'at least '}{loss}"
        if self.case.pairs is not None:
            who = f"{worst.pair.base} may lose {worst.demand:g} and loses {'' if worst.found.exact else 'at least '}{loss}"
        message = f"{who}, by the draws of the mechanism itself{_line(shown.draws[0]) if shown.draws else ''}"
        if shown.flow:
            message += f"; {shown.flow}"
        if counts is not None and not counts.agrees:
            verdict = "inconclusive"
            message = (
                f"{who} by its draws, but calls with real noise do not agree: the event came {counts.first} and "
                f"{counts.second} times in {counts.calls} calls on either dataset, where tracing expects "
                f"{_times(shown.probabilities, counts.calls)}; look for state that calls leave behind"
            )
        exceeding = np.flatnonzero([exceeds(loss, demand) for loss, demand in zip(found.losses, found.demands, strict=True)])
        users = decide.shown(exceeding) if exceeding.size and self.case.pairs is None else decide.shown(worst.pair.users)
        return Finding.about(
            self.case.name,
            *FOUND,
            verdict,
            message,
            "traced",
            users=users,
            claimed=worst.demand,
            lower=Bound.lower(worst.found.lower, "tracing/event"),
            upper=None if np.isnan(worst.found.upper) else Bound.upper(worst.found.upper, "tracing/alignment"),
            calls=found.calls + (0 if counts is None else 2 * counts.calls),
            traced=shown,
        )

    def _kept(self, found: Trace) -> Finding:
        worst = found.worst
        asked = int(np.isfinite(found.demands).sum())
        what = "pairs of datasets" if self.case.pairs is not None else "users on the base datasets"
        count = len(found.pairs) if self.case.pairs is not None else asked
        message = f"the draws of the mechanism bound the loss of all {count} {what} by what was promised"
        if worst is not None:
            message += f": at most {worst.found.loss:.6g} of {worst.demand:g}"
        return Finding.about(
            self.case.name,
            *FOUND,
            "pass",
            message,
            "traced",
            claimed=worst.demand if worst is not None else None,
            upper=Bound.upper(worst.found.loss, "tracing/alignment") if worst is not None else None,
            calls=found.calls,
            traced=shown_loss(worst, None) if worst is not None else None,
        )

    def unanswered(self, why: str) -> tuple[Finding, ...]:
        """Left open."""
        return (self._open(*FOUND, why),) if self._alone else ()

    def possible(self) -> Iterator[tuple[Kind, str]]:
        """One finding."""
        yield FOUND


def trace_checks(claim: PrivacyClaim | None, source: str) -> bool:
    """Whether draws can be followed at all: of Python functions, unless it was turned off."""
    return source == "python" and (claim is None or claim.trace != "off")


def _why(found: Trace) -> str:
    if found.why:
        return found.why
    unknown = int(np.isnan(found.losses[np.isfinite(found.demands)]).sum())
    if unknown:
        return f"nothing is known of {unknown} of {found.losses.size} users"
    return "an alignment allows more than was promised, and no event is known that has as much"


def _line(draw: Any) -> str:
    return f": {draw.law}, scale {draw.scale}, at {draw.file}:{draw.line}"


def _times(chances: tuple[float, float] | None, calls: int) -> str:
    return "other counts" if chances is None else f"{chances[0] * calls:.6g} and {chances[1] * calls:.6g}"
