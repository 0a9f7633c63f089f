"""Judge, confirm, measure: a game on fresh draws, what it refutes once more, and then how large the loss is.

Every accusation is confirmed and measured beyond the budget: only who is about to be accused pays.
"""

from __future__ import annotations

from dataclasses import replace

from hdp_audit.audits.game import Game, play
from hdp_audit.audits.share import Share
from hdp_audit.audits.trial import Trial
from hdp_audit.model.neighbours import NeighbourPair
from hdp_audit.targets.subject import Subject

CONFIRMING = 1e-2  # of both confirmations together: they guard against accidents, the first game keeps the promise


def sequential_test(
    subject: Subject, pairs: list[NeighbourPair], share: Share, name: str, *, bits: bool = False
) -> Trial:
    """A game, and where it refutes the claim once more on fresh draws; then how large the loss is."""
    game = play(subject, pairs, share.calls, share.significance, share.seed, name, bits=bits)
    if not game.wealth.refutes:
        return Trial(game)

    def once_more(calls: int, significance: float, what: str, *, measuring: bool = False) -> Game:
        named, last = f"{name}/{what}", trial.games[-1]
        return play(
            subject, [game.pair], calls, significance, share.seed, named, bits=bits, measuring=measuring, after=last
        )

    trial = Trial(game)
    # an early refutation may have been lucky: where twice its calls do not confirm it, all calls of the check get a try
    for calls in (max(2 * game.calls, 2000), share.calls):
        what = f"confirmation/{len(trial.confirmations)}"
        trial = replace(trial, confirmations=(*trial.confirmations, once_more(calls, CONFIRMING / 2, what)))
        if trial.refuted:
            break
    if bits or not trial.refuted or trial.games[-1].witness.together:
        return trial
    calls = min(2 * trial.calls, max(share.calls, 1))
    return replace(trial, sized=once_more(calls, share.significance, "extent", measuring=True))
