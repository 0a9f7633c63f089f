"""Text to the terminal, and into a file that a user named."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from hdp_audit.errors import HdpAuditError

if TYPE_CHECKING:
    from rich.console import Console


def stdout_console() -> Console:
    """How wide standard output is, and whether it is a terminal."""
    try:
        from rich.console import Console
    except ImportError:
        raise HdpAuditError("rich is missing; install hdp-audit again") from None
    return Console(highlight=False)


def echo_text(text: str) -> None:
    """What was rendered for that console, which has decided on colours already."""
    click.echo(text, nl=False, color=True)


def write_text(path: Path, content: str) -> None:
    """Write, or say why not."""
    try:
        path.write_text(content, encoding="utf-8")
    except OSError as why:
        raise HdpAuditError(
            f"{path}: cannot be written ({why.strerror}); give a path in a folder that exists"
        ) from None
