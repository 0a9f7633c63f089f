"""Shapes and words at places in pixels. What comes from outside is escaped here, and nowhere else."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape


def element(tag: str, inside: str = "", **attributes: str | float) -> str:
    """`<tag ...>inside</tag>`; underscores in names of attributes are dashes, and empty ones are left out."""
    named = {name.rstrip("_").replace("_", "-"): _value(value) for name, value in attributes.items()}
    head = "".join(f' {name}="{escape(value)}"' for name, value in named.items() if value)
    return f"<{tag}{head}>{inside}</{tag}>" if inside else f"<{tag}{head}/>"


def text(x: float, y: float, words: str, style: str = "", anchor: str = "") -> str:
    """Words at a place, which is their start unless `anchor` is `middle` or `end`."""
    return element("text", escape(words), class_=style, x=x, y=y, text_anchor=anchor)


def path(style: str, d: str, tip: str = "") -> str:
    """Any line or area; `d` is ours, never text from outside."""
    return element("path", _tip(tip), class_=style, d=d)


def bar(x1: float, x2: float, y: float, style: str, tip: str = "") -> str:
    """A horizontal line."""
    return path(style, f"M{x1:.1f} {y:.1f}H{x2:.1f}", tip)


def pole(x: float, y1: float, y2: float, style: str, tip: str = "") -> str:
    """A vertical line."""
    return path(style, f"M{x:.1f} {y1:.1f}V{y2:.1f}", tip)


def curve(points: Iterable[tuple[float, float]], style: str) -> str:
    """A line through points."""
    return element("polyline", class_=f"curve {style}", points=" ".join(f"{x:.1f},{y:.1f}" for x, y in points))


def dot(x: float, y: float, style: str, tip: str = "", radius: float = 3.5) -> str:
    """A point; the tip is shown when it is pointed at."""
    return element("circle", _tip(tip), class_=style, cx=x, cy=y, r=radius)


def diamond(x: float, y: float, style: str, tip: str = "", half: float = 5.0) -> str:
    """A square on its corner."""
    return path(style, f"M{x:.1f} {y - half:.1f}l{half:g} {half:g}l-{half:g} {half:g}l-{half:g} -{half:g}z", tip)


def triangle(x: float, y: float, style: str, tip: str = "") -> str:
    """A triangle that points upwards."""
    return path(style, f"M{x:.1f} {y - 6:.1f}l5.5 10h-11z", tip)


def box(
    x: float, y: float, width: float, height: float, style: str, tip: str = "", *, round_by: float = 0.0, **more: float
) -> str:
    """A rectangle from its upper left corner."""
    corner = {"rx": round_by} if round_by else {}
    return element("rect", _tip(tip), class_=style, x=x, y=y, width=width, height=height, **corner, **more)


def group(parts: Iterable[str], tip: str = "") -> str:
    """Marks that belong together, with one tip."""
    return element("g", _tip(tip) + "".join(parts))


def turned(x: float, y: float, words: str, style: str = "") -> str:
    """Words upwards, around their middle."""
    return element("g", text(x, y, words, style, "middle"), transform=f"rotate(-90 {x:.1f} {y:.1f})")


def _tip(words: str) -> str:
    return f"<title>{escape(words)}</title>" if words else ""


def _value(value: str | float) -> str:
    """Tenths of a pixel are enough, hundredths of an opacity too."""
    if isinstance(value, str):
        return value
    return f"{value:.2f}".rstrip("0").rstrip(".") if abs(value) < 1 else f"{value:.1f}".removesuffix(".0")
