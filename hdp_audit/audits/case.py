"""A case: one mechanism and what is claimed of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from hdp_audit.errors import InvalidInput
from hdp_audit.model import AccuracyClaim, OptimalityClaim, PrivacyClaim, PrivacyDemands
from hdp_audit.model.dataset import Dataset
from hdp_audit.model.domain import Base, Domain
from hdp_audit.model.given_pairs import given_pair
from hdp_audit.model.neighbours import NeighbourPair, Neighbours, Replace, Users
from hdp_audit.model.promise import Promise, PureDP
from hdp_audit.model.subject import Source
from hdp_audit.model.table import Table
from hdp_audit.model.task import Custom, Task
from hdp_audit.targets.by_column import parted
from hdp_audit.targets.custom import SESSIONS, TRIALS, Encoded
from hdp_audit.targets.dressed import Dress, dressed
from hdp_audit.targets.failures import words_of
from hdp_audit.targets.forms import Form
from hdp_audit.targets.named import adapted
from hdp_audit.targets.one_demand import OneDemand
from hdp_audit.targets.streams import stream
from hdp_audit.targets.subject import Subject

Inert = Literal["report", "allow"]
FEW = 4  # pairs of a custom task whose datasets are tried first
# Parts of the false-alarm budget and, unless a case says otherwise, of the calls, where a claim is there at all.
PARTS = {"privacy": 0.7, "accuracy": 0.2, "optimality": 0.1}


@dataclass(frozen=True, eq=False)
class Case:
    """One mechanism and what is claimed of it; `opened` makes the callable, once in every process that draws."""

    name: str
    opened: Callable[[], Callable[..., Any]]
    demands: PrivacyDemands
    task: Task  # what is estimated
    promise: Promise  # what the demands stand for
    domain: Domain  # what a datum may be
    source: Source = "python"
    file: str | None = None  # where the mechanism stands, as the spec names it
    line: int | None = None  # where it begins there
    privacy: PrivacyClaim | None = None
    accuracy: AccuracyClaim | None = None
    optimality: OptimalityClaim | tuple[OptimalityClaim, ...] | None = None  # several: one for each setting
    data: NDArray[Any] | None = None  # the user's own, a further base dataset
    pairs: Callable[[], Iterable[tuple[Any, Any, Iterable[int]]]] | None = None  # of a custom task
    session: bool = False  # an output is what an analyst was told
    trusts_batches: bool = True
    barred: str = ""  # why nothing is audited, where the behaviour check says so
    inert: Inert = "report"  # of a mechanism that no user's datum moves, or "allow" it
    neighbours: Neighbours = field(default_factory=Replace)  # which datasets differ in a user
    form: Form | None = None  # in which the mechanism gets data; by default what suits the domain
    one_demand: bool = False  # it gets one number for all, the smallest demand
    features: Callable[[], Callable[[Any], Any]] | None = None  # opened like the mechanism: what an output shows
    parts: Mapping[str, float] = field(default_factory=lambda: PARTS)  # of the calls, by claim

    @classmethod
    def of(
        cls,
        name: str,
        opened: Callable[[], Callable[..., Any]],
        demands: PrivacyDemands,
        task: Task,
        *,
        promise: Promise | None = None,
        domain: Domain | None = None,
        **more: Any,
    ) -> Case:
        """Pure differential privacy on the task's own data, unless another promise or domain is given."""
        promised, allowed = promise or PureDP(demands.values), domain or task.domain
        return cls(name, opened, demands, task, promised, allowed, **more)

    def __post_init__(self) -> None:
        if self.inert not in get_args(Inert):
            raise InvalidInput(f"inert = {self.inert!r}; allowed: {', '.join(get_args(Inert))}")
        if self.task.name == Custom.name and self.pairs is not None and not isinstance(self.task, Custom):
            raise InvalidInput(f"{self.name}: datasets come from the domain or from pairs; leave one of them out")
        if isinstance(self.task, Custom) != (self.pairs is not None):
            raise InvalidInput(
                f"task = {self.task.name!r}; a custom task, and no other, has pairs of datasets, or in place of them a "
                "domain from which datasets are made"
            )
        if self.features is not None and not self.any_output:
            raise InvalidInput(
                f"{self.name}: features of a {self.task.name} task, whose outputs are numbers; leave them out, or make "
                'it task = "custom"'
            )
        if (self.session or self.task.standard is None) and (self.accuracy or self.optimality):
            what = "a session" if self.session else f"a {self.task.name} task"
            raise InvalidInput(f"{self.name}: of {what} only privacy can be audited")
        if not self.claims:
            raise InvalidInput(f"{self.name}: nothing is claimed; claim privacy, accuracy or optimality")
        if self.optimality is not None:
            self._refuse_other_promises()
        if self.data is not None:
            self._refuse_bad_data(self.data)

    def _refuse_other_promises(self) -> None:
        """What no mechanism can beat is proved for pure demands under replacement; others allow more."""
        if type(self.promise) is not PureDP or type(self.neighbours) is not Replace:
            raise InvalidInput(
                f"{self.name}: optimality for promise {self.promise.kind!r} and neighbours {self.neighbours.name!r}; "
                "what no mechanism can beat is known for pure demands under replacement alone: leave it out"
            )
        claims = self.optimality_claims
        if len({claim.setting for claim in claims}) < len(claims) or not claims:
            raise InvalidInput(f"{self.name}: optimality = {self.optimality}; give one claim for each setting")

    def _refuse_bad_data(self, data: NDArray[Any]) -> None:
        """What no user may have must not be tried on the mechanism; values are not shown."""
        if self.pairs is not None:
            raise InvalidInput(f"{self.name}: data for a custom task, which has its data in its pairs; leave them out")
        if data.ndim == 0 or len(data) != len(self.demands):
            raise InvalidInput(
                f"data of shape {data.shape} for {len(self.demands)} demands; give one datum for each user"
            )
        if not self.domain.allows(data):
            raise InvalidInput(f"{self.name}: data hold a value that is not allowed; give {self.domain.words}")

    @property
    def private(self) -> bool:
        """Whether the user's own data are in play: then nothing that comes from a call is shown."""
        return self.data is not None

    @property
    def claims(self) -> list[str]:
        """Which of privacy, accuracy and optimality are claimed."""
        return [name for name in PARTS if getattr(self, name) is not None]

    @property
    def claims_something_moves(self) -> bool:
        """Whether an output that no datum moves would make a pass empty."""
        return self.privacy is not None and self.inert == "report"

    @property
    def any_output(self) -> bool:
        """Whether outputs may be anything, and not what the task estimates."""
        return self.session or self.task.name == Custom.name

    @property
    def optimality_claims(self) -> tuple[OptimalityClaim, ...]:
        """One for each setting that is claimed."""
        given = self.optimality
        return () if given is None else (given,) if isinstance(given, OptimalityClaim) else tuple(given)

    @property
    def promises_nothing(self) -> bool:
        """Whether all users are public, so that only an accuracy could be audited, and none is claimed."""
        return self.accuracy is None and bool(np.isinf(self.promise.strengths).all())

    def mechanism(self) -> Callable[..., Any]:
        """Made anew; called with data, the columns of the promise and a generator."""
        columns = tuple(self.domain.columns) if isinstance(self.domain, Table) else ()
        called = adapted(parted(self.opened(), columns), tuple(self.promise.columns), self.demands.ids)
        called = OneDemand(called, self.promise) if self.one_demand else called
        return dressed(called, Dress(self.domain, self.form, None if self.any_output else self.task.keys), self.promise)

    def subject(self) -> Subject:
        """The mechanism, ready to be called."""
        mechanism = self.mechanism()
        if self.any_output:
            rng = stream(0, "custom", self.name)
            trials = SESSIONS if self.session else TRIALS
            features = None if self.features is None else self.features()
            mechanism = Encoded(mechanism, self.datasets, rng, trials, private=self.private, features=features)
        subject = Subject(mechanism, self.promise, self.task, self.name, self.neighbours, self.domain)
        subject.width = getattr(mechanism, "width", subject.width)
        subject.trusts_batches = self.trusts_batches
        return subject

    @property
    def datasets(self) -> list[Dataset]:
        """What is tried first: the base datasets, or those of the first pairs of a custom task."""
        if self.pairs is not None:
            return [one for pair in self.given[:FEW] for one in (pair.first, pair.second)]
        return [self.dataset(base.data) for base in self.bases()]

    def dataset(self, data: Any) -> Dataset:
        """Data of everybody, with what everybody was promised."""
        return Dataset(data, self.promise)

    def pair(self, base: Base, users: Users) -> NeighbourPair:
        """Two datasets that differ in these users alone."""
        return self.neighbours.pair(self.domain, base, users, self.promise)

    def bases(self) -> list[Base]:
        """Base datasets, without the user's own data."""
        return self.domain.bases(len(self.demands))

    @cached_property
    def given(self) -> list[NeighbourPair]:
        """The pairs of a custom task."""
        try:
            given = [] if self.pairs is None else list(self.pairs() if callable(self.pairs) else self.pairs)
        except Exception as why:
            raise InvalidInput(f"{self.name}: its pairs raised {words_of(why)}") from why
        if self.pairs is not None and not given:
            raise InvalidInput(f"{self.name}: no pairs of datasets; yield at least one (data0, data1, users)")
        return [given_pair(number, pair, self.promise, self.neighbours) for number, pair in enumerate(given)]
