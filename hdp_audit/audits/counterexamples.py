"""A game as a counterexample that a person can check by hand."""

from __future__ import annotations

from hdp_audit.audits.encoded import vocabulary
from hdp_audit.audits.exhibits import Exhibit, asked, keep
from hdp_audit.audits.game import Game
from hdp_audit.audits.trial import Trial, allowed, most_right
from hdp_audit.distinguishers.plain import plain_rule
from hdp_audit.distinguishers.words import event_words
from hdp_audit.model.counterexample import Counterexample, Guesses
from hdp_audit.model.neighbours import NeighbourPair
from hdp_audit.model.promise import PureLimit
from hdp_audit.targets.subject import Subject

UNTOLD = "kept back: it was learned from outputs on your data, whose values it may tell"


def counterexample_of(subject: Subject, trial: Trial) -> Counterexample:
    """What a person needs to check the accusation by hand."""
    game, again, measured, known = trial.game, trial.confirmation, trial.measurement, vocabulary(subject)
    found = Counterexample(
        base=game.pair.base,
        users=tuple(game.pair.users.tolist()),
        claimed=game.pair.limit.shown,
        first=_side(game.pair, game.pair.before),
        second=_side(game.pair, game.pair.after),
        event=UNTOLD if game.pair.private else event_words(game.witness, game.features, known, game.seen[0]),
        guesses=guesses_of(game),
        allowed=allowed(game),
        confirmation=None if again is None else guesses_of(again),
        confirmed=again is not None and again.wealth.refutes,
        measurement=None if measured is None else guesses_of(measured),
        allowed_right=None if isinstance(game.pair.limit, PureLimit) else most_right(game),
    )
    if asked():
        untold = game.pair.private or known.featured
        rule = None if untold else plain_rule(game.witness, game.features, known)
        keep(Exhibit(found, game.pair, rule))
    return found


def guesses_of(game: Game) -> Guesses:
    """Of the part of the stake that did best."""
    right, made, drawn = game.wealth.best_counts
    return Guesses(right, made, None if isinstance(game.pair.limit, PureLimit) else drawn)


def _side(pair: NeighbourPair, words: str) -> str:
    """One of the two datasets; a dataset that the user gave is only named."""
    if pair.given:
        return f"{words} of {pair.base}"
    return f"{pair.base}, and {'this user' if pair.users.size == 1 else 'these users'} {words}"
