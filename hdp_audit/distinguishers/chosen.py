"""Of wide outputs the few columns that are learned in detail, chosen by what is quickly seen of all of them.

What a column seems to tell by itself, how far its order moves with the coin, what it tells where noise was low, and its
rare values: whoever is among the first in one of these is looked at, until clearly more was drawn.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp_audit.distinguishers.columns import compared
from hdp_audit.distinguishers.distinguisher import Chosen
from hdp_audit.distinguishers.low_noise import low_noise_rows
from hdp_audit.distinguishers.rare import rare_gain
from hdp_audit.model.promise import Limit

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]
Columns = NDArray[np.int64]

WIDE = 64  # columns up to which all are learned
SPEAKING = 16  # outputs that seem to tell most: far more than speak in the end
MOVED = 64  # outputs whose order moves most: each may move by little, and all together by much
CALM, RARE = 4, 8  # outputs that tell most in the calmest rows; by their rare values
RARELY = 1 << 15  # draws whose rare values are looked at
LATER = 8  # columns made of several outputs
GROWN, REPLACED = 1.4, 2.0  # times the draws, after which columns are chosen anew: where all are kept, or only the last


@dataclass(eq=False)
class Choice:
    """What is looked at, chosen anew whenever clearly more was drawn."""

    found: Chosen | None = None
    drawn: int = 0

    def of(self, outputs: Floats, coins: Coins, first: int, limit: Limit, drawn: int) -> Chosen | None:
        """None where outputs are narrow: all columns. `drawn`: draws so far, of which these are the last."""
        if outputs.shape[1] <= WIDE:
            return None
        drawn = max(drawn, coins.size)
        times = REPLACED if drawn > coins.size else GROWN
        if self.found is None or drawn >= times * self.drawn:
            self.found, self.drawn = chosen(outputs, coins, first, limit), drawn
        return self.found


def chosen(outputs: Floats, coins: Coins, first: int, limit: Limit) -> Chosen:
    """The columns that come first in something; the first so many are outputs, all others are made of several."""
    told, moved = compared(outputs, coins)
    together = _most(moved[:first], MOVED)
    found = [_most(told[:first], SPEAKING), _most(moved[:first], SPEAKING), first + _most(told[first:], LATER)]
    *_, calm = (None, *(rows for _, rows in low_noise_rows(outputs, first, wide=True)))
    if calm is not None:
        found.append(_most(compared(outputs[calm, :first], coins[calm])[0], CALM))
    gains = np.array([rare_gain(column[-RARELY:], coins[-RARELY:], limit) for column in outputs[:, :first].T])
    rare = _most(gains, RARE)
    found.append(rare[gains[rare] > 0])
    return Chosen(np.unique(np.concatenate(found)), np.sort(together))


def _most(values: Floats, most: int) -> Columns:
    return np.argsort(-values, kind="stable")[:most]
