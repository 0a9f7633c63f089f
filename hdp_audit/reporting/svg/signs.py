"""Keys: a small sample of a mark with its words, inside a picture or beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from hdp_audit.reporting.svg.marks import bar, box, diamond, dot, element, pole, text, triangle

Shape = Literal["line", "dot", "dot on a line", "diamond", "triangle", "box", "pole"]


@dataclass(frozen=True)
class Sign:
    """What a mark of this shape and style means."""

    shape: Shape
    style: str
    words: str

    def drawn(self, x: float, y: float) -> str:
        """The sample around a place."""
        match self.shape:
            case "line":
                return bar(x - 8, x + 8, y, self.style)
            case "dot":
                return dot(x, y, self.style)
            case "dot on a line":
                return bar(x - 7, x + 7, y, "interval") + dot(x, y, self.style)
            case "diamond":
                return diamond(x, y, self.style)
            case "triangle":
                return triangle(x, y + 1, self.style)
            case "box":
                return box(x - 6, y - 5, 12, 10, self.style, round_by=2)
            case "pole":
                return pole(x, y - 6, y + 6, self.style)

    @property
    def icon(self) -> str:
        """The sample as a picture of its own, to stand in a line of text."""
        return element("svg", self.drawn(9, 6), class_="sign", viewBox="0 0 18 12", aria_hidden="true")


def legend(x: float, y: float, signs: Iterable[Sign]) -> str:
    """Samples with words in one line, from left to right."""
    parts = []
    for sign in signs:
        parts += [sign.drawn(x + 8, y - 4), text(x + 21, y, sign.words, "axis")]
        x += 44 + 6.2 * len(sign.words)
    return "".join(parts)
