"""Who watches an audit that was called from Python."""

from __future__ import annotations

from hdp_audit.watching.notebook import NotebookBar, cell_of_a_notebook
from hdp_audit.watching.progress import Progress, progress


def watcher(shown: bool | None) -> Progress:
    """None: a bar in a notebook alone; True: there, in a terminal, and as lines elsewhere; False: nobody."""
    cell = None if shown is False else cell_of_a_notebook()
    if cell is not None:
        return NotebookBar(cell)
    if not shown:
        return Progress()
    from rich.console import Console

    return progress(Console(stderr=True), quiet=False)
