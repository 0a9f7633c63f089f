"""How many users demand how much; 0 and ∞ have columns of their own."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hdp_audit.reporting.html.canvas import RIGHT, canvas
from hdp_audit.reporting.numbers import short
from hdp_audit.reporting.svg import Scale, bottom_axis, box, left_axis, log_range, text

if TYPE_CHECKING:
    from hdp_audit.model.subject import Floats, SubjectSummary

LEFT, TOP, BOTTOM = 46.0, 26.0, 176.0
BINS = 30


def histogram_picture(subject: SubjectSummary) -> str | None:
    """None where the demands of single users are not known."""
    if subject.figures is None:
        return None
    demand = subject.figures.demand
    inner = demand[np.isfinite(demand) & (demand > 0)]
    zero, public = int((demand == 0).sum()), int(np.isinf(demand).sum())
    left, right = LEFT + (34 if zero else 0), RIGHT - (34 if public else 0)
    ends = inner.tolist() if inner.size < 2 else [float(inner.min()), float(inner.max())]
    x = Scale(*log_range(ends, 1.3), left, right)
    counts, edges = _counted(inner, x)
    most = max([*counts, zero, public, 1])
    y = Scale(0.0, most * 1.05, BOTTOM, TOP, log=False)
    parts = [left_axis(y, LEFT, RIGHT, "users"), bottom_axis(x, BOTTOM, BOTTOM, f"demand {subject.promise.symbol}")]
    for count, low, high in zip(counts, edges[:-1], edges[1:], strict=True):
        if count:
            words = f"{count:,} users, demands {short(low)} to {short(high)}"
            parts.append(_column(x.at(low), x.at(high), y.at(count), "users", words))
    for count, at, name, style in ((zero, LEFT + 6, "0", "users zero"), (public, RIGHT - 24, "∞", "users public")):
        if count:
            parts.append(_column(at, at + 18, y.at(count), style, f"{count:,} users, demand {name}"))
            parts.append(text(at + 9, BOTTOM + 15, name, anchor="middle"))
    return canvas(BOTTOM, "Demands", parts)


def _counted(inner: Floats, x: Scale) -> tuple[list[int], list[float]]:
    edges = np.exp(np.linspace(math.log(x.low), math.log(x.high), BINS + 1))
    counts, _ = np.histogram(inner, bins=edges)
    return counts.tolist(), edges.tolist()


def _column(x1: float, x2: float, top: float, style: str, tip: str) -> str:
    height = max(BOTTOM - top, 1.0)
    return box(x1 + 0.5, BOTTOM - height, max(x2 - x1 - 1, 1), height, style, tip)
