"""A finding: one claim, what was found, how sure that is, and what would have been caught."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from hdp_audit.errors import InvalidInput
from hdp_audit.model.bound import Bound
from hdp_audit.model.counterexample import Counterexample
from hdp_audit.model.traced import TracedLoss
from hdp_audit.model.vocabulary import MetricName
from hdp_audit.model.waiver import Waiver

Verdict = Literal["pass", "fail", "error", "inconclusive"]
Kind = Literal["privacy", "accuracy", "optimality", "float", "proof", "behaviour"]
Evidence = Literal["tested", "traced", "proved"]
Scope = Literal["mechanism", "tier", "user", "pair", "calls"]
FAILED_CALLS = "behaviour/call/"  # how the labels of findings about calls that failed begin


@dataclass(frozen=True)
class Finding:
    """Verdicts are words. A privacy pass that rests on tests always says what it would have caught.

    `id` is unique in a report and parsed by nobody; `label` is what people read of it beside the subject's name.
    `scope` says whom the claim is about: everything that the mechanism does, the users of one demand ("tier"), a user
    whom an attack named, a given pair of datasets, or what calls tell each other ("calls": only a faulty mechanism has
    such a finding). `examined` is False where no call could have decided: nothing promised, or too much for the calls.
    """

    id: str
    subject: str
    kind: Kind
    verdict: Verdict
    evidence: Evidence
    message: str
    label: str = ""
    scope: Scope = "mechanism"
    metric: MetricName | None = None  # of an error
    examined: bool = True
    users: tuple[int, ...] = ()
    claimed: float | None = None
    lower: Bound | None = None
    upper: Bound | None = None
    detectable: float | None = None
    calls: int = 0
    counterexample: Counterexample | None = None
    traced: TracedLoss | None = None
    facts: dict[str, Any] = field(default_factory=dict)  # what else is worth showing, as plain values
    waiver: Waiver | None = None
    traceback: tuple[str, ...] = ()  # of a call that failed: files and lines, the innermost last

    @classmethod
    def about(
        cls,
        subject: str,
        kind: Kind,
        what: str,
        verdict: Verdict,
        message: str,
        evidence: Evidence = "tested",
        **more: Any,
    ) -> Finding:
        """Named by its subject, its kind, and what the claim is about."""
        label = label_of(kind, what)
        return cls(id_of(subject, label), subject, kind, verdict, evidence, message, label, **more)

    @property
    def accuses(self) -> bool:
        """Whether only a faulty mechanism has such a finding: where the fault is mended, it is gone."""
        return accusing(self.kind, self.scope, self.verdict)

    @property
    def can_be_waived(self) -> bool:
        """A refuted claim, or calls that failed: outcomes to every claim, unless they left all of them open."""
        failed = self.kind == "behaviour" and self.label.startswith(FAILED_CALLS) and self.examined
        return self.verdict == "fail" or (self.verdict == "error" and failed)

    @property
    def witness(self) -> dict[str, Any]:
        """The counterexample and everything else that was noted, as report.json has it."""
        shown = self.counterexample.to_json() if self.counterexample is not None else {}
        return shown | ({"traced": self.traced.to_json()} if self.traced is not None else {}) | self.facts

    def __post_init__(self) -> None:
        for name, value, allowed in (
            ("verdict", self.verdict, get_args(Verdict)),
            ("kind", self.kind, get_args(Kind)),
            ("evidence", self.evidence, get_args(Evidence)),
            ("scope", self.scope, get_args(Scope)),
        ):
            if value not in allowed:
                raise InvalidInput(f"finding {self.id}: {name} = {value!r}; allowed: {', '.join(allowed)}")
        tested_pass = self.kind == "privacy" and self.verdict == "pass" and self.evidence == "tested"
        if tested_pass and self.detectable is None:
            raise InvalidInput(f"finding {self.id}: a pass that was tested must say what it would have caught")


def label_of(kind: Kind, what: str) -> str:
    """What a finding is called beside its subject's name."""
    return f"{kind}/{what}"


def id_of(subject: str, label: str) -> str:
    """What it is called in a report."""
    return f"{subject}/{label}"


def accusing(kind: Kind, scope: Scope, verdict: Verdict) -> bool:
    """`Finding.accuses` of a finding as a report has it."""
    return kind == "behaviour" or (scope in ("user", "calls") and verdict != "pass")
