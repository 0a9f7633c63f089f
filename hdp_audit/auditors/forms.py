"""Single calls, batches and tables of datasets must be one mechanism: the game calls one way, users another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.attacks.forms import unlike
from hdp_audit.auditors.share import Share
from hdp_audit.model.finding import Finding
from hdp_audit.sampling.streams import stream
from hdp_audit.sampling.subject import Subject

Floats = NDArray[np.float64]

SINGLES = 48  # single calls on each dataset
SMALL = (1, 2, 3, 4) * 5  # outputs of small batches and tables
LARGE = 128  # outputs of a large one
MOST_DATASETS = 4
ROWS = 1 << 20  # numbers of the datasets handed over at once


@dataclass(frozen=True)
class Way:
    """A way of calling: so many outputs from each of some calls."""

    name: str
    sizes: tuple[int, ...]
    draw: Callable[[Any, int, np.random.Generator], Floats]


def form_findings(subject: Subject, share: Share, datasets: list[Any], size: int) -> Iterator[Finding]:
    """An error where some way of calling gives outputs of another law; batches as large as the game's, `size`.

    Said of a mechanism whose outputs have one law on each dataset with probability at most the share's significance.
    Calls that fail are findings themselves.
    """
    ways = _ways(subject, datasets, max(size, LARGE))
    if len(ways) < 2 or subject.failures:
        return
    before = subject.calls
    tables = _drawn(ways, datasets[:MOST_DATASETS], share.seed)
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
    yield Finding.about(subject.name, "behaviour/forms", "error", message, calls=subject.calls - before)


def _ways(subject: Subject, datasets: list[Any], size: int) -> list[Way]:
    """Those that the mechanism has; tables only where the datasets are arrays and several fit."""
    ways = [Way("single calls", (1,) * SINGLES, lambda data, _one, rng: subject.draw_mixed(data, data, _FIRST, rng))]
    if subject.has_batches:
        ways += [Way("small batches", SMALL, subject.draw), Way("large batches", (size,), subject.draw)]
    rows = min(ROWS // max(subject.epsilon.size, 1), size)
    if subject.has_tables and rows >= LARGE and all(isinstance(data, np.ndarray) for data in datasets):
        ways += [Way("small tables of datasets", SMALL, _table(subject))]
        ways += [Way("large tables of datasets", (rows,), _table(subject))]
    return ways


_FIRST = np.zeros(1, dtype=np.bool_)


def _table(subject: Subject) -> Callable[[Any, int, np.random.Generator], Floats]:
    return lambda data, size, rng: subject.draw_each(np.repeat(data[None], size, axis=0), rng)


def _drawn(ways: list[Way], datasets: list[Any], seed: int) -> Floats:
    """Outputs for each dataset, those of one way after those of another; called in random order."""
    calls = [(at, way, call) for at in range(len(datasets)) for way in range(len(ways)) for call in _calls(ways[way])]
    rows: dict[tuple[int, int, int], Floats] = {}
    rng = stream(seed, "forms", "draws")
    for number in stream(seed, "forms", "order").permutation(len(calls)):
        at, way, call = calls[number]
        rows[at, way, call] = ways[way].draw(datasets[at], ways[way].sizes[call], rng)
    tables = [np.concatenate([rows[one] for one in calls if one[0] == at]) for at in range(len(datasets))]
    return np.stack(tables)


def _calls(way: Way) -> range:
    return range(len(way.sizes))
