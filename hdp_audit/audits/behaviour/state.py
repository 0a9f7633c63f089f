"""What a mechanism remembers: the data of the call before, or the noise that it once drew for these data.

Single calls alone. Neither is found by a game whose calls are independent, and either makes what it says wrong.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hdp_audit.evidence.exchangeable import p_value, series, together, weighted
from hdp_audit.model.dataset import Dataset
from hdp_audit.targets.failures import FINE
from hdp_audit.targets.streams import stream
from hdp_audit.targets.subject import Subject

Floats = NDArray[np.float64]
Memory = Literal["none", "something", "data"]

SEEDS, LAGS = 6, 3  # each tried after either dataset, and so many calls later
PARTS, TRIALS = 4, 32  # of the test for noisy outputs
REPEATS, FRESH, FEW = 40, 6, 3
MOST_UNDRAWN = 1 << 17  # calls; more are not worth it, as the game will refute what always answers the same


def one(subject: Subject, data: Dataset, rng: np.random.Generator) -> Floats:
    """One single call: a row with its outcome."""
    return subject.one(data, rng)


def remembers(subject: Subject, before: tuple[Dataset, Dataset], data: Dataset, seed: int) -> bool:
    """Whether the next outputs on `data`, for a generator's states, differ after calls on two datasets."""
    for number in range(SEEDS):
        rows = []
        for turn, other in enumerate(before if number % 2 else before[::-1]):
            one(subject, other, stream(seed, "state", "before", number, turn))
            rows.append([one(subject, data, stream(seed, "state", "after", number, lag)) for lag in range(LAGS)])
        if not np.array_equal(rows[0], rows[1]):
            return True
    return False


def memory(subject: Subject, before: tuple[Dataset, Dataset], data: Dataset, seed: int, significance: float) -> Memory:
    """Whether an output tells something of the call before it: its data, or only that there was one.

    "data" is said with probability at most `significance` of a mechanism whose output does not depend on the data of
    the call before: which of the two datasets came before is chosen at random, so every choice is as likely as any
    other, given the outputs, however these change with time.
    """
    if subject.replayable and not remembers(subject, before, data, seed):
        return "none"
    found: list[list[float]] = [[] for _ in range(LAGS)]
    for part in range(PARTS):
        second = stream(seed, "state", "coins", part).permutation(TRIALS) % 2 == 1
        rows: list[list[Floats]] = [[] for _ in range(LAGS)]
        for trial, coin in enumerate(second):
            one(subject, before[int(coin)], stream(seed, "state", "first", part, trial))
            for lag, later in enumerate(rows):
                later.append(one(subject, data, stream(seed, "state", "second", lag)))
        for lag, later in enumerate(rows):
            statistic = weighted(series(np.array(later)), second - 0.5)
            found[lag].append(p_value(statistic, TRIALS, stream(seed, "state", "orders", part, lag)))
    return "data" if min(map(together, found)) <= significance / LAGS else "something"


def keeps_noise(
    opened: Callable[[], Subject], datasets: list[Dataset], nearby: Sequence[Dataset], seed: int, significance: float
) -> tuple[bool, int]:
    """Whether noise is drawn once for a dataset and kept (the same data always give the same output), and the calls.

    Equal outputs alone say nothing: so does a mechanism without noise, with the noise of a fixed seed, or whose output
    seldom varies. One of three things must come to it, which independent calls show with probability `significance`:

    - It drew from its generator in first calls, on these datasets and when opened anew, and in none of many later
      ones. Whether to draw at all is decided before the first draw: by the data, which were the same, or by other
      random numbers, with probability at most half of `significance` in just this order (`undrawn_calls`).
    - Data that rise little by little (`nearby`) have outputs that neither rise nor fall, and each of them comes again
      so often that another output than the likeliest one would, at any of them, with probability at most
      half of `significance`.
    - Opened anew, it never gives that output. With p for the probability of the output, this comes after 41 equal ones
      with p^41·(1 − p)^6 ≤ 2·10⁻⁸ for each dataset.
    """
    subject, fresh = opened(), [opened() for _ in range(FRESH)]
    seen = [_same_again(subject, data, REPEATS, seed, "same", number) for number, data in enumerate(datasets)]
    same, part = [found for found in seen if found is not None], significance / 2
    kept = len(same) == len(datasets) and (
        _draws_once(subject, fresh, datasets[0], same, seed, part)
        or _jump(subject, nearby, seed, part)
        or _other_anew(fresh, datasets, same, seed)
    )
    return kept, subject.calls + sum(other.calls for other in fresh)


