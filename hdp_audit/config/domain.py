"""The section [domain]: what one user's datum may be, and the form in which a mechanism gets the data."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast, get_args

from hdp_audit.config.section import Section, real
from hdp_audit.config.spec import Catalogued, Mechanism
from hdp_audit.errors import HdpAuditError, InvalidInput
from hdp_audit.model.domain import Domain, Range
from hdp_audit.model.labels import Labels
from hdp_audit.model.table import Table
from hdp_audit.model.vector import Norm, Vector
from hdp_audit.targets.command import Command
from hdp_audit.targets.forms import Form, checked
from hdp_audit.targets.python import Target

EXAMPLES = {
    "range": "range = [0, 200_000]",
    "labels": 'labels = ["Berlin", "Paris"]',
    "vector": 'vector = { size = 5, norm = "l2", radius = 1 }',
    "columns": 'columns = { salary = { range = [0, 200_000] }, city = { labels = ["Berlin", "Paris"] } }',
    "strategy": 'strategy = "file.py:strategy"',
}
EXAMPLE = EXAMPLES["vector"]
VECTOR = ("size", "norm", "radius")
TASKS = {
    "range": ("mean", "sum", "custom"),
    "labels": ("frequency", "count", "custom"),
    "vector": ("vector-mean", "custom"),
    "columns": ("custom",),
    "strategy": ("custom",),
}


@dataclass(frozen=True)
class Allowed:
    """A domain, or a strategy that makes one; and a form, if one was asked for."""

    domain: Domain | None = None
    strategy: Target | None = None
    form: Form | None = None


def read_domain(section: Section, mechanism: Mechanism | None, folder: Path) -> Allowed:
    """The domain; where it cannot be told the section's problems say why."""
    given = [key for key in EXAMPLES if section.has(key)]
    form = _form(section, mechanism)
    section.finish()
    if not given and form is None:
        section.missing(f"is empty; give {EXAMPLES['range']}")
    if len(given) > 1:
        section.missing(f"has {' and '.join(given)}; give one of them")
    if len(given) != 1:
        return Allowed(form=form)
    (key,) = given
    task = mechanism.task if mechanism is not None else None
    if task is not None and not _fits(section, key, mechanism):
        return Allowed(form=form)
    try:
        if key == "strategy":
            return Allowed(None, Target(str(section.text(key) or ""), folder), form)
        return Allowed(READERS[key](section.table[key]), None, form)
    except HdpAuditError as why:
        section.wrong(key, str(why))
        return Allowed(form=form)


def _fits(section: Section, key: str, mechanism: Mechanism | None) -> bool:
    if mechanism is None:
        return False
    task, tasks = mechanism.task, TASKS[key]
    if task not in tasks:
        told = " or ".join(f'"{each}"' for each in tasks)
        section.wrong(key, f'it goes with task = {told}, and this is "{task}"')
    elif isinstance(mechanism.how, Catalogued) and key != "vector":
        section.wrong(key, "a reference mechanism takes numbers from 0 to 1, or categories; leave it out")
    elif mechanism.pairs is not None:
        section.wrong(key, "datasets come from the domain or from pairs; leave one of them out")
    else:
        return True
    return False


def _form(section: Section, mechanism: Mechanism | None) -> Form | None:
    if not section.has("input"):
        return None
    if mechanism is not None and not isinstance(mechanism.how, Target):
        what = "a program gets JSON" if isinstance(mechanism.how, Command) else "a reference mechanism takes arrays"
        section.wrong("input", f"{what}; leave it out")
        return None
    try:
        return checked(str(section.table["input"]))
    except InvalidInput as why:
        section.wrong("input", str(why).partition("; ")[2])
        return None


def _range(given: object) -> Range:
    ends = [real(end) for end in given] if isinstance(given, list) else []
    if len(ends) != 2 or ends[0] is None or ends[1] is None:
        raise InvalidInput(f"give two numbers, the smaller first: {EXAMPLES['range']}")
    return Range(ends[0], ends[1])


def _labels(given: object) -> Labels:
    if not isinstance(given, list):
        raise InvalidInput(f"give a list: {EXAMPLES['labels']}")
    return Labels(given)


def _columns(given: object) -> Table:
    if not isinstance(given, dict) or not given:
        raise InvalidInput(f"give a table with a range or labels for each column: {EXAMPLES['columns']}")
    return Table({name: _column(name, column) for name, column in given.items()})


def _column(name: str, given: object) -> Range | Labels:
    if not isinstance(given, dict) or len(given) != 1 or not set(given) <= {"range", "labels"}:
        raise InvalidInput(f"column {name}: give {{ range = [...] }} or {{ labels = [...] }}")
    try:
        return _range(given["range"]) if "range" in given else _labels(given["labels"])
    except InvalidInput as why:
        raise InvalidInput(f"column {name}: {why}") from None


def _vector(given: object) -> Vector:
    if not isinstance(given, dict) or "size" not in given or set(given) - set(VECTOR):
        raise InvalidInput(f"give a table with size, and norm and radius if they are not l2 and 1: {EXAMPLE}")
    norm, radius = given.get("norm", "l2"), real(given.get("radius", 1.0))
    if norm not in get_args(Norm) or radius is None:
        raise InvalidInput(f"norm is one of {', '.join(get_args(Norm))}, and radius a number above 0")
    return Vector(given["size"], cast("Norm", norm), radius)


READERS: dict[str, Callable[[Any], Domain]] = {
    "range": _range,
    "labels": _labels,
    "columns": _columns,
    "vector": _vector,
}
