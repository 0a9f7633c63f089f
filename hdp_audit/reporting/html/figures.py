"""The pictures of one mechanism, each with its key and a caption."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hdp_audit.reporting.html.accuracy import accuracy_picture
from hdp_audit.reporting.html.curve import curve_picture
from hdp_audit.reporting.html.histogram import histogram_picture
from hdp_audit.reporting.html.loss import loss_picture
from hdp_audit.reporting.html.sandwich import sandwich_picture
from hdp_audit.reporting.html.wealth import wealth_picture
from hdp_audit.reporting.meaning import DETECTED
from hdp_audit.reporting.svg import Sign

if TYPE_CHECKING:
    from hdp_audit.model.finding import Finding
    from hdp_audit.model.subject import Floats, SubjectSummary
    from hdp_audit.reporting.svg.signs import Shape


@dataclass(frozen=True)
class Figure:
    """A picture with its title, its key and a caption."""

    title: str
    svg: str
    key: tuple[Sign, ...]
    caption: str


def figures_of(subject: SubjectSummary, findings: list[Finding]) -> list[Figure]:
    """Every picture for which there is something to show."""
    found = []
    known = () if subject.figures is None else tuple(name for name in KEYS if _knows(getattr(subject.figures, name)))
    exact = "exact" in known
    if svg := loss_picture(subject, findings):
        unmeasured = NOT_MEASURED if subject.figures is not None else ""
        caption = LOSS_CAPTION + (MEASURED if "estimate" in known else unmeasured)
        found.append(Figure("Loss against demand", svg, _loss_key(findings, known), caption))
    if svg := sandwich_picture(subject, findings):
        found.append(Figure("Loss shown and loss claimed", svg, _sandwich_key(findings, exact), SANDWICH_CAPTION))
    if (told := wealth_picture(findings)) is not None:
        key = tuple(Sign("line", f"curve c{place + 1}", name) for place, name in enumerate(told[1]))
        found.append(Figure("Wealth over calls", told[0], key, WEALTH_CAPTION))
    if (curve := curve_picture(findings)) is not None:
        key = (Sign("line", "curve c1", "promised"), Sign("line", "curve c2", "shown at least"))
        found.append(Figure(f"Promised δ and δ shown: {curve[1]}", curve[0], key, CURVE_CAPTION))
    for squared, title in ((False, "Error against its bounds"), (True, "Squared error against its bounds")):
        if svg := accuracy_picture(findings, squared=squared):
            found.append(Figure(title, svg, _accuracy_key(findings), ACCURACY_CAPTION))
    if svg := histogram_picture(subject):
        found.append(Figure("Demands", svg, (), DEMANDS_CAPTION))
    return found


LOSS_CAPTION = (
    "Above the line a promise is broken; only refuted claims are drawn there. Brackets and strokes above it are not "
    "losses: they show what the audit would have detected. Users of similar demand share a column; values at or below "
    "0 lie on the lower edge."
)
MEASURED = (
    " An average above the line that no refuted claim confirms is drawn on it: it cannot be distinguished from a kept "
    "promise. Averages show losses from below; the losses may be larger."
)
NOT_MEASURED = " Averages were not measured: there was no noise, or a few extreme outputs outweighed all others."
SANDWICH_CAPTION = "One row per claim. Between claim and bracket a larger loss could have gone undetected."
WEALTH_CAPTION = (
    "The evidence against each claim, a betting e-process: while the promise is kept it hardly ever passes the limit, "
    "where the claim is refuted."
)
CURVE_CAPTION = (
    "For every event S and every ε, P(S) is at most e^ε·Q(S) + δ. Where more was shown than promised, the promise is "
    "broken. All points shown hold together."
)
DEMANDS_CAPTION = "Number of users by demand; data of users who demand 0 are never used, those of ∞ are public."
ACCURACY_CAPTION = "One row per claim, on the worst dataset tried."


KEYS = {
    "estimate": Sign("dot on a line", "measured", "measured average, and at least this much (99.9% over all columns)"),
    "detectable_loss_alone": Sign("line", "alone", "from here on a single user would be detected"),
    "exact": Sign("diamond", "exact", "exact, largest of the column"),
    "traced": Sign("diamond", "traced", "calculated from the draws: at most this, on the pairs tried"),
}


def _knows(values: Floats | None) -> bool:
    return values is not None and bool(np.isfinite(values).any())


def _loss_key(findings: list[Finding], known: tuple[str, ...]) -> tuple[Sign, ...]:
    key = [Sign("line", "claim", "promise: loss = demand"), *(KEYS[name] for name in known)]
    return tuple(key + _tested_key(findings, "triangle", "broken"))


def _sandwich_key(findings: list[Finding], exact: bool) -> tuple[Sign, ...]:
    key = [Sign("line", "claim", "claimed"), Sign("line", "shown", "at least, as shown by the audit")]
    if exact:
        key.append(Sign("diamond", "exact", "exact"))
    return tuple(key + _tested_key(findings, "line", "shown-broken"))


def _tested_key(findings: list[Finding], shape: Shape, broken: str) -> list[Sign]:
    own = [finding for finding in findings if finding.kind == "privacy"]
    key = []
    if any(finding.verdict != "fail" and (finding.detectable or math.inf) < math.inf for finding in own):
        key.append(Sign("line", "seen", DETECTED))
    if any(finding.verdict == "fail" for finding in own):
        key.append(Sign(shape, broken, "refuted: loses at least this"))
    return key


def _accuracy_key(findings: list[Finding]) -> tuple[Sign, ...]:
    key = [Sign("dot on a line", "measured", "measured, with interval"), Sign("line", "claim", "claimed bound")]
    if any(finding.facts.get("exact") is not None for finding in findings):
        key.append(Sign("diamond", "exact", "exact law"))
    if any("lower_bound" in finding.facts or finding.kind == "optimality" for finding in findings):
        key.append(Sign("line", "limit", "lower bound: nobody can do better"))
    return tuple(key)
