"""Estimates that accuse nobody: whatever a correct mechanism's noise, nothing shows it above its promise."""

from __future__ import annotations

import itertools
import re
from collections.abc import Callable
from xml.etree import ElementTree as ET

import numpy as np
import pytest

from hdp_audit.audits.fairness import measured_free_privacy
from hdp_audit.audits.share import Share
from hdp_audit.audits.users import audit_users
from hdp_audit.model import DemandSummary, Finding, PrivacyClaim, SubjectSummary, UserFigures
from hdp_audit.model.bound import Bound
from hdp_audit.reporting.html.figures import figures_of
from hdp_audit.reporting.html.loss import loss_picture
from hdp_audit.search.reach import Noise
from hdp_audit.search.screening import like_blocks, screen
from tests.subjects import between, subject_of

Floats = np.ndarray
Law = Callable[[Floats, Floats, np.random.Generator, int], Floats]
EXTRA = 2.5  # standard errors above `detectable_loss_alone`, itself 3.09 off (for 1 user) to 5 (for 2,000): below 10⁻⁷


class Rows:
    """A law of outputs for one dataset a row."""

    name = "rows"

    def __init__(self, law: Law) -> None:
        self.law = law

    def __call__(self, data: Floats, epsilon: Floats, rng: np.random.Generator) -> Floats:
        return self.law(data[None, :], epsilon, rng, 1)[0]

    def batch(self, data: Floats, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
        return self.law(data[None, :], epsilon, rng, size)

    def many(self, datasets: Floats, epsilon: Floats, rng: np.random.Generator) -> Floats:
        return self.law(datasets, epsilon, rng, len(datasets))


def tight(data: Floats, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Σ ε_i x_i / Σε and Laplace noise of scale 1/Σε: everybody loses exactly what they allow."""
    return data @ (epsilon / epsilon.sum()) + rng.laplace(0.0, 1.0 / epsilon.sum(), size)


def counted(data: Floats, epsilon: Floats) -> Floats:
    return (data * (epsilon > 0)).sum(axis=1)


def least(epsilon: Floats) -> float:
    return float(epsilon[epsilon > 0].min())


def geometric(data: Floats, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    other = 1.0 - np.exp(-least(epsilon))
    return counted(data, epsilon) + rng.geometric(other, size) - rng.geometric(other, size)


def staircase(data: Floats, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    demand = least(epsilon)
    inner, ratio = 1.0 / (1.0 + np.exp(demand / 2)), np.exp(-demand)
    within = rng.random(size) < inner / (inner + (1 - inner) * ratio)
    step = np.where(within, inner * rng.random(size), inner + (1 - inner) * rng.random(size))
    return counted(data, epsilon) + rng.choice([-1, 1], size) * (rng.geometric(1 - ratio, size) - 1 + step)


def binary(data: Floats, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """The majority by the exponential mechanism: 0 or 1, and far from linear."""
    lead = 2 * counted(data, epsilon) - (epsilon > 0).sum()
    return (rng.random(size) < 1.0 / (1.0 + np.exp(np.clip(-least(epsilon) * lead / 2, -50, 50)))).astype(float)


def answers(data: Floats, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Everybody's randomised response, added up."""
    flips = rng.random((size, epsilon.size)) < 1.0 / (1.0 + np.exp(epsilon))
    return (data.astype(bool) ^ flips).mean(axis=1)


def cauchy(data: Floats, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    return data @ (epsilon / epsilon.sum()) + rng.standard_cauchy(size) / epsilon.sum()


def rarely(data: Floats, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    """Nearly always an output without data, and next to no noise."""
    quiet = rng.laplace(0.0, 1e-3 / epsilon.sum(), size)
    return np.where(rng.random(size) < 0.002, tight(data, epsilon, rng, size), quiet)


def constant(data: Floats, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
    return np.full(size, 0.5)


def changed(change: Callable[[Floats], Floats]) -> Law:
    return lambda data, epsilon, rng, size: change(tight(data, epsilon, rng, size))


def histogram(least_count: float) -> Law:
    """Three bins, and 0 instead of every count below a threshold."""

    def law(data: Floats, epsilon: Floats, rng: np.random.Generator, size: int) -> Floats:
        counts = np.stack([((data == j) & (epsilon > 0)).sum(axis=1) for j in range(3)], axis=1)
        noisy = counts + rng.laplace(0.0, 2.0 / least(epsilon), (size, 3))
        return np.where(noisy > least_count * (epsilon > 0).sum(), noisy, 0.0) / epsilon.size

    return law


LAWS: dict[str, Law] = {
    "laplace": tight,
    "laplace, falling": changed(lambda x: 1.0 - x),
    "clipped": changed(lambda x: np.clip(x, 0.0, 1.0)),
    "everything clipped at 0": changed(lambda x: np.maximum(x - 2.0, 0.0)),
    "rounded to 0.1": changed(lambda x: np.round(x, 1)),
    "on a grid coarser than the noise": changed(lambda x: np.round(2.0 * x) / 2.0),
    "four times as much noise": lambda d, e, rng, size: tight(d, e, rng, size) + rng.laplace(0, 3 / e.sum(), size),
    "geometric": geometric,
    "staircase": staircase,
    "majority": binary,
    "randomised response": answers,
    "cauchy": cauchy,
    "cauchy, ninth power": lambda data, epsilon, rng, size: (cauchy(data, epsilon, rng, size) - 0.5) ** 9,
    "rarely an answer": rarely,
    "constant": constant,
    "histogram": histogram(0.0),
    "histogram with a threshold among the counts": histogram(0.5),
    "histogram, all below the threshold": histogram(0.8),
}
DEMANDS = {
    "one user": np.full(1, 2.0),
    "small": np.full(200, 0.01),
    "half at zero": np.repeat([0.0, 0.5], 100),
    "large": np.full(60, 4.0),
    "more than calls": np.repeat([0.02, 0.5, 2.0], [1000, 600, 400]),
    "of forty kinds": np.tile(np.exp(np.linspace(-3.0, 1.5, 40)), 15),
}


def figures(law: Law, epsilon: Floats, seed: int, calls: int = 2_000) -> UserFigures:
    categories = 3 if "histogram" in law.__qualname__ else None
    share = Share(calls=calls, significance=3.5e-4, confidence=0.999, seed=seed)
    findings, found, _ = audit_users(subject_of(Rows(law), epsilon, categories), PrivacyClaim(), share)
    assert findings == []
    return found


@pytest.mark.parametrize("demands", DEMANDS)
@pytest.mark.parametrize("name", LAWS)
def test_no_correct_mechanism_is_shown_above_the_loss_that_would_name_a_user(name: str, demands: str) -> None:
    """False alarms: below 10⁻⁶, see EXTRA. What cannot be measured is empty, never infinite."""
    found = figures(LAWS[name], DEMANDS[demands], seed=1)
    assert not (found.estimate > found.detectable_loss_alone + EXTRA * found.error).any()
    assert not np.isinf(found.estimate).any()
    assert not np.isinf(found.error).any()
    assert (np.isnan(found.estimate) == np.isnan(found.shared_by)).all()


@pytest.mark.parametrize("name", ["constant", "cauchy, ninth power", "rarely an answer", "everything clipped at 0"])
def test_what_cannot_be_measured_is_empty_and_said_so(name: str) -> None:
    found = figures(LAWS[name], DEMANDS["half at zero"], 1)
    assert np.isnan(found.estimate).all()
    assert {row["source"] for row in measured_free_privacy(found)} == {"not measured"}
    assert "not measured" in figures_of(summary(found), [])[0].caption


def test_a_tight_mechanism_is_measured_to_be_nearly_tight() -> None:
    """A figure that accuses nobody must still say something: a quarter less than the loss at worst, on average.

    The noise is taken 3.29 standard errors of 3% too large; 5% more than the loss are 1.6 further ones: below 10⁻⁶.
    """
    epsilon = np.repeat([0.5, 1.0], 100)
    found = figures(tight, epsilon, 1, calls=20_000)
    for demand in (0.5, 1.0):
        assert 0.75 * demand < found.estimate[epsilon == demand].mean() < 1.05 * demand


@pytest.mark.parametrize("demand", [0.1, 0.5, 1.0, 2.0, 3.0])
def test_an_effect_shows_no_more_than_the_loss_of_the_widest_laws(demand: float) -> None:
    """Two-point, geometric and Laplace laws of exactly this loss, the first two the worst that there are.

    The noise is 3.29 errors on the safe side; two parts in a hundred are at least 2 errors more: below 10⁻⁶.
    """
    rng = np.random.default_rng(11)
    second = np.repeat([False, True], 8)[:, None]  # eight datasets with the user at 0, eight with the user at 1
    lies = rng.random((16, 4_000)) < 1.0 / (1.0 + np.exp(demand))
    other = 1.0 - np.exp(-demand)
    steps = rng.geometric(other, (16, 4_000)) - rng.geometric(other, (16, 4_000))
    for outputs, effect in (
        (np.where(lies, ~second, second), np.tanh(demand / 2)),
        (steps + second, 1.0),
        (rng.laplace(second, 1.0 / demand, (16, 4_000)), 1.0),
    ):
        noise = Noise.of(outputs.astype(np.float64), False)
        assert noise.speaks
        assert 0.9 * demand < noise.losses(np.array(effect)) <= 1.02 * demand


@pytest.mark.parametrize("most", [7, 30, 222, 900])
def test_a_block_has_one_demand_or_neighbouring_ones(most: int) -> None:
    rng = np.random.default_rng(3)
    for epsilon in (np.repeat([0.0, 0.5, np.inf], [10, 700, 500]), np.exp(rng.uniform(-3, 3, 1200))):
        users = rng.permutation(epsilon.size)
        blocks = like_blocks(epsilon, users, most)
        assert len(blocks) <= most
        assert np.array_equal(np.sort(np.concatenate(blocks)), np.arange(epsilon.size))
        ends = [(epsilon[block].min(), epsilon[block].max()) for block in blocks]
        if np.unique(epsilon).size == 3:
            assert all(low == high for low, high in ends)
        assert all(before[1] <= after[0] for before, after in itertools.pairwise(ends))


def test_a_shared_figure_says_who_shares_it() -> None:
    found = figures(tight, DEMANDS["more than calls"], 1)
    shared = found.shared_by
    assert (shared[~np.isnan(shared)] >= 1).all()
    assert (shared > 1).sum() > 1_000
    for estimate in np.unique(found.estimate[shared > 1])[:50]:
        block = found.estimate == estimate
        assert block.sum() == shared[block][0]
        assert np.unique(found.demand[block]).size == 1


def test_users_of_one_coin_are_off_by_the_same() -> None:
    """1,000 users of 100 coins: the average is off by a tenth of what one coin is, not by a thirtieth."""
    ones = np.ones(1_000)
    average = UserFigures(ones, ones, ones, 0.3 * ones, ones, 10 * ones).average(np.arange(1_000), 1)
    assert average == (pytest.approx(1.0 - 3.0902 * 0.3 / np.sqrt(100), rel=1e-5), 1.0)


def test_the_error_covers_what_is_not_linear() -> None:
    """The majority of 400: nearly constant on every dataset, but far from linear.

    400 errors of variance 1: their mean square has a standard deviation of 0.08, so 0.5 are 6 of them.
    """
    seen = screen(
        subject_of(Rows(binary), np.full(400, 1.0)), between(np.zeros(400), np.ones(400), np.ones(400)), 8_000, seed=1
    )
    assert 0.5 < np.mean(((seen.moved - seen.moved.mean()) / seen.error) ** 2) < 1.5


def summary(found: UserFigures) -> SubjectSummary:
    return SubjectSummary("m", "mean", "python", DemandSummary.of(found.demand), None, found)


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


def test_nothing_measured_is_called_free_privacy() -> None:
    """A false alarm is an average above its demand by 3.4 standard errors, and the noise's 3.29: below 10⁻⁶."""
    rows = measured_free_privacy(figures(tight, DEMANDS["more than calls"], 2))
    assert [row["users"] for row in rows] == [1000, 600, 400]
    for row in rows:
        assert row["free"] is None
        assert row["users_with_free_privacy"] is None
        assert row["loss_at_least"] < row["loss"]
        assert row["loss_at_least"] <= row["demand_low"]
    exact = DEMANDS["half at zero"]
    known = UserFigures(exact, exact / 2, exact, exact, exact, exact)
    assert [row["users_with_free_privacy"] for row in measured_free_privacy(known)] == [0, 100]
