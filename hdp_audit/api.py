"""An audit from Python, in one call."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hdp_audit import engine
from hdp_audit.audits.case import Case, Inert
from hdp_audit.audits.check import Check
from hdp_audit.audits.share import Outcome
from hdp_audit.audits.trace import traced_case
from hdp_audit.errors import InvalidInput
from hdp_audit.events import Listener, announced
from hdp_audit.model import AccuracyClaim, AuditReport, OptimalityClaim, PrivacyClaim, PrivacyDemands
from hdp_audit.model.claim import Beyond, FloatingPoint, Secrecy, TraceMode
from hdp_audit.model.domain import Domain
from hdp_audit.model.drawn import Drawn, is_strategy
from hdp_audit.model.identity import Identity
from hdp_audit.model.named_tasks import named_task
from hdp_audit.model.neighbours import Neighbours, Replace
from hdp_audit.model.promise import Promise, PureDP
from hdp_audit.model.vocabulary import TaskName
from hdp_audit.targets.called import environment_of
from hdp_audit.targets.forms import Form, checked
from hdp_audit.targets.prepared import prepared
from hdp_audit.targets.session import Session
from hdp_audit.targets.timed import Timed
from hdp_audit.tracing.result import Trace
from hdp_audit.watching.choice import watcher
from hdp_audit.watching.time_left import stages

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

Pairs = Callable[[], Iterable[tuple[Any, Any, Iterable[int]]]]


@np.errstate(divide="warn", over="warn", under="ignore", invalid="warn")  # numpy's own, whatever the caller has set
def audit(
    mechanism: Callable[..., Any],
    *,
    epsilon: Iterable[float] | NDArray[np.float64] | None = None,
    promise: Promise | None = None,
    task: TaskName,
    categories: int | None = None,
    neighbours: Neighbours | None = None,
    domain: Domain | SearchStrategy[Any] | None = None,
    input: Form | None = None,  # noqa: A002 - as in specs
    confidence: float = 0.999,
    budget: int = 1_000_000,
    seed: int = 1,
    detect: float | None = None,
    detect_single: float | Literal["report"] | None = None,
    beyond: Beyond | None = None,
    floating_point: FloatingPoint | None = None,
    trace: TraceMode | None = None,
    demands: Secrecy | None = None,
    privacy: PrivacyClaim | None = None,
    accuracy: AccuracyClaim | None = None,
    optimality: OptimalityClaim | tuple[OptimalityClaim, ...] | None = None,
    data: ArrayLike | None = None,
    ids: Sequence[str] | None = None,
    pairs: Pairs | None = None,
    session: Callable[..., Any] | None = None,
    timeout: float | None = None,
    inert: Inert = "report",
    one_demand: bool = False,
    identity: Identity | None = None,
    progress: bool | None = None,
) -> AuditReport:
    """Find out whether a mechanism keeps its promises: privacy always, accuracy and optimality where claimed.

    Args:
        mechanism: Called as `mechanism(data, epsilon, rng)`, or with what it names of `data`, `epsilon` (or what else
            is promised), `ids` and `rng`, in any order and by keyword as well. May be async, or a class whose objects
            are called, made anew for each call; `Fresh` says more of classes and factories. May have
            `batch(data, epsilon, rng, size)` for many outputs of one dataset, and `many(datasets, epsilon, rng)` for
            one output of each row; for a custom task `features(output)`, what an opaque output shows.
        epsilon: Each user's demand, from 0 (never use my datum) to inf (my datum is public): pure differential privacy.
        promise: What users were promised, in place of `epsilon`.
        task: "mean" or "sum" of numbers from 0 to 1 or in a `domain=Range(...)`; "frequency" or "count" of categories
            or of `domain=Labels(...)`; "vector-mean" of rows of a `domain=Vector(...)`; or "custom" for any output on
            data of any domain, or on given `pairs`.
        categories: How many there are, of frequencies.
        neighbours: Which datasets differ in a user; by default a user's datum is replaced by another one.
        domain: What one user's datum may be, or a strategy of hypothesis; by default what the task says.
        input: The form of the data: "numpy", "pandas", "polars" or "records" (lists, of dicts for a table); by default
            arrays, and for a table a DataFrame of pandas if it is there.
        confidence: Of the whole report: with at least this probability no claim that holds is called refuted.
        budget: Calls of the mechanism.
        seed: Of all that is drawn here; the same seed gives the same report.
        detect: A demand tier that loses this many times its demand must be detected with 80% power, or the verdict is
            inconclusive; 2 by default.
        detect_single: The same for one user alone, as a factor that is binding; "report" by default.
        beyond: Of demands too large for the calls: "report" (the default) or "inconclusive".
        floating_point: A leak through the bits of doubles: "fail" (the default), "warn" or "off".
        trace: Losses calculated from draws: "auto" (the default), "off", or "only", which makes a gate without chance.
        demands: "secret": also test whether outputs tell what a user demands; "public" by default.
        privacy: The privacy claim with all its settings, in place of these six.
        accuracy: A claim about the error, if there is one.
        optimality: The claim that nobody beats the lower bound, if it is made; a tuple of two for both settings.
        data: Data of your own, as a further dataset to be tried; never shown in a report.
        ids: Names of the users, for a mechanism that asks for `ids`; else it gets places from 0.
        pairs: Of a custom task: makes (data0, data1, users), two datasets and the users in whom they differ.
        session: An analyst. Each call makes a new object `mechanism(data, epsilon, rng)` and hands it to
            `session(object)`, which asks what it likes and returns all that it was told; the promise is on the whole.
        timeout: Seconds that a call may take.
        inert: "allow" accepts a mechanism that no user's datum moves; else it is inconclusive.
        one_demand: Of a mechanism whose epsilon is one number for all: it gets the smallest demand.
        identity: Title, owner and what else the report should say of itself, and what its owner states.
        progress: A bar while it goes on: None in a notebook alone, True in terminals and pipes too (on standard error),
            False nowhere.

    Returns:
        The report: `verdict`, `findings`, `to_json()`, `raise_for_verdict()`.

    Example:
        >>> import numpy as np
        >>> from hdp_audit import audit
        >>> def private_mean(data, epsilon, rng):
        ...     noisy = data.mean() + rng.laplace(0.0, 1.0 / (len(data) * epsilon.min()))
        ...     return round(float(noisy), 3)  # the bits of doubles would tell more
        >>> report = audit(private_mean, epsilon=[0.5] * 20, task="mean", budget=20_000)
        >>> report.verdict
        'pass'
    """
    given, domain = _demands(epsilon, promise), _domain(domain)
    called = _called(mechanism, session, given, promise)
    case = Case.of(
        name=getattr(called, "name", "") or getattr(called, "__name__", "mechanism"),
        opened=partial(_itself, called) if timeout is None else partial(Timed, called, timeout),
        demands=PrivacyDemands.from_values(given, ids),
        task=named_task(task, categories, domain),
        privacy=_privacy(
            privacy,
            detect=detect,
            detect_single=detect_single,
            beyond=beyond,
            floating_point=floating_point,
            trace=trace,
            demands=demands,
        ),
        accuracy=accuracy,
        optimality=optimality,
        data=None if data is None else np.asarray(data) if domain is None else domain.taken(data),
        pairs=pairs,
        session=session is not None,
        inert=inert,
        one_demand=one_demand,
        neighbours=_neighbours(neighbours),
        promise=promise,
        domain=domain,
        form=checked(input),
    )
    started = time.monotonic()
    checks = engine.plan([case], confidence=confidence, budget=budget, seed=seed)
    outcomes = _outcomes(checks, watcher(progress))
    report = engine.assemble(checks, outcomes, time.monotonic() - started)
    environment = environment_of(mechanism, case.promise.strengths, case.data, budget)
    return replace(report, environment=environment, identity=identity or Identity())


def _outcomes(checks: list[Check], watching: Listener) -> dict[str, Outcome]:
    """Of all checks, one after the other, while somebody watches."""
    titles = {check.id: check.title for check in checks}
    with announced(titles, watching, stages(checks, 1), titles):
        return engine.step_down(checks, engine.run_checks(checks, emit=watching), emit=watching)


def _demands(
    epsilon: Iterable[float] | NDArray[np.float64] | None, promise: Promise | None
) -> NDArray[np.float64] | list[float]:
    """One number a user, of the two ways to state a promise."""
    if (epsilon is None) == (promise is None):
        raise InvalidInput(
            f"epsilon = {epsilon!r:.60} and promise = {promise!r:.60}; give one of them: epsilon=x means PureDP(x)"
        )
    if promise is not None:
        known = "PureDP(epsilon), ApproximateDP(epsilon, delta), ZCDP(rho) or GaussianDP(mu)"
        return next(iter(_made(Promise, "promise", promise, known).columns.values()))
    if isinstance(epsilon, Promise):
        raise InvalidInput(f"epsilon = {epsilon!r:.60}; give numbers, or promise={epsilon!r:.60}")
    return epsilon if isinstance(epsilon, np.ndarray) else list(epsilon or ())


def _domain(given: Any) -> Domain | None:
    """A strategy as the domain of its draws."""
    known = "Range(low, high), Labels([...]), Vector(size), Table({...}) or a strategy of hypothesis"
    known += "; all but the last: from hdp_audit import Range"
    return Drawn.of(given) if is_strategy(given) else _made(Domain, "domain", given, known)


def _neighbours(given: Neighbours | None) -> Neighbours:
    """Replacement unless something else is given."""
    return _made(Neighbours, "neighbours", given, "Replace(), Remove() or ZeroOut()") or Replace()


def _made(kind: Any, name: str, given: Any, known: str) -> Any:
    """An object of this kind: not its class, nor its word in specs."""
    if given is not None and not isinstance(given, kind):
        raise InvalidInput(f"{name} = {given!r:.60}; give {known}")
    return given


def _called(
    mechanism: Callable[..., Any], session: Callable[..., Any] | None, demands: Any, promise: Promise | None
) -> Callable[..., Any]:
    """The mechanism, or the session with an object of its making."""
    if session is None:
        return prepared(mechanism)
    return Session(mechanism, session, promise or PureDP(PrivacyDemands.from_values(demands).values))


def _privacy(claim: PrivacyClaim | None, **settings: Any) -> PrivacyClaim:
    """One claim of the two ways to state it."""
    given = {name: value for name, value in settings.items() if value is not None}
    if claim is None:
        return PrivacyClaim(**given)
    for name, value in given.items():
        known = getattr(claim, name)
        if value != known:
            raise InvalidInput(
                f"{name} = {value!r}, but privacy = PrivacyClaim({name}={known!r}); give it once, in the claim"
            )
    return claim


def _itself(mechanism: Callable[..., Any]) -> Callable[..., Any]:
    return mechanism


def trace(
    mechanism: Callable[..., Any],
    *,
    epsilon: Iterable[float] | NDArray[np.float64] | None = None,
    promise: Promise | None = None,
    task: TaskName,
    categories: int | None = None,
    neighbours: Neighbours | None = None,
    domain: Domain | SearchStrategy[Any] | None = None,
    input: Form | None = None,  # noqa: A002 - as in specs
    pairs: Pairs | None = None,
    session: Callable[..., Any] | None = None,
    one_demand: bool = False,
    calls: int = 100_000,
) -> Trace:
    """Calculate each user's loss from the random draws that a function makes: seconds, and nothing left to chance.

    Args:
        mechanism: Called as `mechanism(data, epsilon, rng)`; its draws from `rng`, from `numpy.random` and from
            `random` are followed.
        epsilon: Each user's demand, from 0 (never use my datum) to inf (my datum is public): pure differential privacy.
        promise: What users were promised, in place of `epsilon`.
        task: "mean" or "sum" of numbers from 0 to 1 or in a `domain=Range(...)`; "frequency" or "count" of categories
            or of `domain=Labels(...)`; "vector-mean" of rows of a `domain=Vector(...)`; or "custom" for any output on
            data of any domain, or on given `pairs`.
        categories: How many there are, of frequencies.
        neighbours: Which datasets differ in a user; by default a user's datum is replaced by another one.
        domain: What one user's datum may be, or a strategy of hypothesis; by default what the task says.
        input: The form of the data: "numpy", "pandas", "polars" or "records" (lists, of dicts for a table); by default
            arrays, and for a table a DataFrame of pandas if it is there.
        pairs: Of a custom task: makes (data0, data1, users), two datasets and the users in whom they differ.
        session: An analyst who asks the object that `mechanism` makes, as in `audit`.
        one_demand: Of a mechanism whose epsilon is one number for all: it gets the smallest demand.
        calls: Of the mechanism, at most.

    Returns:
        `losses` (each user's, on the pairs tried: inf where nothing bounds it, NaN where it could not be traced),
        `traceable`, `draws`, `why`, `worst`, `breaks`, `within`.

    Example:
        >>> import numpy as np
        >>> from hdp_audit import trace
        >>> def half_the_noise(data, epsilon, rng):
        ...     return data.mean() + rng.laplace(0.0, 0.5 / (len(data) * epsilon.min()))
        >>> found = trace(half_the_noise, epsilon=[0.5] * 20, task="mean")
        >>> found.breaks, round(float(found.losses[7]), 9)
        (True, 1.0)
    """
    given, domain = _demands(epsilon, promise), _domain(domain)
    case = Case.of(
        name="traced",
        opened=partial(_itself, _called(mechanism, session, given, promise)),
        demands=PrivacyDemands.from_values(given),
        task=named_task(task, categories, domain),
        privacy=PrivacyClaim(trace="only"),
        pairs=pairs,
        session=session is not None,
        neighbours=_neighbours(neighbours),
        promise=promise,
        domain=domain,
        form=checked(input),
        one_demand=one_demand,
    )
    if isinstance(calls, bool) or not isinstance(calls, int) or calls < 1:
        raise InvalidInput(f"calls = {calls!r}; give a whole number from 1")
    return traced_case(case, calls)
