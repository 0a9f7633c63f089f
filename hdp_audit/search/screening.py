"""Screening everybody at once: each user has a coin of their own in every call, so one call says something about all.

The coins are columns of a Hadamard matrix, shuffled and flipped at random: every two users' coins agree in exactly
half of the calls, so for a linear estimate the others cancel exactly and only the mechanism's own noise is left, and
all n effects come from one fast transform. Columns that are nobody's coin tell what is left for others: noise, and
whatever is not linear. The coins here *name suspects* and measure effects; whoever moves the output further than their
demand allows, in units of the noise, is tried on fresh draws with fair coins by the two-dataset game. Where there are
fewer calls than users, a coin belongs to a block of users of like demand, and the members of the worst blocks get their
own in a second screening.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.neighbours import Coins, Users
from hdp_audit.model.task import Task
from hdp_audit.search.designs import Design, hadamard, largest_power, most_blocks, order_for
from hdp_audit.search.overheard import ROWS, Overheard, overheard, remainder_traits
from hdp_audit.search.probing import demand_groups
from hdp_audit.search.reach import Noise, has_light_tails
from hdp_audit.search.reach_curve import CurveNoise
from hdp_audit.targets.streams import named, stream
from hdp_audit.targets.subject import Subject

Floats = NDArray[np.float64]

CELLS = 1 << 22  # data held at once
NOISE_DATASETS = 16
LEAST_NOISE_DRAWS = 400
WORST_BLOCKS = 16
MOST_TIERS = 32
FIRST = 0.75  # share of the calls for blocks, where there are too few for everybody; the rest goes to the worst blocks
LEAST_STAGE = 16
LARGEST = 1e100
LOOKED_AT = 1 << 22  # outputs of which the tails are looked at, the last ones: memory does not grow with the calls
SPREAD = (1.4142, 2.0)  # standard deviation over scale of Laplace noise: of a mean, of frequencies


@dataclass(frozen=True)
class Screening:
    """How far each user moves the output, with standard errors, and how far their demand allows.

    A block's users have its average effect; `members` counts them (1: a coin of their own, 0: none at all), `asked` is
    their average demand.
    """

    moved: Floats
    error: Floats
    allowed: Floats  # demand × noise scale
    members: Floats
    asked: Floats
    noise: Noise
    light: bool  # no few calls decide everything
    heard: Floats  # standard errors by which remainders of outputs tell a user's coin too well; 0 where they do not
    single: float  # standard error of one user's effect, in the stage that knows it worst: in a block they are alone

    @property
    def alone(self) -> NDArray[np.bool_]:
        """Users who had a coin of their own."""
        return self.members == 1

    @property
    def suspicion(self) -> Floats:
        """Standard errors by which a user moves the output too far, up or down."""
        return np.where(self.alone, (np.abs(self.moved) - self.allowed) / self.error, -np.inf)

    def suspects(self, most: int) -> Users:
        """The most suspicious users, worst first; nobody who does not stand out from so many others.

        Those whom remainders tell come first: they stand out from everybody, not from most.
        """
        heard = np.argsort(-self.heard, kind="stable")[: np.count_nonzero(self.heard)]
        order = np.argsort(-self.suspicion, kind="stable")[:most]
        order = order[self.suspicion[order] > standing_out(int(self.alone.sum()), most)]
        return np.concatenate([heard, order[~np.isin(order, heard)]])[:most]

    def losses(self) -> tuple[Floats, Floats]:
        """What each user's effect shows of their loss, and its standard error; NaN where nothing was measured.

        An output that falls when data rise is turned round; who moves it against all others is below 0.
        """
        known = (self.members > 0) & self.light
        moved = self.moved * (-1.0 if self.moved.sum() < 0 else 1.0)
        found = self.noise.losses(moved), self.noise.errors(moved, self.error)
        return np.where(known, found[0], np.nan), np.where(known, found[1], np.nan)

    def single_error(self) -> float:
        """`single` as a loss, were the noise Laplace's; infinite without noise."""
        return self.single / self.noise.scale if self.noise.scale > 0 else np.inf

    def chance(self, epsilon: Floats, errors: float) -> Floats:
        """What users who lose what they allow would show if their effect were so many standard errors off."""
        if not self.noise.speaks:
            return np.zeros(epsilon.size)
        return self.noise.losses(self.noise.reach(epsilon) + errors * self.single)


