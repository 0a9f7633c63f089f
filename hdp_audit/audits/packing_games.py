"""The games of the optimality audit: a dataset of a packing by lot, an answer, its error; again and again."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from hdp_audit.audits.measure import CELLS, errors_of
from hdp_audit.audits.sequential import drawn_until, looks
from hdp_audit.audits.share import Share
from hdp_audit.audits.verdicts_optimality import Played
from hdp_audit.evidence.packed import PackedRight, PackedRisk
from hdp_audit.evidence.varying import VaryingRight, VaryingRisk
from hdp_audit.model.dataset import DatasetTable
from hdp_audit.model.task import Estimate
from hdp_audit.search.packing import Packing, packings
from hdp_audit.search.permuted import Permuted
from hdp_audit.search.permuted_tried import permuted_packings
from hdp_audit.targets.streams import Named, named, stream
from hdp_audit.targets.subject import Subject, estimated

Floats = NDArray[np.float64]

FIRST_LOOK = 256
FORESEEN = 256  # draws of limits, which cost no call
SPARE = 1.4  # times as many draws as those would need, as limits vary


class Game(Protocol):
    """Played for a number of calls; `needs` of them refute somebody who always tells the truth."""

    @property
    def needs(self) -> float:
        """How many."""
        ...

    def play(self, calls: int, phase: str) -> Played:
        """Stop when refuted."""
        ...


def games(subject: Subject, setting: str, metric: str, share: Share, largest: float) -> list[Game]:
    """Those to choose from; none where so many calls refute nobody."""
    task = estimated(subject)
    if setting == "correlated":
        return [FixedGame(subject, one, metric, share) for one in packings(subject.epsilon, task, largest)]
    tried = _permuted(subject.epsilon.tobytes(), task, metric, share.seed)
    return [PermutedGame(subject, one, metric, share) for one in tried]


@lru_cache(maxsize=16)  # the same for all mechanisms with these demands
def _permuted(demands: bytes, task: Estimate, metric: str, seed: int) -> list[Permuted]:
    return permuted_packings(np.frombuffer(demands), task, metric, stream(seed, "permuted packings", metric))


@dataclass(frozen=True, eq=False)
class FixedGame:
    """Correlated data: the users with the smallest demands are moved."""

    subject: Subject
    packing: Packing
    metric: str
    share: Share

    @cached_property
    def needs(self) -> float:
        """Calls nothing."""
        return self._evidence(np.zeros(0)).truth_needs

    def play(self, calls: int, phase: str) -> Played:
        """Stop when refuted."""
        names = named(self.share.seed, self.subject.name, "optimality", self.metric, phase, self.packing.moved)
        rng, turns = names.generator(), names.then("calls").turns()
        _, evidence, largest = drawn_until(
            looks(calls, calls if phase == "pilot" else FIRST_LOOK),
            lambda size: self._errors(size, rng, next(turns)),
            self._evidence,
            lambda seen: seen.log,
            lambda seen: seen.refutes,
        )
        return Played(self.packing, evidence, largest)

    def _evidence(self, errors: Floats) -> PackedRight | PackedRisk:
        packing, significance = self.packing, self.share.significance / 2
        if self.metric == "pac":
            return PackedRight(errors, packing.distance, packing.allowed, significance)
        return PackedRisk(errors, packing.distance, packing.least_risk, significance)

    def _errors(self, size: int, rng: np.random.Generator, stream: Named) -> Floats:
        """How many draws each dataset gets is multinomial, as if it were drawn anew for each."""
        listed = self.packing.datasets
        counts = rng.multinomial(size, np.full(len(listed), 1.0 / len(listed)))
        parts = []
        for dataset, count, own in zip(listed, counts, stream.turns("dataset"), strict=False):
            if not count:
                continue
            table = self.subject.draw(self.subject.dataset(dataset.data), int(count), own)
            if self.metric == "mse":
                table[:, :-1] = self.packing.projected(table[:, :-1])
            parts.append(errors_of(table, dataset.truth))
        errors = np.concatenate(parts)
        # A failed call says nothing: it counts as far away, but no farther than the box is wide.
        return np.minimum(errors, self.packing.distance) if self.metric == "mse" else errors


@dataclass(frozen=True, eq=False)
class PermutedGame:
    """Permuted data: every draw has users of its own to be moved, and so a limit of its own."""

    subject: Subject
    packing: Permuted
    metric: str
    share: Share

    @cached_property
    def needs(self) -> float:
        """Calls nothing: limits alone are drawn."""
        rng = stream(self.share.seed, self.subject.name, "optimality", "foreseen", self.metric, self.packing.key)
        drawn = np.concatenate([self._limits(block, rng) for block in self._blocks(FORESEEN)])
        return SPARE * self._evidence(np.column_stack([np.zeros(drawn.size), drawn])).truth_needs

    def play(self, calls: int, phase: str) -> Played:
        """Stop when refuted."""
        names = self.subject.name, "optimality", "permuted", self.metric, phase, self.packing.key
        rng, turns = stream(self.share.seed, *names), named(self.share.seed, *names, "calls").turns()
        _, evidence, largest = drawn_until(
            looks(calls, calls if phase == "pilot" else FIRST_LOOK),
            lambda size: np.concatenate([self._answers(block, rng, next(turns)) for block in self._blocks(size)]),
            self._evidence,
            lambda seen: seen.log,
            lambda seen: seen.refutes,
            np.zeros((0, 2)),
        )
        return Played(self.packing, evidence, largest)

    def _blocks(self, size: int) -> list[int]:
        step = max(1, CELLS // self.packing.epsilon.size)
        return [min(step, size - start) for start in range(0, size, step)]

    def _evidence(self, drawn: Floats) -> VaryingRight | VaryingRisk:
        errors, limits, significance = drawn[:, 0], drawn[:, 1], self.share.significance / 2
        if self.metric == "pac":
            return VaryingRight(errors, limits, self.packing.distance, significance)
        return VaryingRisk(errors, limits, self.packing.reach, significance)

    def _limits(self, size: int, rng: np.random.Generator) -> Floats:
        drawn = self.packing.draw(rng, size)
        return drawn.right if self.metric == "pac" else drawn.risk

    def _answers(self, size: int, rng: np.random.Generator, stream: Named) -> Floats:
        """Errors, and what was allowed of each."""
        drawn = self.packing.draw(rng, size)
        table = self.subject.draw_each(DatasetTable.of(drawn.rows, self.subject.promise), stream)
        if self.metric == "pac":
            return np.column_stack([errors_of(table, drawn.truths), drawn.right])
        table[:, :-1] = self.packing.projected(table[:, :-1])
        # A failed call says nothing: it counts as far away, but no farther than the box is wide.
        return np.column_stack([np.minimum(errors_of(table, drawn.truths), self.packing.reach), drawn.risk])
