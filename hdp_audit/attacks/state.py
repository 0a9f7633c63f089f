"""What a mechanism remembers: the data of the call before, or the noise that it once drew for these data.

Single calls alone. Neither is found by a game whose calls are independent, and either makes what it says wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from hdp_audit.attacks.exchangeable import p_value, series, together, weighted
from hdp_audit.sampling.failures import FINE
from hdp_audit.sampling.streams import stream
from hdp_audit.sampling.subject import Subject

Floats = NDArray[np.float64]
Memory = Literal["none", "something", "data"]

SEEDS = 6  # each tried after either dataset
PARTS, TRIALS = 4, 32  # of the test for noisy outputs
REPEATS, FRESH = 40, 6


def one(subject: Subject, data: Any, rng: np.random.Generator) -> Floats:
    """One single call: a row with its outcome."""
    return subject.draw_mixed(data, data, np.zeros(1, dtype=bool), rng)[0]


def repeats_after(subject: Subject, before: tuple[Any, Any], data: Any, seed: int) -> bool:
    """Whether the output on `data` for a generator's state is the same after a call on either of two datasets."""
    for number in range(SEEDS):
        rows = []
        for turn, other in enumerate(before if number % 2 else before[::-1]):
            one(subject, other, stream(seed, "state", "before", number, turn))
            rows.append(one(subject, data, stream(seed, "state", "after", number)))
        if not np.array_equal(rows[0], rows[1]):
            return False
    return True


def memory(subject: Subject, before: tuple[Any, Any], data: Any, seed: int, significance: float) -> Memory:
    """Whether an output tells something of the call before it: its data, or only that there was one.

    "data" is said with probability at most `significance` of a mechanism whose output does not depend on the data of
    the call before: which of the two datasets came before is chosen at random, so every choice is as likely as any
    other, given the outputs, however these change with time.
    """
    if subject.replayable and repeats_after(subject, before, data, seed):
        return "none"
    found = []
    for part in range(PARTS):
        second = stream(seed, "state", "coins", part).permutation(TRIALS) % 2 == 1
        rows = []
        for trial, coin in enumerate(second):
            one(subject, before[int(coin)], stream(seed, "state", "first", part, trial))
            rows.append(one(subject, data, stream(seed, "state", "second")))
        statistic = weighted(series(np.array(rows)), second - 0.5)
        found.append(p_value(statistic, TRIALS, stream(seed, "state", "orders", part)))
    return "data" if together(found) <= significance else "something"


def keeps_noise(opened: Callable[[], Subject], datasets: list[Any], nearby: list[Any], seed: int) -> tuple[bool, int]:
    """Whether noise is drawn once for a dataset and kept (the same data always give the same output), and the calls.

    A mechanism without noise, or with the noise of a fixed seed, does the same; but opened anew, with another
    generator, it gives that output again, it draws nothing from its generator the first time, and for data that rise
    little by little (`nearby`) its outputs rise or fall. Independent outputs of which one has probability p are taken
    for kept noise with probability p^40·(1 − p)^6 ≤ 2·10⁻⁸ at most for each dataset, by the first of these three; the
    others are only asked where 41 outputs were equal.
    """
    subject = opened()
    kept, drew_first, drew_later = [], False, False
    for number, data in enumerate(datasets):
        output, first, later = _same_again(subject, data, seed, number)
        if output is None:
            return False, subject.calls
        kept.append(output)
        drew_first, drew_later = drew_first or first, drew_later or later
    if (drew_first and not drew_later) or not _in_order(subject, nearby, seed):
        return True, subject.calls
    fresh, rng = [opened() for _ in range(FRESH)], stream(seed, "kept", "fresh")
    rows = [[one(other, data, rng) for other in fresh] for data in datasets]
    differ = [not any(np.array_equal(row, output) for row in some) for some, output in zip(rows, kept, strict=True)]
    return any(differ), subject.calls + sum(other.calls for other in fresh)


def _in_order(subject: Subject, nearby: list[Any], seed: int) -> bool:
    """Whether outputs rise, or fall, with the data; fresh noise for each dataset does so with probability 2/n!."""
    rows = [one(subject, data, stream(seed, "kept", "nearby", number)) for number, data in enumerate(nearby)]
    steps = np.diff(np.array([row[0] for row in rows if row[-1] == FINE]))
    return bool((steps >= 0).all() or (steps <= 0).all())


def _same_again(subject: Subject, data: Any, seed: int, number: int) -> tuple[Floats | None, bool, bool]:
    """The output that always comes, None where there is none; whether the first call drew from its rng, and others."""
    first: Floats | None = None
    drew = []
    for turn in range(REPEATS + 1):
        rng = stream(seed, "kept", number, turn)
        state = rng.bit_generator.state
        row = one(subject, data, rng)
        drew.append(rng.bit_generator.state != state)
        if row[-1] != FINE or (first is not None and not np.array_equal(row, first)):
            return None, False, False
        first = row
    return first, drew[0], any(drew[1:])
