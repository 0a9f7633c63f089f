"""Screening everybody at once: each user has a coin of their own in every call, so one call says something about all.

The coins are columns of a Hadamard matrix, shuffled and flipped at random: every two users' coins agree in exactly
half of the calls, so for a linear estimate the others cancel exactly and only the mechanism's own noise is left, and
all n effects come from one fast transform. The coins here *name suspects* and measure effects; whoever moves the
output further than their demand allows, in units of the noise, is tried on fresh draws with fair coins by the
two-dataset game. Where there are fewer calls than users, a coin belongs to a block of users, and the members of the
worst blocks get their own in a second screening.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp_audit.attacks.pairs import Data, Users
from hdp_audit.sampling.streams import stream
from hdp_audit.sampling.subject import Subject

Floats = NDArray[np.float64]

CELLS = 1 << 22  # data held at once
LEAST_NOISE_DRAWS = 400
WORST_BLOCKS = 16
FIRST = 0.75  # share of the calls for blocks, where there are too few for everybody; the rest goes to the worst blocks
LEAST_STAGE = 16
LARGEST = 1e150
SPREAD = (1.414, 1.524)  # standard deviation over scale, as `_noise` measures both: of a mean, of frequencies


@dataclass(frozen=True)
class Screening:
    """How far each user moves the output, with standard errors, and how far their demand allows."""

    moved: Floats
    error: Floats
    allowed: Floats  # demand × noise scale
    scale: float
    alone: NDArray[np.bool_]  # users who had a coin of their own
    single: float  # standard error of one user's effect, in the stage that knows it worst: in a block they are alone

    @property
    def suspicion(self) -> Floats:
        """Standard errors by which a user moves the output too far, up or down."""
        return np.where(self.alone, (np.abs(self.moved) - self.allowed) / self.error, -np.inf)

    def suspects(self, most: int) -> Users:
        """The most suspicious users, worst first; nobody who does not stand out from so many others."""
        order = np.argsort(-self.suspicion, kind="stable")[:most]
        return order[self.suspicion[order] > standing_out(int(self.alone.sum()), most)]

    def losses(self, moved: Floats) -> Floats:
        """Effects as losses: in units of the noise; infinite for an effect without noise."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.where(moved == 0, 0.0, moved / self.scale)


def standing_out(users: int, most: int) -> float:
    """Standard errors that about `most` of so many innocent users exceed, at least 1."""
    return float(max(np.sqrt(2.0 * np.log(max(users / most, 1.0))), 1.0))


