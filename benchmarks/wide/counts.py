"""Whether events happen as often as was derived."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from scipy.stats import binom

from benchmarks.wide.subject import Subject

FALSE_ALARM = 1e-6  # of all comparisons together
LEAST = 1e-6  # what a probability of 0 stands for, at most


def compared(each: Subject, draws: int, seed: int) -> Iterator[tuple[int, float, float]]:
    """Of both datasets: how often the event happened, its probability, and how likely a count so far off is."""
    assert each.shown is not None
    rng = np.random.default_rng(seed)
    shown = each.shown
    for dataset, chance in ((shown.first, shown.on_first), (shown.second, shown.on_second)):
        outputs = (each.fn(np.array(dataset), np.array(each.epsilon), rng) for _ in range(draws))
        count = sum(bool(shown.event(out)) for out in outputs)
        high = binom.sf(count - 1, draws, max(chance, LEAST))
        yield count, chance, min(1.0, 2 * min(high, binom.cdf(count, draws, chance)))


def as_derived(each: Subject, draws: int, seed: int, comparisons: int) -> bool:
    """No count is farther off than happens once in a million such collections of comparisons."""
    return all(likely >= FALSE_ALARM / comparisons for _, _, likely in compared(each, draws, seed))
