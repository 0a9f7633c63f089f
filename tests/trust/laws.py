"""Laws of correct mechanisms, from tight noise to none at all, demands, and the figures that an audit shows of them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from hdp_audit.audits.share import Share
from hdp_audit.audits.users import audit_users
from hdp_audit.model import DemandSummary, PrivacyClaim, SubjectSummary, UserFigures
from tests.subjects import subject_of

Floats = np.ndarray
Law = Callable[[Floats, Floats, np.random.Generator, int], Floats]


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


def summary(found: UserFigures) -> SubjectSummary:
    return SubjectSummary("m", "mean", "python", DemandSummary.of(found.demand), None, found)