def _draws_once(
    subject: Subject, fresh: list[Subject], data: Dataset, same: list[Same], seed: int, significance: float
) -> bool:
    """Whether first calls drew, and so many later ones did not that this is no accident."""
    if not any(found.drew_first for found in same):
        return False
    anew = [_same_again(other, data, FEW, seed, "anew", number) for number, other in enumerate(fresh)]
    found = [*same, *(other for other in anew if other is not None)]
    calls = undrawn_calls([first.drew_first for first in found], significance)
    if len(found) < len(same) + len(anew) or any(first.drew_later for first in found) or calls > MOST_UNDRAWN:
        return False
    again = _same_again(subject, data, calls, seed, "undrawn")
    return again is not None and not again.drew_first and not again.drew_later


def _other_anew(fresh: list[Subject], datasets: list[Dataset], same: list[Same], seed: int) -> bool:
    """Whether a mechanism that is opened anew never gives the output that came again and again."""
    rng = stream(seed, "kept", "fresh")
    rows = [[one(other, data, rng) for other in fresh] for data in datasets]
    return any(not any(np.array_equal(row, kept.output) for row in some) for some, kept in zip(rows, same, strict=True))


def undrawn_calls(firsts: list[bool], significance: float) -> int:
    """Later calls without a draw after which draws in just these of the first calls were no accident.

    If each call draws with probability p, k of n first calls do, and none of N others, with probability at most
    C(n, k)·p^k·(1 − p)^N, largest at p = k/(k + N). Every k has an equal part of one half of the significance; the
    other half is for a draw in the very first call and no other, where no choice is counted.
    """
    drew, many = sum(firsts), len(firsts)
    once = firsts[0] and drew == 1
    ways, part = (1, significance / 2) if once else (math.comb(many, drew), significance / 2 / many)
    calls = 64
    while ways * _chance(drew, calls) > part:
        calls *= 2
    return calls


def _chance(drew: int, calls: int) -> float:
    chance = drew / (drew + calls)
    return float(chance**drew * (1.0 - chance) ** calls)


def _jump(subject: Subject, nearby: Sequence[Dataset], seed: int, significance: float) -> bool:
    """Whether outputs are the same again and again, but neither rise nor fall with the data.

    Fresh noise for each dataset rises or falls with probability 2/n!.
    """
    repeats = int(np.ceil(np.log2(max(len(nearby), 1) / significance)))
    rows = []
    for number, data in enumerate(nearby):
        same = _same_again(subject, data, repeats, seed, "nearby", number)
        if same is None:
            return False
        rows.append(same.output)
    steps = np.diff(np.array([row[0] for row in rows]))
    return bool((steps > 0).any() and (steps < 0).any())


@dataclass(frozen=True, eq=False)
class Same:
    """An output that came again and again, and whether the first call drew from its generator, and any other."""

    output: Floats
    drew_first: bool
    drew_later: bool


def _same_again(subject: Subject, data: Dataset, repeats: int, seed: int, *names: str | int) -> Same | None:
    """The output that came in every one of 1 + `repeats` calls; None where it varies, or a call fails."""
    first: Floats | None = None
    drew, rng = [], stream(seed, "kept", *names)
    for _ in range(repeats + 1):
        state = rng.bit_generator.state
        row = one(subject, data, rng)
        drew.append(rng.bit_generator.state != state)
        if row[-1] != FINE or (first is not None and not np.array_equal(row, first)):
            return None
        first = row
    return None if first is None else Same(first, drew[0], any(drew[1:]))
