"""Means with noise of other laws than Laplace's."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from scipy import special, stats

from tests.tracing.zoo.entry import Entry, Mechanism, Pair, Vector, change, linear
from tests.tracing.zoo.faults import ZERO, unbounded
from tests.tracing.zoo.laws import Density, Floats, Law, continuous, discrete, mixture, only
from tests.tracing.zoo.laws import laplace_density as peak
from tests.tracing.zoo.means import MIN, PAIRS, QUARTER, D, O, X


def around(x: Vector, log: Any, width: float) -> Law:
    """The mean plus noise with log-density `log` of (y - mean)/width."""
    m = float(np.mean(x))
    return only(continuous(Density(lambda y: log((y - m) / width) - math.log(width), (m,), width), m))


def logistic(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(x.mean() + rng.logistic(0, 1 / (len(x) * epsilon.min())))


def logistic_logit(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    u = rng.random()
    return float(x.mean() + np.log(u / (1 - u)) / (2 * len(x) * epsilon.min()))


def cauchy(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    width = 1 / (2 * len(x) * math.sinh(epsilon.min() / 2))
    return float(x.mean() + width * rng.standard_cauchy())


def cauchy_ratio(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    width = 1 / (2 * len(x) * epsilon.min())
    return float(x.mean() + width * math.tan(math.pi * (rng.random() - 0.5)))


def student(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    width = 1 / (2 * math.sqrt(3) * len(x) * math.sinh(epsilon.min() / 4))
    return float(x.mean() + width * rng.standard_t(3))


def gaussian(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(rng.normal(x.mean(), math.sqrt(2 * math.log(1.25e5)) / (len(x) * epsilon.min())))


def standard_normal(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(x.mean() + 10 * rng.standard_normal())


def uniform(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    b = 1 / (len(x) * epsilon.min())
    return float(x.mean() + rng.uniform(-5 * b, 5 * b))


def triangular(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(x.mean() + rng.triangular(-3, 0, 3))


def one_sided(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(x.mean() + rng.exponential(1 / (len(x) * epsilon.min())))


def three_laplaces(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(x.mean() + rng.laplace(0, 1 / (len(x) * epsilon.min()), size=3).sum())


def average_of_three(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    answers = [x.mean() + rng.laplace(0, 1 / (len(x) * epsilon.min())) for _ in range(3)]
    return float(np.mean(answers))


def drawn_scale(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    b = rng.integers(1, 4) / (len(x) * epsilon.min())
    return float(x.mean() + rng.laplace(0, b))


def drawn_scale_near_zero(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    b = rng.uniform(0, 2) / (len(x) * epsilon.min())
    return float(x.mean() + b * rng.laplace())


def beta_posterior(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    votes = (x >= 0.5).sum()
    return float(rng.beta(1 + votes, 1 + len(x) - votes))


def truncated_table(x: Vector, epsilon: Vector, rng: np.random.Generator) -> int:
    steps = np.arange(-20, 21)
    p = np.exp(-epsilon.min() * np.abs(steps))
    return int((x >= 0.5).sum() + rng.choice(steps, p=p / p.sum()))


def ring(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[float, float]:
    """Two means, noise of density e^(-|z|/b) in the plane: b is the length of the largest change over the demand."""
    low, high = x.mean(), (x**2).mean()
    b = math.sqrt(2) / (len(x) * epsilon.min())
    r, angle = rng.gamma(2, b), rng.uniform(0, 2 * math.pi)
    return float(low + r * math.cos(angle)), float(high + r * math.sin(angle))


def ring_loss(pair: Pair) -> float:
    v, u = pair[2], pair[1][pair[0]]
    return math.hypot(v - u, v * v - u * u) / 4 / (math.sqrt(2) / 2)


def scaled(pairs: tuple[Pair, ...], of: Any) -> dict[Pair, float | None]:
    return {pair: of(change(pair) / 4) for pair in pairs}


def mean_entry(name: str, mechanism: Mechanism, losses: Any, bound: float, note: str, reference: Any) -> Entry:
    broken = bound > 1 + 1e-12
    breaks = ZERO if broken else None
    return Entry(
        name, mechanism, "mean", 4, None, D, not broken, losses, bound, note, breaks=breaks, reference=reference
    )


def three(z: Floats) -> Floats:
    """log-density of the sum of three standard Laplace variables: e^(-|z|)(3 + 3|z| + z²)/16."""
    return np.log((3 + 3 * np.abs(z) + z * z) / 16) - np.abs(z)


def student_log(z: Floats) -> Floats:
    return np.asarray(stats.t.logpdf(z, 3))


def logistic_log(z: Floats) -> Floats:
    return -np.abs(z) - 2 * np.log1p(np.exp(-np.abs(z)))


def near_zero(x: Vector) -> Law:
    """Scale t·b, t uniform on (0, 2): density ∫₀² e^(-|z|/t)/(4t) dt = E₁(|z|/2)/4, without bound at 0."""
    return around(x, lambda z: np.log(special.exp1(np.minimum(np.abs(z), 1000) / 2) / 4), MIN)


def table(x: Vector) -> Law:
    votes, p = int((x >= 0.5).sum()), np.exp(-0.5 * np.abs(np.arange(-20, 21)))
    return only(discrete({votes + k - 20: float(v) for k, v in enumerate(p / p.sum())}))


def posterior(x: Vector) -> Law:
    v = int((x >= 0.5).sum())
    edge = float(np.nextafter(0, 1))  # not 0 and 1 themselves: near them the ratio grows without end, like 1/y

    def log(y: Floats) -> Floats:
        y = np.clip(y, edge, 1 - 1e-16)
        return np.asarray(v * np.log(y) + (4 - v) * np.log1p(-y) - special.betaln(1 + v, 5 - v))

    return only(continuous(Density(log, (edge, 1e-100, 0.5), 0.1, (edge, 1.0))))


def flat(half: float) -> Any:
    return lambda z: np.where(np.abs(z) <= half, -math.log(2 * half), -np.inf)


def drawn_scale_loss(shift: float) -> float:
    """The density is a mixture of e^(-|z|/(kb)), log-convex on each side: steepest from the peak."""
    top = sum(1 / k for k in (1, 2, 3))
    return math.log(top / sum(math.exp(-shift / (k * MIN)) / k for k in (1, 2, 3)))


SMALL = 1 / (2 * 4 * math.sinh(0.25))  # Cauchy's width: 2·asinh(1/(2·4·width)) = 0.5
T3 = 1 / (2 * math.sqrt(3) * 4 * math.sinh(0.125))
ZEROED = (*PAIRS, ZERO)
CROSSING: tuple[Pair, ...] = ((0, X, 1.0), ZERO, (3, O, 1.0))

ENTRIES = (
    # The logistic law's log-density has slopes up to 1/scale, in the tails.
    mean_entry("logistic", logistic, linear(PAIRS, QUARTER, MIN), 1.0, "", lambda x: around(x, logistic_log, MIN)),
    mean_entry(
        "logistic_half_noise",
        logistic_logit,
        linear(ZEROED, QUARTER, MIN / 2),
        2.0,
        "factor 2",
        lambda x: around(x, logistic_log, MIN / 2),
    ),
    # Cauchy: the largest ratio of (1 + (z+s)²)/(1 + z²) is ((s + √(s²+4))/2)², so the loss is 2·asinh(s/2).
    mean_entry(
        "cauchy",
        cauchy,
        scaled(PAIRS, lambda s: 2 * math.asinh(s / SMALL / 2)),
        1.0,
        "heavy tails are no fault",
        lambda x: around(x, lambda z: -np.log(math.pi * (1 + z * z)), SMALL),
    ),
    mean_entry(
        "cauchy_half_width",
        cauchy_ratio,
        scaled(ZEROED, lambda s: 2 * math.asinh(s * 4 * 0.5)),
        2 * math.asinh(0.5) / 0.5,
        "width 1/(2nε) where 1/(nε) would do",
        lambda x: around(x, lambda z: -np.log(math.pi * (1 + z * z)), 0.25),
    ),
    # Student with 3 degrees: density ∝ (1 + z²/3)^-2, so twice Cauchy's loss at s/√3.
    mean_entry(
        "student_three",
        student,
        scaled(PAIRS, lambda s: 4 * math.asinh(s / T3 / 2 / math.sqrt(3))),
        1.0,
        "",
        lambda x: around(x, student_log, T3),
    ),
    unbounded(
        "gaussian",
        gaussian,
        "(ε, δ) is not the promise",
        reference=lambda x: around(x, stats.norm.logpdf, math.sqrt(2 * math.log(1.25e5)) / 2),
    ),
    unbounded(
        "standard_normal_wide",
        standard_normal,
        "wide, yet normal",
        reference=lambda x: around(x, stats.norm.logpdf, 10.0),
    ),
    unbounded("uniform_noise", uniform, "the support moves", reference=lambda x: around(x, flat(5.0), MIN)),
    unbounded(
        "triangular_noise",
        triangular,
        "the support moves",
        reference=lambda x: around(x, lambda z: np.log(np.maximum(3 - np.abs(z), 0) / 9), 1.0),
    ),
    unbounded(
        "one_sided_exponential",
        one_sided,
        "the support moves",
        reference=lambda x: around(x, lambda z: np.where(z >= 0, -z, -np.inf), MIN),
    ),
    # Sums of Laplace variables are log-concave, so the slope of the log-density is largest in the tail: 1/scale.
    mean_entry(
        "sum_of_three_laplaces",
        three_laplaces,
        linear(PAIRS, QUARTER, MIN),
        1.0,
        "no less loss than of one",
        lambda x: around(x, three, MIN),
    ),
    mean_entry(
        "average_of_three_answers",
        average_of_three,
        linear(ZEROED, QUARTER, MIN / 3),
        3.0,
        "factor 3, reached in the tail",
        lambda x: around(x, three, MIN / 3),
    ),
    mean_entry(
        "scale_is_drawn",
        drawn_scale,
        scaled(PAIRS, drawn_scale_loss),
        drawn_scale_loss(0.25) / 0.5,
        "a mixture of scales b, 2b, 3b",
        lambda x: only(mixture([1 / 3] * 3, [peak(float(x.mean()), k * MIN) for k in (1, 2, 3)])),
    ),
    unbounded("scale_is_drawn_near_zero", drawn_scale_near_zero, "the density has a pole", reference=near_zero),
    unbounded("beta_posterior", beta_posterior, "the ratio is like y near 0", CROSSING, reference=posterior),
    unbounded("truncated_table", truncated_table, "steps of -20..20 only", CROSSING, reference=table),
    Entry(
        "ring_in_the_plane",
        ring,
        "mean",
        4,
        None,
        D,
        True,
        {p: ring_loss(p) for p in PAIRS},
        1.0,
        "loss: length of the change of (mean, mean of squares) over b; no second law: see test_truths",
    ),
)
