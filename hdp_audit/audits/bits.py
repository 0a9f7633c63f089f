"""The bits of doubles: what outputs tell that outputs rounded far below the noise do not."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from hdp_audit.audits.claim_test import claim_test
from hdp_audit.audits.game import play
from hdp_audit.audits.privacy_check import PrivacyCheck
from hdp_audit.audits.share import Outcome
from hdp_audit.audits.verdicts_bits import float_finding
from hdp_audit.model.finding import Finding, Kind
from hdp_audit.model.neighbours import Users
from hdp_audit.search.bit_coins import whom_bits_tell
from hdp_audit.search.tiers import group_of
from hdp_audit.targets.subject import Subject

Floats = NDArray[np.float64]

EVERYBODY = 1 / 6  # of the calls, to find whom bits tell
GROUP = 1.0  # Σε of the users whose bits are looked at
FOUND: tuple[Kind, str] = ("float", "bits")


@dataclass(frozen=True, eq=False)
class BitsCheck(PrivacyCheck):
    """The lowest set bits of outputs around 0, where doubles are finest, and the same pair with rounded outputs.

    Whoever the bits seem to tell when everybody has a coin is moved; else a few by lot.
    """

    topic: ClassVar[str] = "bits"
    told_as_found: ClassVar[bool] = True

    @property
    def name(self) -> str:
        """One for each case."""
        return "privacy/float"

    def run(self, subject: Subject) -> Outcome:
        """Two games on one pair."""
        share = self.share
        base = subject.bases()[0]
        everybody = subject.coins(base)
        coins = whom_bits_tell(subject, everybody, int(EVERYBODY * share.calls), share.seed)
        users = group_of(subject.epsilon, _careful(subject.epsilon), GROUP, share.seed, "float")
        pair = subject.pair(base, users if coins.told is None else np.array([coins.told]))
        left = share.calls - coins.calls
        bits = claim_test(subject, [pair], replace(share, calls=left * 2 // 3), "float/bits", FOUND, bits=True)
        rounded = play(subject, [pair], left // 3, share.significance, share.seed, "float/rounded")
        finding = float_finding(subject, self.claim, bits, rounded, coins, share)
        return Outcome((finding,), tests=(bits.test,))

    def unanswered(self, why: str) -> tuple[Finding, ...]:
        """The bits are left open."""
        return (self._open(*FOUND, why),)

    def possible(self) -> Iterator[tuple[Kind, str]]:
        """One finding."""
        yield FOUND


def _careful(epsilon: Floats) -> Users:
    """Users whose demands lie above 0 and leave bits something to show; else all above 0; else everybody."""
    positive = np.isfinite(epsilon) & (epsilon > 0)
    kinds = (np.flatnonzero(kind) for kind in (positive & (epsilon <= GROUP), positive, np.ones_like(positive)))
    return next(kind for kind in kinds if kind.size)
