"""What is wrong with a command line, in one line: what was given, what is allowed, where to read on."""

from __future__ import annotations

import click


def usage_problem(mistake: click.UsageError) -> str:
    """The line for an option, an argument or a value that click refuses."""
    command = mistake.ctx.command_path if mistake.ctx else "hdp-audit"
    return " ".join(f"{_said(mistake)} (`{command} --help` says more)".split())


def unknown_command(name: str, commands: list[str]) -> str:
    """The line for a command that is not there."""
    from hdp_audit.config.problems import did_you_mean

    return f"there is no command {name!r}; {did_you_mean(name, commands)}"


def _said(mistake: click.UsageError) -> str:
    if isinstance(mistake, click.NoSuchOption):
        near = sorted(mistake.possibilities or [])
        return f"there is no option {mistake.option_name!r}; " + (
            f"did you mean {' or '.join(near)}?" if near else "leave it out"
        )
    if isinstance(mistake, click.MissingParameter) or not isinstance(mistake, click.BadParameter):
        text = mistake.format_message().rstrip(".")
        return text[:1].lower() + text[1:]
    name = mistake.param.get_error_hint(mistake.ctx) if mistake.param and mistake.ctx else "a value"
    return f"{name.strip(chr(39))}: {mistake.message.rstrip('.')}{_allowed(mistake.param)}"


def _allowed(parameter: click.Parameter | None) -> str:
    kind = None if parameter is None else parameter.type
    if not isinstance(kind, (click.IntRange, click.FloatRange)):
        return ""
    what, end = "whole number" if isinstance(kind, click.IntRange) else "number", "below " if kind.max_open else ""
    return f"; give a {what} from {kind.min} to {end}{kind.max}"
