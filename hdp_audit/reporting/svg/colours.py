"""Every colour of pages and pictures: in light, in dark, and on paper."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

MARKS = Path(__file__).with_name("marks.css")


@dataclass(frozen=True)
class Colour:
    """One colour by surroundings; paper takes the light one unless it has its own."""

    light: str
    dark: str
    paper: str = ""


COLOURS = {
    "page": Colour("#fbfaf8", "#121417", "#ffffff"),
    "card": Colour("#ffffff", "#191c20"),
    "ink": Colour("#1c1f23", "#e6e4df", "#000000"),
    "soft": Colour("#5b636d", "#9aa1aa", "#444444"),
    "line": Colour("#dedbd4", "#33383f", "#bbbbbb"),
    "grid": Colour("#ebe8e2", "#272b31", "#dddddd"),
    "code": Colour("#f3f1ec", "#22262b", "#f4f4f4"),
    "pass": Colour("#1a6f3c", "#5cc98a"),
    "fail": Colour("#b3261e", "#ff8a80"),
    "error": Colour("#7a3fb5", "#c69bf2"),
    "inconclusive": Colour("#8a5a00", "#e3b341"),
    "pass-bg": Colour("#eaf5ee", "#14261b"),
    "fail-bg": Colour("#fcefed", "#2d1917"),
    "error-bg": Colour("#f5effb", "#241a30"),
    "inconclusive-bg": Colour("#fbf4e3", "#2a2210"),
    "c1": Colour("#1f5fa8", "#79b0f0"),
    "c2": Colour("#b8560b", "#f0a35e"),
    "c3": Colour("#1a6f3c", "#5cc98a"),
    "c4": Colour("#7a3fb5", "#c69bf2"),
    "c5": Colour("#a3214f", "#f28bb0"),
    "c6": Colour("#54606e", "#aab3bd"),
}
LIGHT = {name: colour.light for name, colour in COLOURS.items()}
DARK = {name: colour.dark for name, colour in COLOURS.items()}
PAPER = {name: colour.paper or colour.light for name, colour in COLOURS.items()}


def sheet_of_a_page() -> str:
    """Colours as variables, and the marks that use them: for a page that holds pictures."""
    return "\n".join(
        [
            f":root {{ color-scheme: light dark; {_variables(LIGHT)} }}",
            f"@media (prefers-color-scheme: dark) {{ :root {{ {_variables(DARK)} }} }}",
            f"@media print {{ :root {{ color-scheme: light; {_variables(PAPER)} }} }}",
            _marks(),
        ]
    )


def sheet_of_a_file() -> str:
    """The marks with colours filled in: viewers outside of browsers know no variables."""
    dark = f"@media (prefers-color-scheme: dark) {{\n{_filled(DARK)}}}"
    return f":root {{ color-scheme: light dark; }}\n{_filled(LIGHT)}{dark}\n"


def _variables(colours: dict[str, str]) -> str:
    return " ".join(f"--{name}: {value};" for name, value in colours.items())


def _filled(colours: dict[str, str]) -> str:
    sheet = _marks()
    for name, value in colours.items():
        sheet = sheet.replace(f"var(--{name})", value)
    return sheet


def _marks() -> str:
    return MARKS.read_text(encoding="utf-8")
