"""Where the printed figures cannot be met: what they say about how the paper's were made.

UNI is pure noise, so its error is known: ‖N‖∞ with scale b. The printed UNI figures are those of estimates that are
not clipped to [0, 1], with errors above 1 counted as 1, although the algorithm clips.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hdp_audit.experiments.dataset import BETA
from hdp_audit.experiments.paper import Printed
from hdp_audit.experiments.report import Check
from hdp_audit.experiments.results import Row
from hdp_audit.experiments.tables import NAMES
from hdp_audit.model.vocabulary import Setting, Task
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
        quantile, square = capped_noise(scales[row.dataset], row.outputs)
        ours = quantile if row.metric == "pac" else square
        good = good and (abs(ours / figure.value - 1) <= 0.02 or figure.rounding[0] <= ours <= figure.rounding[1])
        words.append(f"{row.dataset} {row.metric} {ours:.3g} ({figure.text})")
    claim = "The printed UNI figures are those of unclipped noise, errors capped at 1 (2%, or the printed rounding)"
    return Check(claim, good, "; ".join(words))


@dataclass(frozen=True)
class Contradiction:
    """A printed pair that no mechanism of its kind can have."""

    dataset: str
    algorithm: str
    words: str


def contradictions(rows: Sequence[Row]) -> list[Contradiction]:
    """Algorithms that are the same mechanism in both rows of a dataset, with figures that exclude each other."""
    found = []
    pac = {row.dataset: row for row in rows if row.metric == "pac"}
    for row in (row for row in rows if row.metric == "mse"):
        for key in ("a", "prop", "uni", "sm"):
            square, quantile = Printed(row.cell(key).paper or "nan"), Printed(pac[row.dataset].cell(key).paper or "nan")
            reason = _below(square, quantile)
            if reason is None and key != "sm" and row.setting == Setting.CORRELATED and row.task == Task.MEAN:
                reason = _above(square, quantile)
            if reason is not None:
                same = f"{row.label}: {NAMES[key]} is the same mechanism in both rows, yet its printed mean square "
                found.append(Contradiction(row.dataset, key, same + reason))
    return found


def _below(square: Printed, quantile: Printed) -> str | None:
    """P(error ≥ q95) ≥ 5%, so the mean square of any mechanism is at least 0.05·q95²."""
    if square.rounding[1] >= BETA * quantile.rounding[0] ** 2:
        return None
    return f"{square.text} is below {BETA}·{quantile.text}², the least that its printed quantile allows"


def _above(square: Printed, quantile: Printed) -> str | None:
    """A mean of fixed data with Laplace noise has a mean square of at most 1.2·q95².

    With bias B and scale b, P(error > q) ≥ ½·exp(−(q − |B|)/b), so b ≤ (q − |B|)/log 10 and |B| ≤ q, and
    B² + 2b² is convex in |B|: at most q², at |B| = q. The clip only lessens errors; where the truth lies within q of
    0 or 1 it hides one side, b may reach 2q/log 10, and the 5% beyond q add at most 0.05·(2qb + 2b²) < 0.2·q².
    """
    if square.rounding[0] <= 1.2 * quantile.rounding[1] ** 2:
        return None
    return (
        f"{square.text} is above 1.2·{quantile.text}², the most that a mean with Laplace noise and its quantile allow"
    )
