"""Whom the bits of doubles tell: everybody has a coin of their own, and the lowest set bits are read.

Where there are fewer calls than users a coin belongs to a block, and the members of a block that is told get their own.
What is found only says whom to move in the game about bits.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp_audit.distinguishers.features import lowest_bit
from hdp_audit.model.neighbours import Coins, Users
from hdp_audit.search.designs import Design, largest_power, most_blocks, order_for
from hdp_audit.search.overheard import ROWS, Overheard, overheard, place_traits
from hdp_audit.search.screening import coin_outputs, like_blocks
from hdp_audit.targets.streams import stream
from hdp_audit.targets.subject import Subject

Floats = NDArray[np.float64]

LEAST_STAGE = 16
MOST_CELLS, FEWEST = 1 << 27, 1 << 8  # data made at most, but for so many calls
MOST_OUTPUTS = 4  # whose bits are read


@dataclass(frozen=True)
class BitCoins:
    """Who had coins (of their own, or with a block), in how many calls, and who is told by the bits, if anybody."""

    users: int
    calls: int
    told: int | None = None

    def words(self, moved: Users, promised: int) -> str:
        """Who was moved in the game, and what is known of the others who were promised something."""
        who = f"user {moved[0]} was" if moved.size == 1 else f"{moved.size} users were"
        others = promised - moved.size
        if not others:
            return f"{who} moved, which is everybody"
        if not self.users:
            return f"{who} moved; the other {others} were not tested"
        how = f"screened by coins of their own or of their block, in {self.calls} calls"
        if self.told is not None:
            return f"{who} moved, whom the bits seemed to tell; the other {others} were only {how}"
        return f"{who} moved; the other {others} were only {how}, where bits that tell a coin for certain stand out"


def whom_bits_tell(subject: Subject, sides: Coins, calls: int, seed: int) -> BitCoins:
    """Everybody who was promised something, in at most so many calls."""
    epsilon = subject.epsilon
    playing = stream(seed, "float", "coins").permutation(np.flatnonzero(np.isfinite(epsilon)))
    left = min(calls, ROWS, max(MOST_CELLS // epsilon.size, FEWEST))
    users, spent = playing.size if left >= LEAST_STAGE else 0, 0
    while playing.size and left >= LEAST_STAGE:
        single = order_for(playing.size) <= left
        todo = left if single else left // 2
        blocks = [*playing[:, None]] if single else like_blocks(epsilon, playing, most_blocks(largest_power(todo)))
        own = sides if playing.size == epsilon.size else sides.only(playing)
        heard = _heard(subject, own, blocks, todo, (seed, f"float {spent}"))
        spent, left = spent + heard.calls, left - heard.calls
        # a block may move bits as far as it likes; only what one user does is held against their demand
        beyond = heard.beyond(epsilon[playing] if single else np.zeros(len(blocks)))
        if not beyond.any():
            break
        playing = blocks[int(np.argmax(beyond))]
        if single:
            return BitCoins(users, spent, int(playing[0]))
    return BitCoins(users, spent)


def _heard(subject: Subject, sides: Coins, blocks: list[Users], calls: int, names: tuple[int, str]) -> Overheard:
    """What the lowest set bits of any of the first outputs tell."""
    order = order_for(len(blocks))
    designs = [
        Design.shuffled(order, len(blocks), stream(names[0], "screening", names[1], "coins", number))
        for number in range(max(calls // order, 1))
    ]
    seen = [
        coin_outputs(subject, sides, blocks, design, (*names, number), _places) for number, design in enumerate(designs)
    ]
    heard = [
        overheard([places[:, output] for places in seen], designs, place_traits) for output in range(seen[0].shape[1])
    ]
    moved = np.max([each.moved for each in heard], axis=0)
    return Overheard(moved, sum(each.traits for each in heard), heard[0].calls)


def _places(table: Floats) -> Floats:
    return lowest_bit(table[:, : min(table.shape[1] - 1, MOST_OUTPUTS)])
