"""Randomness from elsewhere: global streams, own generators, raw bits."""

from __future__ import annotations

import math
import random
import secrets
from dataclasses import dataclass, field

import numpy as np
from scipy import stats

from tests.tracing.zoo.control_flow import mean_density
from tests.tracing.zoo.entry import Vector
from tests.tracing.zoo.faults import ZERO, broken, unbounded
from tests.tracing.zoo.laws import Law, Part, certain, laplace_density, only
from tests.tracing.zoo.means import MIN, QUARTER, X, made
from tests.tracing.zoo.noises import around


def scale_of(x: Vector, epsilon: Vector) -> float:
    return 1 / (len(x) * float(epsilon.min()))


def two_sided(u: float) -> float:
    """A Laplace variable of a uniform one."""
    return math.log(2 * u) if u < 0.5 else -math.log(2 * (1 - u))


def global_stream(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(x.mean() + np.random.laplace(0, scale_of(x, epsilon)))  # noqa: NPY002


def global_half(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(x.mean() + np.random.laplace(0, scale_of(x, epsilon) / 2))  # noqa: NPY002


def global_seeded(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    np.random.seed(42)  # noqa: NPY002
    return float(x.mean() + np.random.laplace(0, scale_of(x, epsilon)))  # noqa: NPY002


def standard_library(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(x.mean() + scale_of(x, epsilon) * two_sided(1 - random.random()))  # noqa: S311


def standard_exponentials(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    rate = 1 / scale_of(x, epsilon)
    return float(x.mean() + random.expovariate(rate) - random.expovariate(rate))


def standard_gauss(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(x.mean() + random.gauss(0, 3 * scale_of(x, epsilon)))


def system_random(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(x.mean() + scale_of(x, epsilon) * two_sided(1 - secrets.SystemRandom().random()))


def own_generator(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    mine = np.random.default_rng()
    return float(x.mean() + mine.laplace(0, scale_of(x, epsilon)))


def own_generator_fifth_less(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    mine = np.random.Generator(np.random.PCG64())
    return float(x.mean() + mine.laplace(0, 0.8 * scale_of(x, epsilon)))


def own_seed(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    return float(x.mean() + np.random.default_rng(0).laplace(0, scale_of(x, epsilon)))


def seed_of_data(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    """The same data get the same answer, for ever."""
    mine = np.random.default_rng(int(1e6 * x.sum()))
    return float(x.mean() + mine.laplace(0, scale_of(x, epsilon)))


@dataclass
class OwnGenerator:
    """A generator made once, with the object."""

    rng: np.random.Generator = field(default_factory=np.random.default_rng)

    def __call__(self, x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
        return float(x.mean() + self.rng.laplace(0, scale_of(x, epsilon)))


def seeded_by_rng(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    old = np.random.RandomState(int(rng.integers(2**32)))
    return float(x.mean() + old.laplace(0, scale_of(x, epsilon)))


def spawned(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    (child,) = rng.spawn(1)
    return float(x.mean() + child.laplace(0, scale_of(x, epsilon)))


def raw_bits(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    u = ((int(rng.bit_generator.random_raw()) >> 11) + 0.5) * 2.0**-53
    return float(x.mean() + scale_of(x, epsilon) * two_sided(u))


def raw_bytes(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    u = (int.from_bytes(rng.bytes(6), "big") + 0.5) * 2.0**-48
    return float(x.mean() + scale_of(x, epsilon) * two_sided(u))


def mixed_sources(x: Vector, epsilon: Vector, rng: np.random.Generator) -> float:
    """The size from the given generator, the sign from elsewhere."""
    sign = 1 if random.random() < 0.5 else -1  # noqa: S311
    return float(x.mean() + sign * rng.exponential(scale_of(x, epsilon)))


def fresh(x: Vector) -> Law:
    """Without a location: one seed of `rng` gives other noise at each call."""
    return only(Part({}, {None: mean_density(x)}))


def narrow(factor: float) -> object:
    return lambda x: only(Part({}, {None: laplace_density(float(x.mean()), factor * MIN)}))


def normal(x: Vector) -> Law:
    part = around(x, stats.norm.logpdf, 3 * MIN).parts[0]
    return only(Part({}, part.pieces))


def fixed(seed: int) -> object:
    return lambda x: only(certain(float(x.mean() + np.random.default_rng(seed).laplace(0, MIN))))


def of_data(x: Vector) -> Law:
    return only(certain(float(x.mean() + np.random.default_rng(int(1e6 * x.sum())).laplace(0, MIN))))


def of_global_seed(x: Vector) -> Law:
    return only(certain(float(x.mean() + np.random.RandomState(42).laplace(0, MIN))))


ENTRIES = (
    made("global_stream", global_stream, QUARTER, MIN, law="global", reference=fresh),
    broken(
        "global_stream_half_noise", global_half, QUARTER, MIN / 2, ZERO, "factor 2", law="global", reference=narrow(0.5)
    ),
    unbounded("global_stream_seeded", global_seeded, "the noise is known", law="global", reference=of_global_seed),
    made("standard_library_uniform", standard_library, QUARTER, MIN, law="random", reference=fresh),
    made("standard_library_exponentials", standard_exponentials, QUARTER, MIN, law="random", reference=fresh),
    unbounded("standard_library_gauss", standard_gauss, "normal noise", law="random", reference=normal),
    made("system_random", system_random, QUARTER, MIN, "the operating system's bits", law="random", reference=fresh),
    made("own_generator", own_generator, QUARTER, MIN, law="own", reference=fresh),
    broken(
        "own_generator_a_fifth_less",
        own_generator_fifth_less,
        QUARTER,
        0.8 * MIN,
        ZERO,
        "factor 1.25",
        law="own",
        reference=narrow(0.8),
    ),
    unbounded("own_generator_fixed_seed", own_seed, "the noise is known", law="own", reference=fixed(0)),
    unbounded("seed_of_the_data", seed_of_data, "no draw is random", ((0, X, 1.0), ZERO), law="own", reference=of_data),
    made("own_generator_of_the_object", OwnGenerator(), QUARTER, MIN, law="own", reference=fresh),
    made("old_generator_seeded_by_rng", seeded_by_rng, QUARTER, MIN, "2³² seeds", law="own", reference=fresh),
    made("spawned_generator", spawned, QUARTER, MIN, "rng.spawn", reference=fresh),
    made("raw_bits", raw_bits, QUARTER, MIN, "rng.bit_generator.random_raw; 2⁵³ values", reference=fresh),
    made("raw_bytes", raw_bytes, QUARTER, MIN, "rng.bytes; 2⁴⁸ values", reference=fresh),
    made("two_sources", mixed_sources, QUARTER, MIN, "rng and random.random", law="random", reference=fresh),
)
