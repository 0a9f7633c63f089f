"""How a report shows itself to people.

The model imports no renderer, and yet `print(report)` is a screen: whoever is above both says here, once, who renders.
`hdp_audit/__init__.py` does, which Python runs before anything else of the package.
"""

from __future__ import annotations

from typing import Any, Protocol


class Presenter(Protocol):
    """Makes a report readable."""

    def screen(self, report: Any) -> str:
        """Text for a terminal."""
        ...

    def page(self, report: Any) -> str:
        """A whole HTML page."""
        ...

    def cell(self, report: Any) -> str:
        """HTML for the output of a notebook's cell."""
        ...


_presenters: list[Presenter] = []


def use(presenter: Presenter) -> None:
    """Show reports by this presenter from now on."""
    _presenters[:] = [presenter]


def presenter() -> Presenter:
    """The presenter in use."""
    return _presenters[0]
