"""From values to pixels, and the round values that an axis names."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hdp_audit.reporting.numbers import short


@dataclass(frozen=True)
class Scale:
    """Values to pixels, kept within the ends; a logarithmic scale puts 0 and below at its start."""

    low: float
    high: float
    start: float
    end: float
    log: bool = True

    def at(self, value: float) -> float:
        """Pixels of a value."""
        return self.start + (self.end - self.start) * min(max(self._share(value), 0.0), 1.0)

    def holds(self, value: float | None) -> bool:
        """True where the value lies on the scale, not beyond its ends."""
        return value is not None and self.low <= value <= self.high

    def ticks(self) -> list[float]:
        """A few round values."""
        if self.log:
            return decades(self.low, self.high)
        step = _round_step((self.high - self.low) / 4.0)
        first = math.ceil(self.low / step - 1e-9)
        return [number * step for number in range(first, math.floor(self.high / step + 1e-9) + 1)]

    def _share(self, value: float) -> float:
        if not self.log:
            return (value - self.low) / (self.high - self.low)
        if not value > 0:
            return 0.0
        if math.isinf(value):
            return 1.0
        return (math.log(value) - math.log(self.low)) / (math.log(self.high) - math.log(self.low))


def log_range(values: list[float], wider: float = 1.6) -> tuple[float, float]:
    """Around the finite positive values, with room at both ends."""
    good = [value for value in values if 1e-12 < value < 1e12]
    low, high = min(good, default=0.1) / wider, max(good, default=1.0) * wider
    return (low, high) if high / low > 4 else (low / 2, high * 2)


def decades(low: float, high: float) -> list[float]:
    """At most five powers of ten within a range; where it holds fewer than two, also their doubles and quintuples."""
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    if last - first >= 1:
        step = -(-(last - first + 1) // 5)
        return [10.0**power for power in range(first, last + 1, step)]
    finer = [digit * 10.0**power for power in range(first - 1, last + 1) for digit in (1.0, 2.0, 5.0)]
    return [tick for tick in finer if low <= tick <= high]


def tick_words(value: float) -> str:
    """A round value beside an axis."""
    if 1e3 <= abs(value) < 1e9:
        return f"{value / 1e6:g} M" if abs(value) >= 1e6 else f"{value:,.0f}"
    if abs(value) >= 1e-3 or value == 0:
        return short(value)
    power = math.floor(math.log10(abs(value)) + 1e-9)
    return f"{value / 10.0**power:.0f}e−{-power}"


def _round_step(rough: float) -> float:
    power = 10.0 ** math.floor(math.log10(rough)) if rough > 0 else 1.0
    return next((power * factor for factor in (1.0, 2.0, 5.0) if power * factor >= rough), power * 10.0)
