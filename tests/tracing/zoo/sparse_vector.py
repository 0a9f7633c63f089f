"""The sparse vector technique, and wrong versions that were published."""

from __future__ import annotations

import itertools
import math
from typing import Any

import numpy as np
from scipy import integrate

from tests.tracing.zoo.entry import Entry, Mechanism, Pair, Vector
from tests.tracing.zoo.laws import Law, discrete, laplace_cdf, laplace_log_cdf, laplace_log_tail, only
from tests.tracing.zoo.selection import cdf, pdf

N, D = 5, (1.0, 1.0, 1.5, 2.0, 2.0)
T = 3.0


def levels(x: Vector) -> list[int]:
    return [int((x >= level).sum()) for level in (0.25, 0.5, 0.75)]


def sides(x: Vector) -> tuple[int, int]:
    return int((x < 0.5).sum()), int((x >= 0.5).sum())


def first_above(x: Vector, epsilon: Vector, rng: np.random.Generator) -> int:
    """The index of the first query above a noisy threshold."""
    e = epsilon.min()
    threshold = T + rng.laplace(0, 2 / e)
    for index, q in enumerate(levels(x)):
        if q + rng.laplace(0, 4 / e) >= threshold:
            return index
    return -1


def marks(x: Vector, epsilon: Vector, rng: np.random.Generator) -> str:
    e = epsilon.min()
    rho = rng.laplace(0, 2 / e)
    noise = rng.laplace(0, 4 / e, size=3)
    out = ""
    for q, nu in zip(levels(x), noise, strict=True):
        out += "+" if q + nu >= T + rho else "-"
        if out.endswith("+"):
            break
    return out