def standing_out(users: int, most: int) -> float:
    """Standard errors that about `most` of so many users of a correct mechanism exceed, at least 1."""
    return float(max(np.sqrt(2.0 * np.log(max(users / most, 1.0))), 1.0))


def screen(subject: Subject, sides: Coins, calls: int, seed: int) -> Screening:
    """Everybody between two values by their own coin, in about `calls` calls."""
    n, epsilon = subject.epsilon.size, subject.epsilon
    noise = _noise(subject, sides, max(LEAST_NOISE_DRAWS, calls // 10), seed)
    allowed = noise.allowed(subject.promise)
    moved, error, members, asked = np.zeros(n), np.full(n, np.inf), np.zeros(n), epsilon.astype(np.float64)
    heard = np.zeros(n)
    playing = stream(seed, "screening", "blocks").permutation(n)
    left, stage, single_error, light = calls, 0, 0.0, True
    while playing.size and left >= LEAST_STAGE:
        single = order_for(playing.size) <= left
        todo = left if single else int(FIRST * left)
        blocks = [*playing[:, None]] if single else like_blocks(epsilon, playing, most_blocks(largest_power(todo)))
        own = sides if playing.size == n else sides.only(playing)
        found = _effects(subject, own, blocks, todo, (seed, f"stage {stage}"), noise.spread)
        single_error, light = max(single_error, found.error), light and found.light
        sizes, users = np.array([block.size for block in blocks]), np.concatenate(blocks)
        starts, each = np.cumsum(sizes) - sizes, np.repeat(sizes, sizes)
        moved[users], error[users], members[users] = np.repeat(found.effects, sizes) / each, found.error / each, each
        asked[users] = np.repeat(np.add.reduceat(epsilon[users], starts), sizes) / each
        if single:
            heard[playing] = found.heard.beyond(epsilon[playing])
            break
        excess = np.abs(found.effects) - np.add.reduceat(allowed[users], starts)
        worst = np.argsort(-excess)[: min(WORST_BLOCKS, max(len(blocks) // 8, 1))]
        playing = np.concatenate([blocks[i] for i in worst])
        left, stage = left - todo, stage + 1
    return Screening(moved, error, allowed, members, asked, noise, light, heard, single_error or np.inf)


def like_blocks(epsilon: Floats, users: Users, most: int) -> list[Users]:
    """At most so many blocks of users of one demand, or of neighbouring ones where there are many.

    The order of the users given decides between equals.
    """
    ordered = users[np.argsort(epsilon[users], kind="stable")]
    groups = demand_groups(epsilon[ordered], min(MOST_TIERS, most // 2))
    tiers = np.split(ordered, np.flatnonzero(np.diff(groups)) + 1)
    size = max(users.size / (most - len(tiers)), 1.0)
    return [block for tier in tiers for block in np.array_split(tier, int(np.ceil(tier.size / size)))]


def foreseen_error(users: int, calls: int, frequencies: bool) -> float:
    """The standard error of one user's loss that `screen` will leave, for Laplace noise without clipping."""
    left, members, largest = calls, users, 0.0
    while members and left >= LEAST_STAGE:
        single = order_for(members) <= left
        todo = left if single else int(FIRST * left)
        blocks = members if single else most_blocks(largest_power(todo))
        order = order_for(blocks)
        deviation = 2.0 * SPREAD[frequencies] / np.sqrt(max(todo // order, 1) * order)
        largest = max(largest, float(deviation))
        if single:
            return largest
        members = -(-min(WORST_BLOCKS, max(blocks // 8, 1)) * members // blocks)  # about so many
        left -= todo
    return largest or float("inf")


@dataclass(frozen=True)
class Effects:
    """Each block's effect on the output, and the standard error that is left."""

    effects: Floats
    error: float
    light: bool
    heard: Overheard


def _effects(
    subject: Subject, sides: Coins, blocks: list[Users], calls: int, names: tuple[int, str], spread: float
) -> Effects:
    """The error is the noise's on one dataset, or what columns that are nobody's show where that is clearly more."""
    order = order_for(len(blocks))
    rounds = max(calls // order, 1)
    total, squares = np.zeros(len(blocks)), 0.0
    seen: deque[Floats] = deque(maxlen=max(LOOKED_AT // order, 1))
    designs: deque[Design] = deque(maxlen=max(ROWS // order, 1))
    for number in range(rounds):
        design = Design.shuffled(order, len(blocks), stream(names[0], "screening", names[1], "coins", number))
        outputs = coin_outputs(subject, sides, blocks, design, (*names, number), partial(_moving, subject.task))
        seen.append(outputs)
        designs.append(design)
        found = -2.0 / order * hadamard(outputs)
        total += np.where(design.flips, -found[design.columns], found[design.columns])
        squares += float(np.mean(found[design.spare] ** 2))
    error, shown = 2.0 * spread / np.sqrt(rounds * order), np.sqrt(squares) / rounds
    clearly = 1.0 + 2.0 / np.sqrt(2.0 * rounds * design.spare.size)  # two standard errors of a standard deviation
    error = max(shown if shown > clearly * error else error, 1e-300)
    heard = overheard(list(seen), list(designs), remainder_traits)
    return Effects(total / rounds, float(error), has_light_tails(np.concatenate(seen)), heard)


def coin_outputs(
    subject: Subject,
    sides: Coins,
    blocks: list[Users],
    design: Design,
    names: tuple[int, str, int],
    read: Callable[[Floats], Floats],
) -> Floats:
    """What is read of the outputs, for each row of the design."""
    seed, name, number = names
    column, flipped = np.zeros(len(sides), dtype=np.int32), np.zeros(len(sides), dtype=np.bool_)
    for block, place, flip in zip(blocks, design.columns, design.flips, strict=True):
        column[block], flipped[block] = place, flip
    rows = min(largest_power(max(CELLS // max(len(sides), subject.width), 1)), design.order)
    # parity(r & c) splits into the low and the high bits of r: one table for all chunks, one row for each
    bits = [column & np.int32(1 << bit) != 0 for bit in range((design.order - 1).bit_length())]
    low = _parities(bits[: (rows - 1).bit_length()], flipped)
    chunks, high, coins = [], np.zeros_like(flipped), low if rows == design.order else np.empty_like(low)
    for start in range(0, design.order, rows):
        apart = named(seed, "screening", name, "mechanism", number, start)
        for bit, own in enumerate(bits):
            if (start ^ max(start - rows, 0)) >> bit & 1:  # what is other than in the chunk before
                high ^= own
        np.logical_xor(low, high, out=coins)  # nobody keeps the coins of a chunk: calls get data made of them
        chunks.append(read(subject.draw_each(sides.datasets(coins), apart)))
    return np.concatenate(chunks)


def _parities(bits: list[NDArray[np.bool_]], flipped: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """In row r the parity of those bits that r has, turned round where flipped; each bit doubles the rows."""
    table = np.empty((1 << len(bits), flipped.size), dtype=np.bool_)
    table[0] = flipped
    for bit, own in enumerate(bits):
        np.logical_xor(table[: 1 << bit], own, out=table[1 << bit : 2 << bit])
    return table


def _moving(task: Task, table: Floats) -> Floats:
    """One number an output that every user's coin moves the same way: the first, or bin 1 less bin 0, halved.

    Outputs beyond all reason are cut off, as their squares would overflow; then nobody is suspected here.
    """
    tamed = np.clip(table[:, :2], -LARGEST, LARGEST)
    return 0.5 * (tamed[:, 1] - tamed[:, 0]) if task.opposed else tamed[:, 0]


def _noise(subject: Subject, sides: Coins, draws: int, seed: int) -> Noise:
    """The number above on a few datasets, everybody's datum by a coin, so that nothing is clipped as a rule."""
    rows = []
    for number in range(NOISE_DATASETS):
        coins = stream(seed, "screening", "noise", "coins", number).random(len(sides)) < 0.5
        own = named(seed, "screening", "noise", number)
        rows.append(_moving(subject.task, subject.draw(sides.dataset(coins), draws // NOISE_DATASETS, own)))
    found, promise = Noise.of(np.array(rows), subject.task.opposed), subject.promise
    if promise.pure:
        return found
    delta = promise.columns.get("delta", np.zeros(1))  # of all the kinds the one that shows least
    return CurveNoise(found.around, found.frequencies, promise.group(np.array([int(np.argmax(delta))])))
