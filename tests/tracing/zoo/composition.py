"""Several releases: tiers, budgets that are split or not, noise that is used twice."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from tests.tracing.zoo.entry import Entry, Mechanism, Pair, Vector, change
from tests.tracing.zoo.faults import ZERO
from tests.tracing.zoo.laws import Density, Law, Part, certain, laplace, laplace_cdf, laplace_density, laplaces, only
from tests.tracing.zoo.means import PAIRS, D, O, X

INF = math.inf


def release(value: float, sensitivity: float, epsilon: float, rng: np.random.Generator) -> float:
    return float(value + rng.laplace(scale=sensitivity / epsilon))


def mean_and_maximum(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[float, float]:
    each = epsilon.min() / 2
    return release(x.mean(), 1 / len(x), each, rng), release(x.max(), 1.0, each, rng)


def mean_and_maximum_unsplit(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[float, float]:
    e = epsilon.min()
    return release(x.mean(), 1 / len(x), e, rng), release(x.max(), 1.0, e, rng)


def four_answers(x: Vector, epsilon: Vector, rng: np.random.Generator) -> Vector:
    return np.array([release(x.mean(), 1 / len(x), epsilon.min() / 4, rng) for _ in range(4)])


def four_answers_unsplit(x: Vector, epsilon: Vector, rng: np.random.Generator) -> Vector:
    return x.mean() + rng.laplace(0, 1 / (len(x) * epsilon.min()), size=4)


def one_draw_twice(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[float, float]:
    z = rng.laplace(0, 2 / epsilon.min())
    return float(x.mean() + z), float(x.max() + z)


def opposite_noise(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[float, float]:
    """An antithetic pair: its average is the mean."""
    z = rng.laplace(0, 2 / (len(x) * epsilon.min()))
    return float(x.mean() + z), float(x.mean() - z)


def remembered_by_value(x: Vector, epsilon: Vector, rng: np.random.Generator) -> Vector:
    """Noise is kept for each value, "to be consistent": equal data get equal noise."""
    kept: dict[float, float] = {}
    for v in x:
        if float(v) not in kept:
            kept[float(v)] = rng.laplace(0, 1 / epsilon.min())
    return np.array([v + kept[float(v)] for v in x])


@dataclass
class NoiseOnce:
    """The noise of the first call serves all later ones."""

    noise: list[float] = field(default_factory=list)

    def __call__(self, x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
        if not self.noise:
            self.noise.append(rng.laplace(0, 1 / (len(x) * epsilon.min())))
        return float(x.mean() + self.noise[0])


def level_then_mean(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[str, float]:
    """A private level chooses the scale of the second answer."""
    half = epsilon.min() / 2
    many = (x >= 0.5).sum() + rng.laplace(0, 1 / half) > 2
    b = (1 if many else 2) / (len(x) * half)
    return ("many" if many else "few"), float(x.mean() + rng.laplace(0, b))


def level_then_mean_law(x: Vector) -> Law:
    m, c = float(x.mean()), float((x >= 0.5).sum())
    pieces = {}
    for name, p, b in (("many", laplace_cdf((c - 2) / 4), 1.0), ("few", laplace_cdf((2 - c) / 4), 2.0)):
        d = laplace_density(m, b)
        pieces[name] = Density(lambda y, d=d, p=p: d.log(y) + math.log(p), (m,), b)  # type: ignore[misc]
    return only(Part({}, pieces))


def of(
    name: str,
    mechanism: Mechanism,
    losses: dict[Pair, float | None],
    bound: float | None,
    note: str = "",
    breaks: Pair | None = None,
    reference: Callable[[Vector], Law] | None = None,
) -> Entry:
    return Entry(
        name, mechanism, "mean", 4, None, D, breaks is None, losses, bound, note, breaks=breaks, reference=reference
    )


def equal_pattern(x: Vector) -> Law:
    return Law((certain(tuple(int(u == v) for u in x for v in x)),), lambda y: (_equal(y - np.array(x)),))


def _equal(z: Vector) -> tuple[int, ...]:
    return tuple(int(abs(u - v) < 1e-12) for u in z for v in z)


VOTE: Pair = (0, (0.2, 0.4, 0.9, 0.4), 1.0)
STATEFUL = NoiseOnce()

ENTRIES = (
    of(
        "mean_and_maximum",
        mean_and_maximum,
        {ZERO: 0.5, (2, X, 1.0): 0.1 / 4 / 1 + 0.1 / 4, (3, X, 0.0): 0.1},
        1.0,
        "half of the demand each",
        reference=lambda x: laplaces([x.mean(), x.max()], [1.0, 4.0]),
    ),
    of(
        "mean_and_maximum_unsplit",
        mean_and_maximum_unsplit,
        {ZERO: 1.0, (2, X, 1.0): 0.1, (3, X, 0.0): 0.2},
        2.0,
        "factor 2",
        ZERO,
        lambda x: laplaces([x.mean(), x.max()], [0.5, 2.0]),
    ),
    of(
        "four_answers",
        four_answers,
        {p: change(p) * 0.5 for p in PAIRS},
        1.0,
        "a quarter each",
        reference=lambda x: laplaces([x.mean()] * 4, 2.0),
    ),
    of(
        "four_answers_unsplit",
        four_answers_unsplit,
        {ZERO: 2.0, (3, X, 0.0): 0.8},
        4.0,
        "factor 4",
        ZERO,
        lambda x: laplaces([x.mean()] * 4, 0.5),
    ),
    of(
        "one_draw_on_two_answers",
        one_draw_twice,
        {(0, X, 1.0): INF, (3, X, 0.0): INF, ZERO: INF},
        INF,
        "the answers' difference is not noisy",
        ZERO,
        lambda x: Law(
            (laplace(float(x.mean()), 4.0), certain(round(x.max() - x.mean(), 9))),
            lambda y: (y[0], round(y[1] - y[0], 9)),
        ),
    ),
    of(
        "opposite_noise",
        opposite_noise,
        dict.fromkeys((*PAIRS, ZERO), INF),
        INF,
        "the average is exact",
        ZERO,
        lambda x: Law(
            (laplace(0.0, 1.0), certain(round(float(x.mean()), 9))),
            lambda y: ((y[0] - y[1]) / 2, round((y[0] + y[1]) / 2, 9)),
        ),
    ),
    of(
        "noise_remembered_by_value",
        remembered_by_value,
        {(0, O, 1.0): INF, (0, (0.5, 0.2, 0.1, 0.3), 0.2): INF, (0, X, 1.0): 0.4},
        INF,
        "outputs coincide where data do",
        ZERO,
        None,
    ),
    of(
        "noise_of_the_first_call",
        STATEFUL,
        {ZERO: INF},
        INF,
        "a second call with other data shows their difference; a first call alone loses 0.5·change",
        ZERO,
        None,
    ),
    # few: P = ½e^(...) moves by 1/4 at most, mean by change/4 over 1 or 2.
    of(
        "private_level_chooses_scale",
        level_then_mean,
        {ZERO: 0.25 + 0.25, VOTE: 0.25 + 0.2, (3, X, 0.0): 0.1},
        1.0,
        "a label and a number",
        reference=level_then_mean_law,
    ),
)
