"""Whole pictures: inside a page, whose style sheet they use, or as a file of their own."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from hdp_audit.reporting.svg.colours import sheet_of_a_file
from hdp_audit.reporting.svg.marks import box, element


def picture(width: float, height: float, title: str, parts: Iterable[str]) -> str:
    """An inline SVG with its name for those who do not see it."""
    return element("svg", "".join(parts), viewBox=f"0 0 {width:.0f} {height:.0f}", role="img", aria_label=title)


def page(width: float, height: float, title: str, parts: Iterable[str]) -> str:
    """A whole SVG file."""
    head = [f"<title>{escape(title)}</title>", f"<style>{sheet_of_a_file()}</style>"]
    lines = [*head, box(0, 0, width, height, "sheet"), *parts]
    size = {"viewBox": f"0 0 {width:.0f} {height:.0f}", "width": f"{width:.0f}", "height": f"{height:.0f}"}
    return element("svg", "\n" + "\n".join(lines) + "\n", xmlns="http://www.w3.org/2000/svg", **size, role="img") + "\n"
