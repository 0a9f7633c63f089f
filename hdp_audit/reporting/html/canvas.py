"""The size of the page's pictures: all are equally wide."""

from __future__ import annotations

from collections.abc import Iterable

from hdp_audit.reporting.svg import picture

WIDTH = 460.0
RIGHT = WIDTH - 14.0  # where plots end
BELOW = 40.0  # for the axis


def canvas(bottom: float, title: str, parts: Iterable[str]) -> str:
    """A picture whose plot ends at `bottom`, with room for the axis below."""
    return picture(WIDTH, bottom + BELOW, title, parts)
