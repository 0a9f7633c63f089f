"""The witness: a rule that guesses from the output which dataset was used, or abstains; learned on draws of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit, logit, ndtri

from hdp_audit.distinguishers.low_noise import Calm, calm_rows
from hdp_audit.distinguishers.projections import Projection, best_projection
from hdp_audit.distinguishers.ramps import shared_ramp
from hdp_audit.distinguishers.rare import END, rare_score
from hdp_audit.distinguishers.residues import PRICE, Residue, best_residues
from hdp_audit.distinguishers.scores import learn_score
from hdp_audit.distinguishers.steps import Parts, Score, summed
from hdp_audit.distinguishers.trees import Tree, best_tree
from hdp_audit.evidence.wealth import growth as growth_against

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]
Counts = NDArray[np.int64]

CONVINCING = 5.0  # nats that a coordinate must gain to be heard beside a better one, and a rule to be the only one
BELOW_ZERO = float(np.nextafter(0.0, -1.0))
ASSURANCE = 0.2
WORTHWHILE = 1.0  # nats to gain against a claim, below which a good bound is worth more
PROMISING = 4  # columns that are learned in detail, whatever they seem to tell
MOST = 20  # of those that clearly tell something
CELLS = 16  # in which columns are compared before

Joint = Tree | Projection | Residue  # of several columns, or of what is left of one


@dataclass(frozen=True)
class Witness:
    """Guess "1" where the score is at least `high`, "0" where it is at most `low`, abstain in between."""

    parts: Parts
    low: float
    high: float
    predicted: float = 0.0  # the lower bound that it expects to give
    assured: float = 0.0  # the one that as many draws as it learned from would give, at ASSURANCE
    growth: float = 0.0  # nats that it expects to gain against the claim in a draw
    joint: Joint | None = None  # speaks in place of the parts
    calm: Calm | None = None  # abstains elsewhere

    @property
    def together(self) -> bool:
        """True where outputs only together tell: such rules are learned to refute a claim, not to measure a loss."""
        return self.joint is not None or self.calm is not None

    def scores(self, outputs: Floats) -> Floats:
        """What each output tells about the coin, as it was learned; 0 where the rule abstains for good."""
        score = scored(self.parts, outputs, self.joint)
        return score if self.calm is None else np.where(self.calm(outputs), score, 0.0)

    def guesses(self, outputs: Floats) -> tuple[Coins, Coins]:
        """(guessed 1, guessed 0)."""
        score = scored(self.parts, outputs, self.joint)
        speaks = True if self.calm is None else self.calm(outputs)
        return (score >= self.high) & speaks, (score <= self.low) & speaks

    def counts(self, outputs: Floats, coins: Coins) -> tuple[int, int]:
        """(right, made): how many guesses were right, of how many."""
        right, made = self.counts_until(outputs, coins, np.array([coins.size]))
        return int(right[0]), int(made[0])

    def counts_until(self, outputs: Floats, coins: Coins, moments: Counts) -> tuple[Counts, Counts]:
        """(right, made) among the first draws, up to each of these moments."""
        ones, zeros = self.guesses(outputs)
        right, made = (np.cumsum(each, dtype=np.int64) for each in ((ones & coins) | (zeros & ~coins), ones | zeros))
        return right[moments - 1], made[moments - 1]


def scored(parts: Parts, outputs: Floats, joint: Joint | None) -> Floats:
    """What is compared with the thresholds."""
    return summed(parts, outputs) if joint is None else np.round(joint(outputs), 9)


def learn_witness(
    outputs: Floats,
    coins: Coins,
    judged: int,
    significance: float,
    independent: int | None = None,
    claimed: float | None = None,
    known: Joint | None = None,
    grids: Floats | None = None,
) -> Witness:
    """Scores, and the thresholds that refute the claim soonest, or give the best bound in `judged` further draws.

    The first `independent` columns (all by default) are summed; a later column speaks alone, where it knows more than
    that sum.
    """
    parts = learn_parts(outputs, coins, independent)
    witness = with_thresholds(parts, outputs, judged, significance, claimed=claimed)
    if claimed is None or witness.growth * coins.size >= CONVINCING:
        return witness
    # little was to be won: a loss may show in rare outputs alone, or in a way that no column shows
    columns = outputs.shape[1] if independent is None else independent
    rules = [witness]
    for column in range(columns):
        rare = rare_score(outputs[:, column], coins, claimed)
        if rare is not None:
            rule = with_thresholds(((column, rare),), outputs, judged, significance, claimed=claimed)
            rules.append(replace(rule, growth=rule.growth - END / coins.size))
    tree = best_tree(outputs, coins, columns, known if isinstance(known, Tree) else None)
    if tree is not None:
        rules.append(with_thresholds(parts, outputs, judged, significance, claimed=claimed, joint=tree))
    line = best_projection(outputs, coins, columns, cells_for(coins.size))
    if line is not None:
        rule = with_thresholds(parts, outputs, judged, significance, claimed=claimed, joint=line)
        rules.append(replace(rule, growth=rule.growth - line.weights.size / coins.size))  # each weight fits some luck
    for residue in best_residues(outputs, coins, columns, cells_for(coins.size), grids):
        rule = with_thresholds(parts, outputs, judged, significance, claimed=claimed, joint=residue)
        rules.append(replace(rule, growth=rule.growth - PRICE / coins.size))
    for calm in calm_rows(outputs, columns):
        rows = calm(outputs)
        share = float(rows.mean())
        inside = said_once(learn_parts(outputs[rows], coins[rows], independent), coins[rows])
        rule = with_thresholds(inside, outputs[rows], int(share * judged), significance, claimed=claimed)
        rules.append(replace(rule, growth=share * rule.growth, calm=calm))
    return max(rules, key=lambda rule: rule.growth)


def learn_parts(outputs: Floats, coins: Coins, independent: int | None = None) -> Parts:
    """Which columns speak, and how."""
    first = outputs.shape[1] if independent is None else independent
    cells = cells_for(outputs.shape[0])
    together, alone = (
        sorted(
            ((column, learn_score(outputs[:, column], coins, cells)) for column in columns),
            key=_evidence,
            reverse=True,
        )
        for columns in promising(outputs, coins, first)
    )
    parts = (together[0], *(part for part in together[1:] if _evidence(part) > CONVINCING))
    if alone and _evidence(alone[0]) > sum(_evidence(part) for part in parts):
        return (alone[0],)
    shared = shared_ramp(outputs, coins, parts)
    return parts if shared is None else tuple(_moved(part, shared) for part in parts)


def cells_for(draws: int) -> int:
    """In how many cells a column is learned."""
    return int(np.clip(2.0 * draws**0.4, 8, 400))


def said_once(parts: Parts, coins: Coins) -> Parts:
    """Parts learned on chosen rows, whose coins are not fair: that is said by the first part, and by no other again."""
    ones = int(np.count_nonzero(coins))
    odds = float(np.log((ones + 0.5) / (coins.size - ones + 0.5)))
    by_that = ones * odds - coins.size * float(np.logaddexp(0.0, odds) - np.log(2.0))
    first, *others = parts
    own = (part for part in others if _evidence(part) > CONVINCING + by_that)
    return (first, *((column, replace(score, values=score.values - odds)) for column, score in own))


def _moved(part: tuple[int, Score], shared: Score) -> tuple[int, Score]:
    """The shared ramp about this coordinate's own middle, in its own direction."""
    column, own = part
    values = shared.values * np.sign(own.values[1])
    return column, Score(own.points.mean() + shared.points, values, evidence=own.evidence)


