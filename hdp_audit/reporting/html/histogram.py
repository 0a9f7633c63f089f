"""How many users demand how much; 0 and ∞ have columns of their own."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hdp_audit.reporting.html.axis import WIDTH, Axis, bottom_axis, left_axis, log_range, picture
from hdp_audit.reporting.numbers import short
from hdp_audit.reporting.svg import text

if TYPE_CHECKING:
    from hdp_audit.model.subject import Floats, SubjectSummary

LEFT, RIGHT, TOP, BOTTOM = 46.0, WIDTH - 14.0, 26.0, 176.0
BINS = 30


def histogram_picture(subject: SubjectSummary) -> str | None:
    """None where the demands of single users are not known."""
    if subject.figures is None:
        return None
    demand = subject.figures.demand
    inner = demand[np.isfinite(demand) & (demand > 0)]
    zero, public = int((demand == 0).sum()), int(np.isinf(demand).sum())
    left, right = LEFT + (34 if zero else 0), RIGHT - (34 if public else 0)
    x = Axis(
        *log_range(inner.tolist() if inner.size < 2 else [float(inner.min()), float(inner.max())], 1.3), left, right
    )
    counts, edges = _counted(inner, x)
    most = max([*counts, zero, public, 1])
    y = Axis(0.0, most * 1.05, BOTTOM, TOP, log=False)
    parts = [left_axis(y, LEFT, RIGHT, "users"), bottom_axis(x, BOTTOM, BOTTOM, "demand ε")]
    for count, low, high in zip(counts, edges[:-1], edges[1:], strict=True):
        if count:
            words = f"{count:,} users, demands {short(low)} to {short(high)}"
            parts.append(_bar(x.at(low), x.at(high), y.at(count), "bar", words))
    for count, at, name, style in ((zero, LEFT + 6, "0", "bar zero"), (public, RIGHT - 24, "∞", "bar public")):
        if count:
            parts.append(_bar(at, at + 18, y.at(count), style, f"{count:,} users, demand {name}"))
            parts.append(text(at + 9, BOTTOM + 15, name, "", "middle"))
    return picture(BOTTOM + 40, "Demands", parts)


def _counted(inner: Floats, x: Axis) -> tuple[list[int], list[float]]:
    edges = np.exp(np.linspace(math.log(x.low), math.log(x.high), BINS + 1))
    counts, _ = np.histogram(inner, bins=edges)
    return counts.tolist(), edges.tolist()


def _bar(x1: float, x2: float, top: float, style: str, tip: str) -> str:
    height = max(BOTTOM - top, 1.0)
    box = f'x="{x1 + 0.5:.1f}" y="{BOTTOM - height:.1f}" width="{max(x2 - x1 - 1, 1):.1f}" height="{height:.1f}"'
    return f'<rect class="{style}" {box}><title>{tip}</title></rect>'
