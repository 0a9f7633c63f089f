"""The counts that the script should give, with their error; and the page that explains the files."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass

from hdp_audit.reporting.markdown import escaped

SIGMAS = 5.0  # of a normal law; a correct repetition is farther off once in a million and a half, two sides


@dataclass(frozen=True)
class Counts:
    """Of so many calls, how often the event guessed, and how often it was right."""

    calls: int
    guesses: int
    right: int

    @property
    def wrong(self) -> int:
        """Guesses that were not right."""
        return self.guesses - self.right


def error(counts: Counts, again: int) -> float:
    """How far the right guesses of `again` calls may lie from these, per call: both counts are by chance."""
    return _error(counts.right, counts.calls, again)


def agree(counts: Counts, other: Counts) -> bool:
    """Whether right and wrong guesses of both are as near as chance allows."""
    pairs = ((counts.right, other.right), (counts.wrong, other.wrong))
    return all(
        abs(one / counts.calls - two / other.calls) <= _error(one, counts.calls, other.calls) for one, two in pairs
    )


def _error(count: int, calls: int, again: int) -> float:
    """Five standard errors of the difference of two shares; a count of 0 may have been 1."""
    share = min((count + 1) / (calls + 2), 1.0)
    variance = max(share * (1.0 - share), 1.0 / (calls + 2))
    return SIGMAS * math.sqrt(variance * (1.0 / calls + 1.0 / again)) + 1.0 / min(calls, again)


def words(counts: Counts) -> str:
    """What to expect of as many calls again."""
    around = math.ceil(error(counts, counts.calls) * counts.calls)
    other = math.ceil(_error(counts.wrong, counts.calls, counts.calls) * counts.calls)
    return (
        f"In {counts.calls:,} calls the event guessed {counts.guesses:,} times and was right {counts.right:,} times. "
        f"Expect {counts.right:,} ± {around:,} right and {counts.wrong:,} ± {other:,} wrong guesses of as many "
        "calls; it is outside of that once in a million times by chance."
    )


def calculated(chances: tuple[float, float], guess: int, calls: int) -> Counts | None:
    """What both probabilities make of so many calls, half of them on either dataset; None where one is not known."""
    if any(math.isnan(chance) for chance in chances):
        return None
    right, wrong = (round(0.5 * chances[side] * calls) for side in (guess, 1 - guess))
    return Counts(calls, right + wrong, right)


def as_calculated(counts: Counts, chances: tuple[float, float], guess: int) -> bool:
    """Whether counts are as near to both probabilities as chance allows."""
    pairs = ((counts.right, chances[guess]), (counts.wrong, chances[1 - guess]))
    return all(abs(count - 0.5 * chance * counts.calls) <= _off(chance, counts.calls) for count, chance in pairs)


def _off(chance: float, calls: int) -> float:
    """Five standard errors of a count; what is hardly ever there may come a few times."""
    share = 0.5 * chance
    return SIGMAS * math.sqrt(max(share * (1.0 - share) * calls, 1.0)) if share > 0 else 0.0


def chance_words(counts: Counts, chances: tuple[float, float], guess: int) -> str:
    """What to expect by calculation, and what came in these calls."""
    right, wrong = (0.5 * chances[side] * counts.calls for side in (guess, 1 - guess))
    around, other = (math.ceil(_off(chances[side], counts.calls)) for side in (guess, 1 - guess))
    return (
        f"By calculation from the draws of the program the event has probability {chances[0]:.6g} on the first dataset "
        f"and {chances[1]:.6g} on the second; whenever it comes the script guesses the {('first', 'second')[guess]}. "
        f"So in {counts.calls:,} calls, half of them on either, expect {right:,.1f} ± {around:,} right and "
        f"{wrong:,.1f} ± {other:,} wrong guesses, outside of that once in a million times by chance. With real noise "
        f"there were {counts.right:,} right and {counts.wrong:,} wrong ones, which "
        f"{'agrees' if as_calculated(counts, chances, guess) else 'does not agree'}."
    )


def page(title: str, told: Iterable[tuple[str, str]], paragraphs: Iterable[str]) -> str:
    """A README: what was found in words, then what the files are for."""
    lines = [f"- {name}: {escaped(words, 4000)}" for name, words in told]
    return "\n\n".join([f"# {escaped(title)}", "\n".join(lines), *paragraphs]) + "\n"
