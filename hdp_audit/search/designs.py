"""Coins for many users in few calls: columns of a Hadamard matrix, shuffled and flipped at random."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

SPARE = 64  # one column of so many is nobody's coin, at least
SPARE_OF_BLOCKS, MOST_SPARE = 8, 32  # of blocks, where it costs little, one of 8 up to 32 columns


@dataclass(frozen=True, eq=False)
class Design:
    """`order` calls; the coin of block b is column `columns[b]`, turned round where it is flipped."""

    order: int
    columns: NDArray[np.int64]
    flips: NDArray[np.bool_]
    spare: NDArray[np.int64]  # columns that are nobody's coin

    @classmethod
    def shuffled(cls, order: int, blocks: int, rng: np.random.Generator) -> Design:
        """Coins drawn by lot."""
        shuffled = 1 + rng.permutation(order - 1)
        flips = rng.integers(0, 2, blocks).astype(np.bool_)
        return cls(order, shuffled[:blocks], flips, shuffled[blocks:])


def hadamard(values: Floats) -> Floats:
    """Σ_r v_r·(−1)^{number of common bits of r and c} for every c: the fast Walsh–Hadamard transform of each row."""
    out, other, half = np.array(values).reshape(-1), np.empty(values.size, dtype=values.dtype), 1
    while half < values.shape[-1]:
        pairs, into = out.reshape(-1, 2, half), other.reshape(-1, 2, half)
        np.add(pairs[:, 0], pairs[:, 1], out=into[:, 0])
        np.subtract(pairs[:, 0], pairs[:, 1], out=into[:, 1])
        out, other, half = other, out, 2 * half
    return out.reshape(values.shape)


def largest_power(limit: int) -> int:
    """The largest power of two that is no larger."""
    return 1 << (limit.bit_length() - 1)


def most_blocks(order: int) -> int:
    """Blocks in a design of so many calls: one column is constant, and some are nobody's."""
    return order - 1 - min(max(order // SPARE_OF_BLOCKS, 1), MOST_SPARE)


def order_for(blocks: int) -> int:
    """Calls of the smallest design with so many coins."""
    order = 2 * largest_power(blocks)
    return order if blocks + 1 + max(order // SPARE, 1) <= order else 2 * order
