"""The history as one offline page: a picture per claim, drifting claims first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from hdp_audit.reporting.history.series import History, Point, Series, drift_words, summary
from hdp_audit.reporting.html.canvas import RIGHT, canvas
from hdp_audit.reporting.html.page import style, template
from hdp_audit.reporting.numbers import short
from hdp_audit.reporting.svg import Scale, bar, left_axis, log_range, path, pole, text
from hdp_audit.reporting.verdicts import SIGNS, WORDS

LEFT, TOP, BOTTOM, ROOM = 56.0, 26.0, 150.0, 14.0
MOST_PICTURES, MOST_ROWS, MOST_DATES = 150, 1000, 400
SMALLEST = 1e-6  # of the largest figure: below that a scale would show nothing else


def history_page(found: History) -> str:
    """The whole page."""
    from markupsafe import Markup

    ordered = [*found.drifting, *sorted((s for s in found.series if s.drift is None), key=_urgency)]
    return template(
        "history.html.j2"
    ).render(
        style=Markup(style()),  # noqa: S704 (our own files)
        signs=SIGNS,
        words=WORDS,
        summary=summary(found),
        drifting=[(_called(one), drift_words(one, found.dates)) for one in found.drifting],
        dates=found.dates[-MOST_DATES:],
        pictures=[_view(one, found) for one in ordered if _pictured(one)][:MOST_PICTURES],
        rows=[_row(one, found.dates) for one in ordered[:MOST_ROWS]],
        rest=max(len(ordered) - MOST_ROWS, 0),
        marked=Markup,
    )


def _pictured(one: Series) -> bool:
    """Whether there is anything to draw."""
    return any(math.isfinite(p.lower) or math.isfinite(p.upper) or p.detectable is not None for p in one.points)


def _urgency(one: Series) -> tuple[int, str]:
    worst = {"fail": 0, "error": 1, "inconclusive": 2, "pass": 3}
    return worst[one.points[-1].verdict], one.id


def _called(one: Series) -> str:
    return f"{one.subject} · {one.name}"


def _view(one: Series, found: History) -> dict[str, Any]:
    return {"name": _called(one), "svg": picture_of(one, found), "drift": drift_words(one, found.dates)}


def _row(one: Series, dates: Sequence[str]) -> dict[str, Any]:
    last = one.points[-1]
    turned = one.turned
    change = "" if turned is None else f"{WORDS[turned[0].verdict]} before, {WORDS[turned[1].verdict]} since "
    change += "" if turned is None else dates[turned[1].place]
    return {
        "name": _called(one),
        "verdict": last.verdict,
        "reports": len(one.points),
        "claimed": _shown(last.claimed),
        "interval": f"{_shown(last.lower)} to {_shown(last.upper)}",
        "detectable": _shown(last.detectable),
        "change": change,
    }


def _shown(value: float | None) -> str:
    return "–" if value is None else short(value)


def picture_of(one: Series, found: History) -> str:
    """Intervals as strokes, what was claimed and what would have been detected as ticks, over the reports."""
    count = len(found.dates)
    figures = [v for p in one.points for v in (p.lower, p.upper, p.claimed, p.detectable) if v is not None]
    known = [abs(value) for value in figures if math.isfinite(value) and value != 0]
    least = SMALLEST * max(known, default=1.0)
    scale = Scale(*log_range([value for value in known if value > least] or [1.0], 1.4), BOTTOM, TOP)
    x = Scale(-0.5, max(count - 0.5, 0.5), LEFT, RIGHT, log=False)
    half = min(9.0, 0.4 * (RIGHT - LEFT) / max(count, 1))
    parts = [left_axis(scale, LEFT, RIGHT, "loss or error")]
    for point in one.points:
        parts.append(_drawn(point, x.at(point.place), scale, half, found.dates[point.place]))
    ends = ((0, "start"), (count - 1, "end")) if count > 1 else ((0, "start"),)
    parts += [text(x.at(at), BOTTOM + 18, found.dates[at][:10], anchor=side) for at, side in ends]
    last = one.points[-1]
    words = f"{_called(one)}: {len(one.points)} reports, last {WORDS[last.verdict]}"
    return canvas(BOTTOM, words, parts)


def _drawn(point: Point, x: float, scale: Scale, half: float, date: str) -> str:
    low, high = (_held(scale, end) for end in (point.lower, point.upper))
    tip = f"{date}: {WORDS[point.verdict]}, {_shown(point.lower)} to {_shown(point.upper)}"
    broken = point.verdict == "fail"
    parts = []
    if math.isfinite(point.lower) or math.isfinite(point.upper):
        parts.append(pole(x, scale.at(low), scale.at(high), "limit" if broken else "interval", tip))
    if math.isfinite(point.lower) and point.lower > 0:
        y = scale.at(low)
        parts.append(path("broken" if broken else "measured", f"M{x - 4:.1f} {y + 6:.1f}l4 -7l4 7z", tip))
    for value, kind in ((point.claimed, "claim"), (point.detectable, "seen")):
        if value is not None and scale.holds(value):
            parts.append(bar(x - half, x + half, scale.at(value), kind))
    return "".join(parts)


def _held(scale: Scale, value: float) -> float:
    return min(max(value, scale.low), scale.high)
