"""Errors on the user's own data, told in two digits: with little noise all digits would tell the data."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hdp_audit.audits.verdicts_accuracy import Evidence

DIGITS = 2


def rounded(value: float, to: float = 0.0) -> float:
    """Two digits of a number; the next ones down where `to` is -1, up where it is 1."""
    if value == 0 or not math.isfinite(value):
        return value
    unit = 10.0 ** (math.floor(math.log10(abs(value))) + 1 - DIGITS)
    steps = value / unit
    whole = round(steps) if to == 0 else math.floor(steps) if to < 0 else math.ceil(steps)
    return float(f"{whole * unit:.{DIGITS}g}")


@dataclass(frozen=True, eq=False)
class Coarse:
    """The same evidence, decided as before and told in two digits, the interval rounded outwards."""

    exact: Evidence

    @property
    def draws(self) -> int:
        """How many there are."""
        return self.exact.draws

    @property
    def measured(self) -> float:
        """The sample's own figure."""
        return rounded(self.exact.measured)

    @property
    def lower(self) -> float:
        """The interval's lower end."""
        return rounded(self.exact.lower, -1)

    @property
    def upper(self) -> float:
        """The interval's upper end."""
        return rounded(self.exact.upper, 1)

    def log_wealth(self, bound: float) -> float:
        """Logarithm of the wealth against "the error is at most the bound"."""
        return self.exact.log_wealth(bound)

    def refutes(self, bound: float) -> bool:
        """The error is larger than the bound."""
        return self.exact.refutes(bound)

    def refutes_from_below(self, bound: float) -> bool:
        """The interval lies below the bound."""
        return self.exact.refutes_from_below(bound)

    def power_reached(self, tolerance: float) -> bool:
        """An error of tolerance × bound would have been refuted with probability 0.8."""
        return self.exact.power_reached(tolerance)

    def draws_needed(self, tolerance: float) -> float:
        """Draws for that."""
        return rounded(self.exact.draws_needed(tolerance), 1)
