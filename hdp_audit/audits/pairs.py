"""Several pairs of datasets that the user gave: a claim and a wealth each, and calls flow to what pays.

Each wealth has its own part of the significance, so every claim is tested as if it were alone, wherever calls go: that
is decided before each draw by what was drawn before (ledger: game-chain, and a union bound over the pairs).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import ClassVar

import numpy as np

from hdp_audit.audits.forecast import Forecast
from hdp_audit.audits.game import LEARNED, Arm, Game, Stake, opening_of
from hdp_audit.audits.pair import PairCheck
from hdp_audit.audits.privacy_check import PrivacyCheck
from hdp_audit.audits.runner import Runner
from hdp_audit.audits.share import Outcome, Share
from hdp_audit.audits.trial import Trial
from hdp_audit.evidence.wealth import Wealth
from hdp_audit.model.finding import Finding, Kind
from hdp_audit.model.neighbours import NeighbourPair
from hdp_audit.targets.custom import Encoded
from hdp_audit.targets.subject import Subject

FLOOR = 0.5  # of an equal share: what every pair gets, whatever it shows
LAPS = 4  # in which all else is handed out
KEPT = 2 / 3  # of those that would pass, in each lap: half a share ranks pairs that are nearly tight none too well

Passes = Callable[[Game], bool]


@dataclass(frozen=True, eq=False)
class PairsCheck(PrivacyCheck):
    """A finding for each pair."""

    topic: ClassVar[str] = "pairs"

    @property
    def name(self) -> str:
        """One for each case."""
        return "privacy/pairs"

    @property
    def alone(self) -> list[PairCheck]:
        """Each pair by itself, with an equal share."""
        count = len(self.case.given)
        own = replace(self.share, calls=self.share.calls // count, significance=self.share.significance / count)
        return [PairCheck(self.case, own, number) for number in range(count)]

    def run(self, subject: Subject) -> Outcome:
        """A race; whoever fell in it is tried once more on fresh draws."""
        each = self.alone
        own = each[0].share
        games = raced(subject, self.case.given, own, lambda game: self._would_pass(subject, game))
        trials = [check.tried(subject, partial(_itself, game)) for check, game in zip(each, games, strict=True)]
        found = (check.found(subject, trial) for check, trial in zip(each, trials, strict=True))
        return Outcome(tuple(found), tests=tuple(trial.test for trial in trials))

    def _would_pass(self, subject: Subject, game: Game) -> bool:
        """Whether it has had enough calls for what is asked, so that others may have the rest."""
        found = Trial(game, any_output=isinstance(subject.mechanism, Encoded)).detectable
        return bool(np.isfinite(found)) and (game.claimed == 0 or found <= self.claim.detect * game.claimed)

    def forecasts(self) -> Iterator[Forecast]:
        """Of each pair, with an equal share: one gets more, or what it is asked for has been done."""
        for check in self.alone:
            yield check.forecast()

    def unanswered(self, why: str) -> tuple[Finding, ...]:
        """All pairs are left open."""
        return tuple(finding for check in self.alone for finding in check.unanswered(why))

    def possible(self) -> Iterator[tuple[Kind, str]]:
        """One for each pair."""
        for check in self.alone:
            yield from check.possible()


def raced(subject: Subject, pairs: Sequence[NeighbourPair], share: Share, passes: Passes) -> list[Game]:
    """The game of each pair; `share` is an equal one of a single pair.

    All get half of it. The rest is handed out in laps, before each of which the worst third leaves of those that would
    pass. So no pair that has not shown what is asked gets less than an equal share.
    """
    runners = [_started(subject, pair, number, len(pairs), share) for number, pair in enumerate(pairs)]
    left = share.calls * len(pairs) - sum(runner.stake.calls for runner in runners)
    for runner in runners:
        ahead = share.calls - runner.stake.calls
        left -= runner.run(int(FLOOR * share.calls) - runner.stake.calls, ahead)
    alive = runners
    for lap in range(LAPS):
        alive = _staying(alive, [passes(runner.game) for runner in alive])
        each = left // max(len(alive), 1)  # what rules are learned for: all that is left, were nobody to leave
        for runner in alive:
            left -= runner.run(each // (LAPS - lap), each)
    return [runner.game for runner in runners]


def _itself(game: Game) -> Game:
    return game


def _started(subject: Subject, pair: NeighbourPair, number: int, pairs: int, share: Share) -> Runner:
    """An arm that has seen its opening."""
    arm = Arm(subject, pair, share.seed, f"pair/{number}", 0, bits=False, measuring=False, room=LEARNED // pairs)
    opening = opening_of(share.calls, 1)
    arm.draw(opening)
    horizon = max(int((share.calls - opening) * pair.limit.guess_share), 1)
    return Runner(arm, Stake(Wealth(pair.limit, horizon, share.significance), opening), opening)


def _staying(alive: Sequence[Runner], passing: Sequence[bool]) -> list[Runner]:
    """Without those whose claims fell, and the worst third of those that would pass."""
    running = [(runner, passes) for runner, passes in zip(alive, passing, strict=True) if not runner.refuted]
    done = sorted((runner for runner, passes in running if passes), key=lambda each: each.prospect, reverse=True)
    kept = done[: math.ceil(KEPT * len(done))]
    return [runner for runner, passes in running if not passes or runner in kept]
