"""A mechanism that no user's datum moves: whatever its noise, the game would pass it."""

from __future__ import annotations

from collections.abc import Iterator

from hdp_audit.audits.behaviour.moving import Contrast, least_loss_seen, modest_loss, moves
from hdp_audit.audits.share import Share
from hdp_audit.model.domain import Unit
from hdp_audit.model.finding import Finding
from hdp_audit.targets.subject import Subject

INERT = "inert"
CALLS = 2000  # at least; only a mechanism that does not move pays them


def inert_findings(subject: Subject, share: Share, contrasts: list[Contrast]) -> Iterator[Finding]:
    """Nothing that was tried moves the output, though a mechanism that uses its data would have shown it."""
    calls = max(CALLS, share.calls) // max(len(contrasts), 1)
    telling = [contrast for contrast in contrasts if len(contrast.datasets) == 2]
    if (
        subject.failures
        or not telling
        or any(modest_loss(subject.epsilon[c.users]) < least_loss_seen(subject, c, calls) for c in telling)
    ):
        return
    before = subject.calls
    moved = any(moves(subject, contrast, calls, share.seed, at) for at, contrast in enumerate(contrasts))
    if moved or subject.failures:  # calls that fail hide what the others would show, and are findings themselves
        return
    tried = list(dict.fromkeys(name for contrast in contrasts for name in contrast.names))
    spent = subject.calls - before
    message = (
        f"no user's datum was seen to move the output: {spent} calls on {', '.join(tried)} gave outputs that cannot "
        f"be told apart, so a pass would say nothing; {_in_its_units(subject)}, or accept it with "
        'inert = "allow" in [mechanism]'
    )
    yield Finding.about(subject.name, "behaviour", INERT, "inconclusive", message, calls=spent, facts={"tried": tried})


def _in_its_units(subject: Subject) -> str:
    """What to do first: the data may be in other units than the mechanism wants."""
    if isinstance(subject.domain, Unit):
        return "scale the data to the mechanism's units ([domain] range = [0, 200_000]; Python: Range(0, 200_000))"
    return "scale the data to the mechanism's units"
