"""The keys of [mechanism] that only a program has."""

from __future__ import annotations

import re
from dataclasses import replace
from difflib import get_close_matches
from typing import Any, cast, get_args

from hdp_audit.config.section import Section
from hdp_audit.targets.command import Command, Protocol
from hdp_audit.targets.once import DATA, SEED, placeholders

KEYS = ("memory_mb", "protocol", "ignore_stdout", "restarts")
COLUMNS = ("epsilon", "delta", "rho", "mu")
ALIKE = 0.7  # of difflib
MOST_RESTARTS = 1_000_000


def read_program(section: Section, how: Any, timeout: float, most: int | None = None) -> Any:
    """The command with its limits and how it is spoken to; anything else as it is, without such keys."""
    memory = section.integer("memory_mb", 4096, 16, 1 << 20)
    protocol = section.word("protocol", get_args(Protocol), "lines")
    ignored = _expression(section)
    restarts = section.integer("restarts", 3, 0, MOST_RESTARTS)
    if not isinstance(how, Command):
        for key in KEYS:
            if key in section.table and how is not None:
                section.wrong(key, "only a program (command) has it")
        return how
    found = placeholders(how.arguments, COLUMNS)
    if found and protocol == "lines":
        section.wrong("command", f'{found[0]} stands for a file or a number of one call; it needs protocol = "once"')
    if protocol == "once":
        _refuse_misspelled(section, how.arguments)
    if protocol == "once" and "restarts" in section.table:
        section.wrong("restarts", 'with protocol = "once" a program is started for each call')
    if most is not None and "memory_mb" in section.table:
        section.wrong("memory_mb", "memory says it already; leave one of them out")
    told = cast("Protocol", protocol or "lines")
    return replace(
        how,
        timeout=timeout,
        memory_mb=(memory or 4096) if most is None else most >> 20,
        protocol=told,
        ignored=ignored,
        restarts=3 if restarts is None else restarts,
    )


def _refuse_misspelled(section: Section, arguments: tuple[str, ...]) -> None:
    """`{eps}` is meant for `{epsilon}`; other words in braces, as in a script of awk, are a program's own business."""
    known = [DATA, SEED, *(f"{{{name}}}" for name in COLUMNS)]
    for argument in arguments:
        meant = get_close_matches(argument, known, 1, ALIKE) if re.fullmatch(r"\{\w+\}", argument) else []
        if meant and argument not in known:
            section.wrong(
                "command", f"{argument} stands for nothing; did you mean {meant[0]}? there are {', '.join(known)}"
            )


def _expression(section: Section) -> str | None:
    """A regular expression, which must be one."""
    text = section.text("ignore_stdout")
    if text is None:
        return None
    try:
        re.compile(text)
    except re.error as why:
        section.wrong("ignore_stdout", f"{why}; give a regular expression, such as '^INFO'")
        return None
    if re.search(text, "") is not None:
        section.wrong("ignore_stdout", "it is found in every line, so no answer would be left; say how logs begin")
        return None
    return text
