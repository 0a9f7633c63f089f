"""Where and on what an audit ran: versions and hashes, no host and no user names."""

from __future__ import annotations

import hashlib
import platform
import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit import __version__

HASHES = ("spec_sha256", "demands_sha256", "mechanism_sha256", "data_sha256")


def versions() -> dict[str, Any]:
    """Of what computed the numbers."""
    import scipy

    return {
        "hdp_audit": __version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "platform": f"{sys.platform} {platform.machine()}",
    }


def digest(values: NDArray[Any] | None) -> str | None:
    """SHA-256 of an array's numbers; None for none."""
    if values is None:
        return None
    return hashlib.sha256(np.ascontiguousarray(values, dtype=np.float64).tobytes()).hexdigest()
