"""A check: one piece of work on one case, whoever runs it, with calls and significance that were fixed beforehand."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar

from hdp_audit.audits.case import Case
from hdp_audit.audits.forecast import Forecast
from hdp_audit.audits.share import Outcome, Share
from hdp_audit.model.finding import Finding, Kind, id_of, label_of
from hdp_audit.targets.subject import Subject


@dataclass(frozen=True, eq=False)
class Check(ABC):
    """Pure in its fields. `forecast` and `unanswered` say what is known without it, and what is said if it cannot run.

    A new kind of check is a subclass in a file of its own, made by a planner (plan.py).
    """

    case: Case
    share: Share

    comes_first: ClassVar[bool] = False  # its outcome says how the others of the case are run
    needs_every_call: ClassVar[bool] = False  # says nothing where the mechanism was given up on the way
    forecast_calls: ClassVar[bool] = False  # its forecast calls the mechanism
    told_as_found: ClassVar[bool] = False  # by the name of its only finding; else by its own
    topic: ClassVar[str] = ""  # what a report may say was looked at, once it has run

    @property
    @abstractmethod
    def name(self) -> str:
        """What tells it from the other checks of its case, and names its stream of randomness."""

    @property
    def id(self) -> str:
        """Unique in a report."""
        return f"{self.case.name}/{self.name}"

    @property
    def title(self) -> str:
        """What people read while it runs: the name that the report has, too."""
        if not self.told_as_found:
            return self.id
        (where,) = self.possible()
        return id_of(self.case.name, label_of(*where))

    @property
    def expected_calls(self) -> int:
        """About how many it makes, where nothing is refuted."""
        return self.share.calls

    @property
    def calls_in_order(self) -> int:
        """About how many of them one process makes, one after the other, whoever else has time."""
        return 0

    @abstractmethod
    def run(self, subject: Subject) -> Outcome:
        """What the calls show."""

    def forecast(self) -> Forecast | None:
        """What its calls would detect; None where nothing was asked for."""
        return None

    def forecasts(self) -> Iterator[Forecast]:
        """The same of each of several claims."""
        found = self.forecast()
        if found is not None:
            yield found

    def unanswered(self, _why: str) -> tuple[Finding, ...]:
        """Its findings where the mechanism cannot be audited: not audited, and so not passed."""
        return ()

    def left_open(self, _finding: str, _why: str) -> Finding | None:
        """An inconclusive finding of a claim that was tested, by its id; None where the claim always has a finding."""
        return None

    def possible(self) -> Iterator[tuple[Kind, str]]:
        """The findings that it can make, by kind and by what the claim is about, but for those of single users."""
        return iter(())

    def possible_alone(self) -> Iterator[tuple[Kind, str]]:
        """The findings about single users that it can make: too many for a list that people read."""
        return iter(())

    def _open(self, kind: Kind, what: str, why: str, **more: Any) -> Finding:
        """A finding that leaves its claim open."""
        return Finding.about(self.case.name, kind, what, "inconclusive", why, **more)
