"""Figure 1 of the paper: six algorithms on three datasets, correlated with MSE and weakly correlated with PAC."""

from __future__ import annotations

import math
from typing import Any

from hdp_audit.experiments import checks, frequency
from hdp_audit.experiments.measure import Effort
from hdp_audit.experiments.paper import COLUMNS, Printed
from hdp_audit.experiments.report import Report
from hdp_audit.experiments.results import Progress, Row

NOTES = (
    "Higher is better: −log (natural) of the error. The paper prints its figure without numbers; its values here are "
    "those of its table.",
)
SHOWN = (*COLUMNS, "sharp", "hull", "anchored")


def panels(found: tuple[Row, ...]) -> dict[str, list[Row]]:
    """(a) correlated, MSE; (b) weakly correlated, PAC."""
    chosen = {"a": ("correlated", "mse"), "b": ("weakly-correlated", "pac")}
    return {name: [row for row in found if (row.setting, row.metric) == wanted] for name, wanted in chosen.items()}


def bars(row: Row) -> list[dict[str, Any]]:
    """−log of ours, of the interval's ends, and of the paper's."""
    entries = []
    for cell in (c for c in row.cells if c.algorithm in SHOWN and c.measured):
        found = cell.measured
        if found is None:
            continue
        entries.append(
            {
                "algorithm": cell.algorithm,
                "ours": -math.log(checks.value_of(cell)),
                "low": -math.log(max(found.high, 1e-300)),
                "high": -math.log(max(found.low, 1e-300)),
                "paper": -math.log(Printed(cell.paper).value) if cell.paper else None,
            }
        )
    return entries


def figure(seed: int, effort: Effort, told: Progress | None = None) -> Report:
    """Both panels, from the rows of the frequency table."""
    found = frequency.table(seed, effort, told)
    groups = {
        panel: [{"label": row.label, "bars": bars(row)} for row in chosen] for panel, chosen in panels(found).items()
    }
    return Report("figure-1", "Figure 1: proposed algorithms and baselines", NOTES, extra={"panels": groups})
