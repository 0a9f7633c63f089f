"""A claim on trial: the games that were played about it, and what they allow to say."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hdp_audit.audits.game import Game
from hdp_audit.audits.power import detectable, detectable_like
from hdp_audit.audits.share import ClaimTest
from hdp_audit.evidence.bets import Line
from hdp_audit.evidence.wealth import joint_lower
from hdp_audit.model.bound import Bound
from hdp_audit.model.finding import Verdict
from hdp_audit.model.promise import PureLimit

LIKE_LAPLACE = "if the noise is like Laplace's and too small"
LIKE_NORMAL = "if the noise is normal and too small"
LIKE_SEEN = "if outputs like those seen tell the two datasets apart better than they may"
UNANSWERED = "no call of the mechanism gave an output that can be audited, so nothing was"


@dataclass(frozen=True)
class Trial:
    """A game; where it refuted the claim one or two more on fresh draws, and a last one for how large the loss is."""

    game: Game
    confirmations: tuple[Game, ...] = ()
    measurement: Game | None = None
    finding: str = ""  # the id of its finding, where it takes part in the step-down over all claims
    any_output: bool = False  # outputs may be anything, so that no law of noise can be assumed

    @property
    def confirmation(self) -> Game | None:
        """The game that confirms the first one, or fails to."""
        return self.confirmations[-1] if self.confirmations else None

    @property
    def refuted(self) -> bool:
        """True if refuted and confirmed on new samples."""
        return self.confirmation is not None and self.confirmation.wealth.refutes

    @property
    def test(self) -> ClaimTest:
        """The claim's e-process, for the step-down over all claims of the report."""
        game, tried = self.game, self.confirmation is not None
        return ClaimTest(self.finding, game.wealth.significance, game.largest, tried, self.refuted)

    @property
    def calls(self) -> int:
        """The number of mechanism calls of all its games."""
        return sum(game.calls for game in self.games)

    @property
    def games(self) -> list[Game]:
        """Those that were played."""
        return [game for game in (self.game, *self.confirmations, self.measurement) if game is not None]

    @property
    def detectable(self) -> float:
        """The loss of all its users together that the calls which were answered would have refuted, in 8 of 10 runs.

        Of means and frequencies noise like Laplace's is assumed; of outputs of any kind nothing but what was seen.
        """
        game = self.game
        given = game.answered, game.wealth.significance
        if not self.like_seen:
            return detectable(game.pair.limit, *given)
        table, coins = game.seen
        counts = [(tally.right, tally.made) for tally in game.wealth.counts]
        return detectable_like(game.witness.scores(table), coins, counts, game.claimed, *given)

    @property
    def like_seen(self) -> bool:
        """Whether its power is that of outputs like those seen; a demand of 0 leaves nothing to be seen."""
        return self.any_output and self.game.claimed > 0 and self._pure

    @property
    def _pure(self) -> bool:
        return self.game.pair.limit.ratio

    @property
    def assumed(self) -> str:
        """What its power is said for."""
        if self.like_seen:
            return LIKE_SEEN
        return LIKE_LAPLACE if self._pure else LIKE_NORMAL

    def lower(self, confidence: float) -> Bound:
        """The loss of all its users together is at least this, by its own share of the significance.

        All games together prove it; `confidence` is that of the whole report, and only shown. A claim that fell by the
        step-down is refuted, whatever its own share proves.
        """
        proved = joint_lower([game.wealth for game in self.games])
        stepped = self.refuted and not self.game.wealth.refutes
        return Bound.lower(max(proved, self.game.claimed) if stepped else proved, "game/wealth", confidence)

    @property
    def guesses(self) -> str:
        """What an accusation rests on."""
        right, made, drawn = self.game.wealth.best_counts
        if self._pure:
            together = self.game.pair.users.size > 1
            allows = "their promises together allow" if together else "the promise allows"
            return f"{right:,} of {made:,} guesses were right, where {allows} {allowed(self.game):.2%}"
        return (
            f"of {drawn} calls {right} were guessed right and {made - right} wrong, where the promise allows about "
            f"{most_right(self.game):.0f} right with as many wrong"
        )

    def decided(self, name: str, accusation: str, found: float, asked: float, each: str = "") -> tuple[Verdict, str]:
        """Fail if refuted and confirmed; pass if what was asked would have been refuted; else inconclusive."""
        if self.refuted:
            return "fail", f"{accusation}: {self.guesses}"
        if self.confirmation is not None:
            return "inconclusive", f"{name}: refuted once, not confirmed on new samples; increase the budget"
        if not self.game.answered:
            return "inconclusive", f"{name}: {UNANSWERED}"
        if found <= asked or (asked == 0 and np.isfinite(found)):
            return (
                "pass",
                f"{name}: not refuted; smallest violation detected with 80% power: {found:.3g}{each}, {self.assumed}",
            )
        if self.like_seen and not np.isfinite(found):
            return "inconclusive", f"{name}: not refuted, but {self._hardly}"
        least = f"the smallest violation detected with 80% power is {found:.3g}{each}"
        least = least if np.isfinite(found) else "no violation would have been detected with 80% power"
        return "inconclusive", f"{name}: not refuted, but {least}, and {asked:.3g} was asked; {self._remedy}"

    @property
    def _hardly(self) -> str:
        """Outputs that tell so little are no ground for any statement about larger losses."""
        right, made, _ = self.game.wealth.every
        return (
            f"the outputs tell the two datasets apart far less than promised ({right} of {made} guesses right, where "
            f"{allowed(self.game):.2%} are allowed): how large a loss would have been detected cannot be said; give "
            "pairs (or a [domain]) that move the output further, or increase the budget"
        )

    @property
    def _remedy(self) -> str:
        """What would give it more power."""
        if 2 * self.game.failed > self.game.calls:
            return f"{self.game.failed} of {self.game.calls} calls gave no output"
        return "increase the budget"


def allowed(game: Game) -> float:
    """How large a share of the guesses may be right, if the promise is kept and as many are wrong."""
    if isinstance(game.pair.limit, PureLimit):
        return float(1.0 / (1.0 + np.exp(-game.claimed)))
    most, (right, made, _) = most_right(game), game.wealth.best_counts
    return most / (most + made - right) if most > 0 else 0.5


def most_right(game: Game) -> float:
    """How many guesses may be right on average, if as many calls are guessed wrongly as were: Σ e^ε·wrong + δ·calls."""
    return sum(
        float(line.price) * (tally.made - tally.right) + float(line.free) * tally.drawn
        for bet, tally in game.wealth.best_bets
        for line in [Line.of(game.pair.limit, bet.wrong, bet.sides)]
    )
