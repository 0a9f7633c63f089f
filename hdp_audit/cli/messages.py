"""What a person must be told at once, whatever else is printed."""

from __future__ import annotations

import click


def complain(message: str) -> None:
    """To stderr, line by line, without anything that steers a terminal."""
    for line in message.splitlines():
        plain = "".join(letter if letter.isprintable() else "�" for letter in line)
        click.echo(f"hdp-audit: {plain}", err=True)
