"""Shares and losses in words that need no statistics."""

from __future__ import annotations

import math

from hdp_audit.model.telling import FALSE_POSITIVES, TierSummary
from hdp_audit.reporting.numbers import short

ROUNDING = 1e-9  # a share that doubles put just above a tenth of a per cent is that tenth
LARGEST_FACTOR = 1e6


def at_most(share: float) -> str:
    """A share that is never exceeded, rounded up to a tenth of a per cent."""
    return f"{min(math.ceil(1000.0 * share - ROUNDING) / 10.0, 100.0):g}%"


GUESSED = {
    "replace": "which of two data a user has",
    "remove": "whether a user is among the data at all",
    "zero-out": "whether a user's datum is there, or 0 in its place",
}


def guessed(neighbours: str) -> str:
    """What somebody who sees an output guesses about a user."""
    return GUESSED.get(neighbours, "which of two neighbouring datasets was used")


def promise_words(tier: TierSummary, neighbours: str = "replace") -> str:
    """What is promised to these users, as two shares."""
    if math.isinf(tier.largest):
        return "Nothing: their data may be published."
    if tier.largest == 0 and not tier.delta:
        return "Their data are not used at all: nobody who sees an output can do better than a blind guess."
    weakest = "" if tier.smallest == tier.largest else ", for the weakest promise among them"
    hits = f"{FALSE_POSITIVES:.0%}"
    return (
        f"Somebody who sees an output and guesses {guessed(neighbours)} is right in at most "
        f"{at_most(tier.right)} of cases (a blind guess: 50%). If wrongly suspecting at most {hits} of others, "
        f"they find out at most {at_most(tier.detected)} of users{weakest}."
    )


def loss_words(loss: float, kind: str, symbol: str) -> str:
    """A loss; of a pure one also by what factor odds may change."""
    told = f"{symbol} = {short(loss)}"
    if kind != "pure" or not 0 < loss < math.log(LARGEST_FACTOR):
        return told
    return f"{told} (odds change by a factor of {short(math.exp(loss))})"


def times(loss: float, promised: float | None) -> str:
    """`1.4 times the promise`."""
    return f"{short(loss / promised)} times the promise" if promised else ""
