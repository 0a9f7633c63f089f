"""Does any datum move the output? Where none does, a pass of the privacy game says nothing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp_audit.evidence.exchangeable import between, p_value, series, together
from hdp_audit.model.dataset import Dataset
from hdp_audit.targets.streams import Named, named, stream
from hdp_audit.targets.subject import Subject

Floats = NDArray[np.float64]

ERROR = 1e-3  # the probability to call an output moved that is not; half of it for the last look
PARTS, ORDERS = 4, 99  # before that
FIRST = 32  # outputs for each dataset at the first look
# A loss of so much/√n between two datasets shows in n outputs for each, in 9 of 10 runs at least: as measured, where
# the output is one number, and where the loss is divided between several.
NOTICED, NOTICED_OF_SEVERAL = 9.0, 20.0


@dataclass(frozen=True, eq=False)
class Contrast:
    """Datasets that should give different outputs, and the users in whom they differ."""

    names: tuple[str, ...]
    datasets: tuple[Dataset, ...]
    users: NDArray[np.int64]


def least_loss_seen(subject: Subject, contrast: Contrast, calls: int) -> float:
    """The loss between two of its datasets that `calls` calls show in 9 of 10 runs."""
    factor = NOTICED if subject.width == 1 else NOTICED_OF_SEVERAL
    return factor / float(np.sqrt(max(calls // len(contrast.datasets), 1)))


def modest_loss(epsilon: Floats) -> float:
    """What even a mechanism that spends little loses when everybody moves; 0 where nobody demands more than 0.

    Noise for each user by themselves adds up to no more than the root of Σε², and treating everybody like the user in
    the middle costs n times the lower median. Public users do not count.
    """
    some = np.sort(epsilon[np.isfinite(epsilon) & (epsilon > 0)])
    if not some.size:
        return 0.0
    return float(min(np.sqrt((some**2).sum()), some.size * some[(some.size - 1) // 2]))


def moves(subject: Subject, contrast: Contrast, calls: int, seed: int, *names: str | int) -> bool:
    """Whether outputs differ between the datasets, looked at after 32, 64, ... outputs for each until it is certain.

    True of a mechanism that ignores its data with probability at most ERROR: the levels of all looks sum to it, and
    each is a permutation test, which holds for every law.
    """
    count = len(contrast.datasets)
    each = max(calls // count, FIRST)
    sizes = [FIRST << look for look in range(each.bit_length()) if FIRST << look < each] + [each]
    tables = [np.empty((0, subject.width + 1)) for _ in contrast.datasets]
    draws, orders = named(seed, "inert", "draws", *names).turns(), stream(seed, "inert", "orders", *names)
    for before, size in zip([0, *sizes], sizes, strict=False):
        fresh = _drawn(subject, contrast.datasets, size - before, next(draws))
        tables = [np.concatenate(both) for both in zip(tables, fresh, strict=True)]
        last = size == each  # parts lose a little power, and are cheap
        level = ERROR / 2 if last else ERROR / 2 / (len(sizes) - 1)
        if _differ(tables, 1 if last else PARTS, int(2 / ERROR) if last else ORDERS, orders) <= level:
            return True
    return False


def _drawn(subject: Subject, datasets: tuple[Dataset, ...], size: int, stream: Named) -> list[Floats]:
    """So many outputs for each; single calls in random order, so that time does not tell the dataset."""
    if subject.has_batches:
        return [subject.draw(data, size, own) for data, own in zip(datasets, stream.turns("dataset"), strict=False)]
    which = stream.then("order").generator().permutation(np.repeat(np.arange(len(datasets)), size))
    rows = subject.draw_each([datasets[number] for number in which], stream)
    return [rows[which == number] for number in range(len(datasets))]


def _differ(tables: list[Floats], parts: int, most: int, rng: np.random.Generator) -> float:
    """The p-value of outputs that have the same law for all datasets."""
    found = []
    for part in range(parts):
        rows = [table[part::parts] for table in tables]
        group = np.repeat(np.arange(len(rows)), [len(some) for some in rows])
        found.append(p_value(between(series(np.concatenate(rows)), group), group.size, rng, most))
    return together(found)
