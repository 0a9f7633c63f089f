"""Trees for outputs that depend on each other: a few cuts in several coordinates, and a ratio for each combination.

Many random trees are tried and the best one speaks, not their vote: its event can be checked by hand.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp_audit.distinguishers.cells import gains
from hdp_audit.distinguishers.distinguisher import Candidate, Columns, Joint, Naming, Sample
from hdp_audit.distinguishers.steps import COSTS, Score

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]

TREES = 256
CUTS = 3
QUANTILES = np.array([0.25, 0.5, 0.75])  # where a coordinate may be cut
GROWN_ON = 1 << 13  # draws, at most
FEWEST = 1 << 12  # draws below which no tree pays for its leaves


@dataclass(frozen=True)
class Tree(Joint):
    """A score of several columns: `values[i]` where the bits of i say which are at least their `cuts`."""

    columns: tuple[int, ...]
    cuts: Floats
    values: Floats
    evidence: float = 0.0

    def __call__(self, outputs: Floats) -> Floats:
        """The score of each row."""
        return self.values[_leaves(outputs, self.columns, self.cuts)]

    def reads(self) -> tuple[int, ...]:
        """The columns that it looks at."""
        return self.columns

    def words(self, low: float, high: float, name: Naming) -> tuple[str, str]:
        """Each combination of the cuts for which it guesses."""
        values = np.round(self.values, 9)
        return self._leaf_words(values >= high, name), self._leaf_words(values <= low, name)

    def plain(self, formula: Naming) -> tuple[str, Score]:
        """The number of the combination, and a level for each."""
        cuts = enumerate(zip(self.columns, self.cuts.tolist(), strict=True))
        bits = " + ".join(f"{1 << bit} * ({formula(column)} >= {cut!r})" for bit, (column, cut) in cuts)
        return bits, Score(np.arange(0.5, self.values.size - 1), self.values, steps=True)

    def _leaf_words(self, told: NDArray[np.bool_], name: Naming) -> str:
        names = [name(column) for column in self.columns]
        leaves = [
            " and ".join(
                f"{called} is {'at least' if leaf >> bit & 1 else 'below'} {cut:.6g}"
                for bit, (called, cut) in enumerate(zip(names, self.cuts, strict=True))
            )
            for leaf in np.flatnonzero(told).tolist()
        ]
        return ", or ".join(leaves) or "never"


def trees(sample: Sample) -> Iterator[Candidate]:
    """One tree, if any pays for its leaves."""
    known = sample.known if isinstance(sample.known, Tree) else None
    tree = best_tree(sample.outputs, sample.coins, sample.columns, known, sample.first)
    if tree is not None:
        yield Candidate(tree)


def best_tree(
    outputs: Floats, coins: Coins, columns: int, known: Tree | None = None, among: Columns | None = None
) -> Tree | None:
    """The one with most evidence of many random trees of the first columns, others for other draws, and a known one.

    None where nothing pays for its leaves.
    """
    if coins.size < FEWEST:
        return None
    seen, tossed = outputs[-GROWN_ON:], coins[-GROWN_ON:]
    among = np.arange(columns) if among is None else among
    varied = among[np.ptp(seen[:, among], axis=0) > 0]
    if varied.size < 2:
        return None
    places = [_cuts(seen[:, column]) for column in varied]
    beyond = [(seen[:, column] >= cuts[:, None]).astype(np.int8) for column, cuts in zip(varied, places, strict=True)]
    rng = np.random.default_rng([TREES, coins.size])
    grown = (
        [] if known is None else [_grown(_leaves(seen, known.columns, known.cuts), tossed, known.columns, known.cuts)]
    )
    for _ in range(TREES):
        taken = np.sort(rng.choice(varied.size, min(CUTS, varied.size), replace=False)).tolist()
        at = [int(rng.integers(places[i].size)) for i in taken]
        leaf = sum(beyond[i][cut] << bit for bit, (i, cut) in enumerate(zip(taken, at, strict=True)))
        cuts = np.array([places[i][cut] for i, cut in zip(taken, at, strict=True)])
        grown.append(_grown(np.asarray(leaf), tossed, tuple(varied[taken].tolist()), cuts))
    best = _pruned(seen, tossed, max(grown, key=lambda tree: tree.evidence))
    return best if best.evidence > 0 else None


def _cuts(outputs: Floats) -> Floats:
    """Quantiles that cut something off, and the highest value where these are few."""
    cuts = np.unique(np.quantile(outputs, QUANTILES))
    return np.append(cuts[cuts > outputs.min()], outputs.max())[: QUANTILES.size]


def _leaves(outputs: Floats, columns: tuple[int, ...], cuts: Floats) -> NDArray[np.int64]:
    return np.asarray((outputs[:, columns] >= cuts) @ (1 << np.arange(cuts.size)))


def _grown(leaf: NDArray[np.int64], coins: Coins, columns: tuple[int, ...], cuts: Floats) -> Tree:
    """Its leaves' ratios; every leaf is paid for, and so is the choice among many trees."""
    size = 1 << cuts.size
    zeros, ones = np.bincount(leaf + size * coins, minlength=2 * size).reshape(2, size).astype(np.float64)
    values = np.log((ones + 0.5) / (zeros + 0.5))
    price = COSTS["levels"] + 2.0 * np.log(TREES) + 1.5 * size
    return Tree(columns, cuts, values, float(gains(values[None, :], ones, zeros)[0]) - price)


def _pruned(outputs: Floats, coins: Coins, tree: Tree) -> Tree:
    """Without the cuts that do not pay for their leaves."""
    if len(tree.columns) == 1:
        return tree
    for i in range(len(tree.columns)):
        rest = tree.columns[:i] + tree.columns[i + 1 :]
        cuts = np.delete(tree.cuts, i)
        without = _grown(_leaves(outputs, rest, cuts), coins, rest, cuts)
        if without.evidence > tree.evidence:
            return _pruned(outputs, coins, without)
    return tree
