"""The privacy game one call later: does the output for other data tell what the call before was given?"""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.audits.behaviour.probes import Probes
from hdp_audit.audits.behaviour.short_game import CALLS, refuting, short_game
from hdp_audit.audits.behaviour.state import memory
from hdp_audit.audits.share import Share
from hdp_audit.model.dataset import Dataset
from hdp_audit.model.finding import Finding
from hdp_audit.model.neighbours import NeighbourPair
from hdp_audit.targets.calls import arguments, wants_users
from hdp_audit.targets.subject import Subject

Floats = NDArray[np.float64]

REMEMBERS = (
    "the output depends on the data of an earlier call: state is carried over between calls, so they are not "
    "independent; compute each output from its own data and fresh noise"
)
STATE = "state"


class Next:
    """The mechanism one call later: called on the data, it answers with the next output, for data that never change."""

    def __init__(self, subject: Subject, after: Dataset) -> None:
        self._subject, self._after = subject, after
        self.name = subject.name

    def __call__(self, *given: Any) -> Any:
        """The output of the call after the one on the data given, with columns of the promise and a generator."""
        with contextlib.suppress(Exception, SystemExit):  # what the first call does is judged elsewhere
            self._call(given)
        return self._call((*arguments(self._after, self._subject.mechanism), given[-1]))

    @property
    def wants_users(self) -> bool:
        """Whether it is told who is there."""
        return wants_users(self._subject.mechanism)

    def _call(self, given: tuple[Any, ...]) -> Any:
        mechanism = self._subject.mechanism
        return mechanism(*given) if self._subject.takes_rng else mechanism(*given[:-1])


def state_findings(subject: Subject, share: Share, probes: Probes) -> list[Finding]:
    """What an output says of the call before it: a breach where it tells more than was promised, else an error."""
    part = replace(share, significance=share.significance / 2)
    if memory(subject, probes.before, probes.after, share.seed, part.significance) != "data":
        return []
    breach = next_call_tells(subject, probes.pairs, probes.after, part) if probes.pairs else None
    return [breach or Finding.about(subject.name, "behaviour", "state", "error", REMEMBERS)]


def next_call_tells(subject: Subject, pairs: Sequence[NeighbourPair], after: Dataset, share: Share) -> Finding | None:
    """A finding where the next output tells more of the data of a call than its users' demands allow; else None.

    What has been released may be used again in later outputs, so that an output depends on earlier data is no breach
    by itself; only the game on the later output shows one.
    """
    later = subject.beside(Next(subject, after))
    trial = short_game(later, pairs, replace(share, calls=CALLS), "state")
    subject.calls += 2 * later.calls
    if trial is None:
        return None
    told = "the output of a call tells the data of the call before it: state is carried over between calls"
    return refuting(subject, STATE, trial, share, told, turns=2)
