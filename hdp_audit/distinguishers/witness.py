"""The witness: a rule that guesses from the output which dataset was used, or abstains; learned on draws of its own."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit

from hdp_audit.distinguishers.calibration import calibrated
from hdp_audit.distinguishers.columns import CONVINCING, cells_for, learn_parts
from hdp_audit.distinguishers.distinguisher import Candidate, Chosen, Joint, Rows, Sample, Spoken
from hdp_audit.distinguishers.guesses import Guesses
from hdp_audit.distinguishers.registry import DISTINGUISHERS
from hdp_audit.distinguishers.steps import Parts, summed
from hdp_audit.evidence.bets import COIN, Bet
from hdp_audit.model.promise import Limit, PureLimit

Floats = NDArray[np.float64]
Coins = NDArray[np.bool_]
Counts = NDArray[np.int64]

BELOW_ZERO = float(np.nextafter(0.0, -1.0))
ASSURANCE = 0.2
ANY = PureLimit(0.0)  # of no claim: a loss is measured as a pure one
WORTHWHILE = 1.0  # nats to gain against a claim, below which a good bound is worth more


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
    only: Rows | None = None  # abstains elsewhere
    bet: Bet = COIN  # which line of the promise's curve it is held against

    @property
    def together(self) -> bool:
        """True where outputs only together tell: such rules are learned to refute a claim, not to measure a loss."""
        return self.joint is not None or self.only is not None

    def reads(self) -> tuple[int, ...] | None:
        """The columns that it looks at; None where it may be any."""
        speaks = [column for column, _ in self.parts] if self.joint is None else self.joint.reads()
        where = () if self.only is None else self.only.reads()
        return None if speaks is None or where is None else (*speaks, *where)

    def scores(self, outputs: Floats) -> Floats:
        """What each output tells about the coin, as it was learned; 0 where the rule abstains for good."""
        score = scored(self.parts, outputs, self.joint)
        return score if self.only is None else np.where(self.only(outputs), score, 0.0)

    def guesses(self, outputs: Floats) -> tuple[Coins, Coins]:
        """(guessed 1, guessed 0)."""
        score = scored(self.parts, outputs, self.joint)
        speaks = True if self.only is None else self.only(outputs)
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
    limit: Limit = ANY,
    known: Joint | None = None,
    grids: Floats | None = None,
    chosen: Chosen | None = None,
    *,
    measuring: bool = False,
) -> Witness:
    """Scores, and the thresholds that refute the limit soonest, or give the best bound in `judged` further draws.

    The first `independent` columns (all by default) are summed; a later column speaks alone, where it knows more than
    that sum. Without a limit to refute, a loss is measured. Of wide outputs the chosen columns are looked at.
    """
    measuring = measuring or limit is ANY
    among = None if chosen is None else chosen.alone
    parts = calibrated(learn_parts(outputs, coins, independent, among), outputs, coins)
    witness = with_thresholds(parts, outputs, judged, significance, limit=limit, measuring=measuring)
    if measuring or witness.growth * coins.size >= CONVINCING:
        return witness
    # little was to be won: a loss may show in rare outputs alone, or in a way that no column shows
    columns = outputs.shape[1] if independent is None else independent
    sample = Sample(outputs, coins, columns, cells_for(coins.size), limit, grids, known, chosen)
    found = (candidate for distinguisher in DISTINGUISHERS.values() for candidate in distinguisher(sample))
    rules = [_ruled(candidate, sample, parts, judged, significance) for candidate in found]
    return max([witness, *rules], key=lambda rule: rule.growth)


def _ruled(candidate: Candidate, sample: Sample, parts: Parts, judged: int, significance: float) -> Witness:
    """With its thresholds, and what it is worth after its price; it speaks for as many draws as it speaks of."""
    held = candidate.spoken or _spoken(candidate.only, sample)
    rows, outputs = (None, sample.outputs) if held is None else (held.rows, held.outputs)
    share = 1.0 if rows is None else float(rows.mean())
    joint = candidate.score if isinstance(candidate.score, Joint) else None
    spoken = parts
    if not isinstance(candidate.score, Joint):
        spoken = calibrated(candidate.score, outputs, sample.coins if rows is None else sample.coins[rows])
    limit, calls = sample.limit, int(share * judged)
    rule = with_thresholds(spoken, outputs, calls, significance, limit=limit, joint=joint, drawn=int(sample.coins.size))
    worth = share * rule.growth - candidate.price / sample.coins.size
    return replace(rule, growth=worth, only=candidate.only)


def _spoken(only: Rows | None, sample: Sample) -> Spoken | None:
    rows = None if only is None else only(sample.outputs)
    return None if rows is None else Spoken(rows, sample.outputs[rows])


def _places(size: int, limit: Limit) -> Counts:
    """Which of so many sorted scores are tried as thresholds: ends are worth most where δ is small."""
    if isinstance(limit, PureLimit):
        return np.linspace(0, size - 1, 151).astype(np.int64)
    share = expit(np.linspace(-1.0, 1.0, 71) * np.log(max(size, 2)))
    return np.unique((share * (size - 1)).astype(np.int64))


def with_thresholds(
    parts: Parts,
    outputs: Floats,
    judged: int,
    significance: float,
    least_share: float = 0.0,
    limit: Limit = ANY,
    joint: Joint | None = None,
    *,
    measuring: bool = False,
    drawn: int | None = None,
) -> Witness:
    """The best thresholds, when `judged` further draws are guessed and at least `least_share` of all draws.

    Best is what gains most against the claim, if that is worth while, else what has the largest predicted lower bound.
    A score s claims to be right with probability 1/(1 + e^{−|s|}): averaging the claim is far less noisy than
    counting successes. `drawn`: of how many draws these are some.
    """
    ordered = np.sort(scored(parts, outputs, joint))
    levels = np.unique(ordered[_places(ordered.size, limit)])
    claims = np.concatenate([[0.0], np.cumsum(expit(ordered))])
    lows, highs = np.append(levels, [-np.inf, BELOW_ZERO]), np.append(levels, [np.inf, 0.0])
    below = np.searchsorted(ordered, lows, side="right")
    above = np.searchsorted(ordered, highs, side="left")
    right = (below - claims[below])[:, None] + (claims[-1] - claims[above])[None, :]
    made = (below[:, None] + (ordered.size - above)[None, :]).astype(np.float64)
    # a side that no draw so far was guessed for may be guessed yet, unless its threshold is infinite
    sides = np.maximum((lows > -np.inf)[:, None] + (highs < np.inf).astype(np.int64)[None, :], 1)
    guesses = Guesses(right, made, drawn or ordered.size, sides)
    refused = (lows[:, None] >= highs[None, :]) | (made < least_share * ordered.size)
    if not limit.ratio:  # a guess against the score never pays, but how often it is right can look like certainty
        refused |= (lows > 0.0)[:, None] | (highs < 0.0)[None, :]
    # of curves it is the ends that count, whose rates err as much where they were learned as where they are judged
    more = judged / (ordered.size if limit.ratio else ordered.size + judged)
    predicted = np.where(refused, -np.inf, guesses.bound(limit, more, significance))
    gains = np.where(refused, 0.0, 0.0 if measuring or limit is ANY else guesses.growth(limit)) / ordered.size
    best = predicted if gains.max() * judged < WORTHWHILE else gains
    at_low, at_high = np.unravel_index(int(np.argmax(best)), best.shape)
    low, high = float(lows[at_low]), float(highs[at_high])
    if made[at_low, at_high] < least_share * ordered.size:
        low, high = BELOW_ZERO, 0.0  # nothing else guesses often enough: guess always, by the sign
    chosen = guesses.at(at_low, at_high)
    assured = chosen.bound(limit, 1.0, ASSURANCE)
    expected = float(predicted[at_low, at_high]), float(assured), float(gains[at_low, at_high])
    return Witness(parts, low, high, *expected, joint, bet=chosen.bet(limit))
