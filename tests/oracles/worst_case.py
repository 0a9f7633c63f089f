"""Worst-case error of Laplace noise around a bias, at 60 digits: exact quantile and exact mean square.

One coordinate: P(|a + N| ≤ a + by) with x = a/b is 1 − e^{−y}(1 + e^{−2x})/2 for y ≥ 0 and (e^y − e^{−2x−y})/2 for
−x ≤ y < 0. `biased` of the `outputs` coordinates carry the bias, the others none. Written with y, nothing cancels
however large x is.
"""

from __future__ import annotations

import math
from functools import lru_cache
from math import comb
from typing import Any

from tests.oracles.features import mp


def quantile(a: Any, b: Any, beta: float, outputs: int, biased: int) -> Any:
    """(1−β)-quantile of max over `outputs` of |bias + Lap(b)|."""
    if b == 0:
        return a
    x, y = a / b, _one_coordinate(a / b, beta)
    free = outputs - biased
    if not free and biased == 1:
        return a + b * y
    y = mp.mpf(_newton(math, float(x), float(y), beta, biased, free, 1e-9))
    return a + b * _newton(mp, x, y, mp.mpf(beta), biased, free, 1e-25)


def _newton(of: Any, x: Any, y: Any, beta: Any, biased: int, free: int, close: float) -> Any:
    """Root in y of log F = log(1−β), increasing and concave: Newton from the left never overshoots.

    It runs in doubles (`of` = math) for a start, then at full precision; a last step below `close` squares the error.
    """
    goal = of.log1p(-beta)
    for _ in range(200):
        step = (goal - _log_cdf(of, x, y, biased, free)) / _log_slope(of, x, y, biased, free)
        y += step
        if abs(step) < close * (1 + abs(y)):
            return y
    raise ArithmeticError(f"no quantile found for x = {x}, beta = {beta}")


def _one_coordinate(x: Any, beta: float) -> Any:
    y = mp.log((1 + mp.exp(-2 * x)) / (2 * mp.mpf(beta)))
    if y >= 0:
        return y
    kept = 1 - mp.mpf(beta)
    return mp.log(kept + mp.sqrt(kept**2 + mp.exp(-2 * x)))


def _cdf(of: Any, x: Any, y: Any) -> Any:
    if y >= 0:
        return 1 - of.exp(-y) * (1 + of.exp(-2 * x)) / 2
    return (of.exp(y) - of.exp(-2 * x - y)) / 2


def _log_cdf(of: Any, x: Any, y: Any, biased: int, free: int) -> Any:
    alone = free * of.log1p(-of.exp(-x - y)) if free else 0
    return biased * of.log(_cdf(of, x, y)) + alone


def _log_slope(of: Any, x: Any, y: Any, biased: int, free: int) -> Any:
    """d/dy: a coordinate's density over its distribution function."""
    grown = of.exp(-y) * (1 + of.exp(-2 * x)) if y >= 0 else of.exp(y) + of.exp(-2 * x - y)
    gone = of.exp(-x - y) if free else 0
    return biased * grown / (2 * _cdf(of, x, y)) + free * gone / (1 - gone)


def cdf(alpha: Any, a: Any, b: Any, outputs: int, biased: int) -> Any:
    """P(max ≤ α); the definition, for tests of this module."""
    x, y = a / b, (alpha - a) / b
    return _cdf(mp, x, y) ** biased * (1 - mp.exp(-alpha / b)) ** (outputs - biased)


def mean_square(a: Any, b: Any, outputs: int, biased: int) -> Any:
    """∫ 2α(1 − P(max ≤ α))dα: both parts are sums of ∫ α e^{jα}, from polynomials in e^{−y} and e^{α/b}."""
    if b == 0:
        return a * a
    x = a / b
    return b * b * (x * x - _below(x, outputs, biased) + _above(x, outputs, biased))


def _above(x: Any, outputs: int, biased: int) -> Any:
    """∫_0^∞ 2(x+y)(1−F)dy, F = (1−Cz)^p(1−Ez)^{k−p}, z = e^{−y}."""
    c, e = (1 + mp.exp(-2 * x)) / 2, mp.exp(-x)
    first = [comb(biased, i) * (-c) ** i for i in range(biased + 1)]
    free = outputs - biased
    second = [comb(free, i) * (-e) ** i for i in range(free + 1)]
    total = mp.zero
    for i, p in enumerate(first):
        for j, q in enumerate(second):
            m = i + j
            total -= p * q * 2 * (x / m + mp.one / m**2) if m else 0
    return total


@lru_cache(maxsize=64)
def _exponents(outputs: int, biased: int) -> tuple[tuple[int, int], ...]:
    """2^p·sinh^p(α)(1−e^{−α})^{k−p} as Σ c_j e^{jα}."""
    sums: dict[int, int] = {}
    for i in range(biased + 1):
        for j in range(outputs - biased + 1):
            power = biased - 2 * i - j
            sums[power] = sums.get(power, 0) + comb(biased, i) * (-1) ** (i + j) * comb(outputs - biased, j)
    return tuple(sums.items())


def _below(x: Any, outputs: int, biased: int) -> Any:
    """∫_0^x 2αF(α)dα for unit noise."""
    shrink = mp.exp(-biased * x) / mp.mpf(2) ** biased
    total = mp.zero
    for j, coefficient in _exponents(outputs, biased):
        if j == 0:
            part = x * x * shrink
        else:
            grown = mp.exp((j - biased) * x) / mp.mpf(2) ** biased
            part = 2 * (grown * (x * j - 1) + shrink) / j**2
        total += coefficient * part
    return total


def max_exponential_quantile(beta: Any, outputs: int) -> Any:
    """q_k(β): the (1−β)-quantile of the largest of k Exp(1)."""
    return -mp.log(-mp.expm1(mp.log1p(-mp.mpf(beta)) / outputs))
