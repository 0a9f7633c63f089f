"""A command on several lines, for a narrow terminal: a shell takes them as one."""

from __future__ import annotations

import shlex

INDENT, GOES_ON = "  ", " \\"


def command_lines(words: str, command: str, width: int | None) -> list[str]:
    """Words and a command in one line; where a terminal of this width is too narrow for it, the command below."""
    line = f"{words} {command}"
    if width is None or len(line) <= width:
        return [line]
    indent = words[: len(words) - len(words.lstrip())]
    return [words, *(indent + part for part in folded(command, width - len(indent)))]


def folded(command: str, width: int) -> list[str]:
    """Lines of at most `width` letters as far as its words allow, each but the last with a backslash at its end."""
    words = [shlex.quote(word) for word in shlex.split(command)]
    room = width - len(INDENT) - len(GOES_ON)
    lines = [words[0]]
    for option in _options(words[1:]):
        if len(lines[-1]) + 1 + len(option) <= room:
            lines[-1] += f" {option}"
        else:
            lines.append(option)
    return [INDENT + line + GOES_ON for line in lines[:-1]] + [INDENT + lines[-1]]


def _options(words: list[str]) -> list[str]:
    """An option and its value stay together."""
    found: list[str] = []
    for word in words:
        if found and found[-1].startswith("--") and " " not in found[-1] and not word.startswith("--"):
            found[-1] += f" {word}"
        else:
            found.append(word)
    return found
