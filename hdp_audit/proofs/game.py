"""The auditor's own statistics: right guesses, wealth, the fixed number of guesses, the screening's design."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from math import comb
from typing import Any, NamedTuple

from hdp_audit.proofs.algebra import symbols, vanishes
from hdp_audit.proofs.entry import OURS, Entry, Evidence, conclude
from hdp_audit.proofs.smt import possible, proves, reals


def right_guess(slack: int = 1) -> Evidence:
    """f₁ ≤ r·f₀ and f₀ ≤ r·f₁, r = e^ε: given the output a fair coin is guessed right with probability ≤ r/(r + 1)."""
    first, second, r = reals("f g r")
    given = [first >= 0, second >= 0, first + second > 0, r >= 1, second <= r * first, first <= r * second]
    either = proves(second * (r + 1) <= slack * r * (first + second), *given)
    other = proves(first * (r + 1) <= slack * r * (first + second), *given)
    sharp = possible(r == 3, first == 1, second == 3, second * (r + 1) == r * (first + second))
    return conclude(
        "proved", {"guessing the second dataset": either, "or the first": other, "attained by the full ratio": sharp}
    )


def wealth(stake: int = 1) -> Evidence:
    """(q/p)·P + ((1−q)/(1−p))·(1−P) ≤ 1 for P ≤ p < q: no bet grows in expectation while the promise is kept."""
    chance, p, q = reals("P p q")
    given = [p > 0, p < 1, q > p, q <= 1, chance >= 0, chance <= p]
    # multiplied by p(1−p) > 0
    fair = proves(stake * q * (1 - p) * chance + (1 - q) * p * (1 - chance) <= p * (1 - p), *given)
    return conclude("proved", {"the expected factor is at most one": fair})


def chain(stake: int = 1) -> Evidence:
    """Two games of two results each, the second played by what the first gave: E(W·V) ≤ 1 if E W, E(V | past) ≤ 1."""
    chance, won, lost = reals("p W w")
    first, second = _play("a"), _play("b")
    mean = chance * won * first.mean + (1 - chance) * lost * second.mean
    played = [chance >= 0, chance <= 1, won >= 0, lost >= 0, chance * won + (1 - chance) * lost <= 1]
    fair = proves(stake * mean <= 1, *played, *first.fair, *second.fair)
    risky = possible(mean > 1, *played, *first.law, *second.law)
    return conclude(
        "proved for stated sizes",
        {
            "two games, two results each: the product's expectation is at most 1": fair,
            "it need not be where a game is unfair after some past": risky,
        },
    )


class _Play(NamedTuple):
    """What a game pays on average, that this is a mean of payoffs, and that it is fair."""

    mean: Any
    law: list[Any]
    fair: list[Any]


def _play(name: str) -> _Play:
    chance, up, down = reals(f"{name}q {name}u {name}d")
    mean = chance * up + (1 - chance) * down
    law = [chance >= 0, chance <= 1, up >= 0, down >= 0]
    return _Play(mean, law, [*law, mean <= 1])


def mean_wealth(largest: int = 1) -> Evidence:
    """1 + c(X/m − 1) and 1 + c(m − X)/(t − m), 0 < c ≤ 1: never below 0 for 0 ≤ X ≤ t, nor above 1 in expectation.

    Of the first if E X ≤ m, of the second if E X ≥ m; a mixture with shares of sum 1, fixed before the draw, alike.
    """
    x, m, c, top, mean = reals("x m c t u")
    bets = [m > 0, c > 0, c <= largest]
    above = proves(1 + c * (x / m - 1) >= 0, *bets, x >= 0)
    below = proves(1 + c * (m - x) / (top - m) >= 0, *bets, m < top, x <= top)
    fair_above = proves(1 + c * (mean / m - 1) <= 1, *bets, mean >= 0, mean <= m)
    fair_below = proves(1 + c * (m - mean) / (top - m) <= 1, *bets, m < top, mean >= m, mean <= top)
    first, second, share = reals("f g s")
    mixed = proves(share * first + (1 - share) * second <= 1, share >= 0, share <= 1, first <= 1, second <= 1)
    return conclude(
        "proved",
        {
            "no draw of 0 ≤ X makes the first negative": above,
            "no draw of X ≤ t the second": below,
            "E X ≤ m: the first does not grow": fair_above,
            "E X ≥ m: the second does not grow": fair_below,
            "nor do mixtures": mixed,
        },
    )


def silence(draws: int = 1) -> Evidence:
    """Mass q = 1 − s^{1/n} at t is unseen in n draws with probability s: no upper end below t·q holds with 1 − s."""
    import sympy as sp

    s, n = symbols("s n", positive=True)
    q = 1 - s ** (1 / n)
    unseen = vanishes(sp.powdenest(sp.expand(1 - q) ** (draws * n), force=True) - s)
    less, more = reals("p q")  # any smaller mass stays unseen more often: an upper end below its mean misses too often
    likelier = proves(1 - less > 1 - more, less >= 0, less < more, more <= 1)
    return conclude("proved", {"(1 − q)^n = s": unseen, "smaller masses stay unseen with more than s": likelier})


def fixed_guesses(spare: int = 0) -> Evidence:
    """max over all adaptive rules of P(at least v right among the first W) = P(Binomial(W, p) ≥ v), exactly."""
    exact = all(
        _best(calls, guesses, right, p) <= _tail(guesses, right - spare, p)
        and (calls < guesses or _best(calls, guesses, right, p) == _tail(guesses, right, p))
        for p in (Fraction(1, 2), Fraction(2, 3), Fraction(9, 10))
        for guesses in range(1, 6)
        for calls in range(9)
        for right in range(1, guesses + 1)
    )
    half = Fraction(1, 2)
    ahead = _ahead(6, 0, 0, half) > max(_tail(w, _critical(w, half), half) for w in range(1, 7))
    return conclude(
        "proved for stated sizes",
        {
            "up to 5 guesses of up to 8 calls: no rule, abstaining as it likes, beats the binomial tail": exact,
            "whereas a rule that may choose the number of guesses does": ahead,
        },
    )


@cache
def _best(calls: int, guesses: int, right: int, p: Fraction) -> Fraction:
    """The best rule's probability of `right` right ones among `guesses` guesses; those not made count as wrong."""
    if right <= 0:
        return Fraction(1)
    if calls == 0 or guesses == 0:
        return Fraction(0)
    guess = p * _best(calls - 1, guesses - 1, right - 1, p) + (1 - p) * _best(calls - 1, guesses - 1, right, p)
    return max(guess, _best(calls - 1, guesses, right, p))


