"""Whether a spec can be audited: what a few calls show, and what its budget would detect."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from enum import Enum

from hdp_audit.audits.case import Case
from hdp_audit.audits.check import Check
from hdp_audit.audits.enough import cost, forecasts
from hdp_audit.audits.forecast import DetectableLoss, Forecast
from hdp_audit.engine import plan
from hdp_audit.errors import HdpAuditError
from hdp_audit.model import PrivacyClaim
from hdp_audit.reporting.numbers import short
from hdp_audit.runs.accidents import lost
from hdp_audit.runs.budget import fixed_budget, turns
from hdp_audit.runs.job import Job
from hdp_audit.runs.trial import Remark, remarks, seconds_a_call
from hdp_audit.runs.waivers import expired, refuse_impossible
from hdp_audit.runs.watched import Watched
from hdp_audit.targets.executors import cores, executor
from hdp_audit.targets.failures import KEPT_BACK, words_of
from hdp_audit.targets.fate import DIED, Fate
from hdp_audit.watching.time_left import in_words

BEGINNING, LEARNING = 2.0, 1e-4  # seconds: of every run, and of each call beside the call itself
FEW = 8  # lines at either end of a long list
Say = Callable[[str], None]


class Readiness(Enum):
    """What to expect of a run, in words."""

    READY = "ready: the spec can be audited, and its budget is enough for what it asks"
    REFUTED = "not ready: these few calls alone refute a promise"
    UNUSABLE = "not ready: the mechanism cannot be audited"
    LACKING = "not ready: a run would be inconclusive; increase the budget, or ask for less"


def heading(job: Job) -> str:
    """What would be audited, in a few words."""
    case = job.cases[0]
    return f"{job.titles[case.name]}, {case.task.name}, {_counted(len(case.demands), 'user')}"


def readiness(job: Job, say: Say, *, traceback: bool = False) -> Readiness:
    """Say, line by line, everything that a user should know before a run of an identified job."""
    case = job.cases[0]
    refuse_impossible(job)
    for note in (*job.notes, *expired(job, dt.date.today())):
        say(f"note: {note}")
    with executor("local", 1, _died, apart=job.apart) as each:
        found: list[Remark] = next(iter(each(_remarks, [case])))
        pace: object = next(iter(each(_pace, [case]))) if not any(remark.level == "error" for remark in found) else None
    for remark in found:
        say(f"{remark.level}: {remark.message}")
        for frame in remark.traceback if traceback else ():
            say(f"  {frame}")
    if any(remark.level == "error" for remark in found):
        return Readiness.UNUSABLE
    if case.promises_nothing:
        say("error: every user demands inf, so nothing was promised and nothing can be audited; give a demand")
        return Readiness.UNUSABLE
    if not found:
        say("the mechanism answers, repeats itself for a seed, and carries no state from call to call")
    enough = _is_enough(job, say, pace)
    if any(remark.level == "refuted" for remark in found):
        return Readiness.REFUTED
    return Readiness.READY if enough else Readiness.LACKING


def _remarks(case: Case) -> list[Remark]:
    """What a few calls show; whatever breaks on the way is an error that says no more than it may."""
    try:
        return remarks(case)
    except (HdpAuditError, KeyboardInterrupt):
        raise
    except BaseException as why:
        said = KEPT_BACK if case.private else words_of(why)
        return [Remark("error", f"the first calls broke off: {said}")]


def _pace(case: Case) -> float | None:
    """Seconds for a call; None where it cannot be told."""
    try:
        return seconds_a_call(case)
    except Exception as why:
        if isinstance(why, HdpAuditError):
            raise
        return None


def _tell_time(job: Job, budget: int, pace: object, say: Say) -> None:
    """How long the run will take, by the calls of its plan."""
    if job.run.duration is not None and job.run.budget is None:
        say(f"a run takes about {in_words(job.run.duration)}, as its budget says: {_counted(budget, 'call')}")
    elif isinstance(pace, float):
        checks = plan(job.cases, confidence=job.run.confidence, budget=budget, seed=job.run.seed)
        told = in_words(BEGINNING + (pace + LEARNING) * turns(checks, cores()))
        say(f"a run takes about {told} at {brief(pace)} a call, with {_counted(cores(), 'worker')}")


def brief(seconds: float) -> str:
    """Of a call: two digits, never as a power of ten."""
    number, unit = (seconds, "s") if seconds >= 1 else (1e3 * seconds, "ms")
    told = f"{number:.2g}" if number < 9.5 else f"{number:.0f}"
    return f"{told} {unit}" if seconds >= 1e-3 else "less than 1 ms"


def _is_enough(job: Job, say: Say, pace: object) -> bool:
    """Whether no claim would be inconclusive by the budget."""
    budget = _budget(job)
    _tell_time(job, budget, pace, say)
    power = job.cases[0].privacy is None or _tell_power(job, budget, say)
    return _tell_others(job, budget, say) and power


def _budget(job: Job) -> int:
    """The calls of the spec, or of its time."""
    if job.run.budget is not None:
        return job.run.budget
    with executor("local", cores(), lost, apart=job.apart) as each:
        return fixed_budget(job.cases, job.run.confidence, job.run.duration or 0.0, Watched(each), jobs=cores())


def _tell_power(job: Job, budget: int, say: Say) -> bool:
    """What the budget detects, and whether that is what was asked for."""
    case, run = job.cases[0], job.run
    if case.privacy is not None and case.privacy.trace == "only":
        return True  # nothing is tested by calls
    found = [forecast for _, forecast in forecasts(case, run.confidence, budget)]
    losses = [one.detectable for one in found if one.detectable is not None]
    if losses:
        say(
            f"smallest violation detected with 80% power, in times the promise, per {case.task.unit} "
            f"({_counted(budget, 'call')}, confidence {run.confidence:g}):"
        )
        _tell_losses(losses, case.promise.symbol, say)
        say(_cost(case, run.confidence, budget))
    else:
        say(
            f"with {_counted(budget, 'call')} everybody is tested together, by bets on each user within every call; "
            "what they detect depends on the outputs, and the run says it"
        )
    for forecast in found:
        if forecast.sentence:
            say(forecast.sentence)
    return all(forecast.enough for forecast in found)


def _tell_losses(seen: list[DetectableLoss], symbol: str, say: Say) -> None:
    told = seen if len(seen) <= 2 * FEW else [*seen[:FEW], *seen[-FEW:]]
    for one in told:
        seen_as = short(one.factor) if one.demand > 0 else f"any loss of {short(one.loss)} or more"
        seen_as = seen_as if one.loss < float("inf") else "none"
        promised = f"{one.name} may lose {short(one.demand)}" if one.name else f"{symbol} = {short(one.demand)}"
        say(f"  {promised} ({_counted(one.users, 'user')}): {seen_as}")
    if len(told) < len(seen):
        say(f"  ... and {len(seen) - len(told)} between")


def _cost(case: Case, confidence: float, budget: int) -> str:
    claim, each = case.privacy or PrivacyClaim(), case.task.unit
    binding = case.pairs is not None or (claim.beyond == "inconclusive" and case.source != "reference")
    detect, needed = claim.detect, cost(case, confidence, claim.detect)
    if needed is None:
        otherwise = "inconclusive" if binding else "reported, and does not decide"
        more = f"takes more calls than any budget; what cannot be certified is {otherwise}"
        return f"detect = {detect:g} in every {each} {more}"
    enough = "which this budget has" if needed <= budget else "which this budget lacks"
    return f"detect = {detect:g} in every {each} costs about {_counted(needed, 'call')}, {enough}"


def _tell_others(job: Job, budget: int, say: Say) -> bool:
    """What takes calls to foresee, and whether the budget is enough for it."""
    planned = plan(job.cases, confidence=job.run.confidence, budget=budget, seed=job.run.seed)
    checks = [check for check in planned if check.forecast_calls]
    with executor("local", 1, _nothing, apart=job.apart) as each:
        found = list(each(_foreseen, checks)) if checks else []
    for check, foreseen in zip(checks, found, strict=True):
        broken = f"{check.name}: nothing can be foreseen, as the calls broke off; the run will say why"
        say(broken if foreseen is None else foreseen.sentence)
    return all(foreseen is not None and foreseen.enough for foreseen in found)


def _foreseen(check: Check) -> Forecast | None:
    """With the user's own data in play what breaks here must not speak; the run will say that it broke."""
    try:
        return check.forecast()
    except Exception as why:
        if isinstance(why, HdpAuditError) or not check.case.private:
            raise
        return None


def _nothing(_check: object, _fate: Fate) -> None:
    """Of a mechanism that ends its process now nothing can be foreseen; the run will say so."""


def _counted(count: int, what: str) -> str:
    return f"1 {what}" if count == 1 else f"{count:,} {what}s"


def _died(_case: object, fate: Fate) -> list[Remark]:
    told = "ended its process; a mechanism must not exit" if fate.why == DIED else fate.words
    return [Remark("error", f"the mechanism {told}")]
