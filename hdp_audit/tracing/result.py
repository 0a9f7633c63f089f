"""What tracing found: pairs that were followed, everybody's loss, and the worst of them."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.neighbours import NeighbourPair
from hdp_audit.tracing.draws import Draw, Floats
from hdp_audit.tracing.loss import PairLoss
from hdp_audit.tracing.supporting import EQUAL, exceeds

MOST_ERROR = 1e-6  # that is taken for rounding


@dataclass(frozen=True, eq=False)
class TracedPair:
    """One user, two datasets, and what was found there; losses and demand as strengths, `told` as they are printed."""

    user: int
    demand: float
    pair: NeighbourPair
    found: PairLoss
    searched: bool = False  # its datasets were found by a search

    @property
    def open(self) -> bool:
        """Whether more may be lost there than was promised, by an event that is not known."""
        return not self.breaks and not self.factor <= 1 + EQUAL

    @property
    def breaks(self) -> bool:
        """Whether a known event has more than the promise allows."""
        return exceeds(self.found.lower * (1 - self.found.error), self.demand)

    @property
    def known(self) -> float:
        """Loss over demand of the best event; 0 where there is none."""
        return float(np.nan_to_num(ratio(self.found.lower, self.demand), nan=0.0, posinf=np.inf))

    @property
    def factor(self) -> float:
        """Loss over demand."""
        return ratio(self.found.loss, self.demand)

    def told(self, strength: float) -> float:
        """The parameter of the promise that has this strength."""
        return self.pair.limit.at(strength).shown

    @property
    def demanded(self) -> str:
        """What was promised, in words."""
        promise = self.pair.first.promise
        beside = promise.beside(self.pair.users[:1]) if self.pair.users[0] < len(promise) else ""
        return f"{promise.symbol} = {self.told(self.demand):g}{beside}"


@dataclass(frozen=True, eq=False)
class Trace:
    """What tracing found; `print` shows it on a few lines.

    `losses` is each user's loss on the pairs tried: inf where nothing bounds it, NaN where it could not be traced.
    `exact` says for whom it is attained by a known event; for others it is what an alignment allows at most.
    """

    losses: Floats
    demands: Floats
    worst: TracedPair | None
    draws: tuple[Draw, ...]
    why: str
    calls: int
    pairs: tuple[TracedPair, ...] = field(default=(), repr=False)
    error: float = 0.0  # relative, of losses: what rounding may have added
    summed: bool = False  # the answer is a sum over users, so that few calls tell of all

    @property
    def traceable(self) -> bool:
        """Whether something is known of every user who was promised anything."""
        return bool(np.isfinite(self.demands).any()) and not np.isnan(self.losses[np.isfinite(self.demands)]).any()

    @property
    def breaks(self) -> bool:
        """Whether a user loses more than they were promised, by a known event."""
        return self.worst is not None and self.worst.breaks

    @property
    def exceeding(self) -> NDArray[np.int64]:
        """Who may lose more than they were promised."""
        return np.flatnonzero(self.losses > self.demands * (1 + EQUAL) + 1e-300)

    @property
    def suspect(self) -> TracedPair | None:
        """Where more may be lost than was promised, and draws do not say it: what a test should look at first."""
        found = [each for each in self.pairs if each.open and (each.searched or each.found.traced or each.found.flow)]
        return max(found, key=lambda each: (each.searched, np.nan_to_num(each.factor, nan=np.inf)), default=None)

    @property
    def most_open(self) -> TracedPair | None:
        """Where an alignment allows more than was promised, by the largest factor, and no event has as much."""
        found = [each for each in self.pairs if each.open and np.isfinite(each.found.upper)]
        return max(found, key=lambda each: each.factor, default=None)

    @property
    def within(self) -> bool:
        """Whether everybody's loss on the pairs tried is at most their demand."""
        private = np.isfinite(self.demands)
        allowed = self.demands[private] * (1 + EQUAL + min(self.error, MOST_ERROR))
        return self.traceable and not self.breaks and not bool(np.any(self.losses[private] > allowed))

    def __str__(self) -> str:
        worst = self.worst
        lines = []
        if worst is not None and worst.found.traced:
            kind = "loses" if worst.found.exact else "loses at least" if worst.breaks else "loses at most"
            value = worst.found.lower if worst.breaks else worst.found.loss
            factor = f"{ratio(worst.told(value), worst.told(worst.demand)):.6g} times the demand"
            lines.append(f"user {worst.user} demands {worst.demanded} and {kind} {worst.told(value):.9g} ({factor})")
            lines.append(f"  on: {worst.pair.base}, this user {worst.pair.before} or {worst.pair.after}")
        lines += [f"  draw: {shortened(draw)}" for draw in _distinct(self.draws)]
        lines += [f"not traced: {self.why}"] if self.why else []
        return "\n".join(lines) or "nothing was traced"


def ratio(loss: float, demand: float) -> float:
    """Loss over demand; nothing over nothing is 0."""
    if demand > 0:
        return loss / demand
    return np.inf if loss > 0 else 0.0


def ratios(losses: Floats, demands: Floats) -> Floats:
    """The same for everybody to whom something was promised."""
    private = np.isfinite(demands)
    return np.array([ratio(*each) for each in zip(losses[private], demands[private], strict=True)])


def shortened(draw: Draw) -> str:
    """A draw with its line and the file's own name."""
    where = f"{Path(draw.place.file).name}:{draw.place.line}"
    return draw.words().replace(str(draw.place), where) + (f": {draw.place.text}" if draw.place.text else "")


def _distinct(draws: tuple[Draw, ...]) -> list[Draw]:
    return list({(draw.place, draw.method): draw for draw in draws}.values())
