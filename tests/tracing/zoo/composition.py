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


def by_tier(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[float, ...]:
    answers = []
    for tier in np.unique(epsilon):
        members = x[epsilon == tier]
        answers.append(release(members.mean(), 1 / len(members), tier, rng))
    return tuple(answers)


def by_two_tiers(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[float, ...]:
    answers = []
    for inside in (epsilon <= 1, epsilon > 1):
        answers.append(release(x[inside].mean(), 1 / inside.sum(), epsilon[inside].max(), rng))
    return tuple(answers)


def tiers_and_all(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[float, ...]:
    return (*by_tier(x, epsilon, rng), release(x.mean(), 1 / len(x), 1.0, rng))


def local(x: Vector, epsilon: Vector, rng: np.random.Generator) -> Vector:
    return x + rng.laplace(scale=1 / epsilon)


def local_loop(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[float, ...]:
    return tuple(release(float(v), 1.0, float(e), rng) for v, e in zip(x, epsilon, strict=True))


def local_average(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    total = 0.0
    for v, e in zip(x, epsilon, strict=True):
        total += v + rng.laplace(0, 1 / e)
    return float(total / len(x))


def local_reversed(x: Vector, epsilon: Vector, rng: np.random.Generator) -> Vector:
    return x + rng.laplace(scale=1 / epsilon[::-1])


def some_coordinates(x: Vector, epsilon: Vector, rng: np.random.Generator) -> Vector:
    y = x.astype(float).copy()
    strict = epsilon < 1.5
    y[strict] += rng.laplace(0, 1 / epsilon[strict])
    return y


def last_coordinate_forgotten(x: Vector, epsilon: Vector, rng: np.random.Generator) -> Vector:
    y = x.astype(float).copy()
    for i in range(len(x) - 1):
        y[i] += rng.laplace(0, 1 / epsilon[i])
    return y


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


def means_of_tiers(x: Vector) -> list[float]:
    return [float(x[0]), float(x[1] + x[2]) / 2, float(x[3])]


def own(pair: Pair, factor: float = 1.0) -> float:
    return factor * D[pair[0]] * change(pair)


def equal_pattern(x: Vector) -> Law:
    return Law((certain(tuple(int(u == v) for u in x for v in x)),), lambda y: (_equal(y - np.array(x)),))


def _equal(z: Vector) -> tuple[int, ...]:
    return tuple(int(abs(u - v) < 1e-12) for u in z for v in z)


def local_average_density(x: Vector) -> Law:
    """Scales b/4 of 2, 1, 1, ½: the transform Π 1/(1 + b²t²) in partial fractions, b² = u ∈ {4, 1 (twice), ¼}/16.

    Σ over simple poles A·Laplace(b) with A = Π u/(u - v); the double pole gives (B + C|z|)e^(-|z|/b).
    """
    m = float(x.mean())
    a = 4 / (4 - 1) * 4 / (4 - 1) * 4 / (4 - 0.25)
    c = 0.25 / (0.25 - 4) * 0.25 / (0.25 - 1) * 0.25 / (0.25 - 1)
    # Near s = t² = -1 of 1/((1+4s)(1+s/4)) · 1/(1+s)²: g(-1) and g'(-1).
    g = 1 / ((1 - 4) * (1 - 0.25))
    slope = g * -(4 / (1 - 4) + 0.25 / (1 - 0.25))

    def density(z: Vector) -> Vector:
        z = np.abs(z)
        twice = (1 + z) * np.exp(-z) / 4  # inverse transform of 1/(1+t²)²
        return a * np.exp(-z / 2) / 4 + c * np.exp(-2 * z) + g * twice + slope * np.exp(-z) / 2

    def log(y: Vector) -> Vector:
        z = np.abs(y - m) * 4
        far = z > 60
        return np.where(far, math.log(a / 4) - z / 2, np.log(density(np.minimum(z, 60)))) + math.log(4)

    return only(Part({}, {None: Density(log, (m,), 0.5)}, m))


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
        "noise_of_each_tier",
        by_tier,
        {p: own(p) for p in PAIRS},
        1.0,
        reference=lambda x: laplaces(means_of_tiers(x), [2.0, 0.5, 0.5]),
    ),
    of(
        "two_tiers_by_the_larger_demand",
        by_two_tiers,
        {ZERO: 1.0, **{p: own(p) for p in PAIRS[1:]}},
        2.0,
        "user 0 shares the tier of demand 1",
        ZERO,
        lambda x: laplaces([(x[0] + x[1] + x[2]) / 3, x[3]], [1 / 3, 0.5]),
    ),
    of(
        "tiers_and_the_whole",
        tiers_and_all,
        {ZERO: 1.5, (3, O, 1.0): 3.0, (1, O, 1.0): 2.0},
        3.0,
        "one more answer, not paid for",
        ZERO,
        lambda x: laplaces([*means_of_tiers(x), x.mean()], [2.0, 0.5, 0.5, 0.25]),
    ),
    of("local_vector", local, {p: own(p) for p in PAIRS}, 1.0, reference=lambda x: laplaces(x, [2.0, 1.0, 1.0, 0.5])),
    of(
        "local_loop", local_loop, {p: own(p) for p in PAIRS}, 1.0, reference=lambda x: laplaces(x, [2.0, 1.0, 1.0, 0.5])
    ),
    # The sum's law is log-concave; its tail is that of the widest noise, 2/4, whoever moves.
    of(
        "average_of_local_noise",
        local_average,
        {p: 0.5 * change(p) for p in PAIRS},
        1.0,
        "the widest noise covers all: loss 0.5·change for every user",
        reference=local_average_density,
    ),
    of(
        "local_reversed_demands",
        local_reversed,
        {ZERO: 2.0, (3, O, 1.0): 0.5, (1, O, 1.0): 1.0},
        4.0,
        "factor 4",
        ZERO,
        lambda x: laplaces(x, [0.5, 1.0, 1.0, 2.0]),
    ),
    of(
        "noise_on_some_coordinates",
        some_coordinates,
        {(3, X, 0.0): INF, (3, O, 1.0): INF, (0, X, 1.0): 0.4, (1, O, 1.0): 1.0},
        INF,
        "user 3 has none",
        (3, X, 0.0),
        lambda x: Law((laplace(x[0], 2), laplace(x[1], 1), laplace(x[2], 1), certain(float(x[3])))),
    ),
    of(
        "last_coordinate_forgotten",
        last_coordinate_forgotten,
        {(3, X, 0.0): INF, (0, X, 1.0): 0.4},
        INF,
        "a loop that ends one too early",
        (3, X, 0.0),
        lambda x: Law((laplace(x[0], 2), laplace(x[1], 1), laplace(x[2], 1), certain(float(x[3])))),
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
