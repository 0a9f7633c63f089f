"""Weighted sums of products of two outputs, for noise whose spread or correlation tells and whose middle does not.

Two outputs that go together under one coin and against each other under the other have the same law one by one, and
so has every weighted sum of them whose spread does not change; their product tells.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations_with_replacement

import numpy as np
from numpy.typing import NDArray

from hdp_audit.distinguishers.distinguisher import Candidate, Joint, Naming, Sample
from hdp_audit.distinguishers.regions import between_words
from hdp_audit.distinguishers.scores import learn_score
from hdp_audit.distinguishers.steps import Score

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]
Place = tuple[int, ...]  # a column, or two that are multiplied

FEWEST = 1 << 7  # draws below which a correlation is mostly luck
MOST_OUTPUTS = 16  # of which every two are multiplied: those that vary, the first ones
GROWN_ON = 1 << 13  # draws that weights are found on, at most
CLEAR = 3.0  # standard errors by which the mean of a product differs with the coin
MOST_TERMS = 16  # that are weighed
TAIL = 1e-3  # what lies farther out counts as if it lay there, so that one far value has no say in the weights
RIDGE = 1e-9
LARGEST = 1e60  # squares of products of larger numbers are too large; symbols among numbers lie there, too


@dataclass(frozen=True)
class Quadratic(Joint):
    """A score of Σ weight·(output − middle)·(another − middle); numbers have as many digits as are printed."""

    places: tuple[Place, ...]
    weights: Floats
    middles: dict[int, float]
    score: Score

    def __call__(self, outputs: Floats) -> Floats:
        """The score of each row."""
        return self.score(_products(outputs, self.places, self.middles) @ self.weights)

    def reads(self) -> tuple[int, ...]:
        """The columns that it looks at."""
        return tuple(sorted({column for place in self.places for column in place}))

    def words(self, low: float, high: float, name: Naming) -> tuple[str, str]:
        """With all weights."""
        total = ", ".join(self._terms(lambda column: f"({name(column)} - {self.middles[column]:.6g})", " x "))
        return between_words(f"the sum of {total}", "that sum", self.score, low, high)

    def plain(self, formula: Naming) -> tuple[str, Score]:
        """The weighted sum."""
        terms = self._terms(lambda column: f"({formula(column)} - {self.middles[column]!r})", " * ")
        return " + ".join(terms), self.score

    def _terms(self, factor: Naming, times: str) -> list[str]:
        pairs = zip(self.weights.tolist(), self.places, strict=True)
        return [times.join([repr(weight), *(factor(column) for column in place)]) for weight, place in pairs]


def quadratics(sample: Sample) -> Iterator[Candidate]:
    """The best weighted sum of products that tell; each weight fits some luck, and so does the choice of its place.

    None for wide outputs, which have too many products.
    """
    if sample.chosen is not None:
        return
    found = best_quadratic(sample.outputs, sample.coins, sample.columns, sample.cells)
    if found is not None:
        yield Candidate(found, price=2.0 * found.weights.size)


def best_quadratic(outputs: Floats, coins: Coins, columns: int, cells: int) -> Quadratic | None:
    """Fisher's linear discriminant of the products whose means differ clearly; None where none does."""
    low, high = outputs[:, :columns].min(axis=0), outputs[:, :columns].max(axis=0)
    varied = np.flatnonzero((low < high) & (low > -LARGEST) & (high < LARGEST))[:MOST_OUTPUTS].tolist()
    if coins.size < FEWEST or len(varied) < 2 or not 1 < np.count_nonzero(coins) < coins.size - 1:
        return None
    seen, tossed = outputs[-GROWN_ON:], coins[-GROWN_ON:]
    middles = {column: float(f"{np.median(seen[:, column]):.6g}") for column in varied}
    every = [*((column,) for column in varied), *combinations_with_replacement(varied, 2)]
    held = _held(_products(seen, every, middles))
    ones, zeros = held[tossed], held[~tossed]
    error = np.sqrt(ones.var(axis=0) / len(ones) + zeros.var(axis=0) / len(zeros)) + 1e-300
    clear = np.abs(ones.mean(axis=0) - zeros.mean(axis=0)) / error
    chosen = np.argsort(-clear, kind="stable")[:MOST_TERMS]
    chosen = np.sort(chosen[clear[chosen] > CLEAR])
    if not any(len(every[i]) == 2 for i in chosen.tolist()):
        return None
    apart = ones[:, chosen].mean(axis=0) - zeros[:, chosen].mean(axis=0)
    inside = np.atleast_2d(np.cov(ones[:, chosen], rowvar=False) + np.cov(zeros[:, chosen], rowvar=False))
    scale = np.sqrt(np.diag(inside)) + 1e-300
    weights = np.linalg.solve(inside / np.outer(scale, scale) + RIDGE * np.eye(scale.size), apart / scale) / scale
    weights = np.array([float(f"{weight:.6g}") for weight in weights / (np.abs(weights).max() or 1.0)])
    places = tuple(every[i] for i in chosen.tolist())
    score = learn_score(_products(outputs, places, middles) @ weights, coins, cells)
    return Quadratic(places, weights, middles, score)


def _products(outputs: Floats, places: tuple[Place, ...] | list[Place], middles: dict[int, float]) -> Floats:
    moved = {column: outputs[:, column] - middles[column] for place in places for column in place}
    return np.column_stack([np.prod([moved[column] for column in place], axis=0) for place in places])


def _held(products: Floats) -> Floats:
    low, high = np.quantile(products, [TAIL, 1.0 - TAIL], axis=0)
    return np.clip(products, low, high)
