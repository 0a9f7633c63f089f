"""Samples, permutations and shuffles of the users."""

from __future__ import annotations

import itertools
import math
from collections import Counter
from collections.abc import Callable

import numpy as np

from tests.tracing.zoo.composition import of
from tests.tracing.zoo.entry import Entry, Pair, Vector
from tests.tracing.zoo.faults import ZERO
from tests.tracing.zoo.laws import Law, discrete, laplace_density, mixture, only
from tests.tracing.zoo.means import D, O, X

INF = math.inf
HALF_AMPLIFIED = math.log(1 + (math.exp(0.5) - 1) / 0.5)  # ε' with log(1 + ½(e^ε' - 1)) = 0.5


def amplified(epsilon: float, rate: float) -> float:
    return math.log1p(math.expm1(epsilon) / rate)


def half_of_the_users(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    chosen = rng.random(len(x)) < 0.5
    inner = amplified(epsilon.min(), 0.5)
    return float(x[chosen].sum() / len(x) + rng.laplace(0, 1 / (len(x) * inner)))


def half_of_the_users_rescaled(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    """The mean of a fixed number of users, with the sensitivity of all."""
    m = len(x) // 2
    chosen = rng.choice(len(x), size=m, replace=False)
    inner = amplified(epsilon.min(), m / len(x))
    return float(x[chosen].mean() + rng.laplace(0, 1 / (len(x) * inner)))


def one_user(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(x[rng.integers(len(x))] + rng.laplace(0, 1 / epsilon.min()))


def one_user_raw(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(rng.choice(x))


def bootstrap(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    again = rng.choice(x, size=len(x))
    return float(again.mean() + rng.laplace(0, 1 / (len(x) * epsilon.min())))


def sample_by_demand(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    """Keep user i with (e^εᵢ - 1)/(e^t - 1), then answer with t."""
    t = float(epsilon.max())
    keep = rng.random(x.shape) < np.expm1(epsilon) / math.expm1(t)
    return float((keep * x).sum() / len(x) + rng.laplace(0, 1 / (len(x) * t)))


def sample_by_demand_linear(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    t = float(epsilon.max())
    keep = rng.binomial(1, epsilon / t)
    return float(keep @ x / len(x) + rng.laplace(0, 1 / (len(x) * t)))


def permuted_data(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    """The data are permuted, the weights are not."""
    w = epsilon / epsilon.sum()
    return float(w @ rng.permutation(x) + rng.laplace(0, 1 / epsilon.sum()))


def permuted_together(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    order = rng.permutation(len(x))
    w = epsilon[order] / epsilon.sum()
    return float(w @ x[order] + rng.laplace(0, 1 / epsilon.sum()))


def shuffled_raw(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[float, ...]:
    y = list(x)
    rng.shuffle(y)
    return tuple(float(v) for v in y)


def subsets(x: Vector, chances: list[float], t: float) -> Law:
    """One Laplace law for each set of users that may be kept."""
    weights, densities = [], []
    for keep in itertools.product((0, 1), repeat=len(x)):
        weights.append(math.prod(p if k else 1 - p for k, p in zip(keep, chances, strict=True)))
        densities.append(laplace_density(float(np.dot(keep, x)) / len(x), 1 / (len(x) * t)))
    kept = [i for i, w in enumerate(weights) if w > 0]
    return only(mixture([weights[i] for i in kept], [densities[i] for i in kept]))


def equally(locations: list[float], scale: float) -> Law:
    """Laplace noise around one of these, each as likely as the others."""
    where = Counter(round(m, 12) for m in locations)
    chances = [count / len(locations) for count in where.values()]
    return only(mixture(chances, [laplace_density(m, scale) for m in where]))


def kept_loss(pair: Pair, chance: float, t: float) -> float:
    """Far above all data: log of (1 - π + πe^(tb))/(1 - π + πe^(ta)) for a datum that goes from a to b.

    Given who else is kept, the ratio is monotone in the output, so that its limits are the largest; the upper limit
    has the larger logarithm since log(1 - π + πe^s) is convex in s.
    """
    grown = [math.log(1 - chance + chance * math.exp(t * v)) for v in (pair[1][pair[0]], pair[2])]
    return abs(grown[1] - grown[0])


def of_rate(pairs: tuple[Pair, ...], chance: Callable[[float], float], t: float) -> dict[Pair, float | None]:
    return {pair: kept_loss(pair, chance(D[pair[0]]), t) for pair in pairs}


def fair(e: float) -> float:
    return math.expm1(e) / math.expm1(2.0)


PAIRS: tuple[Pair, ...] = (ZERO, (1, O, 1.0), (3, X, 0.0), (0, X, 1.0))
FOUR_ORDERS = list(itertools.permutations(range(4)))

ENTRIES: tuple[Entry, ...] = (
    of(
        "half_of_the_users",
        half_of_the_users,
        of_rate(PAIRS, lambda _: 0.5, HALF_AMPLIFIED),
        1.0,
        "subsample, then Laplace with the amplified demand",
        reference=lambda x: subsets(x, [0.5] * 4, HALF_AMPLIFIED),
    ),
    # From zeros only: kept with ½, and then moved by 1/2 where the noise has 1/(4ε').
    of(
        "half_of_the_users_rescaled",
        half_of_the_users_rescaled,
        {ZERO: math.log(0.5 + 0.5 * math.exp(2 * HALF_AMPLIFIED)), (0, O, 0.5): 0.5},
        math.log(0.5 + 0.5 * math.exp(2 * HALF_AMPLIFIED)) / 0.5,
        "a mean of two, noise for a mean of four",
        ZERO,
        lambda x: equally([(x[i] + x[j]) / 2 for i, j in itertools.combinations(range(4), 2)], 0.25 / HALF_AMPLIFIED),
    ),
    of(
        "one_user_and_noise",
        one_user,
        {ZERO: math.log(0.75 + 0.25 * math.exp(0.5)), (0, X, 1.0): None},
        math.log(0.75 + 0.25 * math.exp(0.5)) / 0.5,
        "(0, X, 1.0): a mixture without closed form; `reference` has it",
        reference=lambda x: equally([float(v) for v in x], 2.0),
    ),
    of(
        "one_user_raw",
        one_user_raw,
        {ZERO: INF, (0, X, 1.0): INF},
        INF,
        "some record, as it is",
        ZERO,
        lambda x: only(discrete({float(v): float(np.mean(x == v)) for v in x})),
    ),
    # From zeros, K ~ Bin(4, ¼) copies: far above, E e^(Kε) = (1 + (e^ε - 1)/4)^4.
    of(
        "bootstrap",
        bootstrap,
        {ZERO: 4 * math.log(1 + math.expm1(0.5) / 4), (0, O, 0.5): 4 * math.log(1 + math.expm1(0.25) / 4)},
        4 * math.log(1 + math.expm1(0.5) / 4) / 0.5,
        "a user may be drawn more than once",
        ZERO,
        lambda x: equally([float(np.mean(c)) for c in itertools.product(x, repeat=4)], 0.5),
    ),
    of(
        "sample_by_demand",
        sample_by_demand,
        of_rate((*PAIRS, (3, O, 1.0)), fair, 2.0),
        1.0,
        "each user's loss is the demand",
        reference=lambda x: subsets(x, [fair(e) for e in D], 2.0),
    ),
    of(
        "sample_by_demand_linear",
        sample_by_demand_linear,
        of_rate((*PAIRS, (3, O, 1.0)), lambda e: e / 2, 2.0),
        math.log(0.75 + 0.25 * math.exp(2)) / 0.5,
        "chances ε/t instead of (e^ε - 1)/(e^t - 1)",
        ZERO,
        lambda x: subsets(x, [e / 2 for e in D], 2.0),
    ),
    # From zeros: weight εⱼ with ¼ each.
    of(
        "data_permuted_but_not_weights",
        permuted_data,
        {ZERO: math.log(sum(math.exp(e) for e in D) / 4), (0, O, 0.5): math.log(sum(math.exp(e / 2) for e in D) / 4)},
        None,
        "a user may get anybody's weight",
        ZERO,
        lambda x: equally([float(sum(D[i] * x[o[i]] for i in range(4))) / 4.5 for o in FOUR_ORDERS], 1 / 4.5),
    ),
    of(
        "permuted_together",
        permuted_together,
        {ZERO: 0.5, (3, X, 0.0): 0.8, (3, O, 1.0): 2.0},
        1.0,
        "an order without effect",
        reference=lambda x: equally([float(np.dot(D, x)) / 4.5], 1 / 4.5),
    ),
    of(
        "shuffled_raw",
        shuffled_raw,
        {ZERO: INF, (0, X, 1.0): INF},
        INF,
        "an order hides no values",
        ZERO,
        lambda x: only(discrete({o: order_chance(x, o) for o in {tuple(float(x[i]) for i in p) for p in FOUR_ORDERS}})),
    ),
)


def order_chance(x: Vector, output: tuple[float, ...]) -> float:
    return sum(tuple(float(x[i]) for i in p) == output for p in FOUR_ORDERS) / 24
