"""Every user's traced loss: over the base datasets, with the worst pair of datasets that a search around them finds."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from hdp_audit.model.domain import Base
from hdp_audit.model.neighbours import NeighbourPair
from hdp_audit.tracing.chosen import chosen
from hdp_audit.tracing.draws import Floats
from hdp_audit.tracing.everybody import Question, everyone
from hdp_audit.tracing.execution import Execution, OutOfCalls
from hdp_audit.tracing.hunt import hunt
from hdp_audit.tracing.loss import PairLoss
from hdp_audit.tracing.measure import Pure
from hdp_audit.tracing.pair import followable, pair_loss
from hdp_audit.tracing.promised import measure_of
from hdp_audit.tracing.result import Trace, TracedPair, ratio, ratios
from hdp_audit.tracing.supporting import EQUAL, supported

SEED = 20250604
FOLLOWED = 3  # pairs that a search proposed


def _between(first: Any, second: Any) -> frozenset[bytes]:
    """Two values between which users are moved, in either order."""
    return frozenset(_key(value) for value in (first, second))


def _key(value: Any) -> bytes:
    """Numbers by their value, as -0 is 0; of anything else what is printed."""
    found = np.asarray(value)
    return (found.astype(np.float64) + 0.0).tobytes() if found.dtype.kind in "fiub" else repr(found).encode()


def traced(question: Question, bases: list[Base]) -> Trace:
    """All bases, all users; the worst of them followed in full."""
    tracing = _Tracing(question)
    with question.execution.open(), np.errstate(all="ignore"):
        try:
            for base in bases if tracing.followable(bases[0]) else ():
                if tracing.known < np.inf:  # a loss without a bound is all that there is to say
                    tracing.look(base)
                    tracing.looked_at += 1
            tracing.search()
        except OutOfCalls:
            tracing.why = tracing.why or _unfinished(question.execution.calls, tracing.looked_at, len(bases))
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
        self.looked_at = 0  # base datasets
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
        """Pairs that a search over datasets proposes, as long as more may be lost there than is known."""
        if self.why or self.known > 1.0 or not self.pairs:
            return
        summed = _between(*self.question.domain.ends()) in self._summed
        for proposed, place in hunt(self.question, summed=summed)[:FOLLOWED]:
            bar = float(np.nan_to_num(ratios(self.losses, self.demands)).max(initial=self.known))
            if proposed <= bar * (1 + 1e-6):
                return
            base = place.base(self.question.domain, self.demands.size)
            each = replace(_followed(self.question, base, place.user, self.known), searched=True)
            self.pairs.append(each)
            loss = np.inf if each.found.lower == np.inf else each.found.upper
            self.losses[place.user] = np.nan if np.isnan(loss) else np.fmax(self.losses[place.user], loss)
            if each.breaks:
                return

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


def _unfinished(calls: int, looked_at: int, bases: int) -> str:
    """How far so many calls went, and how many should do, if every base and the search take as many as the others."""
    told = f"{calls:,} calls were not enough to follow all pairs, but those of {looked_at} of {bases} base datasets"
    if not looked_at:
        return f"{told}; more are needed"
    return f"{told}; about {-(-calls * (bases + 1) // (looked_at * 1000)) * 1000:,} should do"


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