def promising(outputs: Floats, coins: Coins, first: int) -> tuple[list[int], list[int]]:
    """The columns worth learning: of the first ones, and of the later ones what tells clearly more than any first."""
    varied, telling = np.flatnonzero(np.ptp(outputs, axis=0) > 0), 0
    if varied.size > PROMISING:
        differences = _differences(outputs, coins)
        varied = varied[np.argsort(-differences[varied], kind="stable")]
        best = differences[:first].max()
        # χ² is about twice a log-likelihood
        varied = varied[(varied < first) | (differences[varied] > best + 2.0 * CONVINCING)]
        telling = int(np.count_nonzero(differences[:first] > CELLS + 4.0 * CONVINCING))
    together, alone = varied[varied < first].tolist(), varied[varied >= first].tolist()
    return together[: max(PROMISING, min(telling, MOST))] or [0], alone[:PROMISING]


def _differences(outputs: Floats, coins: Coins) -> Floats:
    """χ² of the coins in a few cells of each column; equal outputs stay in the order of the draws: a fair one."""
    starts = np.linspace(0, coins.size, min(CELLS, coins.size), endpoint=False).astype(int)
    tossed = coins[np.argsort(outputs, axis=0, kind="stable")].astype(np.float64)
    ones = np.add.reduceat(tossed, starts, axis=0)
    total = np.diff(starts, append=coins.size)[:, None]
    return np.asarray(((2.0 * ones - total) ** 2 / total).sum(axis=0))


