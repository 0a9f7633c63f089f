"""What tells one chunk from every other: a hash of all that its table depends on, beside the mechanism."""

from __future__ import annotations

import hashlib
import pickle
from typing import Any

import numpy as np

from hdp_audit.model.dataset import Dataset, DatasetTable
from hdp_audit.targets.chunks import Chunk
from hdp_audit.targets.kept import KEY
from hdp_audit.targets.subject import Known

MOST = 64  # datasets whose digests are remembered


class Keys:
    """Remembers digests of datasets, as many chunks share them."""

    def __init__(self) -> None:
        self._digests: dict[int, tuple[Dataset, bytes]] = {}

    def __call__(self, chunk: Chunk, known: Known) -> bytes | None:
        """None where data cannot be told apart in bytes."""
        whole = hashlib.blake2b(digest_size=KEY)
        names = (chunk.stream.seed, *((type(name).__name__, name) for name in chunk.stream.names))
        told = (type(chunk).__name__, chunk.size, names, known.trusts_batches, known.shapes)
        whole.update(repr(told).encode())
        try:
            whole.update(self._data(chunk))
        except Exception:  # whatever a user's objects do when they are asked for their bytes
            return None
        if chunk.coins is not None:
            whole.update(np.packbits(chunk.coins).tobytes())
        return whole.digest()

    def _data(self, chunk: Chunk) -> bytes:
        if isinstance(chunk.datasets, DatasetTable):
            return _bytes(chunk.datasets.source) + _bytes(chunk.datasets.make)
        return b"".join(self._digest(dataset) for dataset in chunk.datasets)

    def _digest(self, dataset: Dataset) -> bytes:
        known = self._digests.get(id(dataset))
        if known is None or known[0] is not dataset:
            if len(self._digests) >= MOST:
                self._digests.clear()
            known = dataset, _bytes(dataset.data) + _bytes(dataset.promise.strengths) + _bytes(dataset.users)
            self._digests[id(dataset)] = known
        return known[1]


def _bytes(data: Any) -> bytes:
    """A digest of a datum for each user, whatever data are."""
    if isinstance(data, np.ndarray) and data.dtype != object:
        array = np.ascontiguousarray(data)
        head = f"{array.dtype.str} {array.shape}".encode()
        return hashlib.blake2b(
            array.data, digest_size=KEY, key=hashlib.blake2b(head, digest_size=KEY).digest()
        ).digest()
    return hashlib.blake2b(pickle.dumps(data), digest_size=KEY).digest()