def no_query_noise(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[bool, ...]:
    threshold = T + rng.laplace(0, 1 / epsilon.min())
    return tuple(bool(q >= threshold) for q in sides(x))


def no_end(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[bool, ...]:
    """Any number of queries above the threshold, four on each side."""
    e = epsilon.min()
    threshold = T + rng.laplace(0, 2 / e)
    low, high = sides(x)
    return tuple(bool(q + rng.laplace(0, 2 / e) >= threshold) for q in [low] * 4 + [high] * 4)


def no_threshold_noise(x: Vector, epsilon: Vector, rng: np.random.Generator) -> int:
    low, _ = sides(x)
    for index in range(8):
        if low + rng.laplace(0, 2 / epsilon.min()) >= T:
            return index
    return -1


def own_value(x: Vector, epsilon: Vector, rng: np.random.Generator) -> tuple[int, float]:
    """The value that passed the threshold is returned with the noise that made it pass."""
    e = epsilon.min()
    threshold = T + rng.laplace(0, 2 / e)
    low, _ = sides(x)
    for index, q in enumerate([low] * 8):
        value = q + rng.laplace(0, 4 / e)
        if value >= threshold:
            return index, float(value)
    return -1, 0.0


def integral(queries: list[int], above: list[bool], threshold_scale: float, scale: float) -> float:
    """P(these answers) = ∫ over ρ of its density times Π F or 1 - F, by quadrature between the bends."""

    def f(r: float) -> float:
        tails = [
            cdf((q - T - r) / scale) if up else cdf((T + r - q) / scale) for q, up in zip(queries, above, strict=True)
        ]
        return pdf(r / threshold_scale) / threshold_scale * math.prod(tails)

    cuts = [-40 * threshold_scale, *sorted({0.0, *(q - T for q in queries)}), 40 * threshold_scale]
    return sum(integrate.quad(f, a, b, epsabs=1e-13)[0] for a, b in itertools.pairwise(cuts))


RHO = np.linspace(-50, 50, 20001)  # bends of the integrand are grid points


def summed(logs: Vector, threshold_scale: float) -> float:
    """The same integral by a sum over a grid."""
    weight = np.exp(logs - np.abs(RHO) / threshold_scale)
    return float(weight.sum() * (RHO[1] - RHO[0]) / (2 * threshold_scale))


def first_above_law(x: Vector, names: tuple[Any, ...]) -> Law:
    z = [(T + RHO - q) / 4 for q in levels(x)]
    below = [laplace_log_cdf(v) for v in z]
    above = [laplace_log_tail(v) for v in z]
    logs = [above[0], below[0] + above[1], below[0] + below[1] + above[2], below[0] + below[1] + below[2]]
    return only(discrete({name: summed(v, 2.0) for name, v in zip(names, logs, strict=True)}))


def no_end_law(x: Vector) -> Law:
    """How many of each four are above: given that, every order has the same chance."""
    low, high = ((T + RHO - q) / 2 for q in sides(x))
    law = {}
    for a, b in itertools.product(range(5), repeat=2):
        logs = a * laplace_log_tail(low) + (4 - a) * laplace_log_cdf(low)
        logs = logs + b * laplace_log_tail(high) + (4 - b) * laplace_log_cdf(high)
        law[a, b] = math.comb(4, a) * math.comb(4, b) * summed(logs, 2.0)
    return only(discrete(law), lambda y: (sum(y[:4]), sum(y[4:])))


def no_query_noise_law(x: Vector) -> Law:
    low, high = sides(x)
    small, large = laplace_cdf(min(low, high) - T), laplace_cdf(max(low, high) - T)
    one = (low > high, high > low)
    return only(discrete({(True, True): small, (False, False): 1 - large, one: large - small}))


def no_threshold_noise_law(x: Vector) -> Law:
    p = laplace_cdf((sides(x)[0] - T) / 2)
    return only(discrete({-1: (1 - p) ** 8, **{j: (1 - p) ** j * p for j in range(8)}}))


def worst(pair: Pair, patterns: list[list[bool]], queries: Any, threshold_scale: float, scale: float) -> float:
    one = np.array(pair[1])
    other = one.copy()
    other[pair[0]] = pair[2]

    def chance(x: Vector, p: list[bool]) -> float:
        return integral(queries(x)[: len(p)], p, threshold_scale, scale)

    return max(abs(math.log(chance(one, p) / chance(other, p))) for p in patterns)


def eight(x: Vector) -> list[int]:
    return [sides(x)[0]] * 4 + [sides(x)[1]] * 4


def of(
    name: str, mechanism: Mechanism, losses: Any, bound: float | None, note: str, reference: Any, reach: Any
) -> Entry:
    top = max(losses, key=lambda p: losses[p] / D[p[0]])
    correct = losses[top] <= D[top[0]]
    breaks = None if correct else top
    return Entry(
        name,
        mechanism,
        "mean",
        N,
        None,
        D,
        correct,
        losses,
        bound,
        note,
        breaks=breaks,
        reference=reference,
        reach=reach,
    )


FIRST = [[True], [False, True], [False, False, True], [False, False, False]]
PAIRS: tuple[Pair, ...] = (
    (0, (0.0, 0.0, 0.9, 0.6, 0.3), 1.0),
    (1, (0.0,) * 5, 1.0),
    (3, (0.3, 0.9, 0.9, 0.6, 0.3), 0.0),
)
TURN: Pair = (0, (0.0, 0.0, 1.0, 1.0, 1.0), 1.0)  # sides (2, 3) and (1, 4)
SWAP: Pair = (0, (0.0, 0.0, 0.0, 1.0, 1.0), 1.0)  # sides (3, 2) and (2, 3)
ONE_SIDE = [[False] * 4 + [True] * 4, [True] * 4 + [False] * 4]
FIRSTS = {p: worst(p, FIRST, levels, 2.0, 4.0) for p in PAIRS}

ENTRIES: tuple[Entry, ...] = (
    of("sparse_vector_index", first_above, FIRSTS, 1.0, "ρ of 2/ε, ν of 4/ε, ends at the first",
       lambda x: first_above_law(x, (0, 1, 2, -1)), "upper"),
    of("sparse_vector_marks", marks, FIRSTS, 1.0, "all noise drawn beforehand, a string",
       lambda x: first_above_law(x, ("+", "-+", "--+", "---")), "upper"),
    # (2, 3) → (1, 4): both above has ½e^(-1) and ½e^(-2), none above ½ and ½e^(-1): a loss of 1; one above has less.
    of("sparse_vector_no_query_noise", no_query_noise, {SWAP: math.inf, TURN: 1.0}, math.inf,
       "which side is above tells", no_query_noise_law, "attained"),
    # Of all answers the one with four above on one side and none on the other differs most.
    of("sparse_vector_no_end", no_end, {p: worst(p, ONE_SIDE, eight, 2.0, 2.0) for p in (SWAP, TURN)}, None,
       "each query above costs, and there is no end to them", no_end_law, "attained"),
    # Below the threshold eight times, low = 3 or 2: (½)^8 against (1 - ½e^(-½))^8. From 4 to 5: whole losses of ½.
    of("sparse_vector_no_threshold_noise", no_threshold_noise,
       {SWAP: 8 * math.log(2 * (1 - 0.5 * math.exp(-0.5))), (3, (0.0, 0.0, 0.0, 1.0, 0.0), 0.0): 4.0}, 4.0,
       "sup: 8 factors of e^(ε/2)", no_threshold_noise_law, "attained"),
    # Seven below, then a value v → -∞: each F has its whole loss 1/b, and so has the value's density: 8/b = 8·ε/4.
    of("sparse_vector_own_value", own_value, {SWAP: 2.0, (2, (0.0, 0.0, 0.0, 1.0, 1.0), 1.0): 2.0}, 2.0,
       "in the limit of small values; tried apart in test_truths", None, "attained"),
)  # fmt: skip
