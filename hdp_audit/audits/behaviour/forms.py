"""Single calls, batches and tables of datasets must be one mechanism: the game calls one way, users another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hdp_audit.audits.behaviour.two_forms import unlike
from hdp_audit.audits.share import Share
from hdp_audit.model.dataset import Dataset, repeated
from hdp_audit.model.finding import Finding
from hdp_audit.targets.streams import Named, named, stream
from hdp_audit.targets.subject import Subject

Floats = NDArray[np.float64]

SINGLES, MOST_SINGLES = 192, 800  # single calls, over all datasets: at least, and at most
SMALL = (1, 2, 3, 4)  # outputs of small batches and tables, one after the other and 12 times over
LARGE = 512  # outputs of large ones, at least
MOST_DATASETS = 4
ROWS = 1 << 20  # numbers of the datasets handed over at once


@dataclass(frozen=True)
class Way:
    """A way of calling: so many outputs from each of some calls."""

    name: str
    sizes: tuple[int, ...]
    draw: Callable[[Dataset, int, Named], Floats]


def form_findings(subject: Subject, share: Share, datasets: list[Dataset], size: int) -> Iterator[Finding]:
    """An error where some way of calling gives outputs of another law; batches as large as the game's, `size`.

    Said of a mechanism whose outputs have one law on each dataset with probability at most the share's significance.
    Calls that fail are findings themselves.
    """
    datasets = datasets[:MOST_DATASETS]
    ways = _ways(subject, datasets, int(np.clip(share.calls // 25, SINGLES, MOST_SINGLES)), size)
    if len(ways) < 2 or subject.failures:
        return
    before = subject.calls
    tables = _drawn(ways, datasets, share.seed)
    if subject.failures:
        return
    which, p = unlike(tables[:, :, :-1], np.repeat(np.arange(len(ways)), [sum(way.sizes) for way in ways]))
    if p > share.significance:
        return
    others = ", ".join(way.name for way in ways if way is not ways[which])
    message = (
        f"{ways[which].name} and other ways to call the mechanism ({others}) do not give outputs of one law (if they "
        f"did, outputs would look like this with probability {p:.1g} at most); what users call is what counts, so from "
        "now on every call is made by itself; make all forms draw the same noise, or leave out batch and many"
    )
    yield Finding.about(subject.name, "behaviour", "forms", "error", message, calls=subject.calls - before)


def _ways(subject: Subject, datasets: list[Dataset], singles: int, size: int) -> list[Way]:
    """Those that the mechanism has; tables only where the datasets are arrays and several fit."""
    count = len(datasets)
    small, large = SMALL * (SINGLES // (16 * count)), LARGE // count
    ways = [Way("single calls", (1,) * (singles // count), _single(subject))]
    if subject.has_batches:
        ways += [Way("small batches", small, subject.draw), Way("large batches", (max(size, large),), subject.draw)]
    rows = min(ROWS // max(subject.epsilon.size, 1), large)
    if subject.has_tables and rows >= max(SMALL) and all(isinstance(one.data, np.ndarray) for one in datasets):
        ways += [Way("small tables of datasets", small, _table(subject))]
        ways += [Way("large tables of datasets", (rows,) * (large // rows), _table(subject))]
    return ways


def _single(subject: Subject) -> Callable[[Dataset, int, Named], Floats]:
    return lambda data, size, own: subject.draw_mixed(data, data, np.zeros(size, dtype=np.bool_), own)


def _table(subject: Subject) -> Callable[[Dataset, int, Named], Floats]:
    return lambda data, size, own: subject.draw_each(repeated(data, size), own)


def _drawn(ways: list[Way], datasets: list[Dataset], seed: int) -> Floats:
    """Outputs for each dataset, those of one way after those of another; called in random order."""
    calls = [(at, way, call) for at in range(len(datasets)) for way in range(len(ways)) for call in _calls(ways[way])]
    rows: dict[tuple[int, int, int], Floats] = {}
    for number in stream(seed, "forms", "order").permutation(len(calls)):
        at, way, call = calls[number]
        rows[at, way, call] = ways[way].draw(
            datasets[at], ways[way].sizes[call], named(seed, "forms", "draws", at, way, call)
        )
    tables = [np.concatenate([rows[one] for one in calls if one[0] == at]) for at in range(len(datasets))]
    return np.stack(tables)


def _calls(way: Way) -> range:
    return range(len(way.sizes))
