"""How long something took."""

from __future__ import annotations

import time


class Stopwatch:
    """Runs from its beginning."""

    def __init__(self) -> None:
        self._began = time.perf_counter()

    @property
    def seconds(self) -> float:
        """Since then."""
        return time.perf_counter() - self._began
