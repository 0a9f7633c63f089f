"""Verdicts on accuracy and optimality: fail, pass or inconclusive, each with the figures that defend it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from hdp_audit.audits.sequential import Course
from hdp_audit.audits.share import Share
from hdp_audit.model.bound import Bound
from hdp_audit.model.claim import AccuracyClaim
from hdp_audit.model.finding import Finding, Kind, Verdict
from hdp_audit.model.vocabulary import Norm
from hdp_audit.targets.subject import Subject
from hdp_audit.theory.guarantee_norms import spread_factor

JUDGED = 0.8  # of a check's calls are spent on judging


class Evidence(Protocol):
    """What draws say about an error: evidence/quantile.py and evidence/bounded_mean.py."""

    @property
    def draws(self) -> int:
        """How many there are."""
        ...

    @property
    def measured(self) -> float:
        """The sample's own figure."""
        ...

    @property
    def lower(self) -> float:
        """The interval's lower end."""
        ...

    @property
    def upper(self) -> float:
        """The interval's upper end."""
        ...

    def log_wealth(self, bound: float) -> float:
        """Logarithm of the wealth against "the error is at most the bound"."""
        ...

    def refutes(self, bound: float) -> bool:
        """The error is larger than the bound."""
        ...

    def refutes_from_below(self, bound: float) -> bool:
        """The interval lies below the bound."""
        ...

    def power_reached(self, tolerance: float) -> bool:
        """An error of tolerance × bound would have been refuted with probability 0.8."""
        ...

    def draws_needed(self, tolerance: float) -> float:
        """Draws for that."""
        ...


@dataclass(frozen=True, eq=False)
class Judged:
    """Evidence on one dataset, named in words."""

    dataset: str
    evidence: Evidence
    above: int
    largest: float = 0.0  # logarithm of the largest wealth at any look


def accuracy_finding(
    subject: Subject,
    claim: AccuracyClaim,
    bound: float,
    source: str,
    course: Course[Judged],
    exact: float | None,
    share: Share,
    calls: int,
    per: float = 1.0,
) -> Finding:
    """Fail if refuted twice; pass if tolerance × the bound would have been seen; else inconclusive.

    `per`: a figure of 1 in the units that are told.
    """
    last = course.last
    most = largest_bound(claim, subject.task.categories or 1)
    verdict, tail = _decided(claim, bound, course, per, most)
    error = "error" if claim.norm == "linf" else f"ℓ{claim.norm[1:]} error"
    what = f"{1 - claim.beta:.4g} quantile of the {error}" if claim.metric == "pac" else f"mean squared {error}"
    message = f"{claim.setting} data, {what}: {tail(_figures(last, bound, per))} (bound: {source})"
    if exact is not None and not last.evidence.lower <= exact <= last.evidence.upper:
        message += f"; the exact law says {told(exact, per):.4g}, which these draws contradict"
    return Finding.about(
        subject.name,
        *where(claim),
        verdict,
        message,
        metric=claim.metric,
        claimed=told(bound, per),
        lower=Bound.lower(told(last.evidence.lower, per), _method(claim), share.confidence),
        upper=Bound.upper(told(max(last.evidence.upper, last.evidence.lower), per), _method(claim), share.confidence),
        detectable=told(claim.tolerance * bound, per) if verdict == "pass" else None,
        calls=calls,
        facts=_witness(claim, bound, source, last, exact, per),
    )


def where(claim: AccuracyClaim) -> tuple[Kind, str]:
    """The kind of its finding, and what that is about."""
    norm = "" if claim.norm == "linf" else f"/{claim.norm}"
    return "accuracy", f"{claim.setting}/{claim.metric}{norm}"


def largest_bound(claim: AccuracyClaim, outputs: int) -> float:
    """A bound that no answer from 0 to 1 exceeds."""
    factor = spread_factor(Norm(claim.norm), outputs)
    return factor if claim.metric == "pac" else factor**2


def figure_scale(metric: str, scale: float) -> float:
    """What the metric makes of a scale of errors."""
    return scale if metric == "pac" else scale**2


