"""A short game of the behaviour check, confirmed on fresh draws: for calls that the larger games do not make."""

from __future__ import annotations

from collections.abc import Sequence

from hdp_audit.audits.counterexamples import counterexample_of
from hdp_audit.audits.decide import average, facts_of, first_users
from hdp_audit.audits.game import Game, play
from hdp_audit.audits.sequential import Course, sequential
from hdp_audit.audits.share import Share
from hdp_audit.audits.trial import Trial
from hdp_audit.model.bound import Bound
from hdp_audit.model.finding import Finding
from hdp_audit.model.neighbours import NeighbourPair
from hdp_audit.targets.custom import Encoded
from hdp_audit.targets.subject import Subject

CALLS = 4000
CONFIRMING = 1e-2  # of the confirmation: it guards against accidents, the first game keeps the promise


def short_game(subject: Subject, pairs: Sequence[NeighbourPair], share: Share, name: str) -> Trial | None:
    """The trial where the claim was refuted and confirmed; else None. One claim for all pairs."""

    def confirm(course: Course[Game]) -> Game:
        game, named = course.judged, f"{name}/confirmation"
        return play(subject, [game.pair], share.calls, CONFIRMING, share.seed, named, after=game)

    course = sequential(
        lambda: play(subject, list(pairs), share.calls, share.significance, share.seed, name),
        lambda game: game.wealth.refutes,
        [confirm],
    )
    trial = Trial(course.judged, course.confirmations, any_output=isinstance(subject.mechanism, Encoded))
    return trial if trial.refuted else None


def refuting(subject: Subject, what: str, trial: Trial, share: Share, told: str, turns: int = 1) -> Finding:
    """The finding of such a trial, which took `turns` calls of the mechanism for each of the game.

    All figures are averages over those who were moved, as in a tier's.
    """
    moved = trial.game.pair.users
    told_for, size = subject.promise.parameter, moved.size
    claimed = told_for(average(subject.epsilon[moved]))
    lower = Bound.lower(told_for(trial.lower(share.confidence).value / size), "game/wealth", share.confidence)
    return Finding.about(
        subject.name,
        "privacy",
        what,
        "fail",
        f"{told}; users who demand {claimed:.3g} on average lose at least {lower.value:.3g}: {trial.guesses}",
        scope="calls",
        users=first_users(moved),
        claimed=claimed,
        lower=lower,
        detectable=told_for(trial.detectable / size),
        calls=turns * trial.calls,
        counterexample=counterexample_of(subject, trial),
        facts=facts_of(trial),
    )
