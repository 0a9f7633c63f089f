"""From mechanisms and claims to a report.

A case is a mechanism with its claims. It falls into checks that do not depend on each other, so that they may run
anywhere, in any order, and be resumed; the calls and the significance of each are fixed before the first draw.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from hdp_audit.audits.behaviour.check import BehaviourCheck, failures
from hdp_audit.audits.behaviour.inert import INERT
from hdp_audit.audits.case import Case
from hdp_audit.audits.check import Check
from hdp_audit.audits.contradiction import without_contradictions
from hdp_audit.audits.failure_rates import counts, with_rates
from hdp_audit.audits.given_up import given_up
from hdp_audit.audits.nothing import left_open, nothing_audited
from hdp_audit.audits.plan import plan as planned
from hdp_audit.audits.promised import ids_of, reach_of, tier_summaries
from hdp_audit.audits.share import Outcome
from hdp_audit.audits.step_down import stepped_levels, with_levels, with_retried
from hdp_audit.errors import InvalidInput
from hdp_audit.events import Finished, Listener, Retried, unheard
from hdp_audit.model import (
    AuditReport,
    DemandSummary,
    Finding,
    SubjectSummary,
    UserFigures,
)
from hdp_audit.model.finding import label_of
from hdp_audit.model.promise import Promise
from hdp_audit.model.subject import PromiseSummary
from hdp_audit.targets.kept import Folder, Kept
from hdp_audit.targets.sharing import Shared
from hdp_audit.targets.threads import one_thread
from hdp_audit.targets.worker import crew_here


def plan(cases: Iterable[Case], *, confidence: float, budget: int, seed: int) -> list[Check]:
    """All checks of all cases: `budget` calls for each case, one family over the whole report."""
    listed = list(cases)
    _refuse_bad(listed, confidence, budget, seed)
    return planned(listed, confidence=confidence, budget=budget, seed=seed)


def run_checks(
    checks: list[Check],
    *,
    done: Mapping[str, Outcome] | None = None,
    emit: Listener = unheard,
    each: Callable[[Callable[[Check], Outcome], list[Check]], Iterable[Outcome]] = map,
    tables: Folder | None = None,
) -> dict[str, Outcome]:
    """Outcomes by id: behaviour first, as what it finds says how far batches can be trusted.

    `each` maps a function over checks in order (an executor's `map`, for one); what is in `done` is not run again.
    `tables`: where draws are kept meanwhile, so that a check which is interrupted does not make them again.
    """
    outcomes = dict(done or {})
    first = [check for check in checks if check.comes_first]
    later = [check for check in checks if not check.comes_first]
    for stage in (first, later):
        rest = [_trusting(check, outcomes) for check in stage if check.id not in outcomes]
        for check, outcome in zip(rest, each(partial(run_check, tables=tables), rest), strict=True):
            outcomes[check.id] = outcome
            emit(Finished(check, outcome))
    return outcomes


def step_down(
    checks: list[Check],
    outcomes: Mapping[str, Outcome],
    *,
    emit: Listener = unheard,
    each: Callable[[Callable[[Check], Outcome], list[Check]], Iterable[Outcome]] = map,
    tables: Folder | None = None,
) -> dict[str, Outcome]:
    """The outcomes after Holm's step-down, once all checks have run: refuted claims leave their shares to the others.

    A check with a claim that falls only by that is run again with the claim's new level. The same seed makes the same
    draws, so its wealth is past that level; the claim is then confirmed on new samples and measured as any other.
    """
    stepped = dict(outcomes)
    tests = [test for outcome in outcomes.values() for test in outcome.tests]
    levels = stepped_levels(tests, sum(check.share.significance for check in checks))
    due = [
        replace(_trusting(check, outcomes), share=replace(check.share, levels=levels))
        for check in checks
        if check.id in outcomes and any(test.finding in levels for test in outcomes[check.id].tests)
    ]
    for check, again in zip(due, each(partial(run_check, tables=tables), due), strict=True):
        stepped[check.id] = with_retried(stepped[check.id], again, levels, check.left_open)
        emit(Retried(check, stepped[check.id]))
    return stepped


def run_check(check: Check, tables: Folder | None = None) -> Outcome:
    """What a check finds, in this process; its linear algebra stays on one thread.

    A case that its behaviour *barred* leaves all claims open. A mechanism that was *given up* on the way leaves those
    open that need every call. Calls that *failed* are findings; an *accident* among them (a process that died, a call
    that took too long) makes the outcome not *final*, so that a resumed run tries it again.
    """
    case = check.case
    if case.barred:
        return Outcome(check.unanswered(case.barred))
    started = time.monotonic()
    with one_thread(), kept(check, tables) as own:
        subject = case.subject()
        subject.maker = Shared(case.subject, own, crew_here())
        outcome = with_levels(check.run(subject), check.share.levels)
    if subject.given_up and check.needs_every_call:
        outcome = given_up(outcome)
    met = failures(subject, private=case.private)
    final = not any(failure.accident for failure in subject.failures.values())
    told = counts(subject, private=case.private)
    found = replace(outcome, findings=(*outcome.findings, *met), calls=subject.calls, final=final, **told)
    return replace(found, seconds=time.monotonic() - started)


@contextlib.contextmanager
def kept(check: Check, tables: Folder | None) -> Iterator[Kept | None]:
    """The draws of a check that are kept; a disk that cannot be written costs nothing else."""
    own = None if tables is None else tables.of(check.id)
    try:
        if own is not None:
            own.begin()
    except OSError:
        own = None
    try:
        yield own
    finally:
        if own is not None:
            own.close()


def assemble(checks: list[Check], outcomes: Mapping[str, Outcome], seconds: float) -> AuditReport:
    """The report of what was done; checks without an outcome are left out."""
    findings: list[Finding] = []
    subjects = []
    for case in {check.case.name: check.case for check in checks}.values():
        own = [outcomes[c.id] for c in checks if c.case.name == case.name and c.id in outcomes]
        found = left_open(with_rates(without_contradictions(case, _consistent(_merged(own)), own), own))
        findings.extend(found)
        complete = all(c.id in outcomes for c in checks if c.case.name == case.name)
        untried = list(nothing_audited(case.name, found)) if complete else []
        findings.extend(untried)
        figures = _figures(case, own)
        details = {key: value for outcome in own for key, value in outcome.details.items()}
        demands = DemandSummary.of(case.promise.parameters(case.promise.strengths))
        task, categories = ("custom", None) if case.any_output else (case.task.name, case.task.categories)
        told = (case.name, task, case.source, demands, categories, figures, details)
        promise, neighbours = promised(case.promise), case.neighbours.name
        summary = SubjectSummary(*told, audited=not untried, file=case.file, promise=promise, neighbours=neighbours)
        looked_at = tuple(dict.fromkeys(_topics([check for check in checks if check.case.name == case.name], outcomes)))
        whom = replace(summary, tiers=tier_summaries(case), ids=ids_of(case, found))
        subjects.append(replace(whom, line=case.line, looked_at=looked_at, reach=reach_of(case)))
    share = checks[0].share
    calls = sum(outcome.calls for outcome in outcomes.values())
    return AuditReport(tuple(subjects), tuple(findings), share.confidence, share.seed, calls, seconds)


def _topics(checks: list[Check], outcomes: Mapping[str, Outcome]) -> Iterator[str]:
    """What was looked at: a check that made no call, or none of use as the behaviour bars all others, did not."""
    done = [(check, outcomes[check.id]) for check in checks if check.id in outcomes]
    barred = any(outcome.barred for _, outcome in done)
    for check, outcome in done:
        if check.topic and outcome.calls and (check.comes_first or not barred):
            yield check.topic


def promised(promise: Promise) -> PromiseSummary:
    """The promise as a report tells it."""
    delta = promise.columns.get("delta")
    return PromiseSummary(promise.kind, promise.symbol, None if delta is None else float(delta.max()))


def _figures(case: Case, outcomes: list[Outcome]) -> UserFigures | None:
    """Everybody's figures, whichever checks they came from."""
    figures = next((outcome.figures for outcome in outcomes if outcome.figures is not None), None)
    traced = next((outcome.traced for outcome in outcomes if outcome.traced is not None), None)
    if traced is None or case.pairs is not None:
        return figures
    if figures is None:
        figures = UserFigures.unknown(case.promise.parameters(case.promise.strengths))
    return replace(figures, traced=traced)


def _merged(outcomes: Iterable[Outcome]) -> list[Finding]:
    """All findings of a case; that calls fail in some way is said once, whichever checks met it."""
    found: list[Finding] = []
    met: dict[str, Finding] = {}
    for finding in (finding for outcome in outcomes for finding in outcome.findings):
        known = met.get(finding.id)
        if known is not None and known.kind == finding.kind == "behaviour" and known.verdict == finding.verdict:
            continue
        met[finding.id] = finding
        found.append(finding)
    return found


def _consistent(findings: list[Finding]) -> list[Finding]:
    """Where a promise is refuted a datum does move the output, if in its bits alone: it is not called inert."""
    inert = label_of("behaviour", INERT)
    refuted = any(finding.kind in ("privacy", "float") and finding.verdict == "fail" for finding in findings)
    return [finding for finding in findings if not (refuted and finding.label == inert)]


def _trusting(check: Check, outcomes: Mapping[str, Outcome]) -> Check:
    """The check as its case's behaviour allows: on single calls alone where batches mislead, or not at all."""
    known = outcomes.get(BehaviourCheck.id_of(check.case))
    if known is None or (known.trusts_batches and not known.barred):
        return check
    return replace(check, case=replace(check.case, trusts_batches=known.trusts_batches, barred=known.barred))


def _refuse_bad(cases: list[Case], confidence: float, budget: int, seed: int) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InvalidInput(f"seed = {seed!r}; give a whole number from 0")
    if not cases:
        raise InvalidInput("no case; give at least one mechanism to audit")
    names = [case.name for case in cases]
    if len(set(names)) < len(names):
        raise InvalidInput(f"two cases share a name: {', '.join(sorted(names))}; give each its own")
    if not 0.5 <= confidence < 1:
        raise InvalidInput(f"confidence = {confidence}; give a number from 0.5 to below 1")
    if isinstance(budget, bool) or not isinstance(budget, int) or budget < 1:
        raise InvalidInput(f"budget = {budget!r}; give a number of calls, at least 1")
