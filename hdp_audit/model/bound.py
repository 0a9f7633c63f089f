"""A bound never travels as a bare float: it says on which side it lies, how sure it is, and where it came
from.
"""

import enum
import math
from dataclasses import dataclass

from hdp_audit.errors import InvalidInput


class Side(enum.Enum):
    """On which side of the truth the value lies."""

    LOWER = "lower"
    UPPER = "upper"


@dataclass(frozen=True, slots=True)
class Bound:
    """`value` bounds a quantity from one side; `confidence` is None for a theorem, else a probability."""

    side: Side
    value: float
    confidence: float | None
    method: str

    def __post_init__(self) -> None:
        if math.isnan(self.value):
            raise InvalidInput(f"bound by {self.method}: the value is not a number")
        if self.confidence is not None and not 0 < self.confidence < 1:
            raise InvalidInput(f"confidence = {self.confidence}; it lies strictly between 0 and 1, or is None")
        if not self.method:
            raise InvalidInput("a bound without a method; name how it was obtained")

    @property
    def is_theorem(self) -> bool:
        """True when the bound holds always rather than with some probability."""
        return self.confidence is None

    @classmethod
    def lower(cls, value: float, method: str, confidence: float | None = None) -> "Bound":
        """A value that the quantity is never (or rarely) below."""
        return cls(Side.LOWER, float(value), confidence, method)

    @classmethod
    def upper(cls, value: float, method: str, confidence: float | None = None) -> "Bound":
        """A value that the quantity is never (or rarely) above."""
        return cls(Side.UPPER, float(value), confidence, method)
