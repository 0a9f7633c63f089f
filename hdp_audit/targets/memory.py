"""How much memory a worker may have, with all that it holds."""

from __future__ import annotations

import contextlib
import sys

from hdp_audit.targets.beats import pulse


def limit_memory(most: int | None) -> None:
    """No more than so many bytes of its own; asking for more fails as if there were none. Only in a worker."""
    if most is None or not pulse.watched or sys.platform == "win32":
        return
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_DATA)
    value = most if hard == resource.RLIM_INFINITY else min(most, hard)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_DATA, (value, value))
