"""An experiment's outcome as plain JSON: what is written, rendered, and compared when it may be stale."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any, Literal

from hdp_audit.experiments.dataset import BETA
from hdp_audit.experiments.measure import CONFIDENCE
from hdp_audit.experiments.results import Row, Varied

DIGITS = 6  # significant digits kept of every float
Topic = Literal["single level"]  # checks that another page quotes


@dataclass(frozen=True)
class Check:
    """A claim, whether it holds in this run, the figures behind it, and the key of the one dataset it is about."""

    claim: str
    holds: bool
    detail: str
    dataset: str | None = None
    topic: Topic | None = None


@dataclass(frozen=True)
class Report:
    """One experiment: its rows and variations or whatever else it found, its checks, the paper's contradictions."""

    name: str
    title: str
    notes: tuple[str, ...]
    rows: tuple[Row, ...] = ()
    variations: tuple[Varied, ...] = ()
    checks: tuple[Check, ...] = ()
    contradictions: tuple[str, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict)

    def as_json(self, seed: int, quick: bool) -> dict[str, Any]:
        """Everything that tables and plots show; no time, host or path."""
        document = {
            "schema_version": 1,
            "experiment": self.name,
            "title": self.title,
            "command": f"hdp-audit experiments {self.name} --seed {seed}" + (" --quick" if quick else ""),
            "seed": seed,
            "quick": quick,
            "beta": BETA,
            "confidence": CONFIDENCE,
            "notes": list(self.notes),
            "contradictions": list(self.contradictions),
            "rows": [asdict(row) for row in self.rows],
            "variations": [one.as_json() for one in self.variations],
            "checks": [asdict(check) for check in self.checks],
            **self.extra,
        }
        rounded: dict[str, Any] = shortened(document)
        return rounded


def shortened(value: Any) -> Any:
    """Floats to six significant digits; infinities as words."""
    if isinstance(value, dict):
        return {str(key): shortened(entry) for key, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [shortened(entry) for entry in value]
    if isinstance(value, bool) or not isinstance(value, float):
        return value
    if value in (float("inf"), float("-inf")):
        return "inf" if value > 0 else "-inf"
    return float(f"{value:.{DIGITS}g}")
