"""Symbolic identities with sympy, and rigorous numbers with mpmath's interval arithmetic."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from typing import Any

BITS = 80


def vanishes(expression: Any) -> bool:
    """True when sympy simplifies the expression to zero: an identity, not a numeric coincidence."""
    import sympy as sp

    return bool(sp.simplify(expression) == 0)


def symbols(names: str, **facts: bool) -> Any:
    """sympy symbols with facts such as positive=True."""
    import sympy as sp

    return sp.symbols(names, **facts)


@cache
def _interval_context() -> Any:
    """A context of our own: mpmath's shared one keeps whatever precision others gave it."""
    from mpmath.ctx_iv import MPIntervalContext

    context = MPIntervalContext()
    context.prec = BITS
    return context


def iv() -> Any:
    """Interval arithmetic at 80 bits: outward rounding, so a comparison of end points is a proof."""
    import mpmath  # noqa: F401  # a missing tool must be noticed even when the context is cached

    return _interval_context()


def interval(number: int | str | Fraction) -> Any:
    """An interval that contains the number given as an integer, a fraction or decimal text."""
    context = iv()
    if isinstance(number, Fraction):
        return context.mpf(number.numerator) / context.mpf(number.denominator)
    return context.mpf(number)


def surely_less(left: Any, right: Any) -> bool:
    """left < right for every pair of numbers in the two intervals."""
    context = iv()
    return bool(context.mpf(left).b < context.mpf(right).a)
