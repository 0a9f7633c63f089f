"""One pair of datasets in a race: an arm, a wealth of its own, and what it was spent."""

from __future__ import annotations

from hdp_audit.audits.game import HASTY, Arm, Game, Stake


class Runner:
    """Bets on its own pair alone, so that its wealth says something of its own claim alone."""

    def __init__(self, arm: Arm, stake: Stake, size: int, growth: float | None = None) -> None:
        self.arm, self.stake, self.size = arm, stake, size  # `size`: draws of the next round
        self._growth = growth  # of rounds; by what was won unless given
        self._opening = stake.calls

    @property
    def refuted(self) -> bool:
        """Whether its claim fell."""
        return self.stake.wealth.refutes

    def run(self, calls: int, ahead: int = 0) -> int:
        """Bets on so many draws at most, learning in between; how many were made. `ahead`: what may come later."""
        left = calls
        while left > 0 and not self.refuted:
            self.arm.learn(max(left, ahead), self.stake.wealth)
            before = self.stake.calls
            self.stake.bet(self.arm, min(self.size, left))
            left -= self.stake.calls - before
            self.size = int(self.size * (self._growth or self._usual))
        return calls - left

    @property
    def _usual(self) -> float:
        """Short rounds grow faster while there is nothing to win."""
        return 1.5 if self.stake.wealth.log > 0 or self.size > HASTY else 2.0

    @property
    def prospect(self) -> tuple[float, float]:
        """What it won and what it expects to win."""
        growth, predicted = self.arm.prospects
        return max(self.stake.wealth.log, 0.0) + growth * self.stake.calls, predicted

    @property
    def game(self) -> Game:
        """What was played."""
        arm, stake = self.arm, self.stake
        if arm.witness is None:
            arm.learn(1, stake.wealth)
        if arm.witness is None or arm.features is None:
            raise AssertionError("a runner without draws")
        judged = stake.calls - self._opening
        told = stake.wealth, stake.calls, judged, tuple(stake.path), arm.seen, arm.failed
        return Game(arm.pair, arm.witness, arm.features, *told)
