"""Which user's which value moves the output, from calls on random data: each user at one of some values, by lot.

In every call every user has some value, so one call says something of all of them, as screening by coins does of the
ends. What is found is a proposal; it proves nothing.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.model.dataset import DatasetTable
from hdp_audit.model.domain import Base, Domain
from hdp_audit.search.proposals import Proposal, movable
from hdp_audit.targets.streams import named, stream
from hdp_audit.targets.subject import Subject

Floats = NDArray[np.float64]
Places = NDArray[np.int64]
Values = NDArray[np.int16]  # as places in a list: there may be millions

VALUES = 12  # at which a user may be, at least where there are as many; of numbers the first ones come often
ALL_VALUES = 512  # at most, where a domain has more kinds of data
FEW_VALUES = 64  # that are looked at user by user
CELLS = 1 << 22  # data at once
WORK = 1 << 28  # products, at most
USERS = 64  # looked at together
COLUMNS = 12  # of outputs; where there are more, those that somebody moves most
CODES = 6  # of values as ups and downs, by which these are found
NAMED = 2  # users, each with two values
CODED = 1 << 30  # products to find columns with, at most
ALLOWED = 0.15  # of tanh(ε/2): a standard deviation that mechanisms mostly stay below
MILD = 0.5  # of the effect that a demand allows at most: what mechanisms mostly have


@dataclass(frozen=True, eq=False)
class Effects:
    """Users, values (as places in a list) and how far apart they move ranks of outputs, in standard errors."""

    users: Places
    highest: Places
    lowest: Places
    beyond: Floats


def effects(subject: Subject, base: Base, calls: int, seed: int) -> Iterator[Proposal]:
    """From the most suspicious user and values on; then these values for the users and groups who are always tried."""
    users, rng = len(subject.promise), stream(seed, "search", "effects")
    if calls < 8 * VALUES or users * calls > 8 * CELLS:
        return
    values = _values(subject.domain, rng)
    often = VALUES if isinstance(values[0], float) else len(values)
    places = _by_lot(len(values), often, calls, users, rng)
    listed = np.concatenate([subject.domain.everybody(1, value) for value in values])
    ranks = _ranks(_outputs(subject, listed, places, seed))
    if not ranks.shape[1]:  # nothing varies, whatever users have
        return
    among = np.flatnonzero(np.isfinite(subject.epsilon))
    few = ranks[:, moved_columns(places[:, among], ranks, values, subject.epsilon[among], rng)]
    found = strongest(places[:, among], few, min(often, FEW_VALUES), subject.epsilon[among])
    singles, groups = movable(subject.promise, seed)
    named = np.argsort(-found.beyond, kind="stable")[:NAMED].tolist()
    pairs = list(dict.fromkeys([*common(places, ranks, len(values)), *common(places, ranks, often)]))
    for low, high in pairs:
        for who in singles[:1]:
            yield _between(base, who, values, low, high)
    for i in named:
        yield _between(base, among[[found.users[i]]], values, found.lowest[i], found.highest[i])
    for who in (*groups, *singles[1:]):
        for low, high in pairs:
            yield _between(base, who, values, low, high)


def _between(base: Base, users: Places, values: list[Any], low: int, high: int) -> Proposal:
    return Proposal(replace(base, first=values[low], second=values[high], spread=0), users)


def _values(domain: Domain, rng: np.random.Generator) -> list[Any]:
    """Data of every kind, as far as so many can be held."""
    first, _ = domain.ends()
    held = CELLS // np.size(domain.everybody(1, first))
    return domain.values(max(min(domain.variety, ALL_VALUES, held), VALUES), rng)


def moved_columns(
    places: Values, ranks: Floats, values: list[Any], epsilon: Floats, rng: np.random.Generator
) -> Places:
    """The columns that somebody moves most, against what the demand allows: one user may move one of many alone.

    Every value goes up or down, by lot, and numbers by their size as well; how far these are apart says how far the
    values spread a column. Where that takes too long, every so manieth column.
    """
    calls, users = places.shape
    if ranks.shape[1] <= COLUMNS:
        return np.arange(ranks.shape[1])
    if CODES * calls * users * ranks.shape[1] > CODED:
        return np.arange(0, ranks.shape[1], -(-ranks.shape[1] // COLUMNS))
    squares = np.zeros((users, ranks.shape[1]))
    held, allowed = ranks.astype(np.float32), ALLOWED * np.tanh(0.5 * epsilon)[:, None]
    for _ in range(CODES):
        code = rng.permutation(np.where(np.arange(len(values)) % 2, 1.0, -1.0))
        squares += _explained(code, places, held) ** 2
    error = ranks.std() / np.sqrt(calls)
    wide = np.sqrt(len(values))
    beyond = (np.sqrt(squares / CODES) - allowed / wide) / error
    if all(isinstance(value, (int, float)) for value in values):
        beyond = np.maximum(beyond, (_explained(np.array(values, dtype=np.float64), places, held) - allowed) / error)
    return np.sort(np.argsort(-beyond.max(axis=0), kind="stable")[:COLUMNS])


def _explained(code: Floats, places: Values, ranks: NDArray[np.float32]) -> Floats:
    """Of every user (a row) and column, how far a standard deviation of the code moves the ranks."""
    moved = (code - code.mean()) / max(float(code.std()), 1e-300)
    return np.abs(moved.astype(np.float32)[places].T @ ranks) / len(places)


def _by_lot(values: int, often: int, calls: int, users: int, rng: np.random.Generator) -> Values:
    """A value for each user in each call; the first ones, which come `often`, half of the time."""
    step = max(CELLS // users, 1)
    listed = np.concatenate([np.arange(values), np.arange((values // often - 1) * often) % often])
    spans = (min(step, calls - start) for start in range(0, calls, step))
    return np.concatenate([listed[rng.integers(listed.size, size=(span, users))].astype(np.int16) for span in spans])


def _outputs(subject: Subject, listed: NDArray[Any], places: Values, seed: int) -> Floats:
    step = max(CELLS // max(listed[0].size * places.shape[1], 1), 1)
    parts = []
    for start in range(0, len(places), step):
        some = places[start : start + step]
        table = DatasetTable(some, partial(np.take, listed, axis=0), subject.promise)
        parts.append(subject.draw_each(table, named(seed, "search", "effects", start)))
    return np.concatenate(parts)


def _ranks(table: Floats) -> Floats:
    """Of each column that varies, from −½ to ½, so that far values have no more say than others."""
    varied = np.flatnonzero(np.ptp(table, axis=0) > 0)
    ordered = [np.sort(table[:, column]) for column in varied]
    middles = [
        0.5 * (np.searchsorted(order, column, "left") + np.searchsorted(order, column, "right"))
        for order, column in zip(ordered, table[:, varied].T, strict=True)
    ]
    return np.array(middles).reshape(-1, len(table)).T / len(table) - 0.5


def strongest(places: Values, ranks: Floats, values: int, epsilon: Floats) -> Effects:
    """Of each user the two values that are farthest apart, against what the demand allows."""
    calls, users = places.shape
    most = max(WORK // max(calls * values * ranks.shape[1], 1), 1)
    some = np.arange(min(users, most))
    means = np.zeros((values, some.size, ranks.shape[1]))
    often = np.zeros((values, some.size))
    for value in range(values):
        for start in range(0, some.size, USERS):
            part = slice(start, start + USERS)
            there = (places[:, some[part]] == value).astype(np.float64)
            often[value, part] = there.sum(axis=0)
            means[value, part] = there.T @ ranks
        means[value] /= np.maximum(often[value], 1.0)[:, None]
    apart = np.ptp(means, axis=0)
    best = means[:, some, apart.argmax(axis=1)]
    error = ranks.std() * np.sqrt(2.0 / np.maximum(often.min(axis=0), 1.0)) + 1e-12
    allowed = MILD * np.tanh(0.5 * epsilon[some])
    return Effects(some, best.argmax(axis=0), best.argmin(axis=0), (np.ptp(best, axis=0) - allowed) / error)


def common(places: Values, ranks: Floats, values: int) -> list[tuple[int, int]]:
    """The two values of anybody's that are farthest apart, by the two columns on which they are."""
    counted = np.array([np.count_nonzero(places == value, axis=1) for value in range(values)], dtype=np.float64).T
    slopes = ((counted - counted.mean(axis=0)) / np.maximum(counted.std(axis=0), 1e-12)).T @ ranks
    best = np.argsort(-np.ptp(slopes, axis=0), kind="stable")[:2]
    return list(dict.fromkeys((int(slopes[:, c].argmin()), int(slopes[:, c].argmax())) for c in best.tolist()))
