"""Where the printed figures cannot be met: what they say about how the paper's were made.

UNI is pure noise, so its error is known: ‖N‖∞ with scale b. The printed UNI figures are those of estimates that are
not clipped to [0, 1], with errors above 1 counted as 1, although the algorithm clips.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from hdp_audit.experiments.dataset import BETA
from hdp_audit.experiments.paper import Printed
from hdp_audit.experiments.report import Check
from hdp_audit.experiments.results import Row
from hdp_audit.theory.upper import noise_quantile


def capped_noise(scale: float, outputs: int) -> tuple[float, float]:
    """The 95% quantile and the mean square of min(‖N‖∞, 1), N of `outputs` Laplace(scale)."""
    alpha = (np.arange(200_000) + 0.5) / 200_000
    beyond = -np.expm1(outputs * np.log1p(-np.exp(-alpha / scale)))
    return min(scale * float(noise_quantile(outputs, BETA)), 1.0), float((2.0 * alpha * beyond).mean())


def uni_check(rows: Sequence[Row], scales: dict[str, float]) -> Check:
    """The printed UNI against capped, unclipped noise at our smallest demand."""
    words, good = [], True
    for row in rows:
        figure = Printed(row.cell("uni").paper or "nan")
        quantile, square = capped_noise(scales[row.dataset], row.categories or 1)
        ours = quantile if row.metric == "pac" else square
        good = good and (abs(ours / figure.value - 1) <= 0.02 or figure.rounding[0] <= ours <= figure.rounding[1])
        words.append(f"{row.dataset} {row.metric} {ours:.3g} ({figure.text})")
    claim = "The printed UNI figures are those of unclipped noise, errors capped at 1 (2%, or the printed rounding)"
    return Check(claim, good, "; ".join(words))


def contradictions(rows: Sequence[Row]) -> list[str]:
    """Printed pairs that no mechanism can have: P(error ≥ q95) ≥ 5%, so the mean square is at least 0.05·q95²."""
    found = []
    pac = {row.dataset: row for row in rows if row.metric == "pac"}
    for row in (row for row in rows if row.metric == "mse"):
        for key in ("a", "prop", "uni", "sm"):
            square, quantile = Printed(row.cell(key).paper or "nan"), Printed(pac[row.dataset].cell(key).paper or "nan")
            if square.rounding[1] < BETA * quantile.rounding[0] ** 2:
                found.append(
                    f"{row.label}: {key.upper()} is the same mechanism in both rows, yet its printed mean square "
                    f"{square.text} is below 0.05·{quantile.text}², the least that its printed quantile allows"
                )
    return found
