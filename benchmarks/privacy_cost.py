"""What the privacy auditor adds to the time of the raw draws, and how much memory it takes.

    python benchmarks/privacy_cost.py

Seconds inside a batch mechanism against those of the whole audit, in one run, by the clock and of all processors;
n = 10⁴ users at the default budget, and n = 10⁶ users at a small one. Writes privacy_cost.json.
"""

from __future__ import annotations

import json
import resource
import time
from pathlib import Path
from typing import Any

import numpy as np
from privacy_trials import Floats, Scaled

from hdp_audit.api import audit
from hdp_audit.model import PrivacyClaim

SIZES = ((10_000, 1_000_000), (1_000_000, 2_000))


def now() -> Floats:
    """By the clock, and of all processors."""
    return np.array([time.perf_counter(), time.process_time()])


class Timed(Scaled):
    """Counts the time of its own draws."""

    def __init__(self) -> None:
        super().__init__()
        self.seconds = np.zeros(2)

    def batch(self, *arguments: Any) -> Any:
        return self._counted(super().batch, *arguments)

    def many(self, *arguments: Any) -> Any:
        return self._counted(super().many, *arguments)

    def _counted(self, draw: Any, *arguments: Any) -> Any:
        start = now()
        outputs = draw(*arguments)
        self.seconds += now() - start
        return outputs


def main() -> None:
    rows = []
    for users, budget in SIZES:
        mechanism, start = Timed(), now()
        report = audit(
            mechanism,
            epsilon=np.full(users, 1.0),
            task="mean",
            budget=budget,
            privacy=PrivacyClaim(floating_point="off"),
        )
        added = now() - start - mechanism.seconds
        row = {
            "users": users,
            "budget": budget,
            "calls": report.calls,
            "seconds_in_the_mechanism": round(float(mechanism.seconds[0]), 1),
            "seconds_added": round(float(added[0]), 1),
            "processor_seconds_in_the_mechanism": round(float(mechanism.seconds[1]), 1),
            "processor_seconds_added": round(float(added[1]), 1),
            "largest_memory_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
        }
        print(row, flush=True)
        rows.append(row)
    Path(__file__).with_suffix(".json").write_text(json.dumps(rows, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
