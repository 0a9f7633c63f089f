"""The test of a privacy claim: a game; beyond the budget its confirmations, and how large the loss is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from hdp_audit.audits.game import Game, play
from hdp_audit.audits.sequential import Course, sequential
from hdp_audit.audits.share import Share
from hdp_audit.audits.trial import Trial
from hdp_audit.model.finding import Kind, id_of, label_of
from hdp_audit.model.neighbours import NeighbourPair
from hdp_audit.targets.custom import Encoded
from hdp_audit.targets.subject import Subject

CONFIRMING = 1e-2  # of both confirmations together
LEAST_CONFIRMATION = 2000  # calls


def claim_test(
    subject: Subject,
    pairs: list[NeighbourPair],
    share: Share,
    name: str,
    where: tuple[Kind, str],
    *,
    bits: bool = False,
    judge: Callable[[], Game] | None = None,
) -> Trial:
    """One claim for all pairs; `where` has the kind of its finding, and what that is about.

    `judge` plays the first game in another way.

    Rules about several outputs together refute a claim, but measure no loss.
    """
    finding = id_of(subject.name, label_of(*where))

    def once_more(course: Course[Game], calls: int, significance: float, what: str, *, measuring: bool) -> Game:
        pair, named, last = course.judged.pair, f"{name}/{what}", course.last
        return play(subject, [pair], calls, significance, share.seed, named, bits=bits, measuring=measuring, after=last)

    def confirm(course: Course[Game], number: int) -> Game:
        """An early refutation may have been lucky: where twice its calls do not confirm it, all of them get a try."""
        least = share.calls if share.few else LEAST_CONFIRMATION
        calls = share.calls if number else max(2 * course.judged.calls, least)
        return once_more(course, calls, CONFIRMING / 2, f"confirmation/{number}", measuring=False)

    def measure(course: Course[Game]) -> Game | None:
        if bits or course.last.witness.together:
            return None
        spent = course.judged.calls + sum(game.calls for game in course.confirmations)
        return once_more(course, min(2 * spent, max(share.calls, 1)), share.significance, "extent", measuring=True)

    course = sequential(
        judge or partial(play, subject, pairs, share.calls, share.significance, share.seed, name, bits=bits),
        lambda game: game.wealth.refutes,
        [partial(confirm, number=number) for number in range(2)],
        measure,
        falls=lambda game: share.falls(finding, game.largest),
    )
    any_output = isinstance(subject.mechanism, Encoded)
    return Trial(course.judged, course.confirmations, course.measured, finding, any_output)
