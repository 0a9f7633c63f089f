"""Every user's traced loss: over the base datasets, with the worst pair of datasets that a search around them finds."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.domain import Base
from hdp_audit.model.neighbours import NeighbourPair
from hdp_audit.tracing.chosen import chosen
from hdp_audit.tracing.draws import Draw, Floats
from hdp_audit.tracing.everybody import Question, everyone
from hdp_audit.tracing.execution import Execution, OutOfCalls
from hdp_audit.tracing.jumps import jump
from hdp_audit.tracing.loss import PairLoss
from hdp_audit.tracing.measure import Pure
from hdp_audit.tracing.pair import followable, pair_loss
from hdp_audit.tracing.promised import measure_of
from hdp_audit.tracing.supporting import EQUAL, exceeds, supported

SEED = 20250604
MOST_ERROR = 1e-6  # that is taken for rounding


@dataclass(frozen=True, eq=False)
class TracedPair:
    """One user, two datasets, and what was found there; losses and demand as strengths, `told` as they are printed."""

    user: int
    demand: float
    pair: NeighbourPair
    found: PairLoss

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


def shortened(draw: Draw) -> str:
    """A draw with its line and the file's own name."""
    where = f"{Path(draw.place.file).name}:{draw.place.line}"
    return draw.words().replace(str(draw.place), where) + (f": {draw.place.text}" if draw.place.text else "")


def _between(first: Any, second: Any) -> frozenset[bytes]:
    """Two values between which users are moved, in either order."""
    return frozenset(_key(value) for value in (first, second))


def _key(value: Any) -> bytes:
    """Numbers by their value, as -0 is 0; of anything else what is printed."""
    found = np.asarray(value)
    return (found.astype(np.float64) + 0.0).tobytes() if found.dtype.kind in "fiub" else repr(found).encode()


def _distinct(draws: tuple[Draw, ...]) -> list[Draw]:
    return list({(draw.place, draw.method): draw for draw in draws}.values())


def traced(question: Question, bases: list[Base]) -> Trace:
    """All bases, all users; the worst of them followed in full."""
    tracing = _Tracing(question)
    with question.execution.open(), np.errstate(all="ignore"):
        try:
            for base in bases if tracing.followable(bases[0]) else ():
                if tracing.known < np.inf:  # a loss without a bound is all that there is to say
                    tracing.look(base)
            tracing.search()
        except OutOfCalls:
            tracing.why = tracing.why or f"{question.execution.calls} calls were not enough to follow all pairs"
            tracing.losses[:] = np.where(tracing.losses == np.inf, np.inf, np.nan)
    return tracing.result()


class _Tracing:
    """What is known after some base datasets."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.demands = question.promise.strengths
        self.losses = np.full(self.demands.size, np.nan)
        self.pairs: list[TracedPair] = []
        self.why, self.summed, self.error = "", False, 0.0
        self._fresh = True
        self._summed: dict[frozenset[bytes], Floats] = {}  # by the two values between which users were moved
        self._rng = np.random.default_rng(SEED)

    def followable(self, base: Base) -> bool:
        """Whether its draws can be followed at all."""
        pair = self.question.pair(base, 0)
        if not pair.second.data.shape[0]:
            self.why = "nobody is left when the only user leaves"
            return False
        run = self.question.execution.run(pair.first)
        self.why = followable(self.question.execution, pair.first, run)
        return not self.why

    @property
    def known(self) -> float:
        """The largest loss over demand that an event has."""
        return max((each.known for each in self.pairs), default=0.0)

    def look(self, base: Base) -> None:
        """One more base dataset; where the answer is a sum, everybody's change is the same on each."""
        sides = self.question.sides(base)
        kind = frozenset() if sides is None else _between(sides.first[0], sides.second[0])
        known = kind in self._summed
        if not known:
            found = everyone(self.question, base, self._rng)
            own = self._nothing if found is None else found.losses
            if found is not None:
                self.summed, self.error = self.summed or found.summed, max(self.error, found.error)
            if found is not None and found.summed:
                self._summed[kind] = own
        else:
            own = self._summed[kind]
        followed: list[TracedPair] = []
        asked = chosen(own, self.demands, self._rng)
        for rank, user in enumerate(asked[:1] if known else asked):  # a sum is only looked at once more
            enough = self.known if rank == 0 or self.known <= 1.0 else np.inf  # one event a base is evidence enough
            followed.append(_followed(self.question, base, user, enough))
            self.pairs.append(followed[-1])
        self.why = self.why or next((each.found.why for each in followed if each.found.why), "")
        here = _corrected(own, followed)
        self.losses = here if self._fresh else _larger(self.losses, here)
        self._fresh = False

    def search(self) -> None:
        """One more pair, where a user makes the output jump, unless the answer is a sum; left out if not traced."""
        if self.why or self.known > 1.0 or not self.pairs or _between(*self.question.domain.ends()) in self._summed:
            return
        if (found := jump(self.question)) is None:
            return
        base, user = found
        each = _followed(self.question, base, user, self.known)
        if each.found.traced:
            self.pairs.append(each)
            loss = np.inf if each.found.lower == np.inf else each.found.upper
            self.losses[user] = np.nan if np.isnan(loss) else np.fmax(self.losses[user], loss)

    @property
    def _nothing(self) -> Floats:
        return np.full(self.demands.size, np.nan)

    def result(self) -> Trace:
        """Ranked by what an event shows, then by what alignments allow."""
        worst = max(self.pairs, key=_rank, default=None)
        draws = worst.found.draws if worst is not None else ()
        calls, told = self.question.execution.calls, self.question.promise.parameters
        known = told(self.losses), told(self.demands)
        return Trace(*known, worst, draws, self.why, calls, tuple(self.pairs), self.error, self.summed)


