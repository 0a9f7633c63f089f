"""Estimates in the picture of losses: no mark beyond the line unless a refutation confirms it."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from hdp_audit.model import Finding, UserFigures
from hdp_audit.model.bound import Bound
from hdp_audit.reporting.html.loss import loss_picture
from tests.trust.laws import figures, summary, tight


def marks_beyond_the_line(found: UserFigures, findings: list[Finding]) -> list[str]:
    """Classes of marks whose point lies above the diagonal, by more than the rounding of pixels."""
    svg = loss_picture(summary(found), findings)
    assert svg is not None
    root = ET.fromstring(svg)  # noqa: S314 (our own text)
    paths = {path.get("class"): path.get("d") or "" for path in root.iter("path")}
    x0, y0, x1, y1 = map(float, re.findall(r"[-\d.]+", paths["claim"]))

    def beyond(x: str, y: str) -> bool:
        return float(y) < y0 + (float(x) - x0) * (y1 - y0) / (x1 - x0) - 0.25

    dots = [(c.get("class") or "", c.get("cx") or "", c.get("cy") or "") for c in root.iter("circle")]
    for style in ("spread", "interval", "exact-range"):
        for x, first, second in re.findall(r"M([-\d.]+) ([-\d.]+)V([-\d.]+)", paths.get(style, "")):
            dots += [(style, x, first), (style, x, second)]
    diamonds = [path.get("d") or "" for path in root.iter("path") if path.get("class") == "exact"]
    dots += [("exact", x, str(float(y) + 5)) for x, y in (re.findall(r"[-\d.]+", d)[:2] for d in diamonds)]
    assert dots
    return [style for style, x, y in dots if beyond(x, y)]


def refuted(demand: float, lower: float) -> Finding:
    bound = Bound.lower(lower, "game/wealth", 0.999)
    return Finding.about("m", "privacy", f"tier/{demand:g}", "fail", "too much", claimed=demand, lower=bound)


@pytest.mark.many(4)
@pytest.mark.parametrize("seed", range(20))
def test_a_tight_mechanism_has_no_mark_beyond_the_line(seed: int) -> None:
    found = figures(tight, np.repeat([0.05, 0.5, 2.0], [30, 30, 30]), seed, calls=600)
    assert marks_beyond_the_line(found, []) == []


@pytest.mark.parametrize("users", [12, 500])
def test_figures_that_no_refutation_confirms_are_never_drawn_beyond_the_line(users: int) -> None:
    """By construction: whatever the figures are."""
    rng = np.random.default_rng(users)
    demand = np.exp(rng.uniform(-3, 2, users))
    wild = UserFigures(demand, np.full(users, np.nan), 30 * demand, 1e-6 * demand, 2 * demand, np.ones(users))
    assert marks_beyond_the_line(wild, []) == []
    where = float(np.median(demand[:1]))
    assert "measured" in marks_beyond_the_line(wild, [refuted(where, 2 * where)])


def test_a_refuted_claim_does_not_lift_an_average_that_may_be_right() -> None:
    """One named user of many: the others' average stays where it is."""
    ones = np.ones(50)
    found = UserFigures(ones, np.full(50, np.nan), 1.1 * ones, ones, 3 * ones, ones)
    assert marks_beyond_the_line(found, [refuted(1.0, 2.0)]) == []


def test_exact_losses_of_a_slice_of_demands_are_drawn_on_the_line() -> None:
    demand = np.exp(np.linspace(-3, 3, 200))
    unknown = np.full(200, np.nan)
    assert marks_beyond_the_line(UserFigures(demand, demand, unknown, unknown, 2 * demand, unknown), []) == []
