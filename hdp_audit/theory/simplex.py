"""Lattices of datasets: M blocks of users in k categories in every possible way, and what one output can do (ours).

A: the users with the smallest demands, all raised to the largest of them, s, cut into M blocks of b. Dataset x puts x_j
random blocks into category j, x_1 + ... + x_k = M; everybody else is elsewhere. Laws of datasets that differ by one
block's move are within e^{bs} of each other. Unlike a product of chains this uses the moves between any two categories.

Names. The certificate's λ and ν depend on the numbers in x, not on their order. For one output the densities may be
averaged over all names of categories that leave the output alone (the cone is convex), so that a node here is a whole
orbit of datasets: for each group of equal coordinates of the output, the numbers that x has there.

Outputs. In units of b/n let an output be w/2, w whole. What it loses at x is D²/4, D = max|w_j − 2x_j|.
- All w even: D = 0 somewhere if w/2 is a dataset itself, and D ≥ 2 everywhere otherwise.
- Some w odd, so D ≥ 1. Then w_j = −1 and 0 are no better than 1, and 2M and 2M + 1 no better than 2M − 1. D = 1
  somewhere only if Σ⌊w/2⌋ ≤ M ≤ Σ⌈w/2⌉, and D ≥ 2 everywhere otherwise.
- So `square_outputs`, and one that loses 1 at every x, stand for all (`simplex-outputs` in the ledger). Outputs between
  these cost at most 1/16 (`simplex-rounding`).
- An error below b/n: x lies in a product of pairs {f_j, f_j + 1}. These are the outputs with all w odd.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import groupby, product
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Numbers = tuple[int, ...]
Node = tuple[Numbers, ...]  # for each group of equal coordinates of the output, the numbers there, descending


@lru_cache(maxsize=4096)
def numbers(total: int, size: int, most: int) -> tuple[Numbers, ...]:
    """All descending tuples of so many numbers from 0 to `most` with this sum."""
    if size == 0:
        return ((),) if total == 0 else ()
    least = -(-total // size)
    return tuple(
        (first, *rest)
        for first in range(min(total, most), least - 1, -1)
        for rest in numbers(total - first, size - 1, first)
    )


@dataclass(frozen=True)
class Output:
    """The orbits of datasets around one output: which kind of dataset each is, how many, D², and moves outwards."""

    kind: Ints
    count: Floats
    farness: Floats
    near: Ints
    far: Ints


@dataclass(frozen=True)
class Lattice:
    """M blocks in k categories."""

    blocks: int
    categories: int

    @cached_property
    def kinds(self) -> dict[Numbers, int]:
        """Datasets up to the names of categories."""
        return {x: at for at, x in enumerate(numbers(self.blocks, self.categories, self.blocks))}

    @cached_property
    def copies(self) -> Floats:
        """How many datasets of each kind."""
        return np.array([_orders(x) for x in self.kinds], dtype=np.float64)

    def even_outputs(self) -> list[Numbers]:
        """The datasets themselves."""
        return [tuple(2 * f for f in x) for x in self.kinds]

    def odd_outputs(self) -> list[Numbers]:
        """All w odd, D = 1 somewhere."""
        return [w for w in self.square_outputs() if all(one % 2 for one in w)]

    def square_outputs(self) -> list[Numbers]:
        """Those of which every other one is no better, but for one that loses 1 everywhere."""
        mixed = {w for total in range(self.blocks + 1) for w in self._mixed(total)}
        return self.even_outputs() + sorted(mixed)

    def _mixed(self, total: int) -> Iterator[Numbers]:
        """Some w odd, all where ⌊w/2⌋ = 0; Σ⌊w/2⌋ = total ≤ M ≤ Σ⌈w/2⌉."""
        for floors in numbers(total, self.categories, self.blocks - 1):
            for odd in product(*[(0, 1) if f else (1,) for f in floors]):
                if sum(odd) >= max(self.blocks - total, 1):
                    yield tuple(sorted((2 * f + one for f, one in zip(floors, odd, strict=True)), reverse=True))

    def square_surroundings(self) -> list[Output]:
        """All outputs that squares must look at."""
        return [self.around(w) for w in self.square_outputs()] + [self.nowhere()]

    def nowhere(self) -> Output:
        """The output that loses 1, D = 2, at every dataset; nodes are all kinds, and moves go both ways."""
        around = self.around((1,) * self.categories)
        moves = [(at, self.kinds[other]) for x, at in self.kinds.items() for (other,) in _moved((x,))]
        near, far = np.array(sorted({pair for pair in moves if pair[0] != pair[1]})).reshape(-1, 2).T
        return Output(around.kind, around.count, np.full(around.kind.size, 4.0), near, far)

    def around(self, w: Numbers) -> Output:
        """The orbits of datasets around an output."""
        groups = [(value, len(list(same))) for value, same in groupby(w)]
        nodes = list(self._nodes([size for _, size in groups], self.blocks))
        values = [value for value, _ in groups]
        place = {node: at for at, node in enumerate(nodes)}
        away = [_away(node, values) for node in nodes]
        moves = {(at, place[other]) for at, node in enumerate(nodes) for other in _moved(node)}
        outwards = np.array(sorted(pair for pair in moves if away[pair[0]][1] < away[pair[1]][1])).reshape(-1, 2)
        kind = [self.kinds[tuple(sorted(sum(node, ()), reverse=True))] for node in nodes]
        count = np.array([prod(map(_orders, node)) for node in nodes], dtype=np.float64)
        farness = np.array([largest**2 for largest, _ in away], dtype=np.float64)
        return Output(np.array(kind), count, farness, outwards[:, 0], outwards[:, 1])

    def _nodes(self, sizes: list[int], total: int) -> Iterator[Node]:
        if len(sizes) == 1:
            yield from ((last,) for last in numbers(total, sizes[0], total))
            return
        for here in range(total + 1):
            for rest in self._nodes(sizes[1:], total - here):
                yield from ((first, *rest) for first in numbers(here, sizes[0], here))


def _orders(values: Numbers) -> int:
    """In how many different orders these numbers can stand."""
    return factorial(len(values)) // prod(factorial(count) for count in Counter(values).values())


def _away(node: Node, values: list[int]) -> tuple[int, int]:
    """max|w_j − 2x_j| and Σ|w_j − 2x_j|."""
    gaps = [abs(value - 2 * one) for value, part in zip(values, node, strict=True) for one in part]
    return max(gaps), sum(gaps)


def _moved(node: Node) -> Iterator[Node]:
    """One block from any category to any other."""
    places = [(group, value) for group, part in enumerate(node) for value in sorted(set(part))]
    for source, target in product(places, places):
        if source[1] > 0 and (source != target or node[source[0]].count(source[1]) > 1):
            yield _with(_with(node, source, -1), target, 1)


def _with(node: Node, at: tuple[int, int], change: int) -> Node:
    group, value = at
    part = list(node[group])
    part[part.index(value)] += change
    return (*node[:group], tuple(sorted(part, reverse=True)), *node[group + 1 :])
