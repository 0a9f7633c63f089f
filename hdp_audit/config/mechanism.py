"""The section [mechanism]."""

from __future__ import annotations

import difflib
from collections.abc import Collection
from pathlib import Path
from typing import cast, get_args

from hdp_audit.audits.case import Inert
from hdp_audit.config import durations
from hdp_audit.config.memory import read_memory
from hdp_audit.config.problems import did_you_mean
from hdp_audit.config.program import read_program
from hdp_audit.config.section import Section, real
from hdp_audit.config.spec import Catalogued, Mechanism
from hdp_audit.errors import HdpAuditError
from hdp_audit.model.leaving import NEIGHBOURS
from hdp_audit.model.vocabulary import TaskName
from hdp_audit.targets.command import Command
from hdp_audit.targets.fresh import Per
from hdp_audit.targets.python import Target

TASKS: tuple[str, ...] = get_args(TaskName)
MOST_CATEGORIES = 100_000
DEFAULT_TIMEOUT = 30.0


def read_mechanism(section: Section, folder: Path, domain: Collection[str] = ()) -> Mechanism | None:
    """The mechanism, or None where it cannot be told; the section's problems say why.

    `domain`: the keys of [domain], which may stand for categories and for pairs.
    """
    how = _how(section, folder)
    task = _task(section, how)
    categories = _categories(section, task, labels="labels" in domain)
    pairs = _pairs(section, task, folder, domain=bool(set(domain) - {"input"}))
    session = _session(section, folder)
    neighbours = section.word("neighbours", tuple(NEIGHBOURS), "replace") or "replace"
    inert = section.word("inert", get_args(Inert), "report")
    fresh, output = _object(section, how, session)
    features = _features(section, task, session, folder)
    one_demand = _one_demand(section, how)
    timeout, memory = _timeout(section), read_memory(section)
    how = read_program(section, how, timeout, memory)
    section.finish()
    if how is None or task is None:
        return None
    told = pairs, timeout, cast("Inert", inert), neighbours, session, fresh, output, memory, features, one_demand
    return Mechanism(how, cast("TaskName", task), categories, *told)


def _how(section: Section, folder: Path) -> Target | Command | Catalogued | None:
    given = [key for key in ("target", "command", "reference") if section.has(key)]
    if len(given) != 1:
        found = " and ".join(given) or "none of them"
        section.missing(f"has {found}; give exactly one of target, command and reference")
        return None
    match given[0]:
        case "target":
            return _target(section, "target", folder)
        case "command":
            return _command(section, folder)
        case _:
            return _reference(section)


def _target(section: Section, key: str, folder: Path) -> Target | None:
    text = section.text(key)
    if text is None:
        return None
    try:
        return Target(text, folder)
    except HdpAuditError as why:
        section.wrong(key, str(why))
        return None


def _command(section: Section, folder: Path) -> Command | None:
    value = section.table["command"]
    if not isinstance(value, list) or not value or not all(isinstance(part, str) and part for part in value):
        section.wrong("command", 'give a list of texts, the program first, such as ["./release", "--flag"]')
        return None
    try:
        return Command(tuple(value), folder)
    except HdpAuditError as why:
        section.wrong("command", str(why))
        return None


def _reference(section: Section) -> Catalogued | None:
    from hdp_audit.targets.reference import names

    name = section.text("reference")
    if name is None:
        return None
    if name not in names():
        near = difflib.get_close_matches(name, names(), n=1)
        guess = f"did you mean {near[0]!r}? " if near else ""
        section.wrong("reference", f"{guess}hdp-audit list shows the catalog")
        return None
    return Catalogued(name)


def _task(section: Section, how: Target | Command | Catalogued | None) -> str | None:
    task = section.word("task", TASKS)
    if not isinstance(how, Catalogued):
        if "task" not in section.table:
            section.missing(f"has no task; {did_you_mean('', TASKS)}")
        return task
    from hdp_audit.targets.reference import entry

    own = entry(how.name).task
    if "task" not in section.table:
        if own is None:
            section.missing(f"has no task, and {how.name} does either; give mean or frequency")
        return own
    if task is not None and (task == "custom" or own not in (None, task)):
        section.wrong("task", f"{how.name} does {own or 'mean and frequency'}")
        return None
    return task


def _categories(section: Section, task: str | None, *, labels: bool) -> int | None:
    count = section.integer("categories", None, 2, MOST_CATEGORIES)
    if labels and "categories" in section.table:
        section.wrong("categories", "the labels in [domain] are the categories; leave it out")
    if task == "frequency" and "categories" not in section.table and not labels:
        section.missing("has no categories; frequencies need them, such as categories = 12, or labels in [domain]")
    if task not in ("frequency", None) and "categories" in section.table:
        section.wrong("categories", f'only task = "frequency" has categories, and this is "{task}"')
        return None
    return count


def _pairs(section: Section, task: str | None, folder: Path, *, domain: bool) -> Target | None:
    if section.has("pairs"):
        if task not in ("custom", None):
            section.wrong("pairs", f'only task = "custom" takes pairs, and this is "{task}"')
            return None
        return _target(section, "pairs", folder)
    if task == "custom" and not domain:
        section.missing('has no pairs; a custom task needs them, such as pairs = "file.py:pairs", or a [domain]')
    return None


def _session(section: Section, folder: Path) -> Target | None:
    if not section.has("session"):
        return None
    for key in ("command", "reference"):
        if key in section.table:
            section.wrong("session", f"an analyst asks an object in Python, so it needs a target, and this is a {key}")
            return None
    return _target(section, "session", folder)


def _features(section: Section, task: str | None, session: Target | None, folder: Path) -> Target | None:
    """What an opaque output shows; outputs of other tasks are numbers."""
    if not section.has("features"):
        return None
    if task not in ("custom", None) and session is None:
        section.wrong(
            "features", f'only outputs of task = "custom" and of sessions have features, and this is "{task}"'
        )
        return None
    return _target(section, "features", folder)


def _one_demand(section: Section, how: Target | Command | Catalogued | None) -> bool:
    """Whether a function gets one number for all."""
    if not section.has("one_demand"):
        return False
    given = section.table["one_demand"]
    if not isinstance(given, bool):
        section.wrong("one_demand", "give true or false")
    elif how is not None and not isinstance(how, Target):
        section.wrong("one_demand", "only a target can have it; a program takes the smallest itself")
    return given is True


def _object(
    section: Section, how: Target | Command | Catalogued | None, session: Target | None
) -> tuple[Per | None, str | None]:
    """Of a target that is a class or factory: when it is made, and where the release stands."""
    fresh, output = section.word("fresh", get_args(Per)), section.text("output")
    for key in ("fresh", "output"):
        if key in section.table and (session is not None or (how is not None and not isinstance(how, Target))):
            why = "a session makes an object for each call" if session is not None else "only a target makes objects"
            section.wrong(key, f"{why}; leave it out")
    return cast("Per | None", fresh), output


def _timeout(section: Section) -> float:
    if not section.has("timeout"):
        return DEFAULT_TIMEOUT
    value = section.table["timeout"]
    found = durations.seconds(value) if isinstance(value, str) else real(value)
    if found is not None and 0 < found <= durations.LONGEST:
        return found
    section.wrong("timeout", f"give seconds, or {durations.ALLOWED}")
    return DEFAULT_TIMEOUT
