"""The losses that a mechanism's own draws show: a calculation beside the tests, and a gate without randomness."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from hdp_audit.audits import decide
from hdp_audit.audits.case import Case
from hdp_audit.audits.check import Check
from hdp_audit.audits.claim_test import claim_test
from hdp_audit.audits.exhibits import Exhibit, asked, keep
from hdp_audit.audits.forecast import Forecast
from hdp_audit.audits.share import Outcome
from hdp_audit.distinguishers.plain import Rule
from hdp_audit.errors import InvalidInput
from hdp_audit.model.bound import Bound
from hdp_audit.model.finding import Finding, Kind, Verdict
from hdp_audit.model.subject import NOT_TRACED
from hdp_audit.model.traced import Counted, TracedLoss
from hdp_audit.targets.streams import named
from hdp_audit.targets.subject import Subject
from hdp_audit.tracing.confirm import counted
from hdp_audit.tracing.everybody import Question
from hdp_audit.tracing.execution import Execution
from hdp_audit.tracing.plain import chances, plain_event
from hdp_audit.tracing.promised import measure_for
from hdp_audit.tracing.result import Trace, TracedPair
from hdp_audit.tracing.shown import shown_loss
from hdp_audit.tracing.trace import traced, traced_pairs

FOUND: tuple[Kind, str] = ("privacy", "trace")
TRACING = 1 / 20  # of the budget, on top of it; of a small one more
LEAST = 2_000  # calls beside tests, below which hardly anything can be followed
FROM, USUAL = 20_000, 3_000  # from this budget on so many are made at least: they find most faults
FEW = f"a budget of {{:,}} calls leaves too few for it; from {FROM:,} on it is done"
CONFIRMING = 1 / 5  # of its calls
MOST_CONFIRMING = 8_000
PATIENCE = 5.0  # seconds that a forecast may take
BY_CALLS = 'trace = "auto" tests by calls as well'
FORESEEN = 50_000  # calls of a forecast, at most


@dataclass(frozen=True, eq=False)
class TraceCheck(Check):
    """One finding where tracing decides; where it does not, the subject's details say why."""

    topic: ClassVar[str] = "trace"
    forecast_calls: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """One for each case."""
        return "privacy/trace"

    @property
    def _alone(self) -> bool:
        return traced_alone(self.case)

    def run(self, subject: Subject) -> Outcome:
        """Everybody on every base dataset; own data are left out, as parameters of draws may tell them."""
        if self.share.calls < LEAST and not self._alone:
            return Outcome((), details={NOT_TRACED: FEW.format(self.share.budget)})
        found = traced_case(self.case, self.share.calls)
        subject.calls += found.calls
        finding = self._finding(found, subject)
        details = {} if finding is not None else {NOT_TRACED: _why(found)}
        # what real noise contradicts is held against nobody, and for nobody
        counts = None if finding is None or finding.traced is None else finding.traced.counted
        losses = found.losses if counts is None or counts.agrees else None
        return Outcome((finding,) if finding is not None else (), traced=losses, details=details)

    def _finding(self, found: Trace, subject: Subject) -> Finding | None:
        if found.worst is not None and found.breaks:
            return self._broken(found, found.worst, subject)
        if found.within:
            return self._kept(found)
        if found.suspect is not None and not self._alone and self.case.pairs is None:
            return self._tested(found.suspect, subject)
        return self._open(*FOUND, f"not decided by tracing: {_why(found)}; {BY_CALLS}") if self._alone else None

    def _broken(self, found: Trace, worst: TracedPair, subject: Subject) -> Finding:
        counts = self._counts(worst, subject)
        shown = shown_loss(worst, counts)
        if asked():
            keep(Exhibit(shown, worst.pair, _rule(worst)))
        disagrees = counts is not None and not counts.agrees
        verdict: Verdict = "inconclusive" if disagrees else "fail"
        exceeding = found.exceeding if self.case.pairs is None else worst.pair.users
        return Finding.about(
            self.case.name,
            *FOUND,
            verdict,
            _accusation(worst, shown, given=self.case.pairs is not None) + (_doubt(shown) if disagrees else ""),
            "traced",
            users=decide.first_users(exceeding if exceeding.size else worst.pair.users),
            claimed=worst.told(worst.demand),
            lower=Bound.lower(worst.told(worst.found.lower), "tracing/event"),
            upper=_alignment(worst, worst.found.upper),
            calls=found.calls + (0 if counts is None else sum(counts.calls)),
            traced=shown,
        )

    def _counts(self, worst: TracedPair, subject: Subject) -> Counted | None:
        """The event with real noise, unless nothing may be left to chance."""
        if self._alone or not worst.found.events:
            return None
        calls, share = min(int(CONFIRMING * self.share.calls), MOST_CONFIRMING), self.share
        found = counted(self.case.mechanism(), worst, calls, share.seed, share.significance)
        subject.calls += sum(found.calls)
        return found

    def _tested(self, suspect: TracedPair, subject: Subject) -> Finding | None:
        """A test of the pair that the search found, where draws do not say what is lost there."""
        trial = claim_test(subject, [suspect.pair], self.share, "trace", FOUND)
        if trial.confirmation is None:
            return None
        return decide.user_finding(subject, self.share.confidence, suspect.user, trial, None, FOUND[1])

    def _kept(self, found: Trace) -> Finding:
        worst = found.worst
        asked = int(np.isfinite(found.demands).sum())
        what = "pairs of datasets" if self.case.pairs is not None else "users on the base datasets"
        count = len(found.pairs) if self.case.pairs is not None else asked
        message = f"the draws of the mechanism bound the loss of all {count} {what} by what was promised"
        if worst is not None:
            message += f": at most {worst.told(worst.found.loss):.6g} of {worst.told(worst.demand):g}"
        return Finding.about(
            self.case.name,
            *FOUND,
            "pass",
            message,
            "traced",
            claimed=worst.told(worst.demand) if worst is not None else None,
            upper=_alignment(worst, worst.found.loss) if worst is not None else None,
            calls=found.calls,
            traced=shown_loss(worst, None) if worst is not None else None,
        )

    def forecast(self) -> Forecast:
        """Whether its draws can be followed; tried for a few seconds at most."""
        if self.share.calls < LEAST and not self._alone:
            return Forecast(True, sentence="traceable: not tried, as this budget leaves too few calls for it")
        subject = self.case.subject()
        for number in range(2):  # the first call may load something
            started = time.monotonic()
            subject.draw(self.case.datasets[0], 1, named(0, "trace", "forecast", number))
        pace = max(time.monotonic() - started, 1e-5)
        found = traced_case(self.case, min(self.share.calls, int(PATIENCE / pace), FORESEEN))
        users = int(np.isfinite(found.demands).sum())
        what = "pairs" if self.case.pairs is not None else "users"
        known = f"traceable: yes, {users} {what} in {time.monotonic() - started:.1f} s"
        return Forecast(not self._alone or found.traceable, sentence=known if found.traceable else _untraceable(found))

    def unanswered(self, why: str) -> tuple[Finding, ...]:
        """Left open."""
        return (self._open(*FOUND, why),) if self._alone else ()

    def possible(self) -> Iterator[tuple[Kind, str]]:
        """One finding."""
        yield FOUND