def screen(subject: Subject, first: Data, second: Data, calls: int, seed: int) -> Screening:
    """Everybody between two values by their own coin, in about `calls` calls."""
    n = subject.epsilon.size
    spread, scale = _noise(subject, first, max(LEAST_NOISE_DRAWS, calls // 10), seed)
    # Public users were promised nothing; a noiseless mechanism allows nobody anything.
    allowed = np.where(np.isinf(subject.epsilon), np.inf, np.minimum(subject.epsilon, 1e300) * scale)
    members = stream(seed, "screening", "blocks").permutation(n)
    moved, error, alone = np.zeros(n), np.full(n, np.inf), np.zeros(n, dtype=np.bool_)
    sides, left, stage, single_error = Sides(first, second), calls, 0, 0.0
    while members.size and left >= LEAST_STAGE:
        single = 2 * _largest_power(members.size) <= left
        todo = left if single else int(FIRST * left)
        blocks = np.array_split(members, members.size if single else _largest_power(todo) - 1)
        own = sides if members.size == n else sides.only(members)
        effects, deviation = _effects(subject, own, blocks, todo, (seed, f"stage {stage}"), spread)
        single_error = max(single_error, deviation)
        for block, effect in zip(blocks, effects, strict=True):
            moved[block], error[block] = effect / block.size, deviation / block.size
        if single:
            alone[members] = True
            break
        excess = np.abs(effects) - np.array([allowed[block].sum() for block in blocks])
        worst = np.argsort(-excess)[: min(WORST_BLOCKS, max(len(blocks) // 8, 1))]
        members = np.concatenate([blocks[i] for i in worst])
        left, stage = left - todo, stage + 1
    return Screening(moved, error, allowed, scale, alone, single_error or np.inf)


def foreseen_error(users: int, calls: int, frequencies: bool) -> float:
    """The standard error of one user's loss that `screen` will leave, for Laplace noise without clipping."""
    left, members, largest = calls, users, 0.0
    while members and left >= LEAST_STAGE:
        single = 2 * _largest_power(members) <= left
        todo = left if single else int(FIRST * left)
        blocks = members if single else _largest_power(todo) - 1
        order = 2 * _largest_power(blocks)
        deviation = 2.0 * SPREAD[frequencies] / np.sqrt(max(todo // order, 1) * order)
        largest = max(largest, float(deviation))
        if single:
            return largest
        members = -(-min(WORST_BLOCKS, max(blocks // 8, 1)) * members // blocks)  # about so many
        left -= todo
    return largest or float("inf")


@dataclass(frozen=True)
class Sides:
    """Everybody's two values; the two of a user without a coin are equal."""

    first: Data
    second: Data

    def only(self, users: Users) -> Sides:
        """Coins for these users; the others stay where they are, half of them on either side."""
        resting = np.where(np.arange(self.first.size) % 2, self.first, self.second)
        first, second = resting.copy(), resting.copy()
        first[users], second[users] = self.first[users], self.second[users]
        return Sides(first, second)

    def chosen(self, odd: NDArray[np.bool_]) -> Data:
        """One dataset a row: the second value where `odd`."""
        data = odd * (self.second - self.first)
        data += self.first  # in place: a second table as large would take longer than all the rest
        return data


def _effects(
    subject: Subject, sides: Sides, blocks: list[Users], calls: int, names: tuple[int, str], spread: float
) -> tuple[Floats, float]:
    """Each block's effect on the output and the standard error that the mechanism's noise leaves."""
    order = 2 * _largest_power(len(blocks))  # more columns than blocks, the constant one aside
    rounds = max(calls // order, 1)
    total = np.zeros(len(blocks))
    for number in range(rounds):
        rng = stream(names[0], "screening", names[1], "coins", number)
        columns = 1 + rng.permutation(order - 1)[: len(blocks)]
        flips = rng.integers(0, 2, len(blocks)).astype(np.bool_)
        outputs = _outputs(subject, sides, blocks, columns, flips, order, (*names, number))
        effects = -2.0 / order * hadamard(outputs)[columns]
        total += np.where(flips, -effects, effects)
    return total / rounds, max(2.0 * spread / np.sqrt(rounds * order), 1e-300)


def _outputs(
    subject: Subject,
    sides: Sides,
    blocks: list[Users],
    columns: NDArray[np.int64],
    flips: NDArray[np.bool_],
    order: int,
    names: tuple[int, str, int],
) -> Floats:
    """One output for each row of the design."""
    seed, name, number = names
    column, flipped = np.zeros(sides.first.size, dtype=np.int64), np.zeros(sides.first.size, dtype=np.bool_)
    for block, place, flip in zip(blocks, columns, flips, strict=True):
        column[block], flipped[block] = place, flip
    rows = min(_largest_power(max(CELLS // sides.first.size, 1)), order)
    # parity(r & c) splits into the low and the high bits of r: one table for all chunks, one row for each
    low = _odd(np.arange(rows)[:, None] & column[None, :]) ^ flipped
    outputs = np.empty(order)
    for start in range(0, order, rows):
        table = subject.draw_each(
            sides.chosen(low ^ _odd(start & column)), stream(seed, "screening", name, "mechanism", number, start)
        )
        outputs[start : start + rows] = _moving(table)
    return outputs


def _odd(bits: NDArray[np.int64]) -> NDArray[np.bool_]:
    return (np.bitwise_count(bits) & 1).astype(np.bool_)


def hadamard(values: Floats) -> Floats:
    """Σ_r v_r·(−1)^{number of common bits of r and c} for every c: the fast Walsh–Hadamard transform."""
    out, half = values.copy(), 1
    while half < out.size:
        pairs = out.reshape(-1, 2, half)
        out = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).reshape(-1)
        half *= 2
    return out


def _largest_power(limit: int) -> int:
    """The largest power of two that is no larger."""
    return 1 << (limit.bit_length() - 1)


def _moving(table: Floats) -> Floats:
    """One number an output that every user's coin moves the same way: a mean itself, or bin 1 less bin 0, halved.

    Outputs beyond all reason are cut off, as their squares would overflow; then nobody is suspected here.
    """
    tamed = np.clip(table[:, :2], -LARGEST, LARGEST)
    return tamed[:, 0] if table.shape[1] == 2 else 0.5 * (tamed[:, 1] - tamed[:, 0])


def _noise(subject: Subject, data: Data, draws: int, seed: int) -> tuple[float, float]:
    """(standard deviation, Laplace scale) of the number above on one dataset, where nothing is clipped."""
    middle = np.array(data, copy=True)
    middle[::2] = 1 if subject.categories else 1.0
    outputs = _moving(subject.draw(middle, draws, stream(seed, "screening", "noise")))
    low, high = np.quantile(outputs, [0.25, 0.75])
    # The middle half of a Laplace law of scale b is 2b·log 2 wide; half of a difference of two bins of scale 2t
    # is about 1.26 times as wide.
    scale = (high - low) / (2.0 * np.log(2.0)) / (1.0 if subject.categories is None else 1.26)
    return float(outputs.std()), float(scale)