def traced_pairs(execution: Execution, pairs: list[NeighbourPair]) -> Trace:
    """Pairs that were given, each with its own limit; one loss a pair."""
    found: list[TracedPair] = []
    why = ""
    with execution.open(), np.errstate(all="ignore"):
        try:
            for pair in pairs:
                measure = measure_of(pair.limit) or Pure()
                loss = pair_loss(execution, pair.first, pair.second, measure)
                loss = supported(execution, pair, loss, measure)
                found.append(TracedPair(int(pair.users[0]), pair.claimed, pair, loss))
        except OutOfCalls:
            why = f"{execution.calls} calls were not enough to follow all pairs"
    why = why or next((each.found.why for each in found if each.found.why), "")
    losses = np.array([each.told(each.found.upper) for each in found] + [np.nan] * (len(pairs) - len(found)))
    worst = max(found, key=_rank, default=None)
    draws = worst.found.draws if worst is not None else ()
    demands = np.array([pair.limit.shown for pair in pairs])
    return Trace(losses, demands, worst, draws, why, execution.calls, tuple(found))


def _followed(question: Question, base: Base, user: int, known: float) -> TracedPair:
    """An alignment is enough, unless it allows more than any event is known to have: `known` times the demand."""
    pair, demand = question.pair(base, user), float(question.promise.strengths[user])
    measure = question.measure.of(np.array([user]))
    found = pair_loss(question.execution, pair.first, pair.second, measure, below=False)
    if ratio(found.upper, demand) > max(known, 0.0) * (1 + EQUAL) and np.isnan(found.lower):
        found = pair_loss(question.execution, pair.first, pair.second, measure)
    return TracedPair(user, demand, pair, supported(question.execution, pair, found, measure))


def _corrected(own: Floats, followed: list[TracedPair]) -> Floats:
    """What was followed in full counts instead of what one call said; where the two differ nothing else is believed."""
    losses = own.copy()
    if not all(_agrees(own[each.user], each.found) for each in followed):
        losses[:] = np.nan
    for each in followed:
        losses[each.user] = np.inf if each.found.lower == np.inf else each.found.upper
    return losses


def _larger(first: Floats, second: Floats) -> Floats:
    """Of two bases; what is unknown on one is unknown, unless the other has no bound."""
    return np.where((first == np.inf) | (second == np.inf), np.inf, np.maximum(first, second))


def _agrees(once: float, found: PairLoss) -> bool:
    """Whether one call and the whole pair say the same; who is not known from one call does not matter here."""
    if np.isnan(once):
        return True
    return bool(once == found.upper or abs(once - found.upper) <= 1e-6 * abs(found.upper) + 1e-12)


def _rank(each: TracedPair) -> tuple[bool, float, float]:
    loss = each.found.lower if each.breaks else each.found.loss
    return each.breaks, np.nan_to_num(ratio(loss, each.demand), nan=-1.0, posinf=np.inf), each.demand
