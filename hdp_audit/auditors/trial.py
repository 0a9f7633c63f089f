"""A claim on trial: the games that were played about it, and what they allow to say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hdp_audit.auditors.game import Game
from hdp_audit.auditors.power import detectable_loss
from hdp_audit.evidence.wealth import joint_lower
from hdp_audit.model.bound import Bound
from hdp_audit.model.finding import Verdict

UNANSWERED = "no call of the mechanism gave an output that can be audited, so nothing was"


@dataclass(frozen=True)
class Trial:
    """A game; where it refuted the claim one or two more on fresh draws, and a last one for how large the loss is."""

    game: Game
    confirmations: tuple[Game, ...] = ()
    sized: Game | None = None

    @property
    def again(self) -> Game | None:
        """The game that confirms the first one, or fails to."""
        return self.confirmations[-1] if self.confirmations else None

    @property
    def refuted(self) -> bool:
        """Twice."""
        return self.again is not None and self.again.wealth.refutes

    @property
    def calls(self) -> int:
        """Of all games."""
        return sum(game.calls for game in self.games)

    @property
    def games(self) -> list[Game]:
        """Those that were played."""
        return [game for game in (self.game, *self.confirmations, self.sized) if game is not None]

    @property
    def detectable(self) -> float:
        """The loss of all its users together that the calls which were answered would have refuted, in 8 of 10 runs."""
        return detectable_loss(self.game.claimed, self.game.answered, self.game.wealth.significance)

    def lower(self, confidence: float) -> Bound:
        """The loss of all its users together is at least this."""
        return Bound.lower(joint_lower([game.wealth for game in self.games]), "game/wealth", confidence)

    @property
    def guesses(self) -> str:
        """What an accusation rests on."""
        right, made = self.game.wealth.shown
        return f"{right} of {made} guesses were right, where the promise allows {allowed(self.game):.2%}"

    def decided(self, name: str, accusation: str, found: float, asked: float, each: str = "") -> tuple[Verdict, str]:
        """Fail if refuted twice; pass if a loss of what was asked would have been seen; else inconclusive."""
        if self.refuted:
            return "fail", f"{accusation}: {self.guesses}"
        if self.again is not None:
            return "inconclusive", f"{name}: refuted once, but not on fresh draws; run again with more"
        if not self.game.answered:
            return "inconclusive", f"{name}: {UNANSWERED}"
        if found <= asked or (asked == 0 and np.isfinite(found)):
            return "pass", f"{name}: not refuted; a loss of {found:.3g}{each} would have been, with probability 0.8"
        least = f"only a loss of {found:.3g}" if np.isfinite(found) else "no loss"
        return "inconclusive", (
            f"{name}: not refuted, but {least}{each} would have been seen with probability 0.8, and {asked:.3g} was "
            f"asked; {self._remedy}"
        )

    @property
    def _remedy(self) -> str:
        """What would give it more power."""
        if 2 * self.game.failed > self.game.calls:
            return f"{self.game.failed} of {self.game.calls} calls gave no output"
        return "give it more calls"


def allowed(game: Game) -> float:
    """How often a guess may be right, if the promise is kept."""
    return float(1.0 / (1.0 + np.exp(-game.claimed)))