def _evidence(part: tuple[int, Score]) -> float:
    return part[1].evidence


def with_thresholds(
    parts: Parts,
    outputs: Floats,
    judged: int,
    significance: float,
    least_share: float = 0.0,
    claimed: float | None = None,
    joint: Joint | None = None,
) -> Witness:
    """The best thresholds, when `judged` further draws are guessed and at least `least_share` of all draws.

    Best is what gains most against the claim, if that is worth while, else what has the largest predicted lower bound.
    A score s claims to be right with probability 1/(1 + e^{−|s|}): averaging the claim is far less noisy than
    counting successes.
    """
    ordered = np.sort(scored(parts, outputs, joint))
    levels = np.unique(ordered[np.linspace(0, ordered.size - 1, 151).astype(int)])
    claims = np.concatenate([[0.0], np.cumsum(expit(ordered))])
    lows, highs = np.append(levels, [-np.inf, BELOW_ZERO]), np.append(levels, [np.inf, 0.0])
    below = np.searchsorted(ordered, lows, side="right")
    above = np.searchsorted(ordered, highs, side="left")
    right = (below - claims[below])[:, None] + (claims[-1] - claims[above])[None, :]
    made = (below[:, None] + (ordered.size - above)[None, :]).astype(np.float64)
    refused = (lows[:, None] >= highs[None, :]) | (made < least_share * ordered.size)
    predicted = np.where(refused, -np.inf, _predicted_bound(right, made, judged / ordered.size, significance))
    growth = np.where(refused, 0.0, 0.0 if claimed is None else growth_against(right, made, claimed)) / ordered.size
    best = predicted if growth.max() * judged < WORTHWHILE else growth
    at_low, at_high = np.unravel_index(int(np.argmax(best)), best.shape)
    low, high = float(lows[at_low]), float(highs[at_high])
    if made[at_low, at_high] < least_share * ordered.size:
        low, high = BELOW_ZERO, 0.0  # nothing else guesses often enough: guess always, by the sign
    assured = _predicted_bound(right[at_low, at_high], made[at_low, at_high], 1.0, ASSURANCE)
    expected = float(predicted[at_low, at_high]), float(assured), float(growth[at_low, at_high])
    return Witness(parts, low, high, *expected, joint)


def _predicted_bound(right: Floats, made: Floats, growth: float, significance: float) -> Floats:
    """logit(p − z·√(p(1−p)/judged guesses))."""
    guesses = np.maximum(made * growth, 1.0)
    p = np.clip(right / np.maximum(made, 1.0), 1e-9, 1.0 - 1e-9)
    lower = p + ndtri(significance) * np.sqrt(p * (1.0 - p) / guesses) - 0.5 / guesses
    return logit(np.clip(lower, 1e-12, 1.0 - 1e-12))
