"""A race of pairs of datasets with a claim each: every pair has a wealth of its own, and calls flow to what pays.

Each wealth has its part of the significance, so whichever pair falls first, its own claim is refuted: all false alarms
together have the significance of the race (ledger: game-chain, and a union bound over the pairs).
"""

from __future__ import annotations

from hdp_audit.audits.game import LEARNED, Arm, Game, Stake
from hdp_audit.audits.runner import Runner
from hdp_audit.distinguishers.features import Features
from hdp_audit.evidence.wealth import Wealth
from hdp_audit.search.exploring import Finalist
from hdp_audit.targets.subject import Subject

LAPS = 3  # after each of which the worse half of the pairs is left
FIRST = 1 / 4  # of a lap's calls for a pair: the first round
ROOM = 2 * LEARNED  # numbers that all pairs together keep to learn from


def race(subject: Subject, finalists: list[Finalist], calls: int, significance: float, seed: int, name: str) -> Game:
    """The game of the first pair whose claim falls, else of the one that came farthest; `significance` is of a pair."""
    runners = [_started(subject, each, calls, significance, seed, name, i) for i, each in enumerate(finalists)]
    left, alive = calls, list(runners)
    for lap in range(LAPS):
        share = left // (LAPS - lap) // len(alive)
        for runner in alive:
            runner.arm.room = ROOM // len(alive)
            runner.size = max(int(FIRST * share), 1)
            left -= runner.run(share)
            if runner.refuted:
                return runner.game
        alive = sorted(alive, key=lambda runner: runner.prospect, reverse=True)[: (len(alive) + 1) // 2]
        runners = _kept(runners, alive)
    return max(runners, key=_won).game


def _won(runner: Runner) -> float:
    return runner.stake.wealth.log


def _kept(runners: list[Runner], alive: list[Runner]) -> list[Runner]:
    """Of those that left only the one that came farthest: what the others saw takes no memory any more."""
    gone = [runner for runner in runners if runner not in alive]
    farthest = max(gone, key=_won, default=None)
    return [runner for runner in runners if runner in alive or runner is farthest]


def _started(
    subject: Subject, finalist: Finalist, calls: int, significance: float, seed: int, name: str, number: int
) -> Runner:
    """With what exploration saw to learn from."""
    arm = Arm(subject, finalist.pair, seed, name, number, bits=False, measuring=False)
    arm.features = Features.fitted(finalist.table)
    arm.tables, arm.tossed = [arm.features(finalist.table)], [finalist.coins]
    horizon = max(int(calls * finalist.pair.limit.guess_share / 2), 1)
    return Runner(arm, Stake(Wealth(finalist.pair.limit, horizon, significance), 0), 1, growth=2.0)
