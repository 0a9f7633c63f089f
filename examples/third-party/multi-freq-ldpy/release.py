"""Two clients of multi-freq-ldpy: one user's category, randomised on the user's own device."""

import numpy as np
import xxhash
from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Client
from multi_freq_ldpy.pure_frequency_oracles.SS import SS_Client

CATEGORIES = 20


def subset(data, epsilon):
    """Subset selection: the values as the client returns them, in its order."""
    return [int(value) for value in SS_Client(int(data[0]), CATEGORIES, float(epsilon[0]))]


def subset_without_order(data, epsilon):
    """The same values, sorted: what a client should send."""
    return sorted(subset(data, epsilon))


def hashed(data, epsilon):
    """Local hashing: a noisy hash value, and the seed of the user's hash function."""
    value, seed = LH_Client(int(data[0]), CATEGORIES, float(epsilon[0]))
    return int(value), int(seed)


def shown(output):
    """Which categories have this hash value under the user's own seed; the seed's number says nothing by itself."""
    value, seed = output
    size = round(np.exp(EPSILON)) + 1
    return [xxhash.xxh32(str(each), seed=seed).intdigest() % size == value for each in range(CATEGORIES)]


hashed.features = shown
EPSILON = 1.0


def pairs():
    """One user, in one of two categories."""
    yield [3], [11], [0], "category 3 or 11"
    yield [0], [19], [0], "the first or the last category"
