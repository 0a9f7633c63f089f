"""Figures of many users beside a journal: one file of plain numbers, each array named by its place and its sum.

A line of the journal that holds such a name is guarded by the journal's own sums, so numbers that were changed, moved
or cut off are noticed. The file is only appended to; what no line names, because a run was killed between the two, is
not read.
"""

from __future__ import annotations

import base64
import hashlib
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.runs.outcomes import decoded, encoded

SUFFIX = ".arrays"
LARGE = 1 << 20  # bytes; smaller ones stand in the line itself
KINDS = "fiub"
WORD = 8  # bytes of the largest numbers that numpy compares by their bits


class Arrays:
    """The file beside a journal; `opened` opens plain files alone."""

    def __init__(self, journal: Path, opened: Callable[[Path, int], int]) -> None:
        self._path, self._opened = journal.with_suffix(SUFFIX), opened

    def start(self) -> None:
        """Begin anew."""
        self._path.unlink(missing_ok=True)

    def kept(self, values: Any) -> Any:
        """What stands for it in a line of JSON; a large array is on the disk when this returns."""
        if not isinstance(values, np.ndarray) or values.nbytes < LARGE:
            return encoded(values)
        told = {"type": values.dtype.str, "shape": list(values.shape)}
        plain = np.ascontiguousarray(values)
        one = plain.ravel()[:1].tobytes()
        if _repeats(plain):
            return {"$repeated": base64.b64encode(one).decode("ascii"), **told}
        with os.fdopen(self._opened(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT), "ab") as file:
            place = file.seek(0, os.SEEK_END)
            file.write(plain.data)
            file.flush()
            os.fsync(file.fileno())
        return {"$at": place, "sha256": hashlib.sha256(plain.data).hexdigest(), **told}

    def found(self, value: Any) -> Any:
        """The same again; `ValueError` where it is not what was written."""
        if not isinstance(value, Mapping) or not ("$at" in value or "$repeated" in value):
            return decoded(value)
        kind, shape = np.dtype(value["type"]), tuple(map(int, value["shape"]))
        if kind.kind not in KINDS:
            raise ValueError(f"an array of type {kind}")
        if "$repeated" in value:
            return np.full(shape, np.frombuffer(base64.b64decode(value["$repeated"]), dtype=kind)[0])
        return self._read(int(value["$at"]), kind, shape, str(value["sha256"]))

    def _read(self, place: int, kind: np.dtype[Any], shape: tuple[int, ...], total: str) -> NDArray[Any]:
        try:
            with os.fdopen(self._opened(self._path, os.O_RDONLY), "rb") as file:
                if place + kind.itemsize * int(np.prod(shape)) > file.seek(0, os.SEEK_END):
                    raise ValueError(f"{self._path.name} is too short")
                file.seek(place)
                values: NDArray[Any] = np.empty(shape, dtype=kind)
                file.readinto(values.data)
        except OSError as why:
            raise ValueError(f"{self._path.name}: {why.strerror}") from None
        if hashlib.sha256(values.data).hexdigest() != total:
            raise ValueError(f"{self._path.name} is not as it was written")
        return values


def _repeats(values: NDArray[Any]) -> bool:
    """Whether all entries have the same bits; NaN equals itself here."""
    bits = values.reshape(-1).view(f"V{values.itemsize}" if values.itemsize > WORD else f"u{values.itemsize}")
    return bool(bits[0] == bits[-1] and (bits == bits[0]).all())
