"""On what an audit from Python ran: versions, the day, and hashes of what was given to it."""

from __future__ import annotations

import datetime as dt
import hashlib
import inspect
import platform
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.targets.fingerprint import versions
from hdp_audit.targets.sources import combined, sha256


def now() -> str:
    """Date and time, of no place on earth in particular."""
    return dt.datetime.now(dt.UTC).isoformat(timespec="seconds")


def machine() -> str:
    """Its kind; no name of a host."""
    return f"{sys.platform} {platform.machine()}"


def digest(values: NDArray[Any] | None) -> str | None:
    """SHA-256 of an array's numbers, or of its labels or rows; None for none."""
    if values is None:
        return None
    if isinstance(values, np.ndarray) and values.dtype.kind in "UV":
        return hashlib.sha256(f"{values.dtype}".encode() + np.ascontiguousarray(values).tobytes()).hexdigest()
    return hashlib.sha256(np.ascontiguousarray(values, dtype=np.float64).tobytes()).hexdigest()


def environment_of(mechanism: Callable[..., Any], promised: NDArray[Any], data: Any, budget: int) -> dict[str, Any]:
    """What a report of `audit` says of where it comes from: the file of the function, not all that it imports."""
    files = _files(mechanism)
    hashes = {"demands_sha256": digest(promised), "data_sha256": _digest_of(data)}
    code = {"files": files, "mechanism_sha256": combined(files) if files else None}
    return {**versions(), "platform": machine(), "date": now(), "budget": budget, **hashes, **code}


def _digest_of(data: Any) -> str | None:
    try:
        return digest(data)
    except (TypeError, ValueError):  # no numbers
        return None


def _files(mechanism: Callable[..., Any]) -> dict[str, str]:
    """The file that the function or class of the object stands in, by its name alone."""
    for thing in (mechanism, type(mechanism)):
        try:
            found = inspect.getsourcefile(inspect.unwrap(thing))
        except (TypeError, ValueError, OSError):
            continue
        known = None if found is None else sha256(Path(found))
        if found is not None and known is not None:
            return {Path(found).name: known}
    return {}
