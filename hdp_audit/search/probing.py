"""The weights of a black box, from how its answer moves when a group of users moves.

Users are grouped by demand, and once more by position. From everybody at ½ (frequencies: spread evenly) a group goes to
0 and to 1 (to the first category and to the last); the answer moves by the group's weight. The estimate guides the
search for bad data; no verdict rests on it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from hdp_audit.targets.streams import Named, named
from hdp_audit.targets.subject import Subject, estimated

Floats = NDArray[np.float64]
Groups = NDArray[np.int64]

BY_DEMAND, BY_POSITION = 16, 8


def demand_groups(epsilon: Floats, most: int = BY_DEMAND) -> Groups:
    """Each user's group: distinct demands, or where there are more than `most`, equal shares in order of demand."""
    values, inverse = np.unique(epsilon, return_inverse=True)
    if values.size <= most:
        return np.asarray(inverse, dtype=np.int64)
    ranks = np.argsort(np.argsort(epsilon, kind="stable"), kind="stable")
    return np.asarray(ranks * most // epsilon.size, dtype=np.int64)


def position_groups(users: int, most: int = BY_POSITION) -> Groups:
    """Blocks of neighbours."""
    return np.asarray(np.arange(users) * min(most, users) // users, dtype=np.int64)


def probed_weights(subject: Subject, calls: int, seed: int) -> Floats:
    """An estimate of every user's weight: that of their demand group, times how their position block stands out."""
    by_demand, by_position = demand_groups(subject.epsilon), position_groups(subject.epsilon.size)
    probes = int(by_demand.max() + by_position.max() + 2)
    size = max(calls // (2 * probes), 1)
    own = _group_weights(subject, by_demand, size, seed, "demand")[by_demand]
    block = _group_weights(subject, by_position, size, seed, "position")
    expected = np.bincount(by_position, weights=own) / np.bincount(by_position)
    with np.errstate(divide="ignore", invalid="ignore"):
        factor = np.where(expected > 0, block / expected, 1.0)
    return np.maximum(own * factor[by_position], 0.0)


def _group_weights(subject: Subject, groups: Groups, size: int, seed: int, kind: str) -> Floats:
    """Weight of one user in each group."""
    found = np.zeros(groups.max() + 1)
    for group in range(found.size):
        members = groups == group
        turns = named(seed, subject.name, "probing", kind, group).turns()
        up, down = (_moved(subject, members, high, size, next(turns)) for high in (True, False))
        found[group] = (up - down) / members.sum()
    return found


def _moved(subject: Subject, members: NDArray[np.bool_], high: bool, size: int, own: Named) -> float:
    """The mean answer (frequencies: half of first minus last) with the group moved up or down."""
    task = estimated(subject)
    base = task.middle(subject.epsilon.size)
    base[members] = task.raised(high)
    table = subject.draw(subject.dataset(base), size, own)
    fine = table[table[:, -1] == 0, :-1]
    if fine.shape[0] == 0:
        return 0.0
    return task.height(fine.mean(axis=0))
