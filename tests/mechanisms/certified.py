"""Certified log-ratios: what two counts prove about the loss, at a stated false-alarm probability."""

from __future__ import annotations

import math

from scipy.special import betaincinv

FALSE_ALARM = 1e-6  # of a whole statement; each of its two intervals gets half


def certified(hits: int, other_hits: int, size: int, error: float = FALSE_ALARM) -> float:
    """A lower bound on log(P/P') from hits and other_hits in `size` runs each: two Clopper–Pearson intervals."""
    return math.log(_lower(hits, size, error / 2)) - math.log(_upper(other_hits, size, error / 2))


def _lower(hits: int, size: int, error: float) -> float:
    return float(betaincinv(hits, size - hits + 1, error)) if hits else 5e-324


def _upper(hits: int, size: int, error: float) -> float:
    return float(betaincinv(hits + 1, size - hits, 1.0 - error)) if hits < size else 1.0
