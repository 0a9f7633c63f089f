"""What a spec says, read and checked."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hdp_audit.audits.case import Inert
from hdp_audit.model import AccuracyClaim, OptimalityClaim, PrivacyClaim, PrivacyDemands, Waiver
from hdp_audit.model.domain import Domain
from hdp_audit.model.identity import Identity
from hdp_audit.model.promise import Promise
from hdp_audit.model.vocabulary import TaskName
from hdp_audit.targets.command import Command
from hdp_audit.targets.forms import Form
from hdp_audit.targets.fresh import Per
from hdp_audit.targets.python import Target


@dataclass(frozen=True)
class Catalogued:
    """A reference mechanism by its name."""

    name: str


@dataclass(frozen=True)
class Mechanism:
    """What is called, for which task, and how long a call may take."""

    how: Target | Command | Catalogued
    task: TaskName
    categories: int | None
    pairs: Target | None
    timeout: float
    inert: Inert = "report"
    neighbours: str = "replace"
    session: Target | None = None  # the analyst
    fresh: Per | None = None  # of a class or factory: an object for each call, or one
    output: str | None = None  # the attribute of the object in which the release stands
    memory: int | None = None  # bytes that a worker may have
    features: Target | None = None  # what an opaque output shows
    one_demand: bool = False  # it gets one number for all, the smallest demand

    @property
    def title(self) -> str:
        """What the report calls the subject."""
        match self.how:
            case Target():
                return self.how.text if self.session is None else f"{self.how.text}, asked by {self.session.text}"
            case Command():
                return " ".join(self.how.arguments)
            case Catalogued():
                return self.how.name

    @property
    def name(self) -> str:
        """The short name that starts the ids of findings."""
        match self.how:
            case Target():
                return self.how.attribute
            case Command():
                return Path(self.how.arguments[0]).name
            case Catalogued():
                return self.how.name


@dataclass(frozen=True)
class Run:
    """Sureness, cost and seed; `budget` is a number of calls, or a duration in seconds that fixes one."""

    confidence: float = 0.999
    budget: int | None = 1_000_000
    duration: float | None = None
    seed: int = 1


@dataclass(frozen=True, eq=False)
class Spec:
    """A spec without a mistake. `digest` covers what is audited and claimed; not run, waivers or names."""

    path: Path
    digest: str
    mechanism: Mechanism
    demands: PrivacyDemands
    promise: Promise
    data: NDArray[Any] | None
    privacy: PrivacyClaim | None
    accuracy: AccuracyClaim | None
    optimality: OptimalityClaim | None
    run: Run
    waivers: tuple[Waiver, ...]
    notes: tuple[str, ...] = ()  # what nobody asked for but a user should know
    domain: Domain | None = None  # where the task alone does not say what a datum may be
    identity: Identity = field(default_factory=Identity)  # whose report it is
    strategy: Target | None = None  # that makes a domain
    form: Form | None = None  # in which the mechanism gets data

    @property
    def promised(self) -> NDArray[np.float64]:
        """All columns of the promise as one array."""
        columns = list(self.promise.columns.values())
        return columns[0] if len(columns) == 1 else np.stack(columns)