def _tail(guesses: int, right: int, p: Fraction) -> Fraction:
    """P(Binomial(guesses, p) ≥ right)."""
    terms = (comb(guesses, v) * p**v * (1 - p) ** (guesses - v) for v in range(max(right, 0), guesses + 1))
    return sum(terms, Fraction(0))


def _critical(guesses: int, p: Fraction, significance: Fraction = Fraction(1, 4)) -> int:
    """The fewest right guesses that an interval of this significance would call too many."""
    return next(v for v in range(guesses + 2) if _tail(guesses, v, p) <= significance)


@cache
def _ahead(calls: int, made: int, right: int, p: Fraction) -> Fraction:
    """The chance of an alarm if the number of guesses is chosen on the way and then taken for fixed."""
    if made and right >= _critical(made, p):
        return Fraction(1)
    if calls == 0:
        return Fraction(0)
    return p * _ahead(calls - 1, made + 1, right + 1, p) + (1 - p) * _ahead(calls - 1, made + 1, right, p)


def design(shift: int = 0) -> Evidence:
    """Σ_r (−1)^{|r & c|}·(−1)^{|r & d|} = 0 for c ≠ d: every two users' coins agree in exactly half of the calls."""

    def sign(row: int, column: int) -> int:
        return -1 if (row & column).bit_count() % 2 else 1

    orthogonal = all(
        sum(sign(r, c) * sign(r, d) for r in range(order)) == (order if c == d + shift else 0)
        for order in (2, 4, 8, 16, 32)
        for c in range(order)
        for d in range(order)
    )
    balanced = all(sum(sign(r, c) for r in range(order)) == 0 for order in (2, 4, 8, 16, 32) for c in range(1, order))
    return conclude(
        "proved for stated sizes",
        {"columns up to order 32 are orthogonal": orthogonal, "and balanced, the constant one aside": balanced},
    )


ENTRIES = (
    Entry(
        "game-right",
        "What a promise allows a guesser",
        OURS,
        "If two output laws differ by a factor of at most e^eps, a fair coin between them is guessed right with "
        "probability at most 1/(1 + e^-eps), given the output.",
        "smt",
        right_guess,
        constant="1",
    ),
    Entry(
        "game-wealth",
        "Bets against a kept promise do not grow",
        OURS,
        "Multiplying wealth by q/p after a right guess and (1-q)/(1-p) after a wrong one has expectation at most 1 "
        "whenever P(right) <= p < q; Ville's inequality does the rest.",
        "smt",
        wealth,
        constant="1",
    ),
    Entry(
        "game-chain",
        "Games that bet what was won before are one game",
        OURS,
        "If each game's wealth has expectation at most 1 given the past, so has the product of all up to any game; one "
        "limit holds for the whole chain, and the largest bound on the way is kept.",
        "smt",
        chain,
        constant="1",
    ),
    Entry(
        "mean-wealth",
        "Bets against a true mean do not grow",
        OURS,
        "For 0 <= X <= t, 0 < c <= 1 the factors 1 + c(X/m - 1), if E X <= m, and 1 + c(m - X)/(t - m), if E X >= m, "
        "are never negative and at most 1 in expectation; so are mixtures fixed before the draw.",
        "smt",
        mean_wealth,
        constant="1",
    ),
    Entry(
        "mean-silence",
        "How near an upper end can come",
        OURS,
        "No upper bound for the mean of n draws from [0, t] that holds with probability 1 - s for every law is below "
        "t·(1 - s^(1/n)) when all draws are 0.",
        "sympy",
        silence,
        constant="t·(1 − s^(1/n))",
    ),
    Entry(
        "game-fixed",
        "Learning on the way with a fixed number of guesses",
        OURS,
        "Right guesses among the first W, each right with conditional probability at most p, are stochastically no "
        "more than Binomial(W, p), however rules and abstentions adapt; with W chosen on the way this is false.",
        "enumeration",
        fixed_guesses,
    ),
    Entry(
        "game-design",
        "The screening's coins",
        OURS,
        "The columns of the Hadamard matrix (-1)^{|r & c|} are orthogonal and, but for the first, balanced: in a "
        "linear estimate all other users cancel exactly.",
        "enumeration",
        design,
    ),
)
