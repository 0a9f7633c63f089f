"""The task of a spec or a call, by its name and the domain of its data."""

from __future__ import annotations

from typing import get_args

from hdp_audit.errors import InvalidInput
from hdp_audit.model.domain import Categories, Domain, Range, Unit
from hdp_audit.model.drawn import Drawn
from hdp_audit.model.labels import Labels
from hdp_audit.model.table import Table
from hdp_audit.model.task import Anything, Custom, Frequency, Mean, Task, VectorMean, task_of
from hdp_audit.model.units import Amount, Counting, Ones
from hdp_audit.model.vector import Vector
from hdp_audit.model.vocabulary import TaskName

OURS = (Range, Categories, Labels, Vector, Table, Drawn)
TAKES: dict[str, tuple[type[Domain], ...]] = {
    "mean": (Range,),
    "sum": (Range,),
    "frequency": (Categories, Labels),
    "count": (Labels,),
    "vector-mean": (Vector,),
    "custom": OURS,
}
GIVE = {
    "mean": "domain=Range(low, high)",
    "sum": "domain=Range(low, high)",
    "frequency": "domain=Labels([...]), or categories alone",
    "count": "domain=Labels([...]), or none where everybody has 0 or 1",
    "vector-mean": "domain=Vector(size, norm, radius)",
}


def named_task(name: str, categories: int | None = None, domain: Domain | None = None) -> Task:
    """The task; a domain of a new kind goes with each, and then no error is measured but of what it says by itself."""
    if name not in get_args(TaskName):
        raise InvalidInput(f"task = {name!r}; allowed: {', '.join(get_args(TaskName))}")
    known = isinstance(domain, OURS)
    labels = isinstance(domain, Labels)
    if (name == Frequency.name) != (categories is not None) and not (name == Frequency.name and labels):
        raise InvalidInput(
            f"task = {name!r} with categories = {categories!r}; frequencies need categories, other tasks have none"
        )
    if (known and not isinstance(domain, TAKES[name])) or (name == VectorMean.name and not isinstance(domain, Vector)):
        raise InvalidInput(f"task = {name!r} with domain = {domain!r:.80}; give {GIVE[name]}, or task = 'custom'")
    if isinstance(domain, Labels) and categories not in (None, len(domain)):
        raise InvalidInput(f"categories = {categories!r}, but there are {len(domain)} labels; leave categories out")
    return _task(name, categories, domain)


def _task(name: str, categories: int | None, domain: Domain | None) -> Task:
    match name:
        case "custom":
            return Custom() if domain is None else Anything(domain)
        case "vector-mean" if isinstance(domain, Vector):
            return VectorMean(domain)
        case "sum":
            return Amount("sum", domain if isinstance(domain, Range) else Unit())
        case "count":
            return Counting("count", domain) if isinstance(domain, Labels) else Ones()
        case "frequency" if isinstance(domain, Labels):
            return Counting("frequency", domain)
        case "mean" if isinstance(domain, Range) and not isinstance(domain, Unit):
            return Amount("mean", domain)
        case "mean":
            return Mean()
        case _:
            return task_of(categories)
