"""The game on single calls, where larger games are played in batches: what people deploy is the single call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hdp_audit.audits.behaviour.short_game import refuting, short_game
from hdp_audit.audits.share import Share
from hdp_audit.model.finding import Finding
from hdp_audit.model.neighbours import NeighbourPair
from hdp_audit.targets.subject import Subject

FEWEST = 800  # calls, of all groups: single calls are why there are batches
SINGLE_CALLS = "single-calls"
TOLD = "called once for each output, without batches, the mechanism breaks its promise"


def alone_findings(subject: Subject, share: Share, groups: list[Sequence[NeighbourPair]]) -> list[Finding]:
    """A refutation by single calls, of one group; none where they keep the promise, or no game is played in batches."""
    if not groups or not (subject.has_batches or subject.has_tables):
        return []
    alone = subject.beside(subject.mechanism)
    alone.trusts_batches, alone.maker = False, subject.maker
    part = replace(
        share, calls=max(FEWEST, share.calls // 4) // len(groups), significance=share.significance / len(groups)
    )
    trials = (short_game(alone, pairs, part, f"alone/{number}") for number, pairs in enumerate(groups))
    trial = next((found for found in trials if found is not None), None)
    subject.calls += alone.calls
    for kind, failure in alone.failures.items():
        subject.failures.setdefault(kind, failure)
    return [] if trial is None else [refuting(subject, SINGLE_CALLS, trial, share, TOLD)]
