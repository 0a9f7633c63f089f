"""Whose coin fell how, read from one output that everybody's datum moved.

The model is linear: an output is some constant, plus everybody's datum with the weight of their demand, plus noise. It
is learned from the calls before, and need not be true: it only says how sure a guess is, and the bets decide. Coins are
revealed one after another, and what is known of an output is subtracted from it, so that later guesses have less of the
others' data in their way.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hdp_audit.evidence.crowd import Call
from hdp_audit.search.probing import demand_groups

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]

MOST_TIERS = 8  # weights that are learned
MOST_NUMBERS = 512  # of an output; longer ones are projected at random
SUREST = 12.0  # of a guess, as a logit
PRIOR = 1e-2  # calls that the weight 1/n counts for
TINY = 1e-300
FLOOR = 1e-6  # of the noise, in units of what others' data do


@dataclass(eq=False)
class Decoder:
    """`moves`: how each user's datum differs between the two sides of their coin, a row each."""

    moves: Floats
    tiers: NDArray[np.int64]
    outputs: list[Floats] = field(default_factory=list)
    tossed: list[Coins] = field(default_factory=list)

    @classmethod
    def of(cls, moves: Floats, strengths: Floats, rng: np.random.Generator) -> Decoder:
        """Longer vectors are seen in random directions."""
        finite = np.where(
            np.isfinite(strengths), strengths, 2.0 * np.max(strengths, initial=0.0, where=np.isfinite(strengths))
        )
        tiers = demand_groups(finite, MOST_TIERS)
        if moves.shape[1] > MOST_NUMBERS:
            turned = rng.standard_normal((moves.shape[1], MOST_NUMBERS)) / np.sqrt(MOST_NUMBERS)
            return _Turned(moves @ turned, tiers, turn=turned)
        return cls(moves, tiers)

    def seen(self, output: Floats) -> Floats:
        """An output as it is read."""
        return output

    def learn(self, output: Floats, coins: Coins) -> None:
        """One more call whose coins are known."""
        self.outputs.append(self.seen(output))
        self.tossed.append(coins)

    def read(self, output: Floats, coins: Coins, order: NDArray[np.int64]) -> Call:
        """A guess of every coin, in this order; each knows the coins before it."""
        constant, weights, noise = self._model(self.seen(output))
        each = weights[self.tiers]
        rest = self.seen(output) - constant
        others = (self.moves * (0.25 * each**2)[:, None]).T @ self.moves
        noise = np.maximum(noise, FLOOR * (np.trace(others) / noise.size + TINY))
        spread = np.diag(noise) + others
        inverse = np.linalg.inv(spread)
        logits, apart = np.zeros(order.size), np.zeros(order.size)
        for place, user in enumerate(order.tolist()):
            move, weight = self.moves[user], each[user]
            towards = inverse @ move
            alone = max(1.0 - 0.25 * weight**2 * float(move @ towards), FLOOR)
            logits[place] = weight * float(towards @ rest) / alone
            apart[place] = weight**2 * float(towards @ move) / alone
            inverse += np.multiply.outer(towards, (0.25 * weight**2 / alone) * towards)
            rest = rest - weight * (0.5 if coins[user] else -0.5) * move
        return Call(order, np.minimum(np.abs(logits), SUREST), (logits > 0) == coins[order], apart)

    def _model(self, output: Floats) -> tuple[Floats, Floats, Floats]:
        """(the constant, a weight for each tier, the noise's variance in each number), by least squares."""
        count = int(self.tiers.max()) + 1
        weights = np.full(count, 1.0 / len(self.moves))
        if not self.outputs:
            return self._first(output, weights)
        outputs, parts = np.array(self.outputs), np.array([self._parts(coins, count) for coins in self.tossed])
        centre, middle = outputs.mean(axis=0), parts.mean(axis=0)
        moved, left = parts - middle, outputs - centre
        scale = PRIOR * float(np.mean(np.sum(self.moves**2, axis=1)))
        products = np.einsum("tgd,thd->gh", moved, moved) + scale * np.eye(count)
        weights = np.linalg.solve(products, np.einsum("tgd,td->g", moved, left) + scale * weights)
        residual = left - np.einsum("tgd,g->td", moved, weights)
        # a call alone shows no noise: all that was seen counts as one call's
        noise = (np.sum(residual**2, axis=0) + np.mean(outputs**2)) / len(outputs)
        noise = 0.5 * noise + 0.5 * noise.mean()  # few calls say little of each number by itself
        return centre - weights @ middle, weights, noise * (1.0 + 1.0 / len(outputs)) + TINY

    def _first(self, output: Floats, weights: Floats) -> tuple[Floats, Floats, Floats]:
        """Before any coin is known: what lies outside of all users' directions is noise, and the rest tells weights."""
        users, numbers = self.moves.shape
        noise = float(np.mean(output**2))
        if numbers >= 2 * users:
            found = np.linalg.lstsq(self.moves.T, output, rcond=None)[0]
            noise = float(np.sum((output - self.moves.T @ found) ** 2)) / (numbers - users)
            by_chance = noise * np.diag(np.linalg.pinv(self.moves @ self.moves.T))
            squares = [np.mean((found**2 - by_chance)[self.tiers == tier]) for tier in range(weights.size)]
            weights = 2.0 * np.sqrt(np.maximum(squares, 0.0))
        return np.zeros(numbers), weights, np.full(numbers, noise + TINY)

    def _parts(self, coins: Coins, count: int) -> Floats:
        """What each tier's data add up to, a row a tier."""
        signed = self.moves * np.where(coins, 0.5, -0.5)[:, None]
        return np.array([signed[self.tiers == tier].sum(axis=0) for tier in range(count)])


@dataclass(eq=False)
class _Turned(Decoder):
    """Outputs too long to be weighed as a whole."""

    turn: Floats = field(default_factory=lambda: np.zeros((0, 0)))

    def seen(self, output: Floats) -> Floats:
        """In random directions."""
        return np.asarray(output @ self.turn)