def traced_case(case: Case, calls: int) -> Trace:
    """The losses of a case, by at most so many calls."""
    measure = measure_for(case.promise)
    if measure is None:
        kinds = "PureDP, ApproximateDP, GaussianDP and ZCDP"
        raise InvalidInput(f"tracing knows the promises {kinds} alone; test a {type(case.promise).__name__} by calls")
    execution = Execution(case.mechanism(), most=calls)
    if case.pairs is not None:
        return traced_pairs(execution, case.given)
    return traced(Question(execution, case.promise, case.domain, case.neighbours, measure), case.bases())


def _rule(worst: TracedPair) -> Rule | None:
    """Guess the likelier dataset where the event comes."""
    event = None if worst.pair.private else plain_event(worst)
    first, second = chances(worst)
    return None if event is None else Rule(event=event, guess=int(first < second), chances=(first, second))


def trace_checks(case: Case) -> bool:
    """Whether draws are followed: of Python functions, unless it was turned off, or asked for alone."""
    if case.privacy is None or case.privacy.trace == "off":
        return False
    return traced_alone(case) or (case.source == "python" and measure_for(case.promise) is not None)


def traced_alone(case: Case) -> bool:
    """Whether nothing else is done, and nothing left to chance."""
    return case.privacy is not None and case.privacy.trace == "only"


def traced_calls(case: Case, budget: int) -> int:
    """That it may make."""
    if traced_alone(case):
        return budget
    return max(int(TRACING * budget), USUAL if budget >= FROM else 0)


def _untraceable(found: Trace) -> str:
    return f"traceable: no, {_why(found)}; the tests by calls do not need it"


def _why(found: Trace) -> str:
    if found.most_open is not None:  # which more calls may not change
        return _allowed(found)
    if found.why:
        return found.why
    unknown = int(np.isnan(found.losses[np.isfinite(found.demands)]).sum())
    if unknown:
        return f"nothing is known of {unknown} of {found.losses.size} users"
    return _allowed(found)


def _allowed(found: Trace) -> str:
    """Who may lose more than was promised, though no event is known by which they do."""
    most, unknown = found.most_open, "no event is known that has as much"
    if most is None:
        return f"an alignment allows more than was promised, and {unknown}"
    loss, asked = most.told(most.found.upper), most.told(most.demand)
    who = f"user {most.user}" if most.pair.users.size == 1 else most.pair.base
    return f"{who} may lose {loss:.6g} by an alignment, where {asked:g} was promised, and {unknown}"


def _accusation(worst: TracedPair, shown: TracedLoss, given: bool) -> str:
    """Who loses how much, by which line of code."""
    asked = f"{worst.pair.base} may lose {worst.told(worst.demand):g}"
    who = asked if given else f"user {worst.user} demands {worst.demanded}"
    loss = f"{'' if worst.found.exact else 'at least '}{worst.told(worst.found.lower):.6g}"
    draw = next(iter(shown.draws), None)
    where = "" if draw is None else f": {draw.law} noise of scale {draw.scale} at {draw.file}:{draw.line}"
    flow = f"; {shown.flow}" if shown.flow else ""
    return f"{who} and loses {loss}, by the draws of the mechanism itself{where}{flow}"


def _alignment(worst: TracedPair, strength: float) -> Bound | None:
    return None if np.isnan(strength) else Bound.upper(worst.told(strength), "tracing/alignment")


def _doubt(shown: TracedLoss) -> str:
    """Both numbers, where calls with real noise say something else."""
    counts, chances = shown.counted, shown.probabilities
    if counts is None or chances is None:
        return ""
    return (
        f"; but with real noise {shown.event} came {counts.first} times in {counts.calls[0]} calls on the first "
        f"dataset and {counts.second} times in {counts.calls[1]} on the second, where the draws say "
        f"{chances[0] * counts.calls[0]:.6g} and {chances[1] * counts.calls[1]:.6g}: "
        "look for something that calls leave behind"
    )