def told(figure: float, per: float) -> float:
    """In the units that are told, without the last digits that the change of units brings."""
    return figure if per == 1.0 else float(f"{figure * per:.15g}")


def in_units(rows: Iterable[dict[str, Any]], per: float, figures: tuple[str, ...]) -> list[dict[str, Any]]:
    """Rows of a table with these figures in the units that are told."""

    def shown(name: str, value: Any) -> Any:
        return told(value, per) if name in figures and value is not None else value

    return [{name: shown(name, value) for name, value in row.items()} for row in rows]


def _decided(
    claim: AccuracyClaim, bound: float, course: Course[Judged], per: float, most: float
) -> tuple[Verdict, Callable[[str], str]]:
    judged, confirmation = course.judged, course.confirmation
    factor = f"{claim.tolerance:g} × the bound"
    if confirmation is not None and confirmation.evidence.refutes(bound):
        return "fail", lambda figures: f"{figures}: more than the bound allows"
    if confirmation is not None:
        more = further_calls(2.0 * max(judged.evidence.draws, confirmation.evidence.draws), JUDGED)
        return (
            "inconclusive",
            lambda figures: f"{figures}: not confirmed on new samples; increase the budget to {more} calls",
        )
    if bound >= most:
        return "pass", lambda figures: f"{figures}: nothing to refute, as no error exceeds {told(most, per):g}"
    if excluded(judged.evidence, claim.tolerance, bound):
        return "pass", lambda figures: f"{figures}: not refuted, and {factor} would have been with probability 0.8"
    needed = further_calls(judged.evidence.draws_needed(claim.tolerance), JUDGED)
    return (
        "inconclusive",
        lambda figures: (
            f"{figures}: not refuted, but {factor} might not have been seen; that takes {needed} calls in all"
        ),
    )


def excluded(evidence: Evidence, tolerance: float, bound: float) -> bool:
    """An error of tolerance × bound lies above the interval, or would have been refuted with probability 0.8."""
    return evidence.refutes_from_below(tolerance * bound) or evidence.power_reached(tolerance)


def further_calls(draws: float, part: float) -> str:
    """Judged draws, a part of a whole check's calls, as these calls in words."""
    return f"about {rounded_up(draws / part)}" if np.isfinite(draws) and draws < 1e12 else "more than any number of"


def rounded_up(value: float) -> str:
    """To two digits, upwards."""
    digits = max(len(str(int(value))) - 2, 0)
    return f"{int(np.ceil(value / 10**digits)) * 10**digits:,}"


def _figures(last: Judged, bound: float, per: float) -> str:
    evidence = last.evidence
    measured, lower, upper = (told(each, per) for each in (evidence.measured, evidence.lower, evidence.upper))
    return f"{measured:.4g} on {last.dataset}, between {lower:.4g} and {upper:.4g}, bound {told(bound, per):.4g}"


def _method(claim: AccuracyClaim) -> str:
    return "order statistics/betting" if claim.metric == "pac" else "bounded mean/betting"


def _witness(
    claim: AccuracyClaim, bound: float, source: str, last: Judged, exact: float | None, per: float
) -> dict[str, Any]:
    measured = last.evidence.measured
    needed = last.evidence.draws_needed(claim.tolerance)
    return {
        "dataset": last.dataset,
        "setting": claim.setting,
        "metric": claim.metric,
        **({} if claim.norm == "linf" else {"norm": claim.norm}),
        "beta": claim.beta,
        "measured": told(measured, per),
        "bound": told(bound, per),
        "bound_source": source,
        "slack": ratio(bound, measured),
        "exact": None if exact is None else told(exact, per),
        "trials": last.evidence.draws,
        "above_bound": last.above,
        "tolerance": claim.tolerance,
        "trials_needed": plain(needed),
    }


def ratio(upper: float, lower: float) -> float | str:
    """upper/lower; 1 for 0/0, "inf" for a number over 0."""
    if lower > 0:
        return upper / lower
    return 1.0 if upper <= 0 else "inf"


def plain(value: float) -> float | str:
    """A number, or "inf"."""
    return value if np.isfinite(value) else "inf"
