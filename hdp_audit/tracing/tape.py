"""What a call draws: entries of our choosing first, then by lot; and what was drawn so far."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

import numpy as np

from hdp_audit.tracing.draws import Draw, Floats


class Tape:
    """What was drawn so far in a call, and what is to be drawn: entries of `given` first, then by lot."""

    def __init__(self, given: list[Floats], seed: int) -> None:
        self.given = given
        self.seed = seed
        self.draws: list[Draw] = []
        self.refused = ""  # why what was drawn cannot be followed

    @cached_property
    def rng(self) -> np.random.Generator:
        """Made when it is needed: most calls are given all that they draw."""
        return np.random.default_rng(self.seed)

    def next(self, shape: tuple[int, ...], fresh: Callable[[np.random.Generator], Any], _options: int = 0) -> Floats:
        """The next entry; by lot where none is left, or where it has another size."""
        number = len(self.draws)
        if number < len(self.given) and self.given[number].shape == shape:
            return self.given[number]
        return np.asarray(fresh(self.rng), dtype=np.float64)
