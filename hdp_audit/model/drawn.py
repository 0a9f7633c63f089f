"""Data that a hypothesis strategy makes: a fixed list of draws, which are inputs and never trials."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hdp_audit.errors import InvalidInput
from hdp_audit.model.domain import BASES, Base, Data, Domain, Generator

DRAWS = 100
PAIRS = 4  # of draws between which users are moved, beside the ends
LONGEST = 60  # letters of a datum that are shown
MISSING = "a strategy needs hypothesis, which is not installed: pip install 'hdp-audit[custom]'"


@dataclass(frozen=True)
class Drawn(Domain):
    """Any data at all, as a strategy of `hypothesis` draws them; a mechanism gets a list with one value a user.

    Kept as places in a list of draws that is the same in every run. `audit(domain=strategy)` makes it.

    Args:
        draws: The values.

    Example:
        >>> from hdp_audit import Drawn
        >>> Drawn.of(__import__("hypothesis").strategies.sampled_from(["yes", "no"])).ends()
        (0, 1)
    """

    draws: tuple[Any, ...]

    @classmethod
    def of(cls, strategy: Any) -> Drawn:
        """So many draws of a strategy, without what is drawn twice; the ends come first and last."""
        found = {repr(value): value for value in _draws(strategy)}
        if len(found) < 2:
            raise InvalidInput("the strategy draws the same value again and again; give one with two values at least")
        return cls(tuple(sorted(found.values(), key=_size)))

    def ends(self) -> tuple[int, int]:
        """The smallest draw and the largest one."""
        return 0, len(self.draws) - 1

    def random(self, users: int, rng: Generator) -> Data:
        """Any of the draws."""
        return rng.integers(len(self.draws), size=users)

    def allows(self, data: Data) -> bool:
        """Places in the list."""
        return data.dtype.kind in "iu" and bool(((data >= 0) & (data < len(self.draws))).all())

    @property
    def words(self) -> str:
        """None but these."""
        return "values that the strategy draws"

    def taken(self, _data: Any) -> Data:
        """Draws alone are values here."""
        raise InvalidInput("data beside a strategy, whose draws are the data; leave one of them out")

    def given(self, data: Data) -> list[Any]:
        """The draws themselves, for each user one of their own."""
        return [copy.deepcopy(self.draws[place]) for place in data.tolist()]

    def shown(self, value: Any) -> str:
        """The beginning of the draw."""
        told = repr(self.draws[int(value)])
        return told if len(told) <= LONGEST else f"{told[:LONGEST]}..."

    def values(self, most: int, rng: Generator) -> list[Any]:
        """The ends, and other draws by lot."""
        inner = 1 + rng.permutation(max(len(self.draws) - 2, 0))
        return [*self.ends(), *inner.tolist()][: max(most, 2)]

    @property
    def variety(self) -> int:
        """Every draw is one of its own."""
        return len(self.draws)

    def _bases(self, users: int, rng: Generator) -> Iterator[Base]:
        """Users between the ends; and between further draws."""
        yield from super()._bases(users, rng)
        order = np.random.default_rng(BASES).permutation(len(self.draws))
        pairs = order[: 2 * min(PAIRS, order.size // 2)].reshape(-1, 2)
        for one, other in pairs.tolist():
            name = f"random data, users between draws {one} ({self.shown(one)}) and {other} ({self.shown(other)})"
            yield Base(name, self.random(users, rng), one, other)


def is_strategy(found: object) -> bool:
    """Whether hypothesis made it; hypothesis is not loaded to find out."""
    return any(kind.__module__.startswith("hypothesis.") for kind in type(found).__mro__)


def _draws(strategy: Any) -> list[Any]:
    try:
        import hypothesis
    except ImportError:
        raise InvalidInput(MISSING) from None
    if not is_strategy(strategy):
        raise InvalidInput(f"a strategy that is a {type(strategy).__name__}; give one of hypothesis.strategies")
    drawn: list[Any] = []

    @hypothesis.settings(
        database=None,
        deadline=None,
        derandomize=True,
        max_examples=DRAWS,
        phases=[hypothesis.Phase.generate],
        suppress_health_check=list(hypothesis.HealthCheck),
    )
    @hypothesis.given(strategy)
    def draw(value: Any) -> None:
        drawn.append(value)

    try:
        draw()
    except Exception as why:
        raise InvalidInput(f"the strategy raised {type(why).__name__}: {why}") from None
    return drawn


def _size(value: Any) -> tuple[float, int, str]:
    """Numbers by their size, other values by their length."""
    number = float(value) if isinstance(value, (int, float)) and math.isfinite(value) else 0.0
    told = repr(value)
    return number, len(told), told
